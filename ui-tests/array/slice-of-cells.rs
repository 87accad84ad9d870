use shmem::prelude::*;

fn main() {}

fn example(world: &World) {
    let cells = world.array_from_slice(&[Atomic::new(0_u64); 4]);
}
