use shmem::prelude::*;

#[symmetric]
static HITS: Atomic<[u64; 4]> = Atomic::new([0; 4]);

fn main() {}
