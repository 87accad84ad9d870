//! A bucket sort over all PEs: an all-to-all exchange in which each PE puts slices to their final
//! place.
//!
//! ```text
//! cargo run --release --example sort
//! ```
//!
//! Every PE has unsorted keys. In the end, PE 0 has the smallest keys, PE 1 the next ones, and so
//! on, each in order. So PE p is the bucket for the p-th part of all possible keys. Every PE
//!
//! 1. sorts its keys into piles, one for each bucket, and announces their sizes;
//! 2. reserves room in each bucket, and puts the pile there with one transfer;
//! 3. sorts its own bucket.

use shmem::prelude::*;

/// Keys that each PE starts with.
const KEYS: usize = 50_000;

/// The number of keys that the bucket on this PE will get.
#[symmetric]
static EXPECTED: Atomic<usize> = Atomic::new(0);
/// The reserved room in the bucket on this PE.
#[symmetric]
static RESERVED: Atomic<usize> = Atomic::new(0);

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let n_pes = world.n_pes();

    let mut piles = vec![Vec::new(); n_pes];
    for key in keys(me) {
        piles[bucket_of(key, n_pes)].push(key);
    }
    for (pe, pile) in piles.iter().enumerate() {
        remote!(EXPECTED[pe]) += pile.len();
    }
    world.barrier_all();

    // A symmetric array has the same size on every PE: that of the largest bucket.
    let mine = local!(EXPECTED);
    let largest = collective!(max mine);
    let bucket = world.symmetric_array::<u32, 1>([largest], 0)?;

    // Each PE starts with another bucket, so that not all PEs send to the same one at the same
    // time.
    for step in 0..n_pes {
        let pe = (me + step) % n_pes;
        let pile = &piles[pe];
        // Two PEs never get the same room, because the cell is read and increased in one step.
        let start = remote!(&RESERVED[pe]).fetch_add(pile.len());
        remote!(bucket[pe, start..start + pile.len()]) = pile;
    }
    world.barrier_all(); // all piles have arrived
    assert_eq!(local!(RESERVED), mine, "PE {me} was sent as many keys as were announced");

    let mut sorted = local!(bucket[..mine]);
    sorted.sort_unstable();
    local!(bucket[..mine]) = &sorted;
    world.barrier_all(); // every bucket is in order

    if me == 0 {
        // PE 0 reads the buckets one after the other. No PE has to send them.
        let sizes: Vec<usize> = (0..n_pes).map(|pe| remote!(EXPECTED[pe])).collect();
        let mut result = Vec::new();
        for (pe, &size) in sizes.iter().enumerate() {
            result.extend(remote!(bucket[pe, ..size]));
        }

        // The same computation, serially. If the result equals a sorted copy of all input, it is in
        // order, and no key is lost or invented.
        let mut expected: Vec<u32> = (0..n_pes).flat_map(keys).collect();
        expected.sort_unstable();
        assert_eq!(result.len(), expected.len(), "the number of keys");
        let wrong = result.iter().zip(&expected).position(|(got, expected)| got != expected);
        assert_eq!(wrong, None, "the first place where the result is not that of a serial sort");

        let smallest = sizes.iter().min().copied().unwrap_or(0);
        println!(
            "{} keys in order on {}, {smallest} to {largest} on each: the same as a serial sort",
            result.len(),
            examples::count(n_pes, "PE")
        );
    }
    Ok(())
}

/// The keys that a PE starts with. They are always the same, so that the result can be checked.
fn keys(pe: usize) -> impl Iterator<Item = u32> {
    let mut random = fastrand::Rng::with_seed(pe as u64);
    (0..KEYS).map(move |_| random.u32(..))
}

/// The PE whose part of the keys contains `key`. The parts have equal sizes, and are in the order
/// of the PEs.
fn bucket_of(key: u32, n_pes: usize) -> usize {
    ((u64::from(key) * n_pes as u64) >> u32::BITS) as usize
}
