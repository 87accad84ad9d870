use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let world = World {};
}
