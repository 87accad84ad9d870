use shmem::prelude::*;

#[symmetric]
static COUNT: u64 = 0;

#[shmem::main]
fn main() {
    fn reset() {
        remote!(COUNT[0]) = 0;
    }
    reset();
}
