use shmem::prelude::*;

#[symmetric]
static FLAG: Atomic<bool> = Atomic::new(false);

fn main() {}
