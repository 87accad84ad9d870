use shmem::prelude::*;

#[symmetric]
static LOCK: Lock = Lock::new();

#[shmem::main]
fn main() {
    remote!(LOCK[0]) = Lock::new();
}
