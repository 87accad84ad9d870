use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let back = (0..16).rev();
    let _ = remote!(ROW[0, back]);
}
