use shmem::prelude::*;

#[symmetric]
static PAIR: (u64, u64) = (0, 0);

fn main() {}
