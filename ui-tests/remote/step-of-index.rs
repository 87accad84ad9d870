use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let i = 3;
    let _ = remote!(ROW[0, i;2]);
}
