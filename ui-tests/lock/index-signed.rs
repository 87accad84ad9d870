use shmem::prelude::*;

#[symmetric]
static LOCKS: [Lock; 4] = [Lock::new(); 4];

#[shmem::main]
fn main() {
    let i = 3_i32;
    let _guard = LOCKS.at(i).lock();
}
