use shmem::prelude::*;

#[symmetric]
static COUNT: u64;

fn main() {}
