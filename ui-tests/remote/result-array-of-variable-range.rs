use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let n = 4;
    let part: [f64; 4] = remote!(ROW[0, 0..n]);
    drop(part);
}
