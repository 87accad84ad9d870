//! Elements of a list of indices, between private memory and a heap, or between heaps.
//!
//! One function for all lists, which is compiled once. What [`copy`](super::copy) says of bytes
//! that race holds here: words move by relaxed atomics, and all else by its copies.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::copy::copy;

/// Calls `each` with each position and its index, four in each turn of the loop: the compiler does not
/// unroll loops over atomics.
#[inline(always)]
fn by_four(indices: &[usize], each: impl Fn(usize, usize)) {
    let (fours, rest) = indices.as_chunks::<4>();
    let mut i = 0;
    for &[a, b, c, d] in fours {
        each(i, a);
        each(i + 1, b);
        each(i + 2, c);
        each(i + 3, d);
        i += 4;
    }
    for &index in rest {
        each(i, index);
        i += 1;
    }
}

/// Calls `$each` with the atomic type of `$elem` bytes, where all addresses are aligned to it;
/// `$otherwise` else.
macro_rules! by_width {
    ($elem:expr, $all:expr, $each:ident!($($argument:expr),*), $otherwise:expr) => {
        match $elem {
            8 if $all.is_multiple_of(8) => $each!(AtomicU64, $($argument),*),
            4 if $all.is_multiple_of(4) => $each!(AtomicU32, $($argument),*),
            2 if $all.is_multiple_of(2) => $each!(AtomicU16, $($argument),*),
            1 => $each!(AtomicU8, $($argument),*),
            _ => $otherwise,
        }
    };
}

/// Copies the elements of `indices`, which are `stride` bytes apart from `from` on, to `to`, side by
/// side.
///
/// # Safety
///
/// Each of these elements, of `elem` bytes, is readable, and there is room for all of them. The two
/// do not overlap.
#[inline(never)]
pub(crate) unsafe fn gather(to: *mut u8, from: *const u8, indices: &[usize], stride: usize, elem: usize) {
    let aligned = from.addr() | stride;
    // SAFETY: the caller's promise.
    unsafe {
        // Without gaps: no multiplication for each element, because its size is a constant in each loop.
        if stride == elem {
            gather_from(to, indices, aligned, elem, |index| from.wrapping_add(index * elem));
        } else {
            gather_from(to, indices, aligned, elem, |index| from.wrapping_add(index * stride));
        }
    }
}

/// Copies the elements of `indices`, which lie where `at` says, to `to`, side by side.
///
/// # Safety
///
/// Each of these elements, of `elem` bytes, is readable, and there is room for all of them. The two
/// do not overlap. All addresses are multiples of each power of two that divides `aligned`.
#[inline(always)]
pub(crate) unsafe fn gather_from(
    to: *mut u8,
    indices: &[usize],
    aligned: usize,
    elem: usize,
    at: impl Fn(usize) -> *const u8,
) {
    let all = to.addr() | aligned;
    macro_rules! words {
        ($atomic:ident,) => {{
            let one = |i: usize, index: usize| {
                // SAFETY: an element, and room for one, both aligned as their words. The source is
                // only loaded from.
                unsafe {
                    let from = $atomic::from_ptr(at(index).cast_mut().cast());
                    let to = $atomic::from_ptr(to.add(i * size_of::<$atomic>()).cast());
                    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
                }
            };
            by_four(indices, one)
        }};
    }
    by_width!(elem, all, words!(), {
        for (i, &index) in indices.iter().enumerate() {
            // SAFETY: an element, and room for one.
            unsafe { copy(to.add(i * elem), at(index), elem) };
        }
    });
}

/// Copies the elements at `from`, which are `step` bytes apart (0: always the same), to those of
/// `indices`, which are `stride` bytes apart from `to` on, in their order.
///
/// # Safety
///
/// As [`gather`], the other way round.
#[inline(never)]
pub(crate) unsafe fn scatter(
    to: *mut u8,
    indices: &[usize],
    stride: usize,
    from: *const u8,
    step: usize,
    elem: usize,
) {
    let aligned = to.addr() | stride;
    // SAFETY: the caller's promise.
    unsafe {
        // As in `gather`.
        if stride == elem {
            scatter_to(indices, aligned, from, step, elem, |index| to.wrapping_add(index * elem));
        } else {
            scatter_to(indices, aligned, from, step, elem, |index| to.wrapping_add(index * stride));
        }
    }
}

/// Copies the elements at `from`, which are `step` bytes apart (0: always the same), to those of
/// `indices`, which lie where `at` says, in their order.
///
/// # Safety
///
/// As [`gather_from`], the other way round.
#[inline(always)]
pub(crate) unsafe fn scatter_to(
    indices: &[usize],
    aligned: usize,
    from: *const u8,
    step: usize,
    elem: usize,
    at: impl Fn(usize) -> *mut u8,
) {
    let all = aligned | from.addr() | step;
    macro_rules! words {
        ($atomic:ident,) => {{
            let one = |i: usize, index: usize| {
                // SAFETY: as in `gather_from`.
                unsafe {
                    let from = $atomic::from_ptr(from.add(i * step).cast_mut().cast());
                    let to = $atomic::from_ptr(at(index).cast());
                    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
                }
            };
            by_four(indices, one)
        }};
    }
    by_width!(elem, all, words!(), {
        for (i, &index) in indices.iter().enumerate() {
            // SAFETY: as in `gather_from`.
            unsafe { copy(at(index), from.add(i * step), elem) };
        }
    });
}
