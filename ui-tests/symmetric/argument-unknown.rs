use shmem::prelude::*;

#[symmetric(align = 64)]
static COUNT: u64 = 0;

fn main() {}
