// The name itself is not the value.
use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    COUNT = 3;
}
