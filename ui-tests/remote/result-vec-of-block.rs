use shmem::prelude::*;

#[symmetric]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

#[shmem::main]
fn main() {
    let block: Vec<f64> = remote!(GRID[0, 0..2, 0..2]);
    drop(block);
}
