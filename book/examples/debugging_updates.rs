//! A program in which one PE makes too few updates.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static READY: Atomic<u64> = Atomic::new(0);
#[symmetric]
static ROWS: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main(world: &World) {
    let needed = if std::env::args().nth(1).is_none() { 2 } else { 3 };
    if world.my_pe() + 1 == world.n_pes() {
        for half in 0..2 {
            remote!(ROWS[0, half * 8..half * 8 + 8]) = [1.0; 8];
            world.fence();
            remote!(READY[0]) += 1;
        }
    }
    if world.my_pe() == 0 {
        wait!(READY >= needed);
    }
    world.barrier_all();
}
// ANCHOR_END: all
