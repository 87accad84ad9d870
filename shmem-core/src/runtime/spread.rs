//! Elements of a global array without their type: what every transfer of [`GlobalPlaces`] comes to.
//!
//! What loads and stores reach is copied, a piece at a time. For all else the pieces of a PE go to the
//! transport together, and the waits for several PEs overlap.

use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{Ordering, fence};

use super::across::{GlobalPiece, GlobalPlaces, OnlyList, PieceLoop, RangePiece};
use super::direct;
use super::placed::{PlacedTarget, words};
use super::places::Places;
use super::region::{MAX_RANK, Region};
use super::target::Mode;
use crate::runtime;
use crate::transport::copy::{copy, copy_strided, copy_strided_to_pe, copy_to_pe, repeat};
use crate::transport::gather::{gather_from, scatter_to};
use crate::transport::word::is_null;
use crate::transport::{BatchPiece, Ctx, Run};

/// Elements of a global array, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct GlobalTarget<'a> {
    places: &'a GlobalPlaces<'a>,
    ctx: Ctx,
    elem: usize,
    atomic: bool,
    /// What messages and statistics call the array.
    object: &'a dyn fmt::Display,
}

/// How many PEs a list may have that is walked without pieces: their heaps are looked up once.
const FEW: usize = 64;

/// A list whose elements loads and stores reach.
struct NearList<'i> {
    found: OnlyList<'i>,
    /// A number that is a multiple of no higher power of two than the address of each element.
    aligned: usize,
}

/// Where the parts of the first PEs begin. Only those of PEs that there are hold an address: more would be written for each
/// list than a short one reads.
type PartStarts = [MaybeUninit<*mut u8>; FEW];

/// Evaluates `$body` with `$at`, which finds the address of an index of a [`NearList`] by `$parts`, in an array whose
/// elements have `$elem` bytes. Each way of dealing has a copy of the body: the loop in it neither asks which way it
/// is, nor multiplies where a shift does.
macro_rules! with_place {
    ($near:expr, $parts:expr, $elem:expr, |$at:ident| $body:block) => {{
        // By value: behind a reference they would be read again after each store to the copies.
        let (OnlyList { axis, stride, .. }, elem) = ($near.found, $elem);
        // SAFETY: `near_list` has found the parts of all PEs that hold an element, `FEW` at most.
        let part = |pe: usize| unsafe { $parts[pe % FEW].assume_init() };
        // Without gaps, the size of an element is the distance: a constant in each loop.
        let is_dense = stride == elem;
        if let Some(bits) = axis.bits_of_coordinate().filter(|_| is_dense) {
            let $at = |index: usize| part(index & ((1 << bits) - 1)).wrapping_add((index >> bits) * elem);
            $body
        } else if let Some(bits) = axis.bits_of_place().filter(|_| is_dense) {
            let $at = |index: usize| part(index >> bits).wrapping_add((index & ((1 << bits) - 1)) * elem);
            $body
        } else {
            let $at = |index: usize| {
                let (pe, place) = axis.locate(index);
                part(pe).wrapping_add(place * stride)
            };
            $body
        }
    }};
}

/// Pieces that the transport carries: those of a PE, of one size of what lies side by side.
struct FarPieces {
    pe: usize,
    elem: usize,
    pieces: Vec<BatchPiece>,
}

