use shmem::prelude::*;

#[symmetric]
static LOCK: Lock = 0;

fn main() {}
