//! Where the operator may stand.

use shmem::prelude::*;

#[symmetric]
static CELLS: [u32; 8] = [0; 8];
#[symmetric]
static DONE: Atomic<u32> = Atomic::new(0);

// ANCHOR: forms
#[shmem::kernel]
fn marked(pe: usize) {
    remote!(CELLS[pe, 0..4]) = 1; // outer form: only in marked functions
    remote!(DONE[pe]) += 1;
}

fn plain(pe: usize) {
    remote!(CELLS[pe, 4..8] = 2); // inner form: everywhere
    remote!(DONE[pe] += 1);
}
// ANCHOR_END: forms

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    marked(me);
    plain(me);
    world.barrier_all();
    assert_eq!(remote!(CELLS[0, ..]), [1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(remote!(DONE[0]), 2);
    world.barrier_all();

    // ANCHOR: inside
    // Closures belong to the marked function; items inside it do not.
    let set = |i: usize, value: u32| remote!(CELLS[me, i]) = value;
    set(3, 30);

    // The arguments of other macros are not looked into.
    assert_eq!(remote!(CELLS[me, 3] = 31), ());
    // ANCHOR_END: inside
    world.barrier_all();
    assert_eq!(remote!(CELLS[0, 3]), 31);
}
