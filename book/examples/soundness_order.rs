//! Data first, then the flag that says so.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static DATA: [f64; 1000] = [0.0; 1000];
#[symmetric]
static READY: Atomic<u32> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();

    remote!(DATA[right, ..]) = 1.5;
    world.fence(); // what is above arrives before what is below
    remote!(READY[right]) = 1;

    wait!(READY == 1); // the flag has been seen, so the data is there
    assert_eq!(local!(DATA[..]), [1.5; 1000]);
}
// ANCHOR_END: all
