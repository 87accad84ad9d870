//! Transfers of lists of indices, and moves from symmetric to symmetric memory, each beside the plain
//! loop over the list.

use std::hint::black_box;

use shmem::prelude::*;

use super::{PLANE, ROW};

/// Gets four words of [`ROW`], whose indices are constants, `n` times.
#[inline(never)]
#[must_use]
pub fn get_four(pe: usize, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for _ in 0..n {
        let four: [u64; 4] = black_box(remote!(ROW[pe, [2, 3, 5, 7]]));
        sum = sum.wrapping_add(four[0]);
    }
    sum
}

/// Gets the words of `list` into `to`, `n` times.
#[inline(never)]
pub fn gather(from: &SymmetricArray<u64, 1>, to: &mut [u64], list: &[usize], pe: usize, n: usize) {
    for _ in 0..n {
        remote!(from[pe, @list] => &mut *to);
        black_box(&mut *to);
    }
}

/// Puts `from` to the words of `list`, `n` times.
#[inline(never)]
pub fn scatter(to: &SymmetricArray<u64, 1>, from: &[u64], list: &[usize], pe: usize, n: usize) {
    for _ in 0..n {
        remote!(to[pe, @list] = from);
    }
}

/// Gets the first words of `from` in reversed order, `n` times.
#[inline(never)]
pub fn get_back(from: &SymmetricArray<u64, 1>, to: &mut [u64], pe: usize, n: usize) {
    let len = to.len();
    for _ in 0..n {
        remote!(from[pe, ..len;-1] => &mut *to);
        black_box(&mut *to);
    }
}

/// Moves `len` words of the array to the words `stride` apart in [`ROW`], `n` times.
#[inline(never)]
pub fn move_words(from: &SymmetricArray<u64, 1>, pe: usize, [len, stride]: [usize; 2], n: usize) {
    for _ in 0..n {
        remote!(ROW[pe, ..len * stride;stride] = remote!(&from[pe, ..len]));
    }
}

/// Gets the words of [`PLANE`] at all combinations of `rows` and `columns`, `n` times.
#[inline(never)]
pub fn outer(to: &mut [f64], rows: &[usize], columns: &[usize], pe: usize, n: usize) {
    for _ in 0..n {
        remote!(PLANE[pe, @rows, @columns] => &mut *to);
        black_box(&mut *to);
    }
}

/// Puts a column of [`PLANE`], `n` times.
#[inline(never)]
pub fn put_column(from: &[f64; 64], pe: usize, column: usize, n: usize) {
    for _ in 0..n {
        remote!(PLANE[pe, .., column] = from);
    }
}

// By hand -------------------------------------------------------------------------------------------------------

/// Loads four words whose indices are constants, `n` times.
///
/// # Safety
///
/// `from` has eight words.
#[inline(never)]
#[must_use]
pub unsafe fn load_four(from: *const u64, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for _ in 0..n {
        // SAFETY: the caller's word.
        let four: [u64; 4] = black_box([2, 3, 5, 7].map(|i| unsafe { from.add(i).read_volatile() }));
        sum = sum.wrapping_add(four[0]);
    }
    sum
}

/// Loads the words of `list` into `to`, `n` times.
///
/// # Safety
///
/// `from` has all words of the list.
#[inline(never)]
pub unsafe fn load_list(from: *const u64, to: &mut [u64], list: &[usize], n: usize) {
    for _ in 0..n {
        for (value, &i) in to.iter_mut().zip(list) {
            // SAFETY: the caller's word.
            *value = unsafe { *from.add(i) };
        }
        black_box(&mut *to);
    }
}

/// Stores `from` to the words of `list`, `n` times.
///
/// # Safety
///
/// `to` has all words of the list.
#[inline(never)]
pub unsafe fn store_list(to: *mut u64, from: &[u64], list: &[usize], n: usize) {
    for _ in 0..n {
        for (&value, &i) in black_box(from).iter().zip(list) {
            // SAFETY: the caller's word.
            unsafe { *to.add(i) = value };
        }
    }
}

/// Loads the words at all combinations of `rows` and `columns` of an array with 64 columns, `n` times.
///
/// # Safety
///
/// `from` has all of these words.
#[inline(never)]
pub unsafe fn load_outer(from: *const f64, to: &mut [f64], rows: &[usize], columns: &[usize], n: usize) {
    for _ in 0..n {
        for (line, &i) in to.chunks_exact_mut(columns.len()).zip(rows) {
            for (value, &j) in line.iter_mut().zip(columns) {
                // SAFETY: the caller's word.
                *value = unsafe { *from.add(64 * i + j) };
            }
        }
        black_box(&mut *to);
    }
}

/// Loads words from the last one downwards, `n` times.
///
/// # Safety
///
/// `from` has as many words as `to`.
#[inline(never)]
pub unsafe fn load_back(from: *const u64, to: &mut [u64], n: usize) {
    let len = to.len();
    for _ in 0..n {
        for (i, value) in to.iter_mut().enumerate() {
            // SAFETY: the caller's word.
            *value = unsafe { *from.add(len - 1 - i) };
        }
        black_box(&mut *to);
    }
}

/// Stores a column of an array with 64 columns, `n` times.
///
/// # Safety
///
/// `to` is the first of 64 words that are 64 words apart.
#[inline(never)]
pub unsafe fn store_column(from: &[f64; 64], to: *mut f64, n: usize) {
    for _ in 0..n {
        for (i, &value) in black_box(from).iter().enumerate() {
            // SAFETY: the caller's word.
            unsafe { *to.add(64 * i) = value };
        }
    }
}
