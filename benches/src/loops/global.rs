//! Elements and ranges of global arrays, whose PEs and places each access computes, each beside the
//! plain loop over the two parts of an array on two PEs.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// Puts `from` to the words of [`LINE`] from `start` on, `n` times.
#[inline(never)]
pub fn put_range_static(from: &[u64], start: usize, n: usize) {
    for _ in 0..n {
        remote!(LINE[@start..start + from.len()] = from);
    }
}

/// Puts `from` to the words of [`TURNS`] from `start` on, `n` times.
#[inline(never)]
pub fn put_range_cyclic(from: &[u64], start: usize, n: usize) {
    for _ in 0..n {
        remote!(TURNS[@start..start + from.len()] = from);
    }
}

/// Puts `from` to the words of an array that was allocated, from `start` on, `n` times.
#[inline(never)]
pub fn put_range_array(array: &GlobalArray<u64, 1>, from: &[u64], start: usize, n: usize) {
    for _ in 0..n {
        remote!(array[@start..start + from.len()] = from);
    }
}

/// Gets the words of an array that was allocated, from `start` on, `n` times.
#[inline(never)]
pub fn get_range_array(array: &GlobalArray<u64, 1>, to: &mut [u64], start: usize, n: usize) {
    let end = start + to.len();
    for _ in 0..n {
        remote!(array[@start..end] => &mut *to);
        black_box(&mut *to);
    }
}

/// Gets the words of `list` of an array that was allocated, `n` times.
#[inline(never)]
pub fn gather_array(array: &GlobalArray<u64, 1>, to: &mut [u64], list: &[usize], n: usize) {
    for _ in 0..n {
        remote!(array[@list] => &mut *to);
        black_box(&mut *to);
    }
}

// By hand -------------------------------------------------------------------------------------------------------

/// The words on each of two PEs.
const HALF: usize = WORDS / 2;

/// Where the parts of an array of [`WORDS`] words begin on two PEs.
///
/// # Safety
///
/// Of all functions that take it: each part has half of the `WORDS`.
pub type Halves = [*mut u64; 2];

/// Stores to each of `n` words in two blocks.
///
/// # Safety
///
/// As [`Halves`] says, and `n` is at most [`WORDS`].
#[inline(never)]
pub unsafe fn store_blocks(halves: &Halves, n: usize) {
    for i in 0..n {
        // SAFETY: the caller's word.
        unsafe { halves[i / HALF].add(i % HALF).write_volatile(i as u64) };
    }
}

/// Stores to each of `n` words that are dealt in turn to two PEs, whose number has one bit. The compiler
/// does not know that, as it does not in a program for any number of PEs. Of a constant it made a loop over
/// pairs of words that has neither the table nor the shift and the mask.
///
/// # Safety
///
/// As [`store_blocks`], and `bits` is 1.
#[inline(never)]
pub unsafe fn store_turns(halves: &Halves, bits: u32, n: usize) {
    for i in 0..n {
        // SAFETY: the caller's word, and an index of one bit.
        unsafe {
            let half = *halves.get_unchecked(i & ((1 << bits) - 1));
            half.add(i >> bits).write_volatile(i as u64);
        }
    }
}

/// Loads each of `n` words in two blocks, and adds them up.
///
/// # Safety
///
/// As [`store_blocks`].
#[inline(never)]
#[must_use]
pub unsafe fn load_blocks(halves: &Halves, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        // SAFETY: the caller's word.
        sum = sum.wrapping_add(unsafe { halves[i / HALF].add(i % HALF).read_volatile() });
    }
    sum
}

/// Adds to each of `n` cells in two blocks, and adds up the old values.
///
/// # Safety
///
/// As [`store_blocks`], and all PEs update the cells atomically.
#[inline(never)]
#[must_use]
pub unsafe fn fetch_add_blocks(halves: &Halves, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        // SAFETY: the caller's word.
        let cell = unsafe { AtomicU64::from_ptr(halves[i / HALF].add(i % HALF)) };
        sum = sum.wrapping_add(cell.fetch_add(1, Ordering::AcqRel));
    }
    sum
}

/// Stores `from` to the words in two blocks from `start` on, `n` times: a copy for each block.
///
/// # Safety
///
/// As [`Halves`] says, and the range begins in the first block and ends in the second.
#[inline(never)]
pub unsafe fn store_range_blocks(halves: &Halves, from: &[u64], start: usize, n: usize) {
    for _ in 0..n {
        let (first, second) = black_box(from).split_at(HALF - start);
        // SAFETY: the caller's word.
        unsafe {
            black_box(halves[0]).add(start).copy_from_nonoverlapping(first.as_ptr(), first.len());
            black_box(halves[1]).copy_from_nonoverlapping(second.as_ptr(), second.len());
        }
    }
}

/// Stores `from` to the words that are dealt in turn, from `start` on, `n` times: a loop for each PE.
///
/// # Safety
///
/// As [`Halves`] says, and the range is within the words.
#[inline(never)]
pub unsafe fn store_range_turns(halves: &Halves, from: &[u64], start: usize, n: usize) {
    for _ in 0..n {
        for first in 0..2 {
            let part = black_box(halves[(start + first) % 2]);
            let place = (start + first) / 2;
            for (i, &value) in from[first..].iter().step_by(2).enumerate() {
                // SAFETY: the caller's word.
                unsafe { *part.add(place + i) = value };
            }
        }
    }
}

/// Loads the words in two blocks from `start` on, `n` times: a copy for each block.
///
/// # Safety
///
/// As [`store_range_blocks`].
#[inline(never)]
pub unsafe fn load_range_blocks(halves: &Halves, to: &mut [u64], start: usize, n: usize) {
    for _ in 0..n {
        let (first, second) = to.split_at_mut(HALF - start);
        // SAFETY: the caller's word.
        unsafe {
            black_box(halves[0]).add(start).copy_to_nonoverlapping(first.as_mut_ptr(), first.len());
            black_box(halves[1]).copy_to_nonoverlapping(second.as_mut_ptr(), second.len());
        }
        black_box(&mut *to);
    }
}

/// Loads the words of `list`, which are dealt in turn, `n` times.
///
/// # Safety
///
/// As [`Halves`] says, and the indices are below [`WORDS`].
#[inline(never)]
pub unsafe fn load_list_turns(halves: &Halves, to: &mut [u64], list: &[usize], n: usize) {
    for _ in 0..n {
        for (value, &i) in to.iter_mut().zip(list) {
            // SAFETY: the caller's word.
            *value = unsafe { *halves[i % 2].add(i / 2) };
        }
        black_box(&mut *to);
    }
}
