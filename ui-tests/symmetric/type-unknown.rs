use shmem::prelude::*;

#[symmetric]
static COUNT: U64 = 0;

fn main() {}
