use shmem::prelude::*;

#[symmetric]
static HITS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

fn main() {
    remote!(HITS[0, 16] += 1);
}
