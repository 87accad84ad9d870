use shmem::prelude::*;

#[symmetric]
static SLOTS: [PerPe<u64>; 4] = [PerPe::new(0); 4];

fn main() {}
