//! A source of another length than the selection.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static ROW: [f64; 8] = [0.0; 8];

#[shmem::main]
fn main(world: &World) {
    if world.my_pe() == 0 {
        let values = vec![1.0; 3];
        remote!(ROW[0, 2..6]) = values;
    }
}
// ANCHOR_END: all
