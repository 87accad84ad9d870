use shmem::prelude::*;

#[symmetric]
static HITS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

fn main() {
    let before = remote!(&HITS[0, 0..4]).fetch_or(1);
}
