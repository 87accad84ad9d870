use shmem::prelude::*;

#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main() {
    let _ = COUNT.load(std::sync::atomic::Ordering::Relaxed);
}
