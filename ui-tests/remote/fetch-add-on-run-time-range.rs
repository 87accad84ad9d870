use shmem::prelude::*;

#[symmetric]
static HITS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

#[shmem::main]
fn main() {
    let n = 4;
    let _ = remote!(&HITS[0, 0..n]).fetch_add(1);
}
