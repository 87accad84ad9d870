use shmem::prelude::*;
use shmem::reduction::{Sum, Xor};

#[symmetric(block)]
static LINE: [f64; 100] = [0.0; 100];
#[symmetric(block2d)]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];
#[symmetric(block)]
static COUNTS: [u64; 100] = [0; 100];
#[symmetric]
static COPY: [f64; 100] = [0.0; 100];

#[shmem::main]
fn main() {
    GRID.scan(Sum, &LINE);
    LINE.scan(Sum, &GRID);
    LINE.scan(Sum, &COUNTS);
    LINE.assign_from(&GRID);
    LINE.assign_from(&COPY);
    let _ = LINE.reduce(Xor);
    let _ = COPY.sum();
}
