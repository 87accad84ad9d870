use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    remote!(COUNT[0] = 1 2);
}
