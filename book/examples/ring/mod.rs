//! The ring of the chapter on GPUs: at the start, and on one processor.
#![allow(dead_code, reason = "each program uses a part of it")]

pub(crate) mod kernels;

use shmem::gpu::{DeviceArray, Stream};
use shmem::prelude::*;

// ANCHOR: start
/// The cells of each PE.
pub(crate) const CELLS: usize = 6;
/// The steps that a program takes.
pub(crate) const STEPS: usize = 10;

/// The heat at the start, of cell `i` of the whole ring.
pub(crate) fn start(i: usize) -> f64 {
    if i == 2 { 100.0 } else { 0.0 }
}

/// The heat of a cell after a step, by itself and by its neighbours.
pub(crate) fn flow(left: f64, cell: f64, right: f64) -> f64 {
    cell + 0.25 * ((left - cell) + (right - cell))
}
// ANCHOR_END: start

// ANCHOR: alone
/// The ring of `n` cells after so many steps, on one processor.
pub(crate) fn alone(n: usize, steps: usize) -> Vec<f64> {
    let mut ring: Vec<f64> = (0..n).map(start).collect();
    for _ in 0..steps {
        let next =
            |i: usize| flow(ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]);
        ring = (0..n).map(next).collect();
    }
    ring
}
// ANCHOR_END: alone

// ANCHOR: show
/// PE 0 prints the cells of all PEs, and each PE checks its own.
pub(crate) fn show(
    world: &World,
    stream: &Stream,
    heat: &DeviceArray<f64, 1>,
    steps: usize,
) {
    collective!(stream; barrier);
    let (me, npes) = (world.my_pe(), world.n_pes());
    let right = alone(CELLS * npes, steps);
    let cells = remote!(stream; heat[me, 1..=CELLS]);
    assert_eq!(cells, right[CELLS * me..][..CELLS]);
    if me == 0 {
        for pe in 0..npes {
            let cells = remote!(stream; heat[pe, 1..=CELLS]);
            println!("PE {pe}: {cells:4.1?}");
        }
    }
    collective!(stream; barrier);
}
// ANCHOR_END: show
