use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    remote!(ROW[0, 0..4]) = local!(&ROW[0..3]);
    remote!(ROW[0, 0]) = local!(&ROW[0..3]);
}
