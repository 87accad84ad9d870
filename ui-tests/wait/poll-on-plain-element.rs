use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    poll!(COUNT >= 3);
}
