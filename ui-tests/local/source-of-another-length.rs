use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    local!(ROW[0..4] = [1.0; 5]);
}
