use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    let mut n = 0;
    remote!(COUNT[0] = n = 1);
}
