use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let values = vec![1.0; 4];
    remote!(ROW[0, 3] = &values[..]);
}
