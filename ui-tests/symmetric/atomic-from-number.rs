use shmem::prelude::*;

#[symmetric]
static COUNT: Atomic<u64> = 0;

fn main() {
    
}
