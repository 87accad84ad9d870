//! Keys are sorted over all PEs, by puts.

// ANCHOR: keys
use shmem::prelude::*;

/// The keys of a PE at the start: numbers below 100 that look random.
fn keys(pe: usize) -> Vec<u32> {
    (0..8).map(|i| (pe as u32 * 37 + i * 61 + 13) % 100).collect()
}

/// The PE to which a key belongs.
fn bucket_of(key: u32, npes: usize) -> usize {
    key as usize * npes / 100
}

/// The keys of this PE in piles, one for each PE.
fn piles(world: &World) -> Vec<Vec<u32>> {
    let mut piles = vec![Vec::new(); world.n_pes()];
    for key in keys(world.my_pe()) {
        piles[bucket_of(key, world.n_pes())].push(key);
    }
    piles
}
// ANCHOR_END: keys

// ANCHOR: counts
/// How many keys each PE has for this PE.
#[symmetric]
static COUNTS: PerPe<usize> = PerPe::new(0);

#[shmem::kernel]
fn announce(world: &World, piles: &[Vec<u32>]) {
    for (pe, pile) in piles.iter().enumerate() {
        remote!(COUNTS[pe, world.my_pe()]) = pile.len();
    }
    world.barrier_all(); // all counts are there
}
// ANCHOR_END: counts

// ANCHOR: sort
#[shmem::kernel]
fn sort(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let piles = piles(world);
    announce(world, &piles);

    // ANCHOR: room
    let mine: usize = local!(COUNTS[..]).iter().sum();
    let most = collective!(max mine);
    let bucket = world.zeros::<u32, 1>([most])?;
    // ANCHOR_END: room
    // ANCHOR: puts
    for (pe, pile) in piles.iter().enumerate() {
        // After the keys of the PEs before me.
        let start: usize = remote!(COUNTS[pe, ..me]).iter().sum();
        remote!(bucket[pe, start..start + pile.len()]) = pile;
    }
    world.barrier_all(); // all keys are there
    // ANCHOR_END: puts

    // ANCHOR: scan
    let mut sorted: Vec<u32> = local!(bucket[..mine]);
    sorted.sort();
    let first = collective!(exscan mine); // keys of the PEs before me
    let whole =
        world.global_array::<u32, 1>([8 * npes], Distribution::Block)?;
    remote!(whole[@first..first + mine]) = &sorted;
    world.barrier_all(); // all parts are there
    // ANCHOR_END: scan
    if me == 0 {
        let whole = remote!(whole[@..]);
        let mut expected: Vec<u32> = (0..npes).flat_map(keys).collect();
        expected.sort();
        assert_eq!(whole, expected);
        println!("{whole:?}");
    }
    Ok(())
}
// ANCHOR_END: sort

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    match std::env::args().nth(1).as_deref() {
        Some("piles") => {
            let piles = piles(world);
            announce(world, &piles);
            let mine: usize = local!(COUNTS[..]).iter().sum();
            println!("PE {} has {piles:?}, and gets {mine}", world.my_pe());
            Ok(())
        }
        Some("room") => {
            let made = too_little_room(world);
            if let (Err(error), 0) = (made, world.my_pe()) {
                println!("{error}");
            }
            Ok(())
        }
        Some("start") => same_start(world),
        _ => sort(world),
    }
}

fn too_little_room(world: &World) -> Result<(), shmem::Error> {
    let piles = piles(world);
    announce(world, &piles);
    // ANCHOR: wrong_room
    let mine: usize = local!(COUNTS[..]).iter().sum();
    let bucket = world.zeros::<u32, 1>([mine])?;
    // ANCHOR_END: wrong_room
    drop(bucket);
    Ok(())
}

#[shmem::kernel]
fn same_start(world: &World) -> Result<(), shmem::Error> {
    let piles = piles(world);
    announce(world, &piles);
    let bucket = world.zeros::<u32, 1>([8 * world.n_pes()])?;
    // ANCHOR: wrong_start
    for (pe, pile) in piles.iter().enumerate() {
        remote!(bucket[pe, ..pile.len()]) = pile;
    }
    // ANCHOR_END: wrong_start
    Ok(())
}
