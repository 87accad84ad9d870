use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let step = 2_i32;
    let _ = remote!(ROW[0, ..;step]);
}
