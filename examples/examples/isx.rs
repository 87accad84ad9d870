//! ISx, a scalable integer sort: keys into buckets, one for each PE, and a counting sort of each
//! bucket.
//!
//! ```text
//! cargo run --release --example isx                             # 2^16 keys on each PE, 3 iterations
//! cargo run --release --example isx -- 16777216 4               # as published: 2^24 keys
//! cargo run --release --example isx -- 65536 3 20               # keys of 20 bits
//! ```
//!
//! U. Hanebutte and J. Hemstad: ISx, a scalable integer sort for co-design in the exascale era,
//! PGAS 2015. Weak scaling: the same number of keys on each PE, for any number of PEs. Strong
//! scaling: divide a number of keys by the number of PEs.
//!
//! Arguments: `keys` on each PE; `iterations`, of which the mean is taken, after one that is not
//! measured; and the `bits` of a key, 28 as published. Counting takes 4 bytes for each possible
//! key, over all PEs. In each iteration, every PE
//!
//! 1. makes its keys, evenly distributed, with O'Neill's generator PCG32;
//! 2. counts how many keys go to each bucket, and moves them into piles, one for each bucket;
//! 3. reserves room in each bucket with a `fetch_add`, and puts the pile there with one transfer;
//! 4. when all PEs have done so, counts how often each key is in its own bucket. The counts give
//!    the sorted order.
//!
//! All four steps are measured, and the longest time of a PE counts, as published. The published
//! checks are: each key is in the range of its PE, as many keys are counted as have arrived, and no
//! key is lost. This program also checks the sum of all keys.
//!
//! The exchange is two lines of `remote!`. A local phase then reads the bucket as a slice, without
//! a copy.

use std::ops::Range;
use std::time::Instant;

use examples::{Failure, count, numbers, rate};
use shmem::prelude::*;

/// The reserved room in the bucket on this PE. In the end, it is the number of keys that have
/// arrived.
#[symmetric]
static RESERVED: Atomic<usize> = Atomic::new(0);

#[shmem::main(threads = single)]
fn main(world: &World) -> Result<(), Failure> {
    let [keys_each, iterations, bits] = numbers([("keys", 1 << 16), ("iterations", 3), ("bits", 28)])?;
    if bits > 32 {
        return Err(Failure::new(format!("bits is a number from 1 to 32, not {bits}")));
    }
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let deal = Deal { bits: bits as u32, n_pes };
    let range = deal.range(me);

    // Everything is allocated once. The keys are evenly distributed, so no bucket gets a quarter
    // more than another. If one did, the put would panic with its name.
    let bucket = world.zeros::<u32, 1>([keys_each + keys_each / 4 + 64])?;
    let (mut keys, mut piles) = (vec![0; keys_each], vec![0; keys_each]);
    let mut counts = vec![0; range.len()];
    let mut seconds = 0.0;

    for iteration in 0..=iterations {
        local!(RESERVED) = 0;
        world.barrier_all();
        let start = Instant::now();

        make(&mut keys, me, deal);
        let ends = into_piles(&keys, &mut piles, deal);
        exchange(&bucket, &piles, &ends, me);
        world.barrier_all(); // all piles have arrived
        let received = local!(RESERVED);
        world.local_phase(|p| count_keys(&bucket.as_slice(p)[..received], &mut counts, &range));

        // The phase has ended, so every PE has counted. The first iteration runs on untouched
        // memory.
        if iteration > 0 {
            seconds += start.elapsed().as_secs_f64();
        }
    }

    let received = local!(RESERVED);
    let sum = world.local_phase(|p| check(&bucket.as_slice(p)[..received], &counts, &range));
    let sum = sum.map_err(|wrong| Failure::new(format!("the bucket of PE {me} is wrong: {wrong}")))?;
    let total = collective!(sum received);
    let expected = keys_each * n_pes;
    if total != expected {
        return Err(Failure::new(format!("{expected} keys were sorted, and {total} are in the buckets")));
    }
    let made: u64 = keys.iter().map(|&key| u64::from(key)).sum();
    let [made, sum] = [collective!(sum made), collective!(sum sum)];
    if made != sum {
        return Err(Failure::new(format!("the sum of the keys was {made}, and is {sum} in the buckets")));
    }

    let seconds = collective!(max seconds) / iterations as f64;
    if me == 0 {
        println!(
            "{total} keys of {bits} bits on {}: all in their buckets, their sum is {sum}",
            count(n_pes, "PE")
        );
        println!("{}", rate("isx", total as f64 * 1e-6, "Mkeys/s", seconds, "an iteration"));
    }
    Ok(())
}

