use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let pe: i32 = 1;
    remote!(ROW[pe, 3]);
}
