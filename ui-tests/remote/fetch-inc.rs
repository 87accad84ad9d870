use shmem::prelude::*;

#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main() {
    let _ = remote!(&COUNT[0]).fetch_inc();
}
