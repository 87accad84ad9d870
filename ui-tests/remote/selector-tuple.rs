use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let at = (1, 2);
    let _ = remote!(ROW[0, at]);
}
