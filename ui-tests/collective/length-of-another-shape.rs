use shmem::prelude::*;

#[symmetric]
static A: [f64; 16] = [0.0; 16];
#[symmetric]
static BLOCK: [[f64; 8]; 2] = [[0.0; 8]; 2];

fn main() {
    collective!(A[..] = sum BLOCK[.., ..]);
}
