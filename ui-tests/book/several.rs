//! Several mistakes in one call.

use shmem::prelude::*;

#[symmetric]
static CUBE: [[[f64; 8]; 8]; 8] = [[[0.0; 8]; 8]; 8];

#[shmem::main]
fn main() {
    let cells = remote!(CUBE[0, *, 0:4, 2..=]);
    println!("{cells:?}");
}
