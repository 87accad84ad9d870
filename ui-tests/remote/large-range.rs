use shmem::prelude::*;

#[symmetric]
static A: [f64; 100_000] = [0.0; 100_000];

#[shmem::main]
fn main() {
    let _large = remote!(A[0, 1..=8193]);
}
