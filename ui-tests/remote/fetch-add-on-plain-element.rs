use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

fn main() {
    let before = remote!(&COUNT[0]).fetch_add(1);
}
