//! Moves from symmetric memory to symmetric memory.

use shmem::prelude::*;

#[symmetric]
static A: [[f64; 4]; 4] = [[0.0, 1.0, 2.0, 3.0]; 4];
#[symmetric]
static B: [[f64; 4]; 4] = [[0.0; 4]; 4];
#[symmetric]
static LINE: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[shmem::main]
fn main(world: &World) {
    let (me, right) = (world.my_pe(), (world.my_pe() + 1) % world.n_pes());

    // ANCHOR: forms
    remote!(B[right, 0, ..]) = local!(&A[.., 2]); // my column to a row of another PE
    local!(B[1, ..]) = remote!(&A[right, 3, ..;-1]); // a row of another PE to mine, reversed
    remote!(B[right, 2..4, ..]) = remote!(&A[me, [3, 0], ..]); // two rows
    // ANCHOR_END: forms
    world.barrier_all();
    let rows = [
        [2.0; 4],
        [3.0, 2.0, 1.0, 0.0],
        [0.0, 1.0, 2.0, 3.0],
        [0.0, 1.0, 2.0, 3.0],
    ];
    assert_eq!(local!(B[.., ..]), rows);

    // ANCHOR: overlap
    local!(LINE[2..]) = local!(&LINE[..6]); // everything two places up
    assert_eq!(local!(LINE[..]), [0, 1, 0, 1, 2, 3, 4, 5]);
    local!(LINE[..]) = local!(&LINE[..;-1]); // reversed in place
    assert_eq!(local!(LINE[..]), [5, 4, 3, 2, 1, 0, 1, 0]);
    // ANCHOR_END: overlap
}
