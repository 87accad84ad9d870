//! Symmetric statics of a module.

use shmem::prelude::*;

// ANCHOR: all
mod field {
    use shmem::prelude::*;

    #[symmetric]
    pub(crate) static CELLS: [f64; 16] = [0.0; 16];
    #[symmetric]
    pub(crate) static STEPS: Atomic<u32> = Atomic::new(0);
}

use field::CELLS;

#[shmem::main]
fn main() {
    let me = shmem::my_pe();
    remote!(CELLS[me, 3]) = 1.0; // imported
    remote!(field::STEPS[0]) += 1; // by its path
}
// ANCHOR_END: all