/// The assignment of keys to PEs: ranges of equal size, in order.
#[derive(Clone, Copy)]
struct Deal {
    /// The number of bits of a key.
    bits: u32,
    n_pes: usize,
}

impl Deal {
    fn pe_of(self, key: u32) -> usize {
        ((u64::from(key) * self.n_pes as u64) >> self.bits) as usize
    }

    /// The range of keys of a PE.
    fn range(self, pe: usize) -> Range<usize> {
        let first = |pe: usize| (pe << self.bits).div_ceil(self.n_pes);
        first(pe)..first(pe + 1)
    }
}

/// Makes the keys of a PE, which are the same in each call.
#[inline(never)] // in `main` there are not enough registers for it, and for the loops below
fn make(keys: &mut [u32], pe: usize, deal: Deal) {
    let mut random = Pcg32::new(pe as u64);
    keys.fill_with(|| random.next() >> (u32::BITS - deal.bits));
}

/// Moves keys into piles, one for each PE, one after the other. Returns the end of each.
#[inline(never)]
fn into_piles(keys: &[u32], piles: &mut [u32], deal: Deal) -> Vec<usize> {
    let mut places = vec![0; deal.n_pes];
    for &key in keys {
        places[deal.pe_of(key)] += 1;
    }
    // The next free place of each pile. When the pile is full, this is its end.
    let mut begin = 0;
    for place in &mut places {
        begin += std::mem::replace(place, begin);
    }
    for &key in keys {
        let place = &mut places[deal.pe_of(key)];
        piles[*place] = key;
        *place += 1;
    }
    places
}

/// Puts each pile into the bucket of its PE.
#[shmem::kernel]
fn exchange(bucket: &SymmetricArray<u32, 1>, piles: &[u32], ends: &[usize], me: usize) {
    let n_pes = ends.len();
    // Each PE starts with another bucket, so that not all PEs send to the same one at the same
    // time.
    for pe in (0..n_pes).map(|step| (me + step) % n_pes) {
        let begin = if pe == 0 { 0 } else { ends[pe - 1] };
        let pile = &piles[begin..ends[pe]];
        // Two PEs never get the same room, because the cell is read and increased in one step.
        let start = remote!(&RESERVED[pe]).fetch_add(pile.len());
        remote!(bucket[pe, start..start + pile.len()]) = pile;
    }
}

/// Counts how often each key of a range is in its bucket.
#[inline(never)]
fn count_keys(bucket: &[u32], counts: &mut [u32], range: &Range<usize>) {
    counts.fill(0);
    for &key in bucket {
        counts[key as usize - range.start] += 1;
    }
}

/// Checks a bucket and its counts, and returns the sum of the counted keys.
fn check(bucket: &[u32], counts: &[u32], range: &Range<usize>) -> Result<u64, String> {
    if let Some(key) = bucket.iter().find(|&&key| !range.contains(&(key as usize))) {
        return Err(format!("it holds the key {key}, which is not in {range:?}"));
    }
    let (mut counted, mut sum) = (0, 0);
    for (key, &times) in range.clone().zip(counts) {
        counted += times as usize;
        sum += key as u64 * u64::from(times);
    }
    if counted != bucket.len() {
        return Err(format!("it holds {} keys, and {counted} were counted", bucket.len()));
    }
    Ok(sum)
}

/// PCG32, M. E. O'Neill's generator with a state of 64 bits and 32 bits of output (XSH RR), of
/// 2014.
struct Pcg32 {
    state: u64,
    increment: u64,
}

impl Pcg32 {
    /// The generator with this number. Each has its own sequence.
    fn new(number: u64) -> Pcg32 {
        let mut random = Pcg32 { state: 0, increment: (number << 1) | 1 };
        random.next();
        random.state = random.state.wrapping_add(number);
        random.next();
        random
    }

    fn next(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.increment);
        let mixed = (((old >> 18) ^ old) >> 27) as u32;
        mixed.rotate_right((old >> 59) as u32)
    }
}
