use shmem::prelude::*;

#[symmetric]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

fn main() {
    collective!(sum GRID[1, ..]);
}
