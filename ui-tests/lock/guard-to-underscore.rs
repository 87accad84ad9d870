#![deny(let_underscore_drop)]

use shmem::prelude::*;

#[symmetric]
static LOCK: Lock = Lock::new();

#[shmem::main]
fn main() {
    let _ = LOCK.lock();
}
