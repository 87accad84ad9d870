//! Places in symmetric memory by address, and what other faces do there: cells, and the selections
//! of the language.

use std::fmt::Display;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Amo, Area, Many, Member, ObjectInfo, One, OwnedContext, Width, near};
use crate::runtime::region::Region;
use crate::runtime::{direct, far, statics};
use crate::select::Form as _;
use crate::symmetric::{Atomic, AtomicValue, Symmetric};
use crate::transport::{Run, cell, copy, layout};
use crate::{Remote, SignalOp};

/// How many pieces of the process can be symmetric where they are.
pub(super) const MAPPINGS: usize = 16;

/// Memory of the process that is symmetric where it is: start, end and offset of each piece. A piece
/// without an end is not there.
static MAPPED: [[AtomicUsize; 3]; MAPPINGS] = [const { [const { AtomicUsize::new(0) }; 3] }; MAPPINGS];

/// The `len` bytes at `start` are from now on those at `offset` in the heap. They stay there, so a
/// piece that is mapped again in a later job keeps its entry.
///
/// # Panics
///
/// When there are too many pieces.
pub(super) fn is_mapped(start: usize, len: usize, offset: usize) {
    let free = |entry: &&[AtomicUsize; 3]| {
        let [from, end, _] = &**entry;
        end.load(Ordering::Acquire) == 0 || from.load(Ordering::Relaxed) == start
    };
    let Some([from, end, to]) = MAPPED.iter().find(free) else {
        panic!("{MAPPINGS} pieces of a process can be symmetric where they are, and no more");
    };
    from.store(start, Ordering::Relaxed);
    to.store(offset, Ordering::Relaxed);
    // Release: who sees the end sees the start and the offset.
    end.store(start + len, Ordering::Release);
    near::open_mapped(start..start + len, offset);
}

/// Copies `len` bytes between memory of the process and symmetric memory, which other PEs may access
/// at the same time.
///
/// # Safety
///
/// `from` is readable and `to` writable for `len` bytes, and they do not overlap. The one that is
/// symmetric is what [`near`](super::near()) has returned.
#[inline(always)]
pub unsafe fn copy_bytes(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { copy::copy(to, from, len) }
}

/// As [`copy_bytes`], to memory of another PE, whose caches probably hold it.
///
/// # Safety
///
/// As [`copy_bytes`]; `to` is the one that is symmetric.
#[inline(always)]
pub unsafe fn copy_bytes_to_pe(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { copy::copy_to_pe(to, from, len) }
}

impl Member {
    /// The offset in the heap that `address` has, in the heap of this PE or in memory of the process
    /// that is symmetric where it is; `None` where it is neither.
    #[inline]
    #[must_use]
    pub fn offset_of(&self, address: *const u8) -> Option<usize> {
        let address = address.addr();
        if self.heap.contains(&address) {
            return Some(address - self.heap.start);
        }
        for [start, end, offset] in &MAPPED {
            let (end, start) = (end.load(Ordering::Acquire), start.load(Ordering::Relaxed));
            if end == 0 {
                break;
            }
            if (start..end).contains(&address) {
                return Some(address - start + offset.load(Ordering::Relaxed));
            }
        }
        None
    }

    /// The place of the static or of the array in which `offset` is. While another thread makes a
    /// collective call on the heap, that is all of the heap. An array may end up to a granule before the place
    /// does.
    #[must_use]
    pub fn object_around(&self, offset: usize) -> Option<Range<usize>> {
        statics::around(offset, self.n_pes()).or_else(|| match self.runtime().heap_now() {
            Some(heap) => heap.around(offset),
            None => Some(layout::END..self.heap.len()),
        })
    }

    /// The address in this process of what lies at `offset` in the heap of `pe`, where loads and
    /// stores reach it (`shmem_ptr`); `None` where they do not, and where there is no such PE.
    #[must_use]
    pub fn address_on(&self, pe: usize, offset: usize) -> Option<*mut u8> {
        let (facts, heaps) = (&self.runtime().endpoint().facts, self.runtime().endpoint().heaps);
        if pe >= facts.n_pes || offset >= facts.heap_size {
            return None;
        }
        // Not in a run that takes down every access, nor in a local phase.
        let is_open = !direct::heap(pe, &"memory of the heap").is_null();
        is_open.then(|| heaps.peer(pe)).flatten().map(|heap| heap.wrapping_add(offset))
    }

