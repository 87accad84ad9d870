use shmem::prelude::*;

#[symmetric(4)]
static COUNT: u64 = 0;

fn main() {}
