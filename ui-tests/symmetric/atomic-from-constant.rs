use shmem::prelude::*;

const ZERO: u64 = 0;

#[symmetric]
static COUNT: Atomic<u64> = ZERO;

fn main() {
    
}
