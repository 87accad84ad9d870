//! Elements of global arrays, whose PE and place each access computes.

use shmem::prelude::*;

use super::WORDS;

/// The words of a static, in blocks.
#[symmetric(block)]
pub static LINE: [u64; WORDS] = [0; WORDS];
/// The same, dealt in turn.
#[symmetric(cyclic)]
pub static TURNS: [u64; WORDS] = [0; WORDS];
/// Cells in blocks.
#[symmetric(block)]
pub static CELLS: [Atomic<u64>; WORDS] = [Atomic::new(0); WORDS];

/// Puts to each of `n` words of [`LINE`].
#[inline(never)]
pub fn put_static(n: usize) {
    for i in 0..n {
        remote!(LINE[@i] = i as u64);
    }
}

/// Puts to each of `n` words of [`TURNS`].
#[inline(never)]
pub fn put_cyclic(n: usize) {
    for i in 0..n {
        remote!(TURNS[@i] = i as u64);
    }
}

/// Gets each of `n` words of [`LINE`], and adds them up.
#[inline(never)]
#[must_use]
pub fn get_static(n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        sum = sum.wrapping_add(remote!(LINE[@i]));
    }
    sum
}

/// Adds to each of `n` cells of [`CELLS`], and adds up the old values.
#[inline(never)]
#[must_use]
pub fn fetch_add_static(n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        sum = sum.wrapping_add(remote!(&CELLS[@i]).fetch_add(1));
    }
    sum
}

/// Puts to each of `n` words of an array that was allocated.
#[inline(never)]
pub fn put_array(array: &GlobalArray<u64, 1>, n: usize) {
    for i in 0..n {
        remote!(array[@i] = i as u64);
    }
}

/// Gets each of `n` words of an array that was allocated, and adds them up.
#[inline(never)]
#[must_use]
pub fn get_array(array: &GlobalArray<u64, 1>, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        sum = sum.wrapping_add(remote!(array[@i]));
    }
    sum
}

/// Adds to each of `n` cells of an array that was allocated, and adds up the old values.
#[inline(never)]
#[must_use]
pub fn fetch_add_array(cells: &GlobalArray<Atomic<u64>, 1>, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        sum = sum.wrapping_add(remote!(&cells[@i]).fetch_add(1));
    }
    sum
}
