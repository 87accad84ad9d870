//! What is constant, and what run time decides.

use shmem::prelude::*;

// ANCHOR: statics
const N: usize = 64;
const HALO: usize = 2;

#[symmetric]
static CELLS: [f32; N] = [0.0; N];
// ANCHOR_END: statics

// ANCHOR: generic
/// The first `COUNT` cells, for any `COUNT`.
fn first<const COUNT: usize>(pe: usize) -> Vec<f32> {
    remote!(CELLS[pe, ..{ COUNT }])
}
// ANCHOR_END: generic

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let pe = world.n_pes() - 1;
    // ANCHOR: both
    let inner: [f32; N - 2 * HALO] = remote!(CELLS[pe, HALO..N - HALO]);
    let odd: [f32; N / 2] = remote!(CELLS[pe, 1..;2]);

    let from = 3 * HALO; // a variable: run time
    let some: Vec<f32> = remote!(CELLS[pe, from..from + 5]);
    let rest: Vec<f32> = remote!(CELLS[pe, from..]);
    // ANCHOR_END: both
    assert_eq!(inner.len() + odd.len(), 60 + 32);
    assert_eq!(some.len() + rest.len(), 5 + 58);
    assert_eq!(first::<7>(pe).len(), 7);

    // ANCHOR: heap
    let cells = world.symmetric_array::<f32, 1>([N], 0.0)?;
    let five: [f32; 5] = remote!(cells[pe, 5..10]); // both ends constant
    let tail: Vec<f32> = remote!(cells[pe, 5..]); // the extent is not
    let all: Vec<f32> = remote!(cells[pe, ..]);
    // ANCHOR_END: heap
    assert_eq!(five.len() + tail.len() + all.len(), 5 + 59 + 64);

    // ANCHOR: mixed
    let row: Vec<f32> = remote!(CELLS[pe, from..8]); // one end suffices
    // ANCHOR_END: mixed
    assert_eq!(row.len(), 2);
    Ok(())
}
