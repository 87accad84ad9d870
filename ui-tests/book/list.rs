//! Constant lists that are out of bounds.

use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 8] = [0.0; 8];

#[shmem::main]
fn main() {
    let some = remote!(ROW[0, [1, 2, 9]]);
    println!("{some:?}");
}
