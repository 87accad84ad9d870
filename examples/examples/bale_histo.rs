//! A histogram in a table that is distributed over all PEs: bale's `histo`.
//!
//! ```text
//! cargo run --release --example bale_histo          # 100,000 updates by each PE, of 1,000 words on each
//! cargo run --release --example bale_histo -- 1000000 1000000 2
//! ```
//!
//! Published by J. Devinney and others in bale (Institute for Defense Analyses, 2020): every PE has
//! a list of random indices, and adds 1 to the entry of the table at each of them. The distribution
//! is cyclic: entry `i` is on PE `i % n`, at place `i / n`.
//!
//! The arguments are bale's `-n` and `-T`: updates by each PE, and words of the table on each PE. The
//! third is the model: 1 for single atomic updates, as bale's AGP, and 2 for a batch, in the place of
//! bale's exstack and conveyors. A batch pays where the table is larger than the caches, or the PEs are
//! on several hosts.
//! The division is done when the list is made, as in bale's packed list of indices, so that only
//! the updates are timed. The time is the mean over the PEs, as published.
//!
//! The check: the sum of all entries is the number of updates. As published, undoing all updates
//! leaves zeros. Many PEs update the same word, so the words are [`Atomic`] cells.

use std::time::Instant;

use examples::{Failure, count, is_batch, numbers, random_entries, rate};
use shmem::prelude::*;

#[shmem::main(threads = single)]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let [updates, words, model] = numbers([("updates", 100_000), ("table_words", 1000), ("model", 1)])?;
    let in_a_batch = is_batch(model)?;

    let table = world.zeros::<Atomic<u64>, 1>([words])?;
    let entries = random_entries(updates, words, me, n_pes);

    world.barrier_all();
    let start = Instant::now();
    if in_a_batch {
        world.batch(|b| {
            for &(pe, place) in &entries {
                remote!(b; table[pe, place]) += 1;
            }
        });
    } else {
        for &(pe, place) in &entries {
            remote!(table[pe, place]) += 1;
        }
        world.barrier_all();
    }
    let seconds = start.elapsed().as_secs_f64();
    let seconds = collective!(sum seconds) / n_pes as f64;

    let counts = local!(table[..]);
    let held: u64 = counts.iter().sum();
    let held = collective!(sum held);
    let all = updates * n_pes;
    if held != all as u64 {
        return Err(Failure::new(format!("the table counts {held} updates, and {all} were made")));
    }
    let fullest = counts.into_iter().max().unwrap_or(0);
    let fullest = collective!(max fullest);

    for &(pe, place) in &entries {
        remote!(table[pe, place]) -= 1;
    }
    world.barrier_all();
    let wrong = local!(table[..]).into_iter().filter(|&left| left != 0).count();
    let wrong = collective!(sum wrong);
    if wrong > 0 {
        return Err(Failure::new(format!("{wrong} words are not 0 after all updates were taken back")));
    }

    if me == 0 {
        println!("{all} updates of {} words on {}: all were taken back", words * n_pes, count(n_pes, "PE"));
        println!("largest count before that: {fullest}");
        println!("{}", rate("bale_histo", all as f64 * 1e-6, "Mupdates/s", seconds, "for all updates"));
    }
    Ok(())
}
