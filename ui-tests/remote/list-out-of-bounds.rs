use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    remote!(ROW[0, [1, 15, 16, 3]]) = 1.0;
}
