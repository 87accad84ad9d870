use shmem::prelude::*;

#[symmetric]
static FLAGS: [Atomic<u64>; 8] = [Atomic::new(0); 8];

fn main() {
    wait!(FLAGS[8] != 0);
}
