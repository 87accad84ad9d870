//! A remote access inside of a local phase.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static ROW: [f64; 8] = [0.0; 8];

#[shmem::main]
fn main(world: &World) {
    world.local_phase(|p| {
        let row = ROW.as_slice(p);
        if world.my_pe() == 0 {
            remote!(ROW[0, 7]) = row[0];
        }
    });
}
// ANCHOR_END: all
