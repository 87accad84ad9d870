use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let n = remote!(-ROW[0, 3]);
}
