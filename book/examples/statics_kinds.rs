//! The kinds of symmetric statics.

use shmem::prelude::*;

const WIDTH: usize = 4;

// ANCHOR: statics
#[symmetric]
static LIMIT: f64 = 1.5; // a scalar
#[symmetric]
static ROW: [u32; 6] = [0, 1, 2, 3, 4, 5]; // an array
#[symmetric]
static GRID: [[i32; WIDTH]; 2] = [[-1; WIDTH]; 2]; // two axes, up to four
#[symmetric]
static HITS: [Atomic<u64>; 3] = [Atomic::new(7); 3]; // atomic cells
#[symmetric]
static VOTES: PerPe<u8> = PerPe::new(0); // one slot for each PE
#[symmetric]
static PARTS: PerPe<[f32; 2]> = PerPe::new([0.5; 2]); // an array for each PE
// ANCHOR_END: statics

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    // ANCHOR: use
    let last = n - 1;
    remote!(LIMIT[me]) = 2.5;
    remote!(GRID[me, 1, 3]) = 8;
    remote!(HITS[last, 0]) += 1;
    remote!(VOTES[last, me]) = 1;
    remote!(PARTS[last, me, 0]) = me as f32;
    world.barrier_all();

    if me == last {
        println!("LIMIT {:?}", local!(LIMIT));
        println!("ROW   {:?}", local!(ROW[..]));
        println!("GRID  {:?}", local!(GRID[.., ..]));
        println!("HITS  {:?}", local!(HITS[..]));
        println!("VOTES {:?}", local!(VOTES[..]));
        println!("PARTS {:?}", local!(PARTS[.., ..]));
    }
    // ANCHOR_END: use
    world.barrier_all();
    let hits: u64 = remote!(HITS[last, 0]);
    assert_eq!(hits, 7 + n as u64);
    assert_eq!(remote!(VOTES[last, ..]), vec![1; n]);
}
