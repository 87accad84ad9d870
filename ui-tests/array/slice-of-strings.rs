use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let names = world.array_from_slice(&["PE 0", "PE 1"]);
}
