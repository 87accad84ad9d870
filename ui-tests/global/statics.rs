use shmem::prelude::*;

#[symmetric(block)]
static SHORT: [u64; 100] = [0; 99];

#[shmem::main]
fn main() {}
