//! A source of the wrong length.

use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

#[shmem::main]
fn main() {
    remote!(ROW[0, 0..16;2]) = [1.0; 16];
}
