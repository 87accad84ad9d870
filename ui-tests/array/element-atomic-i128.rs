use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let array = world.symmetric_array::<Atomic<i128>, 1>([8], Atomic::new(0));
}
