use shmem::prelude::*;

#[symmetric]
static SLOTS: PerPe<PerPe<u64>> = PerPe::new(PerPe::new(0));

fn main() {}
