use shmem::prelude::*;

#[symmetric]
static SLOTS: PerPe<u64> = 0;

fn main() {
    
}
