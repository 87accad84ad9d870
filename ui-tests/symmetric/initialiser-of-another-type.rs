use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 4] = [0; 4];

fn main() {}
