//! Random updates of a table that is distributed over all PEs: the RandomAccess kernel of the HPC
//! Challenge benchmarks.
//!
//! ```text
//! cargo run --release --example gups                # 2^14 words on each PE
//! cargo run --release --example gups -- 24
//! ```
//!
//! Published by D. Koester and R. Lucas in the HPC Challenge suite (2005); its figure is GUPS, 10^9
//! updates a second. The table has 2^n words of 64 bits on each PE, and word `i` starts as `i`. The
//! powers of `x` modulo a polynomial over GF(2) are a stream of random numbers, four for each word,
//! and each of them is XORed into the word whose index is in its highest bits. Every PE processes
//! its own part of the stream, and jumps to its beginning. An update does not depend on another, so
//! they are a batch, which overlaps the waits for memory or for the network.
//!
//! The argument is `n`. The published kernel needs a power of two of PEs. Here the index is the
//! high half of the product of the number and the words of the table. For a power of two, these are
//! exactly the highest bits of the number, and for any other table the distribution is even.
//!
//! The check is the published one: an update is its own inverse, so the same updates a second time
//! must restore every word. The published kernel may lose 1 % of the updates to races. Here the
//! words are [`Atomic`] cells, and no update may be lost.

use std::time::Instant;

use examples::random_access::{next, power};
use examples::{Failure, count, numbers, rate};
use shmem::prelude::*;

/// Updates for each word of the table.
const UPDATES: usize = 4;

#[shmem::main(threads = single)]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let [log2] = numbers([("log2_words", 14)])?;
    if log2 > 40 {
        return Err(Failure::new(format!(
            "log2_words is 40 at most, not {log2}: each PE has 2^log2_words words"
        )));
    }
    let words = 1 << log2;

    let table = world.global_array::<Atomic<u64>, 1>([n_pes * words], Distribution::Block)?;
    for i in table.mine() {
        remote!(table[@i]) = i as u64;
    }

    world.barrier_all();
    let start = Instant::now();
    update(world, &table);
    let seconds = start.elapsed().as_secs_f64();

    // Depends on the place of each word.
    let weighted = table.mine().map(|i| remote!(table[@i]).wrapping_mul(i as u64 | 1));
    let checksum = weighted.fold(0, u64::wrapping_add);
    let checksum = collective!(sum checksum);

    update(world, &table);
    let wrong = table.mine().filter(|&i| remote!(table[@i]) != i as u64).count();
    let wrong = collective!(sum wrong);
    if wrong > 0 {
        return Err(Failure::new(format!(
            "{wrong} of {} words are wrong after all updates and their inverses",
            n_pes * words
        )));
    }

    if me == 0 {
        let updates = UPDATES * words * n_pes;
        println!(
            "{updates} updates of {} words on {}: all were undone again",
            n_pes * words,
            count(n_pes, "PE")
        );
        println!("checksum before that: {checksum}");
        println!("{}", rate("gups", updates as f64 * 1e-9, "GUP/s", seconds, "for all updates"));
    }
    Ok(())
}

/// All updates, of which each PE makes an equal part. Collective.
#[shmem::kernel]
fn update(world: &World, table: &GlobalArray<Atomic<u64>, 1>) {
    let updates = UPDATES * table.len() / world.n_pes();
    let mut random = power((world.my_pe() * updates) as u64);
    world.batch(|b| {
        for _ in 0..updates {
            random = next(random);
            let index = ((u128::from(random) * table.len() as u128) >> u64::BITS) as usize;
            remote!(b; table[@index]) ^= random;
        }
    });
}
