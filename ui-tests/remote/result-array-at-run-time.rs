use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let n = 4;
    let part: [f64; 4] = remote!(ROW[0, 0..n]);
}
