use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn first<const N: usize>() -> Vec<f64> {
    remote!(ROW[0, 0..N])
}

fn main() {
    first::<3>();
}
