// The name itself is not the value.
use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    let n: u64 = COUNT;
}
