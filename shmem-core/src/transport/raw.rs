//! The transport's own calls, for benchmarks: what the language compiles to where loads and stores do not reach a PE. Not for programs;
//! they check nothing.

use super::{Amo, Ctx, Run, Transport, Width};
use crate::remote::Remote;
use crate::runtime;
use crate::select::Located;
use crate::symmetric::Item;

fn transport() -> &'static dyn Transport {
    runtime::get().transport()
}

/// Where the first of some elements lies in its PE's heap, in bytes.
#[must_use]
pub fn offset<I: Item, F: Located>(elements: Remote<'_, I, F>) -> usize {
    elements.offset()
}

/// Copies `len` bytes to `offset` in the heap of `pe`.
///
/// # Safety
///
/// There is such a PE, both places are in bounds, and no PE uses the target otherwise.
#[inline]
pub unsafe fn put(pe: usize, offset: usize, from: *const u8, len: usize) {
    // SAFETY: the caller's word.
    unsafe { transport().put(Ctx::DEFAULT, pe, offset, from, len) }
}

/// Begins to copy `len` bytes to `offset` in the heap of `pe`; [`quiet`] completes it.
///
/// # Safety
///
/// As [`put`], and the source stays as it is until then.
#[inline]
pub unsafe fn put_nbi(pe: usize, offset: usize, from: *const u8, len: usize) {
    // SAFETY: the caller's word.
    unsafe { transport().put_nbi(Ctx::DEFAULT, pe, offset, from, len) }
}

/// Copies `len` bytes from `offset` in the heap of `pe`.
///
/// # Safety
///
/// As [`put`].
#[inline]
pub unsafe fn get(pe: usize, offset: usize, to: *mut u8, len: usize) {
    // SAFETY: the caller's word.
    unsafe { transport().get(Ctx::DEFAULT, pe, offset, to, len) }
}

/// Copies `count` elements of `elem` bytes, contiguous at `from`, to places `stride` elements apart.
///
/// # Safety
///
/// As [`put`].
#[inline]
pub unsafe fn iput(pe: usize, offset: usize, count: usize, stride: usize, from: *const u8, elem: usize) {
    // SAFETY: the caller's word.
    unsafe {
        transport().iput(Ctx::DEFAULT, pe, offset, Run { count, stride: stride * elem }, from, elem, elem)
    }
}

/// Copies `count` elements of `elem` bytes from places `stride` elements apart, contiguous to `to`.
///
/// # Safety
///
/// As [`put`].
#[inline]
pub unsafe fn iget(pe: usize, offset: usize, count: usize, stride: usize, to: *mut u8, elem: usize) {
    // SAFETY: the caller's word.
    unsafe { transport().iget(Ctx::DEFAULT, pe, offset, Run { count, stride: stride * elem }, to, elem) }
}

/// Adds to a cell of 8 bytes, and returns what was there.
///
/// # Safety
///
/// There is such a PE, and a cell at `offset`.
#[inline]
pub unsafe fn fetch_add(pe: usize, offset: usize, value: u64) -> u64 {
    // SAFETY: the caller's word.
    unsafe { transport().amo(Ctx::DEFAULT, pe, offset, Width::W8, Amo::Add(value)) }
}

/// Adds to a cell of 8 bytes.
///
/// # Safety
///
/// As [`fetch_add`].
#[inline]
pub unsafe fn add(pe: usize, offset: usize, value: u64) {
    // SAFETY: the caller's word.
    unsafe { transport().update(Ctx::DEFAULT, pe, offset, Width::W8, Amo::Add(value)) }
}

/// Writes `new` to a cell of 8 bytes if it holds `expected`, and returns what was there.
///
/// # Safety
///
/// As [`fetch_add`].
#[inline]
pub unsafe fn compare_swap(pe: usize, offset: usize, expected: u64, new: u64) -> u64 {
    // SAFETY: the caller's word.
    unsafe { transport().amo(Ctx::DEFAULT, pe, offset, Width::W8, Amo::CompareSwap { expected, new }) }
}

/// Completes what was put.
#[inline]
pub fn quiet() {
    transport().quiet(Ctx::DEFAULT);
}

/// A barrier of all PEs.
#[inline]
pub fn barrier_all() {
    transport().barrier_all();
}
