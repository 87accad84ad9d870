//! Lists of indices, ranges that descend, and ranges in variables.

use shmem::prelude::*;

#[symmetric]
static ROW: [u32; 10] = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90];
#[symmetric]
static GRID: [[u32; 4]; 3] = [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]];
#[symmetric]
static OUT: [u32; 8] = [0; 8];

#[shmem::main]
fn main(world: &World) {
    let pe = world.n_pes() - 1;
    let right = (world.my_pe() + 1) % world.n_pes();
    if world.my_pe() == 0 {
        // ANCHOR: read
        let primes: [u32; 4] = remote!(ROW[pe, [2, 3, 5, 7]]);
        let (i, j) = (9, 0);
        let ends: [u32; 2] = remote!(ROW[pe, [i, j]]);
        let list = vec![4, 4, 1];
        let some: Vec<u32> = remote!(ROW[pe, @list]);
        println!("primes {primes:?}");
        println!("ends   {ends:?}");
        println!("some   {some:?}");
        // ANCHOR_END: read
    }

    // ANCHOR: axes
    let rows: [[u32; 4]; 2] = remote!(GRID[pe, [2, 0], ..]);
    let column: [u32; 2] = remote!(GRID[pe, [2, 0], 1]);
    let combined: [[u32; 3]; 2] = remote!(GRID[pe, [2, 0], [3, 1, 1]]);
    assert_eq!(rows, [[20, 21, 22, 23], [0, 1, 2, 3]]);
    assert_eq!(column, [21, 1]);
    assert_eq!(combined, [[23, 21, 21], [3, 1, 1]]);
    // ANCHOR_END: axes

    // ANCHOR: write
    let list = [6, 1, 6];
    remote!(OUT[right, @list]) = [7, 8, 9];
    remote!(OUT[right, [0, 3]]) = 5; // one value for every place
    world.barrier_all();
    assert_eq!(local!(OUT[..]), [5, 8, 0, 5, 0, 0, 9, 0]);
    // ANCHOR_END: write

    // ANCHOR: reversed
    assert_eq!(
        remote!(ROW[pe, ..;-1]),
        [90, 80, 70, 60, 50, 40, 30, 20, 10, 0]
    );
    assert_eq!(remote!(ROW[pe, 2..6;-1]), [50, 40, 30, 20]);
    assert_eq!(remote!(ROW[pe, 2..6;-3]), [50, 20]);
    // ANCHOR_END: reversed

    // ANCHOR: variables
    let range = 2..8;
    assert_eq!(remote!(ROW[pe, range]), [20, 30, 40, 50, 60, 70]);
    assert_eq!(remote!(ROW[pe, range;2]), [20, 40, 60]);
    assert_eq!(remote!(ROW[pe, range;-2]), [70, 50, 30]);
    // ANCHOR_END: variables
}
