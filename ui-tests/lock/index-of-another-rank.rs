use shmem::prelude::*;

#[symmetric]
static LOCKS: [[Lock; 4]; 2] = [[Lock::new(); 4]; 2];

#[shmem::main]
fn main() {
    let _guard = LOCKS.at(3).lock();
}
