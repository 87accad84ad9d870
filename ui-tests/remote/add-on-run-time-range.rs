use shmem::prelude::*;

#[symmetric]
static HITS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

fn main() {
    let n = 4;
    remote!(HITS[0, ..n] += 1);
}
