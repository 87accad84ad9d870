use shmem::prelude::*;

#[symmetric]
static HITS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

#[shmem::kernel]
fn double(pe: usize) {
    remote!(HITS[pe, 0]) *= 2;
}

fn main() {}
