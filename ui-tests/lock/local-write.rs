use shmem::prelude::*;

#[symmetric]
static LOCKS: [Lock; 4] = [Lock::new(); 4];

#[shmem::main]
fn main() {
    local!(LOCKS[1]) = Lock::new();
}
