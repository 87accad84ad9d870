use shmem::prelude::*;

#[symmetric]
static SLOTS: PerPe<[u32; 4]> = PerPe::new([0; 4]);

fn main() {
    // The first axis has one position for each PE, which the compiler does not know.
    remote!(SLOTS[0, 1_000, 4]);
}
