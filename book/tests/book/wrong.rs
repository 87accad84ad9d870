//! Tests that fail, to show how.

use std::thread;
use std::time::Duration;

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
#[shmem::test(npes = 3)]
#[ignore = "never ends: for the page on testing"]
fn one_pe_sleeps(world: &World) {
    if world.my_pe() == 0 {
        thread::sleep(Duration::from_secs(3600));
    }
    world.barrier_all();
}
// ANCHOR_END: hanging

// ANCHOR: racing
#[symmetric]
static HALO: [f64; 16] = [0.0; 16];

#[shmem::test(npes = 2, races)]
#[ignore = "has a race: for the page on testing"]
fn pe_1_reads_too_early(world: &World) {
    if world.my_pe() == 0 {
        remote!(HALO[1, ..]) = 1.0;
    }
    world.sync_all();
    if world.my_pe() == 1 {
        assert_eq!(local!(HALO[3]), 1.0); // on one host, it mostly is
    }
}
// ANCHOR_END: racing
