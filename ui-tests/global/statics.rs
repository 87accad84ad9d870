use shmem::prelude::*;

#[symmetric(block)]
static SCALAR: u64 = 0;
#[symmetric(block2d)]
static LINE: [u64; 100] = [0; 100];
#[symmetric(block_cyclic(0))]
static NONE: [u64; 100] = [0; 100];
#[symmetric(block)]
static SHORT: [u64; 100] = [0; 99];
#[symmetric(block)]
static LOCKS: [Lock; 4] = [Lock::new(); 4];

#[shmem::main]
fn main() {}
