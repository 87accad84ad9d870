//! A bitwise update of a float.

use shmem::prelude::*;

#[symmetric]
static SIGN: Atomic<f64> = Atomic::new(1.0);

#[shmem::main]
fn main() {
    remote!(SIGN[0]) ^= -0.0;
}
