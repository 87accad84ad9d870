use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    remote!(ROW[0, [3, 1]]) = [1.0, 2.0, 3.0];
}
