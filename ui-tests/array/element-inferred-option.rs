use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let array = world.symmetric_array([8], None::<u32>);
}
