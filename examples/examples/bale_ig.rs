//! Random reads of a table that is distributed over all PEs: bale's `ig` (index gather).
//!
//! ```text
//! cargo run --release --example bale_ig             # 100,000 gets by each PE, from 1,000 words on each
//! cargo run --release --example bale_ig -- 1000000 1000000 2
//! ```
//!
//! Published by J. Devinney and others in bale (Institute for Defense Analyses, 2020): every PE has
//! a list of random indices, and gets the entry of the table at each of them. The distribution is
//! cyclic: entry `i` is on PE `i % n`, at place `i / n`.
//!
//! The arguments are bale's `-n` and `-T`: gets by each PE, and words of the table on each PE. The third
//! is the model: 1 for single gets, as bale's AGP, and 2 for a batch, in the place of bale's exstack and
//! conveyors. No get depends on another. So single ones are non-blocking, and over a network many are in
//! progress at the same time; those of a batch travel in few messages. In a table that fits the caches,
//! single gets are faster. The division is done when the list is made, as in bale's packed list of
//! indices, so that only the gets are timed. The time is the mean over the PEs, as published.
//!
//! The check is the published one: entry `i` is `-(i + 1)`, so every PE knows the correct result of
//! each get.

use std::time::Instant;

use examples::{Failure, count, is_batch, numbers, random_entries, rate};
use shmem::prelude::*;

#[shmem::main(threads = single)]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let [gets, words, model] = numbers([("gets", 100_000), ("table_words", 1000), ("model", 1)])?;
    let in_a_batch = is_batch(model)?;

    let table = world.array_from_fn([words], |[place]| value(place * n_pes + me))?;
    let entries = random_entries(gets, words, me, n_pes);
    let mut targets = vec![1; gets]; // of zeros the pages would be made in the time that is taken

    world.barrier_all();
    let start = Instant::now();
    if in_a_batch {
        world.batch(|b| {
            for (target, &(pe, place)) in targets.iter_mut().zip(&entries) {
                remote!(b; table[pe, place] => target);
            }
        });
    } else {
        world.nbi(|scope| {
            for (target, &(pe, place)) in targets.iter_mut().zip(&entries) {
                scope.get(remote!(&table[pe, place]), target);
            }
        });
        world.barrier_all();
    }
    let seconds = start.elapsed().as_secs_f64();
    let seconds = collective!(sum seconds) / n_pes as f64;

    let right = entries.iter().map(|&(pe, place)| value(place * n_pes + pe));
    let wrong = targets.iter().zip(right).filter(|&(&target, right)| target != right).count();
    let wrong = collective!(sum wrong);
    let all = gets * n_pes;
    if wrong > 0 {
        return Err(Failure::new(format!(
            "{wrong} of {all} gets brought another value than that of their index"
        )));
    }
    let checksum: i64 = targets.iter().sum();
    let checksum = collective!(sum checksum);

    if me == 0 {
        println!(
            "{all} gets from {} words on {}: all brought what they should",
            words * n_pes,
            count(n_pes, "PE")
        );
        println!("sum of all that was got: {checksum}");
        println!("{}", rate("bale_ig", all as f64 * 1e-6, "Mgets/s", seconds, "for all gets"));
    }
    Ok(())
}

/// The value of an entry, which follows from its index.
fn value(index: usize) -> i64 {
    -(index as i64 + 1)
}
