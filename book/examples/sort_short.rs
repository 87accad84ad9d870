//! The same sort by one exchange, and by counting in batches.

use shmem::prelude::*;

fn keys(pe: usize) -> Vec<u32> {
    (0..8).map(|i| (pe as u32 * 37 + i * 61 + 13) % 100).collect()
}

fn bucket_of(key: u32, npes: usize) -> usize {
    key as usize * npes / 100
}

fn piles(world: &World) -> Vec<Vec<u32>> {
    let mut piles = vec![Vec::new(); world.n_pes()];
    for key in keys(world.my_pe()) {
        piles[bucket_of(key, world.n_pes())].push(key);
    }
    piles
}

// ANCHOR: exchange
fn by_exchange(world: &World) -> Vec<u32> {
    let came = world.team().alltoallv_values(&piles(world));
    let mut sorted = came.concat();
    sorted.sort();
    sorted
}
// ANCHOR_END: exchange

// ANCHOR: counting
/// Sorts by counting: the keys are below 100. Returns all keys, on PE 0.
#[shmem::kernel]
fn by_counting(world: &World) -> Result<Vec<u32>, shmem::Error> {
    // Cell k is how often key k is there, on all PEs.
    let counts =
        world.global_array::<Atomic<u64>, 1>([100], Distribution::Block)?;
    world.batch(|b| {
        for key in keys(world.my_pe()) {
            remote!(b; counts[@key as usize]) += 1;
        }
    });
    let mut sorted = Vec::new();
    if world.my_pe() == 0 {
        for (key, count) in (0..).zip(remote!(counts[@..])) {
            sorted.extend((0..count).map(|_| key));
        }
    }
    Ok(sorted)
}
// ANCHOR_END: counting

// ANCHOR: neighbours
#[symmetric]
static LARGEST: u32 = 0;

/// Whether the keys of all PEs are in order. Each PE reads one number.
fn is_sorted(world: &World, mine: &[u32]) -> bool {
    // A PE without keys passes on what the PE before it has.
    let last = mine.last().copied().unwrap_or(0);
    let so_far: u32 = world.team().scan_value(shmem::reduction::Max, last);
    local!(LARGEST = so_far);
    world.sync_all();
    let before = match world.my_pe() {
        0 => 0,
        me => remote!(LARGEST[me - 1]),
    };
    let right =
        mine.is_sorted() && mine.first().is_none_or(|&key| before <= key);
    collective!(min u8::from(right)) == 1
}
// ANCHOR_END: neighbours

// ANCHOR: samples
/// The first key of each bucket but the first, so that the buckets have about equally many keys.
fn splitters(world: &World, mine: &[u32]) -> Vec<u32> {
    let mut mine = mine.to_vec();
    mine.sort();
    let few: Vec<u32> = mine.iter().step_by(2).copied().collect();
    let mut all: Vec<u32> = collective!(collect few.as_slice());
    all.sort();
    let npes = world.n_pes();
    (1..npes).map(|pe| all[pe * all.len() / npes]).collect()
}

/// The PE to which a key belongs.
fn bucket_by(splitters: &[u32], key: u32) -> usize {
    splitters.partition_point(|first| *first <= key)
}
// ANCHOR_END: samples

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let npes = world.n_pes();
    let mut expected: Vec<u32> = (0..npes).flat_map(keys).collect();
    expected.sort();

    let mine = by_exchange(world);
    let whole: Vec<u32> = collective!(collect mine.as_slice());
    assert_eq!(whole, expected);
    assert!(is_sorted(world, &mine));
    if npes > 1 {
        let turned: Vec<u32> = mine.iter().map(|key| 200 - key).rev().collect();
        assert!(!is_sorted(world, &turned));
    }

    let counted = by_counting(world)?;
    assert!(world.my_pe() != 0 || counted == expected);

    // All keys are small: by value, they would all come to PE 0.
    let small: Vec<u32> =
        keys(world.my_pe()).iter().map(|key| key % 7).collect();
    let splitters = splitters(world, &small);
    let mut piles = vec![Vec::new(); npes];
    for key in small {
        piles[bucket_by(&splitters, key)].push(key);
    }
    let mut mine = world.team().alltoallv_values(&piles).concat();
    mine.sort();
    assert!(is_sorted(world, &mine));
    assert_eq!(collective!(sum mine.len()), 8 * npes);
    Ok(())
}
