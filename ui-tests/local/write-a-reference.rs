use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let value = 1.0;
    local!(ROW[3] = &value);
}
