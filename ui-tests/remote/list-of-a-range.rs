use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let range = 2..5;
    let _ = remote!(ROW[0, @range]);
}
