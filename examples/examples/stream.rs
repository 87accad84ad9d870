//! The triad of STREAM over symmetric memory: how fast can all PEs together read and write their
//! own memory, and read that of a neighbour?
//!
//! ```text
//! cargo run --release --example stream                   # 2^20 elements of each array, best of 10
//! cargo run --release --example stream -- 16777216 20
//! ```
//!
//! J. D. McCalpin: STREAM, sustainable memory bandwidth in high performance computers, 1991 to
//! 2007. The triad is `a[i] = b[i] + q * c[i]`. Arrays should be four times as large as the caches;
//! otherwise the program measures the caches.
//!
//! Arguments: `elements` of each array on each PE; `iterations`, of which the best is taken, after
//! one that is not measured. The rate is that of all PEs together, for the three arrays, in
//! millions of bytes per second.
//!
//! The program does this in two ways. First, each PE works on its own copies: they are slices in a
//! local phase, and the loop is plain Rust. Then `b` and `c` are read from the next PE's copies, in
//! blocks that stay in the cache. After each, all elements are compared with what they should be:
//! as published, the mean of the relative errors must not be above 10^-13.

use std::time::Instant;

use examples::{Failure, count, numbers, rate};
use shmem::prelude::*;
use shmem::reduction::Max;

/// The `q` of the triad.
const Q: f64 = 3.0;
/// The mean of the relative errors that is allowed.
const EPSILON: f64 = 1e-13;
/// An array on each PE.
type Array = SymmetricArray<f64, 1>;
/// The number of elements that are read from the next PE at a time: two blocks of 8 KiB.
const BLOCK: usize = 1024;

#[shmem::main(threads = single)]
fn main(world: &World) -> Result<(), Failure> {
    let [elements, iterations] = numbers([("elements", 1 << 20), ("iterations", 10)])?;
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let next = (me + 1) % n_pes;

    let a = world.zeros::<f64, 1>([elements])?;
    let b = world.symmetric_array::<f64, 1>([elements], b_on(me))?;
    let c = world.array_from_fn([elements], |[i]| c_at(i))?;

    // The phase synchronises all PEs at its ends. Barriers are still allowed inside it.
    let local = world.local_phase(|p| {
        let (mut a, b, c) = (a.as_mut_slice(p), b.as_slice(p), c.as_slice(p));
        times(world, iterations, || triad(&mut a, &b, &c))
    });
    check(world, &a, |i| b_on(me) + Q * c_at(i))?;

    let remote = times(world, iterations, || remote_triad(next, &a, &b, &c));
    let sum = check(world, &a, |i| b_on(next) + Q * c_at(i))?;

    let [local, remote] = [best(world, local), best(world, remote)];
    if me == 0 {
        // Three arrays of 8 bytes an element on each PE.
        let megabytes = (24 * elements * n_pes) as f64 * 1e-6;
        println!(
            "{} of {elements} elements, best of {iterations}, as expected: a has the sum {sum}",
            count(n_pes, "triad")
        );
        println!("{}", rate("of the next PE's b and c", megabytes, "MB/s", remote, "a triad"));
        println!("{}", rate("stream", megabytes, "MB/s", local, "a triad"));
    }
    Ok(())
}

/// The value of `b` on a PE.
fn b_on(pe: usize) -> f64 {
    2.0 + pe as f64
}

/// The value of `c` at a place, on every PE.
fn c_at(place: usize) -> f64 {
    (1 + place % 1000) as f64
}

/// The time of each triad on this PE, until all PEs have done theirs, in seconds. Collective.
fn times(world: &World, iterations: usize, mut triad: impl FnMut()) -> Vec<f64> {
    let mut once = || {
        world.barrier_all();
        let start = Instant::now();
        triad();
        world.barrier_all();
        start.elapsed().as_secs_f64()
    };
    once(); // as published, the first one does not count
    (0..iterations).map(|_| once()).collect()
}

/// The time of the fastest triad. Collective.
///
/// The time of a triad is that of the PE which began first, because a PE that leaves the barrier
/// late measures only a part of it.
fn best(world: &World, mut times: Vec<f64>) -> f64 {
    world.team().reduce_values(Max, &mut times);
    times.into_iter().fold(f64::INFINITY, f64::min)
}

/// The triad on slices.
fn triad(a: &mut [f64], b: &[f64], c: &[f64]) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + Q * c;
    }
}

/// The triad of another PE's `b` and `c`.
#[shmem::kernel]
fn remote_triad(pe: usize, a: &Array, b: &Array, c: &Array) {
    let (mut sums, mut factors) = ([0.0; BLOCK], [0.0; BLOCK]);
    for start in (0..a.len()).step_by(BLOCK) {
        let end = a.len().min(start + BLOCK);
        let (sums, factors) = (&mut sums[..end - start], &mut factors[..end - start]);
        remote!(b[pe, start..end] => &mut *sums);
        remote!(c[pe, start..end] => &mut *factors);
        for (sum, factor) in sums.iter_mut().zip(factors) {
            *sum += Q * *factor;
        }
        local!(a[start..end]) = &*sums;
    }
}

/// Checks `a` on every PE; if one is wrong, all PEs get the error. Returns the sum over all PEs.
/// Collective.
fn check(world: &World, a: &Array, expected: impl Fn(usize) -> f64) -> Result<f64, Failure> {
    let (error, sum) = world.local_phase(|p| {
        let a = a.as_slice(p);
        let errors = a.iter().enumerate().map(|(i, a)| ((a - expected(i)) / expected(i)).abs());
        (errors.sum::<f64>() / a.len() as f64, a.iter().sum::<f64>())
    });
    let [error, sum] = [collective!(max error), collective!(sum sum)];
    // Not `>`, so that a NaN is an error.
    if error <= EPSILON {
        Ok(sum)
    } else {
        Err(Failure::new(format!("the mean relative error of a is {error:e}, above {EPSILON:e}")))
    }
}
