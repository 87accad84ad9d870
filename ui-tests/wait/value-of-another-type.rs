use shmem::prelude::*;

#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);

fn main() {
    let limit = 3_i32;
    wait!(FLAG >= limit);
}
