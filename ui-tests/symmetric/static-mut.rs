use shmem::prelude::*;

#[symmetric]
static mut COUNT: u64 = 0;

fn main() {}
