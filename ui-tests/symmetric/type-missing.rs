use shmem::prelude::*;

#[symmetric]
static COUNT = 0;

fn main() {}
