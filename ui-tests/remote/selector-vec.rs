use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let some = vec![1, 5, 9];
    let _ = remote!(ROW[0, some]);
}
