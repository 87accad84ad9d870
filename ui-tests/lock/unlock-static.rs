use shmem::prelude::*;

#[symmetric]
static LOCK: Lock = Lock::new();

#[shmem::main]
fn main() {
    LOCK.unlock();
}
