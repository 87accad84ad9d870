use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    wait!(COUNT >= 3);
}