    /// Refuses elements that are outside of the part of a heap that objects have.
    ///
    /// # Panics
    ///
    /// When there is no PE `pe`, and when they are outside; the message names them as `what`.
    #[inline]
    #[track_caller]
    pub(super) fn check(&self, pe: usize, region: &Region, elem: usize, what: &dyn Display) {
        direct::assert_pe(pe, what);
        let (size, offset, end) = (self.heap.len(), region.offset, region.end(elem));
        assert!(
            offset >= layout::END && end.is_some_and(|end| end <= size),
            "{what} on PE {pe} is outside of symmetric memory: it begins at offset {offset} of a heap of {size} bytes",
        );
    }

    /// Performs `op` on the cell at `offset` in the heap of `pe`, and returns what was there before.
    /// When it returns, the cell has changed.
    ///
    /// # Safety
    ///
    /// The cell is in claimed memory, or in memory of the process that is symmetric where it is, and
    /// is accessed by atomic operations of this width alone while others access it.
    ///
    /// # Panics
    ///
    /// When there is no such PE, when the cell is outside of symmetric memory, and when it is not
    /// aligned to its width; the message names it as `what`.
    #[inline]
    #[track_caller]
    pub unsafe fn amo(
        &self,
        context: Option<&OwnedContext>,
        pe: usize,
        offset: usize,
        width: Width,
        op: Amo,
        what: &dyn Display,
    ) -> u64 {
        self.check_cell(pe, offset, width, what);
        let heap = direct::cells(pe, what);
        // SAFETY: there is such a PE, and the cell is in its heap and aligned, as was just checked.
        unsafe {
            if heap.is_null() {
                far::amo(OwnedContext::ctx(context), pe, offset, width, op)
            } else {
                cell::amo(heap.add(offset), width, op)
            }
        }
    }

    /// As [`amo`](Member::amo), for an `op` that is no [`Amo::Fetch`] and whose result is not wanted:
    /// only a quiet of the context says that the cell has changed.
    ///
    /// # Safety
    ///
    /// As `amo`.
    ///
    /// # Panics
    ///
    /// As `amo`.
    #[inline]
    #[track_caller]
    pub unsafe fn update(
        &self,
        context: Option<&OwnedContext>,
        pe: usize,
        offset: usize,
        width: Width,
        op: Amo,
        what: &dyn Display,
    ) {
        self.check_cell(pe, offset, width, what);
        let heap = direct::cells(pe, what);
        // SAFETY: as in `amo`.
        unsafe {
            if heap.is_null() {
                far::update(OwnedContext::ctx(context), pe, offset, width, op);
            } else {
                cell::amo(heap.add(offset), width, op);
            }
        }
    }

    #[inline]
    #[track_caller]
    fn check_cell(&self, pe: usize, offset: usize, width: Width, what: &dyn Display) {
        let bytes = width.bytes();
        // Heaps are whole pages, so an aligned cell that begins inside ends inside.
        let is_inside = (layout::END..self.heap.len()).contains(&offset);
        if !(is_inside && offset.is_multiple_of(bytes) && pe < direct::n_pes()) {
            self.refuse_cell(pe, offset, bytes, what);
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse_cell(&self, pe: usize, offset: usize, bytes: usize, what: &dyn Display) {
        self.check(pe, &Region::one(offset), bytes, what);
        assert!(
            offset.is_multiple_of(bytes),
            "{what} has {bytes} bytes, and does not lie at a multiple of {bytes}: an atomic operation takes an aligned address"
        );
    }

    /// `count` elements in this PE's own heap, `stride` bytes apart from `offset` on, as a selection
    /// of the language: for collectives.
    ///
    /// # Safety
    ///
    /// They are in claimed memory, or in memory of the process that is symmetric where it is, as long
    /// as the selection is used.
    ///
    /// # Panics
    ///
    /// When they are outside of symmetric memory, and when they are not aligned as their type.
    #[must_use]
    #[track_caller]
    pub unsafe fn elements<T: Symmetric>(
        &self,
        offset: usize,
        count: usize,
        stride: usize,
        info: &'static ObjectInfo,
    ) -> Remote<'static, T, Many> {
        // SAFETY: the caller's promise.
        unsafe { self.elements_on(direct::my_pe(), offset, count, stride, info) }
    }

    /// As [`elements`](Member::elements), in the heap of `pe`.
    ///
    /// # Safety
    ///
    /// As `elements`.
    ///
    /// # Panics
    ///
    /// As `elements`; using the selection panics when there is no such PE.
    #[must_use]
    #[track_caller]
    pub unsafe fn elements_on<T: Symmetric>(
        &self,
        pe: usize,
        offset: usize,
        count: usize,
        stride: usize,
        info: &'static ObjectInfo,
    ) -> Remote<'static, T, Many> {
        let region = self.own::<T>(offset, count, stride, info);
        // SAFETY: they lie in the heap and are aligned, as was just checked, and so they do in that of
        // any PE; the rest is the caller's promise.
        unsafe { Remote::new(pe, Many::several(region), info) }
    }

