use shmem::prelude::*;

#[derive(Clone, Copy)]
struct Pair(u64, u64);

#[symmetric(block)]
static SCALAR: u64 = 0;
#[symmetric(block)]
static SHORT: [u64; 100] = [0; 99];
#[symmetric(block)]
static LOCKS: [Lock; 4] = [const { Lock::new() }; 4];
#[symmetric(cyclic)]
static PAIRS: [Pair; 4] = [Pair(0, 0); 4];
#[symmetric(block_cyclic(1.5))]
static HALVES: [u64; 100] = [0; 100];

#[shmem::main]
fn main() {}
