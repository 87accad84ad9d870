use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let buffer = [0.0; 8];
    remote!(ROW[0, 0..8] => &mut buffer);
}
