use shmem::prelude::*;

#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

fn main() {
    collective!(COUNT = broadcast COUNT from 0);
}
