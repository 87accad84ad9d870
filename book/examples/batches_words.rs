//! A table that is divided over all PEs: counted in, looked up, and written, in batches.

use shmem::prelude::*;

/// Numbers that look random.
fn numbers(me: usize, how_many: usize) -> impl Iterator<Item = usize> {
    (0..how_many).map(move |i| (i * 7919 + me * 104_729) % 6007)
}

#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());

    // ANCHOR: counts
    // Key `k` is counted on PE `k % n`, in cell `k / n`.
    let counts = world.zeros::<Atomic<u64>, 1>([6007_usize.div_ceil(n)])?;
    world.batch(|b| {
        for key in numbers(me, 10_000) {
            remote!(b; counts[key % n, key / n]) += 1;
        }
    });
    // All updates of all PEs are complete.
    let here: u64 = local!(counts[..]).iter().sum();
    assert_eq!(collective!(sum here), 10_000 * n as u64);
    // ANCHOR_END: counts

    // ANCHOR: gather
    let keys: Vec<usize> = numbers(me, 500).collect();
    let mut found = vec![0; keys.len()];
    world.batch(|b| {
        for (&key, place) in keys.iter().zip(&mut found) {
            remote!(b; counts[key % n, key / n] => place);
        }
    });
    assert!(found.iter().all(|&count| count > 0));
    // ANCHOR_END: gather

    // ANCHOR: scatter
    // An array of `len` elements on each PE is turned around: its first element comes to the last PE.
    let len = 1000;
    let moved = world.zeros::<u32, 1>([len])?;
    world.batch(|b| {
        for i in 0..len {
            let to = n * len - 1 - (me * len + i);
            remote!(b; moved[to / len, to % len]) = (me * len + i) as u32;
        }
    });
    for (at, value) in local!(moved[..]).into_iter().enumerate() {
        assert_eq!(value as usize, n * len - 1 - (me * len + at));
    }
    // ANCHOR_END: scatter

    // ANCHOR: global
    let table =
        world.global_array::<Atomic<u64>, 1>([6007], Distribution::Cyclic)?;
    world.batch(|b| {
        for key in numbers(me, 10_000) {
            remote!(b; table[@key]) += 1;
        }
    });
    // ANCHOR_END: global
    assert_eq!(remote!(table[@keys[0]]), found[0]);

    // ANCHOR: team
    if n > 2 {
        // PEs 2 and 0, in this order. PE 0 of the team is PE 2 of the world.
        let team = world.team().split_strided(2, -2, 2)?;
        let before = remote!(counts[2, 0]);
        world.barrier_all();
        if let Some(team) = team {
            team.batch(|b| remote!(b; counts[0, 0]) += 1); // by each of its two PEs
            assert_eq!(remote!(counts[2, 0]), before + 2);
        }
    }
    // ANCHOR_END: team
    Ok(())
}
