use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    let n = remote!(COUNT[0] + 1);
}
