//! Selectors on two and three axes.

use shmem::prelude::*;

// ANCHOR: grid
#[symmetric]
static GRID: [[u32; 4]; 3] = [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]];
// ANCHOR_END: grid

#[symmetric]
static CUBE: [[[u8; 4]; 3]; 2] = [[[0; 4]; 3]; 2];

#[shmem::main]
fn main(world: &World) {
    let pe = world.n_pes() - 1;
    if world.my_pe() != 0 {
        return;
    }
    // ANCHOR: reads
    let element: u32 = remote!(GRID[pe, 1, 2]);
    let row: [u32; 4] = remote!(GRID[pe, 1, ..]);
    let column: [u32; 3] = remote!(GRID[pe, .., 2]);
    let block: [[u32; 2]; 2] = remote!(GRID[pe, 1..3, 0..2]);
    let corners: [[u32; 2]; 2] = remote!(GRID[pe, ..;2, ..;3]);
    println!("element {element}");
    println!("row     {row:?}");
    println!("column  {column:?}");
    println!("block   {block:?}");
    println!("corners {corners:?}");
    // ANCHOR_END: reads

    // ANCHOR: cube
    remote!(CUBE[pe, 1, .., 0]) = [1, 2, 3]; // a line through a plane
    world.quiet();
    let plane: [[u8; 4]; 3] = remote!(CUBE[pe, 1, .., ..]);
    assert_eq!(plane, [[1, 0, 0, 0], [2, 0, 0, 0], [3, 0, 0, 0]]);
    // ANCHOR_END: cube

    // ANCHOR: one
    let as_index: u32 = remote!(GRID[pe, 2, 3]);
    let as_range: [[u32; 1]; 1] = remote!(GRID[pe, 2..3, 3..4]);
    assert_eq!(as_range, [[as_index]]);
    // ANCHOR_END: one
}
