use shmem::prelude::*;

#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::main]
fn main() {
    let value = -1_i32;
    remote!(COUNT[0]) = value;
}
