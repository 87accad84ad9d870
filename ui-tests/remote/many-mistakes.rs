// Every mistake of a call is reported, each at its own place.
use shmem::prelude::*;

#[symmetric]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    remote!(&mut GRID[0, *, 4;2] += );
}
