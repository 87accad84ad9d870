//! A PE that does not exist.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static ROW: [f64; 8] = [0.0; 8];

#[shmem::main]
fn main(world: &World) {
    if world.my_pe() == 0 {
        let right = world.my_pe() + world.n_pes(); // and no `%`
        remote!(ROW[right, 2]) = 1.0;
    }
}
// ANCHOR_END: all
