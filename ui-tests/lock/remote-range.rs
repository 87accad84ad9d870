use shmem::prelude::*;

#[symmetric]
static LOCKS: [Lock; 4] = [Lock::new(); 4];

#[shmem::main]
fn main() {
    let _ = remote!(LOCKS[0, 1..3]);
}
