use shmem::prelude::*;

#[symmetric]
static SLOTS: PerPe<u64> = PerPe::new(0);

#[shmem::main]
fn main() {
    remote!(SLOTS[1]) = 7;
}
