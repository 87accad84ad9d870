use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let every = (0..16).step_by(2);
    let _ = remote!(ROW[0, every]);
}
