use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let array = world.symmetric_array::<bool, 1>([8], false);
}