impl<'a> GlobalTarget<'a> {
    /// The elements of `places`, of `elem` bytes each; whether they are `atomic` cells.
    ///
    /// # Safety
    ///
    /// The context is live. All elements lie in the parts of a live global array. Atomic ones are
    /// cells, aligned to their size.
    pub(crate) unsafe fn new(
        places: &'a GlobalPlaces<'a>,
        ctx: Ctx,
        elem: usize,
        atomic: bool,
        object: &'a dyn fmt::Display,
    ) -> GlobalTarget<'a> {
        GlobalTarget { places, ctx, elem, atomic, object }
    }

    /// The start of the heap of `pe` in this process, or null where the transport carries the data.
    ///
    /// # Panics
    ///
    /// Outside of a job, and in a local phase.
    #[inline(always)]
    #[track_caller]
    fn heap(&self, pe: usize) -> *mut u8 {
        let object = &self.object;
        if self.atomic { direct::cells(pe, object) } else { direct::heap(pe, object) }
    }

    /// A list of indices, where loads and stores reach all of a few PEs. It is walked once, without
    /// pieces: these cost more than an element.
    // A call would cost a list of 16 indices an eighth of its time: what is found goes through memory.
    #[inline(always)]
    #[track_caller]
    fn near_list(&self, parts: &mut PartStarts) -> Option<NearList<'_>> {
        let found = self.places.only_list()?;
        let mut aligned = found.offset | found.stride;
        for pe in 0..found.axis.coordinates {
            let heap = self.heap(pe);
            if heap.is_null() {
                return None;
            }
            aligned |= heap.addr();
            parts.get_mut(pe)?.write(heap.wrapping_add(found.offset));
        }
        Some(NearList { found, aligned })
    }

    /// Reads the elements to `to`, side by side, in row-major order.
    ///
    /// # Safety
    ///
    /// `to` has room for all of them. Where the `mode` is non-blocking, nobody else accesses it, and
    /// it stays where it is, until a `quiet` of the context has returned.
    ///
    /// # Panics
    ///
    /// As [`heap`](GlobalTarget::heap).
    #[track_caller]
    #[inline(never)]
    pub(crate) unsafe fn get(&self, mode: Mode, to: *mut u8) {
        let mut at = to;
        if !self.atomic
            && let Some(mut stretches) = self.places.stretches(self.elem)
            && stretches.all(|(pe, offset, bytes)| {
                let heap = direct::addressed(pe);
                if !is_null(heap) {
                    // SAFETY: these bytes are elements of the array, and `to` has room for them.
                    unsafe { copy(at, heap.add(offset), bytes) };
                    at = at.wrapping_add(bytes);
                }
                !is_null(heap)
            })
        {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { self.get_otherwise(mode, to) }
    }

    /// [`get`](GlobalTarget::get) without the shortest way.
    ///
    /// # Safety
    ///
    /// As `get`.
    #[track_caller]
    #[inline(never)]
    unsafe fn get_otherwise(&self, mode: Mode, to: *mut u8) {
        if self.elem == 0 {
            return;
        }
        let mut far: Vec<FarPieces> = Vec::new();
        let read = |heap: *mut u8, elem, offset, local, PieceLoop { count, stride, step }| {
            // SAFETY: the row is elements of the array, and `to` has room for them.
            unsafe {
                if count == 1 {
                    copy(to.add(local), heap.add(offset), elem);
                } else {
                    copy_strided(to.add(local), step, heap.add(offset), stride, count, elem);
                }
            }
        };
        let is_range = self.places.each_of_range(self.elem, self.elem, !self.atomic, |piece| {
            let RangePiece { pe, offset, local, elem, row } = piece;
            let heap = self.heap(pe);
            if is_null(heap) {
                note_row(&mut far, (pe, elem), offset, local, row);
            } else {
                read(heap, elem, offset, local, row);
            }
        });
        let mut parts: PartStarts = [const { MaybeUninit::uninit() }; FEW];
        if is_range {
        } else if let Some(near) = self.near_list(&mut parts) {
            let list = near.found.list;
            with_place!(near, parts, self.elem, |at| {
                // SAFETY: the indices are inside of the array, and `to` has room for them.
                unsafe { gather_from(to, list, near.aligned, self.elem, |index| at(index).cast_const()) };
            });
        } else {
            for piece in self.places.pieces(self.elem, self.elem, !self.atomic) {
                let heap = self.heap(piece.pe);
                if heap.is_null() {
                    note(&mut far, &piece);
                    continue;
                }
                each_row(&piece, |offset, local, row| read(heap, piece.elem, offset, local, row));
            }
        }
        if self.atomic {
            fence(Ordering::Acquire);
        }
        if !far.is_empty() {
            // SAFETY: the caller's promise.
            unsafe { self.get_far(mode, &far, to) };
        }
    }

    /// Writes the elements at `from`, which are `step` bytes apart there, in row-major order: their
    /// size, or 0 to write one element to all places. The last of those to one place stays.
    ///
    /// # Safety
    ///
    /// `from` holds all of them. Where the `mode` is non-blocking, nobody changes them, and they stay
    /// where they are, until a `quiet` of the context has returned.
    ///
    /// # Panics
    ///
    /// As [`heap`](GlobalTarget::heap).
    #[track_caller]
    #[inline(never)]
    pub(crate) unsafe fn put(&self, mode: Mode, from: *const u8, step: usize) {
        let mut at = from;
        if !self.atomic
            && step == self.elem
            && let Some(mut stretches) = self.places.stretches(step)
            && stretches.all(|(pe, offset, bytes)| {
                let heap = direct::addressed(pe);
                if !is_null(heap) {
                    // SAFETY: these bytes are elements of the array, and `from` holds as many.
                    unsafe { copy_to_pe(heap.add(offset), at, bytes) };
                    at = at.wrapping_add(bytes);
                }
                !is_null(heap)
            })
        {
            return;
        }
        // Where a PE is not reached, the other way finds out why, and writes all elements: those before it
        // once more, with the same values.
        // SAFETY: the caller's promise.
        unsafe { self.put_otherwise(mode, from, step) }
    }

    /// [`put`](GlobalTarget::put) without the shortest way.
    ///
    /// # Safety
    ///
    /// As `put`.
    #[track_caller]
    #[inline(never)]
    unsafe fn put_otherwise(&self, mode: Mode, from: *const u8, step: usize) {
        if self.elem == 0 {
            return;
        }
        if self.atomic {
            fence(Ordering::Release);
        }
        let mut far: Vec<FarPieces> = Vec::new();
        let write = |heap: *mut u8, elem, offset, local, PieceLoop { count, stride, step }| {
            // SAFETY: the row is elements of the array, and `from` holds what is written to them.
            unsafe {
                let (to, from) = (heap.add(offset), from.add(local));
                if count == 1 {
                    copy_to_pe(to, from, elem);
                } else if step == 0 {
                    repeat(to, Run { count, stride }, from, elem);
                } else {
                    copy_strided_to_pe(to, stride, from, step, count, elem);
                }
            }
        };
        let is_range = self.places.each_of_range(self.elem, step, !self.atomic, |piece| {
            let RangePiece { pe, offset, local, elem, row } = piece;
            let heap = self.heap(pe);
            if is_null(heap) {
                note_row(&mut far, (pe, elem), offset, local, row);
            } else {
                write(heap, elem, offset, local, row);
            }
        });
        let mut parts: PartStarts = [const { MaybeUninit::uninit() }; FEW];
        if is_range {
        } else if let Some(near) = self.near_list(&mut parts) {
            let list = near.found.list;
            with_place!(near, parts, self.elem, |at| {
                // SAFETY: the indices are inside of the array, and `from` holds what is written to them.
                unsafe { scatter_to(list, near.aligned, from, step, self.elem, at) };
            });
        } else {
            for piece in self.places.pieces(self.elem, step, !self.atomic) {
                let heap = self.heap(piece.pe);
                if heap.is_null() {
                    note(&mut far, &piece);
                    continue;
                }
                each_row(&piece, |offset, local, row| write(heap, piece.elem, offset, local, row));
            }
        }
        if !far.is_empty() {
            // SAFETY: the caller's promise.
            unsafe { self.put_far(mode, &far, from, step) };
        }
    }

    /// The way to pieces that the transport carries.
    fn target<'t>(&self, far: &FarPieces, places: &'t Places<'t>) -> PlacedTarget<'t> {
        let FarPieces { pe, elem, .. } = *far;
        // SAFETY: what `new` was promised of the elements, which are those of the pieces. The PE is
        // one that holds a part.
        unsafe { PlacedTarget::new(null_mut(), self.ctx, pe, places, elem, self.atomic) }
    }

    /// Reads what the transport carries.
    ///
    /// # Safety
    ///
    /// As [`get`](GlobalTarget::get); the pieces are elements of the array.
    #[cold]
    #[track_caller]
    unsafe fn get_far(&self, mode: Mode, far: &[FarPieces], to: *mut u8) {
        if self.places.turned().contains(&true) {
            let ascending = self.places.ascending();
            let mut turned = words(self.places.len() * self.elem);
            let turned: *mut u8 = turned.as_mut_ptr().cast();
            // SAFETY: as many elements, which have arrived before they are turned around.
            return unsafe {
                GlobalTarget { places: &ascending, ..*self }.get(Mode::Blocking, turned);
                self.turn(turned, to);
            };
        }
        let places = Places::of(&Region::one(0));
        let blocks = matches!(mode, Mode::Blocking);
        // Several PEs answer at the same time.
        let each = if far.len() > 1 { Mode::NonBlocking } else { mode };
        for pieces in far {
            // SAFETY: the caller's promise; a `quiet` follows where the caller's mode blocks.
            unsafe { self.target(pieces, &places).get_pieces(each, &pieces.pieces, to) };
        }
        if blocks && far.len() > 1 {
            runtime::get().transport().quiet(self.ctx);
        }
    }

    /// Writes what the transport carries.
    ///
    /// # Safety
    ///
    /// As [`put`](GlobalTarget::put); the pieces are elements of the array.
    #[cold]
    #[track_caller]
    unsafe fn put_far(&self, mode: Mode, far: &[FarPieces], from: *const u8, step: usize) {
        if self.places.turned().contains(&true) {
            let ascending = self.places.ascending();
            let target = GlobalTarget { places: &ascending, ..*self };
            // SAFETY: the same elements, and as many values in their order.
            return unsafe {
                if step == 0 {
                    target.put(mode, from, 0);
                } else {
                    let mut turned = words(self.places.len() * self.elem);
                    let turned: *mut u8 = turned.as_mut_ptr().cast();
                    self.turn(from, turned);
                    target.put(Mode::Blocking, turned, step);
                }
            };
        }
        // Two puts to one place may arrive in any order. So only the last one is sent.
        let shadowed = self.places.shadowed();
        let mut last = Vec::new();
        if shadowed.any() {
            for piece in self.places.pieces_without(self.elem, step, !self.atomic, &shadowed) {
                if self.heap(piece.pe).is_null() {
                    note(&mut last, &piece);
                }
            }
        }
        let places = Places::of(&Region::one(0));
        for pieces in if shadowed.any() { &last } else { far } {
            // SAFETY: the caller's promise.
            unsafe { self.target(pieces, &places).put_pieces(mode, &pieces.pieces, from) };
        }
    }

    /// Copies all elements from one private memory to another, with the axes that descend turned
    /// around.
    ///
    /// # Safety
    ///
    /// Both have room for all elements, side by side.
    unsafe fn turn(&self, from: *const u8, to: *mut u8) {
        let (counts, turned, elem) = (self.places.counts(), self.places.turned(), self.elem);
        let mut at = [0; MAX_RANK];
        for position in 0..self.places.len() {
            let other = (0..MAX_RANK).fold(0, |other, axis| {
                let index = if turned[axis] { counts[axis] - 1 - at[axis] } else { at[axis] };
                other * counts[axis] + index
            });
            // SAFETY: two positions of the selection.
            unsafe { std::ptr::copy_nonoverlapping(from.add(other * elem), to.add(position * elem), elem) };
            for axis in (0..MAX_RANK).rev() {
                at[axis] += 1;
                if at[axis] < counts[axis] {
                    break;
                }
                at[axis] = 0;
            }
        }
    }
}

