//! Operators and methods of atomic cells.

use shmem::prelude::*;

// ANCHOR: statics
#[symmetric]
static TICKETS: Atomic<u64> = Atomic::new(100);
#[symmetric]
static FLAGS: Atomic<u32> = Atomic::new(0);
#[symmetric]
static BEST: Atomic<i64> = Atomic::new(i64::MIN);
#[symmetric]
static BINS: [Atomic<u64>; 4] = [Atomic::new(0); 4];
#[symmetric]
static LAST: Atomic<f64> = Atomic::new(0.0);
// ANCHOR_END: statics

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());

    // ANCHOR: operators
    remote!(BINS[0, me % 4]) += 1; // atomic add
    remote!(BINS[0, 3]) -= 1; // wraps around
    remote!(FLAGS[0]) |= 1 << (me % 32);
    // ANCHOR_END: operators

    // ANCHOR: fetch
    let ticket = remote!(&TICKETS[0]).fetch_add(1);
    assert!((100..100 + n as u64).contains(&ticket));
    // ANCHOR_END: fetch

    // ANCHOR: compare
    // The largest of all: try until nobody came in between.
    let mine = (me * 7 % 5) as i64;
    let best = remote!(&BEST[0]);
    let mut seen = best.get();
    while seen < mine {
        match best.compare_exchange(seen, mine) {
            Ok(_) => break,
            Err(now) => seen = now,
        }
    }
    // ANCHOR_END: compare

    // ANCHOR: swap
    let before: f64 = remote!(&LAST[0]).swap(me as f64 + 0.5);
    // ANCHOR_END: swap
    assert!((0.0..n as f64).contains(&before));
    world.barrier_all();

    if me == 0 {
        println!("TICKETS {}", local!(TICKETS));
        println!("FLAGS   {:#b}", local!(FLAGS));
        println!("BEST    {}", local!(BEST));
    }
    let largest = collective!(max mine);
    assert_eq!(remote!(BEST[0]), largest);
    let bins: [u64; 4] = remote!(BINS[0, ..]);
    let sum = bins.iter().fold(0, |sum: u64, bin| sum.wrapping_add(*bin));
    assert_eq!(sum, 0);
}
