use shmem::prelude::*;

#[symmetric]
static LOCK: Lock = Lock::new();

#[shmem::main]
fn main() {
    let guard = LOCK.lock();
    guard.unlock();
}
