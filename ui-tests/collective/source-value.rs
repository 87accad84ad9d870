use shmem::prelude::*;

#[symmetric]
static A: [f64; 16] = [0.0; 16];
#[symmetric]
static B: [f64; 16] = [0.0; 16];

fn main() {
    let x = 1.0;
    collective!(A[0] = sum x);
}
