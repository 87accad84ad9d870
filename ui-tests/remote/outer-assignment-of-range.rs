use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    remote!(ROW[0, 0..4]) = [1.0; 4];
}
