use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    let n: i32 = 3;
    remote!(COUNT[0] = n);
}
