use shmem::prelude::*;

#[symmetric]
static FLAGS: [Atomic<u64>; 8] = [Atomic::new(0); 8];

fn main() {
    let done = [false; 8];
    wait!(any FLAGS[..] != 0, except done);
}
