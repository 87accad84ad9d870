use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let i: i32 = 3;
    remote!(ROW[0, i]);
}
