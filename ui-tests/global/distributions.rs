use shmem::prelude::*;

const NONE: usize = 0;

#[symmetric(block2d)]
static LINE: [u64; 100] = [0; 100];
#[symmetric(block2d)]
static CUBE: [[[f64; 4]; 4]; 4] = [[[0.0; 4]; 4]; 4];
#[symmetric(block_cyclic(0))]
static NEVER: [u64; 100] = [0; 100];
#[symmetric(block_cyclic(NONE))]
static NOTHING: [u64; 100] = [1; 100];

#[shmem::main]
fn main() {}
