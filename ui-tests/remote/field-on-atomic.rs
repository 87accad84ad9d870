use shmem::prelude::*;

#[symmetric]
static HITS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

fn main() {
    let v = remote!(HITS[0, 3].value);
}
