//! Operators and methods of atomic cells.

use shmem::prelude::*;

// ANCHOR: statics
#[symmetric]
static TICKETS: Atomic<u64> = Atomic::new(100);
#[symmetric]
static FLAGS: Atomic<u32> = Atomic::new(0);
#[symmetric]
static PRODUCT: Atomic<i64> = Atomic::new(1);
#[symmetric]
static BINS: [Atomic<u64>; 4] = [Atomic::new(0); 4];
#[symmetric]
static ENERGY: Atomic<f64> = Atomic::new(0.0);
#[symmetric]
static COLDEST: Atomic<f32> = Atomic::new(f32::NAN); // no value yet
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
    // The product of all, modulo 97: try until nobody came in between.
    let product = remote!(&PRODUCT[0]);
    let mut seen = product.get();
    while let Err(now) =
        product.compare_exchange(seen, seen * (me as i64 + 2) % 97)
    {
        seen = now;
    }
    // ANCHOR_END: compare

    // ANCHOR: floats
    remote!(ENERGY[0]) += 0.5;
    remote!(&COLDEST[0]).min(20.0 - me as f32);
    // ANCHOR_END: floats

    // ANCHOR: swap
    let before: f64 = remote!(&LAST[0]).swap(me as f64 + 0.5);
    // ANCHOR_END: swap
    assert!((0.0..n as f64).contains(&before));
    world.barrier_all();

    if me == 0 {
        println!("TICKETS {}", local!(TICKETS));
        println!("FLAGS   {:#b}", local!(FLAGS));
        println!("PRODUCT {}", local!(PRODUCT));
        println!("ENERGY  {}", local!(ENERGY));
        println!("COLDEST {}", local!(COLDEST));
    }
    let expected = (0..n as i64).fold(1, |product, pe| product * (pe + 2) % 97);
    assert_eq!(remote!(PRODUCT[0]), expected);
    assert_eq!(remote!(ENERGY[0]), 0.5 * n as f64);
    assert_eq!(remote!(COLDEST[0]), 20.0 - (n - 1) as f32);
    let bins: [u64; 4] = remote!(BINS[0, ..]);
    let sum = bins.iter().fold(0, |sum: u64, bin| sum.wrapping_add(*bin));
    assert_eq!(sum, 0);
}
