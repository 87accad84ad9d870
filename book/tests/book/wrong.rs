//! Tests that fail, to show how.

use shmem::prelude::*;

// ANCHOR: failing
#[shmem::test(npes = 4)]
#[ignore = "fails: for the page on testing"]
fn pe_2_is_wrong(world: &World) {
    if world.my_pe() == 2 {
        eprintln!("about to be wrong");
    }
    world.barrier_all();
    assert_ne!(world.my_pe(), 2, "this is the wrong PE");
    world.barrier_all();
}
// ANCHOR_END: failing

// ANCHOR: disagreeing
#[shmem::test(npes = 2)]
#[ignore = "fails: for the page on testing"]
fn pe_0_does_not_come(world: &World) {
    if world.my_pe() != 0 {
        world.barrier_all();
    }
}
// ANCHOR_END: disagreeing

// ANCHOR: hanging
#[symmetric]
static GO: Atomic<u32> = Atomic::new(0);

#[shmem::test(npes = 3)]
#[ignore = "never ends: for the page on testing"]
fn nobody_says_go(world: &World) {
    wait!(GO >= world.n_pes() as u32);
}
// ANCHOR_END: hanging
