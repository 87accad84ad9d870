use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

#[shmem::kernel]
fn reset(pe: usize) -> u64 {
    remote!(COUNT[pe]) = 0
}

fn main() {}
