use shmem::prelude::*;

#[symmetric]
static LOCKS: [Lock; 4] = [Lock::new(); 4];

#[shmem::main]
fn main() {
    remote!(LOCKS[0, 3]) += 1;
}
