//! Cells on a ring, in a block on each PE: a PE waits for its two neighbours, and for no other.

use std::array::from_fn;

use shmem::prelude::*;

// ANCHOR: statics
/// The cells of a PE, and a halo on either side: 0 and 9.
#[symmetric]
static CELLS: [f64; 10] = [0.0; 10];
// ANCHOR_END: statics

// ANCHOR: events
/// The halo on a side is there.
#[symmetric]
static FULL: [Event; 2] = [Event::new(); 2];
/// The neighbour on a side has read its halo.
#[symmetric]
static READ: [Event; 2] = [Event::new(); 2];

const LEFT: usize = 0;
const RIGHT: usize = 1;
// ANCHOR_END: events

fn mean(old: &[f64; 10]) -> [f64; 8] {
    from_fn(|i| 0.25 * (old[i] + 2.0 * old[i + 1] + old[i + 2]))
}

// ANCHOR: partners
#[shmem::kernel]
fn step(world: &World, left: usize, right: usize) {
    remote!(CELLS[left, 9]) = local!(CELLS[1]);
    remote!(CELLS[right, 0]) = local!(CELLS[8]);
    world.barrier_with(&[left, right]); // the halos are there
    let old = local!(CELLS[..]);
    world.sync_with(&[left, right]); // the neighbours have read theirs
    local!(CELLS[1..9]) = mean(&old);
}
// ANCHOR_END: partners

// ANCHOR: step_by_events
#[shmem::kernel]
fn step_by_events(left: usize, right: usize) {
    remote!(CELLS[left, 9]) = local!(CELLS[1]);
    remote!(&FULL[left, RIGHT]).post();
    remote!(CELLS[right, 0]) = local!(CELLS[8]);
    remote!(&FULL[right, LEFT]).post();
    // What needs no halo can be computed here.
    local!(&FULL[LEFT]).wait();
    local!(&FULL[RIGHT]).wait();
    let old = local!(CELLS[..]);
    remote!(&READ[left, RIGHT]).post();
    remote!(&READ[right, LEFT]).post();
    local!(CELLS[1..9]) = mean(&old);
    // Before the next step writes to their halos.
    local!(&READ[LEFT]).wait();
    local!(&READ[RIGHT]).wait();
}
// ANCHOR_END: step_by_events

#[shmem::main]
fn main(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + npes - 1) % npes, (me + 1) % npes);
    let mut ring: Vec<f64> = (0..8 * npes).map(|i| (i % 5) as f64).collect();
    local!(CELLS[1..9]) = &ring[8 * me..8 * me + 8];

    for _ in 0..10 {
        step(world, left, right);
        step_by_events(left, right);
    }

    // The same on one PE.
    let n = ring.len();
    for _ in 0..20 {
        let at = |i: usize| ring[i % n];
        ring = (0..n)
            .map(|i| 0.25 * (at(i + n - 1) + 2.0 * at(i) + at(i + 1)))
            .collect();
    }
    assert_eq!(local!(CELLS[1..9]), ring[8 * me..8 * me + 8]);
}
