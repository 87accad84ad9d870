use shmem::prelude::*;

#[symmetric]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

#[shmem::main]
fn main() {
    let _ = remote!(GRID[2, 3]);
}
