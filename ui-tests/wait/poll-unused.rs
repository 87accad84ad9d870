use shmem::prelude::*;

#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);

fn main() {
    #![deny(unused_must_use)]
    poll!(FLAG >= 3);
}
