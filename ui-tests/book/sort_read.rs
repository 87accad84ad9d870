//! A read in a batch, without a place.

use shmem::prelude::*;

#[symmetric]
static COUNTS: [Atomic<u64>; 8] = [const { Atomic::new(0) }; 8];

#[shmem::main]
fn main(world: &World) {
    world.batch(|b| {
        let count = remote!(b; COUNTS[1, 3]);
        println!("{count}");
    });
}
