//! A selection that is out of bounds at run time.

use shmem::prelude::*;

// ANCHOR: all
#[symmetric]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

#[shmem::main]
fn main(world: &World) {
    let width = 8 + world.n_pes();
    if world.my_pe() == 0 {
        remote!(GRID[0, 1, 2..width]) = 1.0;
    }
}
// ANCHOR_END: all
