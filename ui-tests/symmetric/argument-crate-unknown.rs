use shmem::prelude::*;

#[symmetric(crate = nowhere)]
static COUNT: u64 = 0;

fn main() {}
