use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let at = 3_u32;
    let _ = remote!(ROW[0, at]);
}
