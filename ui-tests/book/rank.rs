//! A selector too few.

use shmem::prelude::*;

#[symmetric]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

#[shmem::main]
fn main() {
    remote!(GRID[0, 3]) = 1.0;
}
