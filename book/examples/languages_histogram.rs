//! A histogram whose bins are dealt out to the PEs.

use shmem::prelude::*;

#[symmetric]
static BINS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    for i in 0..1000 {
        let bin = (1000 * me + i) % 137 % 16;
        remote!(BINS[bin % n, bin / n]) += 1;
    }
    world.barrier_all();
    if me == 0 {
        for bin in 0..16 {
            print!("{} ", remote!(BINS[bin % n, bin / n]));
        }
    }
}
