use shmem::prelude::*;

#[symmetric]
static LOCK: Lock = Lock::new();

#[shmem::main]
fn main() {
    let _guard = LOCK.at(0).lock();
}
