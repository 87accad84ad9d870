use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    local!(COUNT) = 1;
}
