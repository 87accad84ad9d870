use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

#[shmem::main]
fn main() {
    let _guard = COUNT.lock();
}
