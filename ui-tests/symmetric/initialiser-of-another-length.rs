use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.0; 15];

fn main() {}
