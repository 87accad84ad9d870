use shmem::prelude::*;

#[symmetric]
static ROW: [f64; _] = [0.0; 4];

fn main() {}
