//! A program that hangs.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static GO: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    if std::env::args().nth(1).is_some_and(|word| word == "hang") && me == 0 {
        wait!(GO == 1); // nobody writes it
    }
    world.barrier_all();
}
// ANCHOR_END: all
