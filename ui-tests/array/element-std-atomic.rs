use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    use std::sync::atomic::AtomicU64;
    let array = world.symmetric_array::<AtomicU64, 1>([8], AtomicU64::new(0));
}
