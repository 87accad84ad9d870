use shmem::prelude::*;

#[symmetric]
static ROW: [f64] = *[0.0; 4].as_slice();

fn main() {}
