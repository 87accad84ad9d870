// No operation gives a reference to memory that other PEs write to.
use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 16];

fn main() {
    let row: &'static [f64] = remote!(&ROW[0, 0..4]);
}
