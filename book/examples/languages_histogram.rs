//! A histogram whose bins are dealt out to the PEs.

use shmem::prelude::*;

#[symmetric(cyclic)]
static BINS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    for i in 0..1000 {
        remote!(BINS[@(1000 * me + i) % 137 % 16]) += 1;
    }
    world.barrier_all();
    if me == 0 {
        for count in remote!(BINS[@..]) {
            print!("{count} ");
        }
    }
}
