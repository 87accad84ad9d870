use shmem::prelude::*;

#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main() {
    let _ = local!(COUNT).fetch_add(1);
}
