use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let pe = Some(1_usize);
    let _ = remote!(ROW[pe, 3]);
}
