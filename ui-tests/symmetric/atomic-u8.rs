use shmem::prelude::*;

#[symmetric]
static FLAG: Atomic<u8> = Atomic::new(0);

fn main() {}
