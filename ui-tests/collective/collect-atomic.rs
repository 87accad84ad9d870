use shmem::prelude::*;

#[symmetric]
static ALL: [u64; 8] = [0; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

fn main() {
    collective!(ALL[..] = collect COUNT);
}
