use shmem::prelude::*;

#[symmetric(block)]
static LINE: [u64; 100] = [0; 100];
#[symmetric(block2d)]
static GRID: [[f64; 8]; 4] = [[0.0; 8]; 4];

#[shmem::main]
fn main() {
    remote!(LINE[@100]) = 1;
    let _ = remote!(LINE[@90..101]);
    let _ = remote!(GRID[@3, 8]);
    let _ = remote!(LINE[@[7, 200]]);
}
