use shmem::prelude::*;

#[symmetric(cyclic)]
static CELLS: [Atomic<u64>; 100] = [Atomic::new(0); 100];

#[shmem::main]
fn main() {
    remote!(CELLS[@3..7]) += 1;
}
