//! A program that says how many PEs it wants, and how large their heaps.

use shmem::prelude::*;

// ANCHOR: all
#[shmem::main(npes = 3, heap = "64M")]
fn main(world: &World) {
    if world.my_pe() == 0 {
        let mebibytes = world.heap_free().div_ceil(1 << 20);
        println!("{} PEs, {mebibytes} MiB of heap", world.n_pes());
    }
}
// ANCHOR_END: all
