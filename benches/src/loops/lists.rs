//! Transfers of lists of indices, and moves from symmetric to symmetric memory.

use std::hint::black_box;

use shmem::prelude::*;

use super::ROW;

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
