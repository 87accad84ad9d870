use shmem::prelude::*;

const N: u32 = 4;

#[symmetric]
static ROW: [f64; N] = [0.0; 4];

fn main() {}
