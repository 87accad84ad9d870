use shmem::prelude::*;

#[symmetric]
static LOCK: Lock = Lock::new();

fn main() {
    collective!(LOCK = max LOCK);
}
