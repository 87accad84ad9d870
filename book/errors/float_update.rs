//! An atomic addition to a float.

use shmem::prelude::*;

#[symmetric]
static SUM: Atomic<f64> = Atomic::new(0.0);

#[shmem::main]
fn main() {
    remote!(SUM[0]) += 1.0;
}
