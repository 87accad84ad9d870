use shmem::prelude::*;

#[symmetric]
static WIDE: [Atomic<u128>; 4] = [Atomic::new(0); 4];

fn main() {}
