//! A result that is taken for another one.

use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    let half: [f64; 7] = remote!(ROW[0, 0..8]);
    println!("{half:?}");
}
