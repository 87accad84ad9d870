use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let window = remote!(&mut ROW[0, 0..4]);
}
