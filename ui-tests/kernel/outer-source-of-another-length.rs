use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::kernel]
fn reset(pe: usize) {
    remote!(ROW[pe, 0..8]) = [0.0; 9];
}

fn main() {}
