use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let window: std::ops::Range<i32> = 2..8;
    let _ = remote!(ROW[0, window]);
}
