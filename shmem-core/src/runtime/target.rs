//! Elements in the heap of a PE without their type: what every transfer of a region comes to.

use std::sync::atomic::{Ordering, fence};

use super::far;
use super::region::Region;
use crate::transport::Ctx;
use crate::transport::copy::{copy_strided, copy_strided_to_pe, repeat};

/// When the local side of a transfer may be used again.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    /// When the call has returned.
    Blocking,
    /// When a `quiet` of the context has returned.
    NonBlocking,
}

/// Elements in the heap of a PE, in bytes, and how this process reaches them.
///
/// Every transfer rests on what [`RawTarget::new`] asks for.
pub(crate) struct RawTarget<'a> {
    heap: *mut u8,
    pub(super) ctx: Ctx,
    pub(super) pe: usize,
    pub(super) region: &'a Region,
    pub(super) elem: usize,
    pub(super) atomic: bool,
}

impl<'a> RawTarget<'a> {
    /// The elements of `region`, of `elem` bytes each, on `pe`; whether they are `atomic` cells.
    ///
    /// # Safety
    ///
    /// There is such a PE, and the context is live. `heap` is the start of the PE's heap in this
    /// process, or null where the transport carries the data. All elements lie in objects or blocks
    /// that the caller may access. Atomic ones are cells of 1, 2, 4 or 8 bytes, aligned to their size.
    #[inline(always)]
    pub(crate) unsafe fn new(
        heap: *mut u8,
        ctx: Ctx,
        pe: usize,
        region: &'a Region,
        elem: usize,
        atomic: bool,
    ) -> RawTarget<'a> {
        RawTarget { heap, ctx, pe, region, elem, atomic }
    }

    /// Reads the elements to `to`, in row-major order, `step` bytes apart.
    ///
    /// # Safety
    ///
    /// `to` has room for all of them, and `step` is at least the size of one. Where the `mode` is
    /// non-blocking, nobody else accesses it, and it stays where it is, until a `quiet` of the
    /// context has returned.
    pub(crate) unsafe fn get(&self, mode: Mode, to: *mut u8, step: usize) {
        if self.heap.is_null() {
            // SAFETY: the caller's promise.
            return unsafe { far::get(self, mode, to, step) };
        }
        let rows = self.region.rows(self.elem, step);
        rows.each(|offset, private| {
            // SAFETY: the row lies in the region, and its elements have room from `private` on.
            unsafe {
                let (to, from) = (to.add(private), self.heap.add(offset));
                copy_strided(to, rows.step, from, rows.run.stride, rows.run.count, rows.piece);
            }
        });
        if self.atomic {
            fence(Ordering::Acquire);
        }
    }

    /// Writes the elements at `from`, which are `step` bytes apart there, in row-major order. A
    /// `step` of 0 writes the one element there to all places.
    ///
    /// # Safety
    ///
    /// `from` holds all of them. Where the `mode` is non-blocking, nobody changes them, and they
    /// stay where they are, until a `quiet` of the context has returned.
    pub(crate) unsafe fn put(&self, mode: Mode, from: *const u8, step: usize) {
        if self.heap.is_null() {
            // SAFETY: the caller's promise.
            return unsafe { far::put(self, mode, from, step) };
        }
        if self.atomic {
            fence(Ordering::Release);
        }
        let rows = self.region.rows(self.elem, step);
        rows.each(|offset, private| {
            // SAFETY: the row lies in the region, and its elements are at `private` and after it.
            unsafe {
                let (to, from) = (self.heap.add(offset), from.add(private));
                if rows.step == 0 {
                    repeat(to, rows.run, from, rows.piece);
                } else {
                    copy_strided_to_pe(to, rows.run.stride, from, rows.step, rows.run.count, rows.piece);
                }
            }
        });
    }
}
