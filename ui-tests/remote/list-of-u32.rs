use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let list: Vec<u32> = vec![1, 5];
    let _ = remote!(ROW[0, @list]);
}
