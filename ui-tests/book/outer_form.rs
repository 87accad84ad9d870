//! The outer form in a function that is not marked.

use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn clear(pe: usize) {
    remote!(ROW[pe, 3]) = 0.0;
}

#[shmem::main]
fn main() {
    clear(0);
}
