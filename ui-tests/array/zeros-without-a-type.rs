use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let array = world.zeros([8]);
}
