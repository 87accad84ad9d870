//! An update of an element that is not atomic.

use shmem::prelude::*;

#[symmetric]
static ARRIVED: u64 = 0;

#[shmem::main]
fn main() {
    remote!(ARRIVED[0]) += 1;
}
