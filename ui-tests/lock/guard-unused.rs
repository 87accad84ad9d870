#![deny(unused_must_use)]

use shmem::prelude::*;

#[symmetric]
static LOCK: Lock = Lock::new();

#[shmem::main]
fn main() {
    LOCK.lock();
    LOCK.try_lock();
}
