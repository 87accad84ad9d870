use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    if remote!(COUNT[0] == 1) {}
}
