use shmem::prelude::*;

#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);

fn main() {
    wait!(FLAG >= [1, 2]);
}
