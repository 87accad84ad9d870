use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let pe = 0;
    local!(ROW[pe, 3]);
}
