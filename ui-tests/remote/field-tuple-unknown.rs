use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Pair(u64, u64);

#[symmetric]
static PAIRS: [Pair; 8] = [Pair(0, 1); 8];

fn main() {
    let v = remote!(PAIRS[0, 3].2);
}
