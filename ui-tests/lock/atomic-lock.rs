use shmem::prelude::*;

#[symmetric]
static LOCK: Atomic<Lock> = Atomic::new(Lock::new());

fn main() {}
