//! Every source of a write.

use shmem::prelude::*;

#[symmetric]
static ROW: [i32; 8] = [0; 8];
#[symmetric]
static GRID: [[i32; 4]; 3] = [[0; 4]; 3];

#[shmem::main]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    // ANCHOR: row
    remote!(ROW[right, 0]) = 1; // one element
    remote!(ROW[right, 1..4]) = [2, 3, 4]; // an array
    remote!(ROW[right, 4..8;2]) = 9; // one value for every place
    // ANCHOR_END: row
    world.barrier_all();
    assert_eq!(local!(ROW[..]), [1, 2, 3, 4, 9, 0, 9, 0]);
    world.barrier_all();

    // ANCHOR: grid
    remote!(GRID[right, 0..2, 0..2]) = [[1, 2], [3, 4]]; // nested arrays
    remote!(GRID[right, .., 3]) = [5, 6, 7]; // a column
    remote!(GRID[right, 2, 0..3]) = -1; // a part of a row
    // ANCHOR_END: grid
    world.barrier_all();
    if world.my_pe() == 0 {
        for row in local!(GRID[.., ..]) {
            println!("{row:?}");
        }
    }
    world.barrier_all();

    // ANCHOR: slices
    let values = vec![10, 20, 30, 40, 50, 60];
    remote!(ROW[right, 0..2]) = &values[4..]; // a slice
    remote!(ROW[right, 2..]) = values; // a Vec
    remote!(GRID[right, 0..2, 0..2]) = &[6, 7, 8, 9][..]; // row by row
    // ANCHOR_END: slices
    world.barrier_all();
    assert_eq!(local!(ROW[..]), [50, 60, 10, 20, 30, 40, 50, 60]);
    assert_eq!(local!(GRID[0..2, 0..2]), [[6, 7], [8, 9]]);
}