    /// `count` cells in this PE's own heap, side by side from `offset` on, as a selection of the
    /// language: for waits and tests.
    ///
    /// # Safety
    ///
    /// As [`elements`](Member::elements), and they are accessed by atomic operations of this width
    /// alone while others access them.
    ///
    /// # Panics
    ///
    /// As `elements`.
    #[must_use]
    #[track_caller]
    pub unsafe fn cells<T: AtomicValue>(
        &self,
        offset: usize,
        count: usize,
        info: &'static ObjectInfo,
    ) -> Remote<'static, Atomic<T>, Many> {
        let region = self.own::<T>(offset, count, size_of::<T>(), info);
        // SAFETY: as in `elements`.
        unsafe { Remote::new(direct::my_pe(), Many::several(region), info) }
    }

    /// The cell at `offset` in this PE's own heap, as a selection of the language.
    ///
    /// # Safety
    ///
    /// As [`cells`](Member::cells).
    ///
    /// # Panics
    ///
    /// As [`elements`](Member::elements).
    #[must_use]
    #[inline]
    #[track_caller]
    pub unsafe fn cell<T: AtomicValue>(
        &self,
        offset: usize,
        info: &'static ObjectInfo,
    ) -> Remote<'static, Atomic<T>, One> {
        self.check_cell(direct::my_pe(), offset, T::WIDTH, info);
        // SAFETY: as in `elements`.
        unsafe { Remote::new(direct::my_pe(), One::one(offset), info) }
    }

    /// Elements of this PE, checked.
    #[track_caller]
    fn own<T>(&self, offset: usize, count: usize, stride: usize, info: &'static ObjectInfo) -> Region {
        let region = Region::range(offset, Run { count, stride });
        self.check(direct::my_pe(), &region, if count == 0 { 0 } else { size_of::<T>() }, info);
        let align = align_of::<T>();
        assert!(
            offset.is_multiple_of(align) && (count <= 1 || stride.is_multiple_of(align)),
            "{info} does not lie at a multiple of {align}, the alignment of its type"
        );
        region
    }
}

impl Area<'_> {
    /// As [`put`](Area::put), and then updates the signal at the offset `signal` of the same PE: who
    /// sees the update sees the elements (`shmem_put_signal`).
    ///
    /// # Safety
    ///
    /// As `put`; the signal is a cell as for [`Member::amo`].
    ///
    /// # Panics
    ///
    /// When the signal is outside of symmetric memory, and when it is not aligned.
    #[track_caller]
    pub unsafe fn put_signal(
        &self,
        from: *const u8,
        step: usize,
        non_blocking: bool,
        member: &Member,
        (signal, op): (usize, SignalOp),
    ) {
        let what = &"the signal";
        member.check_cell(self.pe, signal, Width::W8, what);
        // SAFETY: the caller's promises.
        unsafe { self.put(from, step, non_blocking) };
        // Where the PE is directly addressable, the update itself orders the stores before it.
        if direct::cells(self.pe, what).is_null() {
            member.runtime().transport().fence(OwnedContext::ctx(self.context));
        }
        // SAFETY: the caller's promise.
        unsafe { member.update(self.context, self.pe, signal, Width::W8, op.amo(), what) };
    }
}
