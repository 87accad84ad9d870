// `cargo check` finds it in a generic function that nobody calls.
use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

pub fn edge<T>(pe: usize) -> f64 {
    remote!(ROW[pe, 16])
}

fn main() {}
