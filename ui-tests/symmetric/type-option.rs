use shmem::prelude::*;

#[symmetric]
static FIRST: Option<u64> = None;

fn main() {}
