// The name itself is not the value.
use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let n: f64 = ROW[3];
}
