use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let ones = [1_u64; 8];
    remote!(ROW[0, 0..8] = ones);
}
