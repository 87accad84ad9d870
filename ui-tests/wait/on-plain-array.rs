use shmem::prelude::*;

#[symmetric]
static COUNTS: [u64; 8] = [0; 8];

fn main() {
    wait!(all COUNTS[..] >= 3);
}
