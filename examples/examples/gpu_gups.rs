//! Random updates of a distributed table by the threads of a kernel: the RandomAccess kernel of the HPC
//! Challenge benchmarks, in the memory of devices.
//!
//! ```text
//! cargo run --release --features gpu --example gpu_gups          # 2^10 words on each PE
//! cargo run --release --features gpu --example gpu_gups -- 16
//! ```
//!
//! `gups` is the same on the host, and has the reference. Each thread of the kernel processes a part of the
//! stream of random numbers. It starts at a number that the host has computed, and updates a word on
//! whichever PE holds it, with nothing between it and the network.
//!
//! The argument is `n`: the table has 2^n words on each PE. The index of a word is the high half of the
//! product of the upper 32 bits of the number and the words of the table.
//!
//! An update is its own inverse, so a second launch with the same numbers must restore every word.

use std::time::Instant;

use examples::random_access::power;
use examples::{Failure, count, numbers, rate};
use shmem::prelude::*;

/// Updates for each word of the table.
const UPDATES: usize = 4;
/// The threads of a block.
const BLOCK: usize = 64;
/// The threads of a device, where the table has work for all of them.
const THREADS: usize = 4 * BLOCK;

/// The next number of the stream, as `examples::random_access::next`.
#[shmem::gpu::kernel]
fn next(random: u64) -> u64 {
    let carry = random >> 63;
    (random << 1) ^ (carry * 7)
}

/// Each thread makes the updates of `each` numbers, the first of which comes after its start.
#[shmem::gpu::kernel]
fn update(mut table: Global<Atomic<u64>>, starts: Global<u64>, each: usize) {
    let thread = global_index();
    if thread >= starts.len() {
        return;
    }
    let words = table.len();
    let all = (n_pes() * words) as u64;
    let mut random = local!(starts[thread]);
    for _ in 0..each {
        random = next(random);
        let index = (((random >> 32) * all) >> 32) as usize;
        remote!(table[index / words, index % words]) ^= random;
    }
}

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let [log2] = numbers([("log2_words", 10)])?;
    if log2 > 24 {
        return Err(Failure::new(format!(
            "log2_words is 24 at most, not {log2}: each PE has 2^log2_words words"
        )));
    }
    let words = 1 << log2;
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;

    let first = me * words;
    let table = gpu.from_fn([words], |[i]| Atomic::new((first + i) as u64))?;
    let threads = THREADS.min(UPDATES * words);
    let each = UPDATES * words / threads;
    let starts = gpu.from_fn([threads], |[thread]| power((UPDATES * first + thread * each) as u64))?;

    let updates = || -> Result<(), shmem::Error> {
        update.launch(&stream, threads.div_ceil(BLOCK), BLOCK, (&table, &starts, each))?;
        collective!(stream; barrier); // the updates of all PEs are made
        Ok(())
    };
    let start = Instant::now();
    updates()?;
    stream.synchronize()?;
    let seconds = start.elapsed().as_secs_f64();

    // Depends on the place of each word.
    let numbered = |words: Vec<u64>| (first as u64..).zip(words);
    let weighted = numbered(table.to_vec(&stream)?).map(|(i, word)| word.wrapping_mul(i | 1));
    let checksum = collective!(sum weighted.fold(0, u64::wrapping_add));

    updates()?;
    let wrong = numbered(table.to_vec(&stream)?).filter(|(i, word)| i != word).count();
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
            "{updates} updates of {} words on {}, back end {}: all were undone again",
            n_pes * words,
            count(n_pes, "PE"),
            gpu.back_end()
        );
        println!("checksum before that: {checksum}");
        println!("{}", rate("gpu_gups", updates as f64 * 1e-9, "GUP/s", seconds, "for all updates"));
    }
    stream.synchronize()?;
    Ok(())
}
