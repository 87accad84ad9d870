use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

#[shmem::kernel]
fn count(pe: usize) {
    remote!(COUNT[pe]) += 1;
}

fn main() {}
