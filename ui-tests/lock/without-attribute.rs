use shmem::prelude::*;

static LOCK: Lock = Lock::new();

#[shmem::main]
fn main() {
    let _guard = LOCK.lock();
}
