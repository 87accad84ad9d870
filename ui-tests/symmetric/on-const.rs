use shmem::prelude::*;

#[symmetric]
const COUNT: u64 = 0;

fn main() {}