/// Adds a piece to those of its PE.
#[cold]
fn note(far: &mut Vec<FarPieces>, piece: &GlobalPiece) {
    each_row(piece, |offset, local, row| note_row(far, (piece.pe, piece.elem), offset, local, row));
}

/// Adds a row to those of its PE and its size of what lies side by side.
#[cold]
fn note_row(
    far: &mut Vec<FarPieces>,
    (pe, elem): (usize, usize),
    offset: usize,
    local: usize,
    PieceLoop { count, stride, step }: PieceLoop,
) {
    let is_same = |other: &FarPieces| other.pe == pe && other.elem == elem;
    let at = far.iter().rposition(is_same).unwrap_or_else(|| {
        far.push(FarPieces { pe, elem, pieces: Vec::new() });
        far.len() - 1
    });
    far[at].pieces.push(BatchPiece { offset, run: Run { count, stride }, local, step });
}

/// Calls `each` with the offset of each row in the heap, with its offset in private memory, and with
/// its elements.
#[inline(always)]
fn each_row(piece: &GlobalPiece, mut each: impl FnMut(usize, usize, PieceLoop)) {
    let Some((inner, outer)) = piece.loops().split_last() else {
        return each(piece.offset, piece.local, PieceLoop { count: 1, stride: piece.elem, step: piece.elem });
    };
    if outer.is_empty() {
        return each(piece.offset, piece.local, *inner);
    }
    let rows: usize = outer.iter().map(|outer| outer.count).product();
    for row in 0..rows {
        let (mut offset, mut local, mut rest) = (piece.offset, piece.local, row);
        for outer in outer.iter().rev() {
            let at = rest % outer.count;
            rest /= outer.count;
            offset = offset.wrapping_add(at.wrapping_mul(outer.stride));
            local = local.wrapping_add(at.wrapping_mul(outer.step));
        }
        each(offset, local, *inner);
    }
}
