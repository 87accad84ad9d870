//! A constant selection that is out of bounds.

use shmem::prelude::*;

#[symmetric]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

#[shmem::main]
fn main() {
    remote!(GRID[0, 4, 0]) = 1.0;
    remote!(GRID[0, 1, 2..10]) = 1.0;
}
