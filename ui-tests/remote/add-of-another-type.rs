use shmem::prelude::*;

#[symmetric]
static HITS: [Atomic<u64>; 16] = [Atomic::new(0); 16];

fn main() {
    let step: i32 = 1;
    remote!(HITS[0, 3] += step);
}
