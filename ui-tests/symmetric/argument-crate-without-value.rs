use shmem::prelude::*;

#[symmetric(crate)]
static COUNT: u64 = 0;

fn main() {}
