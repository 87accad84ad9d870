use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    fn take(_: Vec<f64>) {}
    take(remote!(ROW[0, 0..4]));
}
