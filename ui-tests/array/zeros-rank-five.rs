use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let array = world.zeros::<u8, 5>([2; 5]);
}
