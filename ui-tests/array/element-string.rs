use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let array = world.symmetric_array::<String, 1>([8], String::new());
}
