use shmem::prelude::*;

#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

fn count() {
    local!(COUNT) += 1;
}

fn main() {}
