//! A histogram in a table that is divided over all PEs, counted with atomic updates in a batch.
//!
//! ```text
//! cargo run --release --example histogram
//! ```
//!
//! A Galton board: a ball falls through 16 rows of pegs, goes left or right at each, and lands in
//! one of 17 bins. Every PE drops its own balls. The bins are one global array, and the PE that
//! drops a ball adds 1 to its bin, which may be on any PE. Many PEs update the same bin at the same
//! time, so the bins are [`Atomic`] cells. On plain integers, `+=` does not compile. The updates have
//! no order, so they are a batch: the library may combine them, and its end completes all of them.

use shmem::prelude::*;

/// Rows of pegs.
const ROWS: usize = 16;
/// A ball lands in bin `k` if it went right at `k` pegs.
const BINS: usize = ROWS + 1;
/// Balls that each PE drops.
const BALLS: usize = 20_000;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let n_pes = world.n_pes();

    // Dealt in turn: bin b is on PE b % n_pes. With more PEs than bins, some PEs have none.
    let table = world.global_array::<Atomic<u64>, 1>([BINS], Distribution::Cyclic)?;

    world.batch(|b| {
        for bin in balls(me) {
            remote!(b; table[@bin]) += 1;
        }
    }); // every update of every PE is complete

    let total = table.sum();
    assert_eq!(total, (n_pes * BALLS) as u64, "a ball was lost, or counted twice");

    if me == 0 {
        let counts: Vec<u64> = remote!(table[@..]);

        // The same computation, serially: PE 0 drops the balls of all PEs once more.
        let mut expected = vec![0; BINS];
        for bin in (0..n_pes).flat_map(balls) {
            expected[bin] += 1;
        }
        assert_eq!(counts, expected, "the counts of the serial computation");

        print(&counts);
        println!(
            "{total} balls in {BINS} bins on {}: the same counts as serially",
            examples::count(n_pes, "PE")
        );
    }
    Ok(())
}

/// The bins in which the balls of one PE land. They are always the same, so that the result can be
/// checked.
fn balls(pe: usize) -> impl Iterator<Item = usize> {
    let mut random = fastrand::Rng::with_seed(pe as u64);
    // Each bit is a peg.
    (0..BALLS).map(move |_| random.u32(..1 << ROWS).count_ones() as usize)
}

/// Draws the histogram, a line for each bin.
fn print(counts: &[u64]) {
    let largest = counts.iter().max().copied().unwrap_or(0).max(1);
    for (bin, &count) in counts.iter().enumerate() {
        // Rounded up, so that a bin with a single ball is visible.
        let bar = "█".repeat((count * 60).div_ceil(largest) as usize);
        println!("{}", format!("{bin:>3} {count:>8} {bar}").trim_end());
    }
}
