use shmem::prelude::*;

#[symmetric]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

fn main() {
    let rows = vec![vec![0.0; 8]; 4];
    remote!(GRID[0, .., ..] = rows);
}
