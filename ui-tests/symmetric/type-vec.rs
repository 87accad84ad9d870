use shmem::prelude::*;

#[symmetric]
static ROW: Vec<f64> = Vec::new();

fn main() {}
