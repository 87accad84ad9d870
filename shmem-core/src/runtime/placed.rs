//! Elements of lists and of ranges that descend, in the heap of a PE, without their type: what
//! every transfer of [`Places`] comes to.
//!
//! Where loads and stores reach the heap, it is a loop. Otherwise it is one call of the transport,
//! with all pieces.

use std::slice;
use std::sync::atomic::{Ordering, fence};

use super::far;
use super::places::{Places, Shadowed, Stretch};
use super::target::{Mode, RawTarget};
use crate::runtime;
use crate::transport::copy::{copy_strided, copy_strided_to_pe, repeat};
use crate::transport::gather::{gather, scatter};
#[cfg(feature = "openshmem")]
use crate::transport::openshmem::short::Entered;
use crate::transport::{Amo, BatchPiece, Ctx, Width, cell};

/// Elements in the heap of a PE, in bytes, and how this process reaches them: as [`RawTarget`].
#[derive(Clone, Copy)]
pub(crate) struct PlacedTarget<'a> {
    pub(super) heap: *mut u8,
    ctx: Ctx,
    pub(super) pe: usize,
    pub(super) places: &'a Places<'a>,
    pub(super) elem: usize,
    atomic: bool,
}

impl<'a> PlacedTarget<'a> {
    /// The elements of `places`.
    ///
    /// # Safety
    ///
    /// As [`RawTarget::new`].
    #[inline(always)]
    pub(crate) unsafe fn new(
        heap: *mut u8,
        ctx: Ctx,
        pe: usize,
        places: &'a Places<'a>,
        elem: usize,
        atomic: bool,
    ) -> PlacedTarget<'a> {
        PlacedTarget { heap, ctx, pe, places, elem, atomic }
    }

    /// Whether loads and stores reach the elements.
    pub(super) fn is_near(&self) -> bool {
        !self.heap.is_null()
    }

    /// Whether the elements are atomic cells.
    pub(super) fn is_atomic(&self) -> bool {
        self.atomic
    }

    /// Orders what this PE did before its writes, where these are to atomic cells.
    pub(super) fn before_writes(&self) {
        if self.atomic {
            fence(Ordering::Release);
        }
    }

    /// Orders what was read before what this PE does next, where it was atomic cells.
    pub(super) fn after_reads(&self) {
        if self.atomic {
            fence(Ordering::Acquire);
        }
    }

    /// Reads the elements to `to`, side by side, in row-major order.
    ///
    /// # Safety
    ///
    /// As [`RawTarget::get`].
    pub(crate) unsafe fn get(&self, mode: Mode, to: *mut u8) {
        let elem = self.elem;
        if let Some(region) = self.places.region() {
            // SAFETY: the same elements, and the caller's promise.
            return unsafe { self.of_region(&region).get(mode, to, elem) };
        }
        if !self.is_near() {
            // SAFETY: the caller's promise.
            return unsafe { self.get_far(mode, to) };
        }
        // SAFETY: the elements lie in the heap, and `to` has room for all of them.
        unsafe {
            if let Some((list, stride)) = self.places.innermost_list() {
                self.places.each_row(|offset, position| {
                    gather(to.add(position * elem), self.heap.wrapping_add(offset), list, stride, elem);
                });
            } else {
                for part in self.places.stretches(elem) {
                    let to = to.add(part.position * elem);
                    copy_strided(to, elem, self.at(part), part.run.stride, part.run.count, elem);
                }
            }
        }
        self.after_reads();
    }

    /// Writes the elements at `from`, which are `step` bytes apart there, in row-major order: their
    /// size, or 0 to write one element to all places. The last of those to one place stays.
    ///
    /// # Safety
    ///
    /// As [`RawTarget::put`].
    pub(crate) unsafe fn put(&self, mode: Mode, from: *const u8, step: usize) {
        let elem = self.elem;
        if let Some(region) = self.places.region() {
            // SAFETY: the same elements, and the caller's promise.
            return unsafe { self.of_region(&region).put(mode, from, step) };
        }
        if !self.is_near() {
            // SAFETY: the caller's promise.
            return unsafe { self.put_far(mode, from, step) };
        }
        self.before_writes();
        // SAFETY: the elements lie in the heap, and `from` holds as many.
        unsafe {
            if let Some((list, stride)) = self.places.innermost_list() {
                self.places.each_row(|offset, position| {
                    let to = self.heap.wrapping_add(offset);
                    scatter(to, list, stride, from.add(position * step), step, elem);
                });
            } else {
                for part in self.places.stretches(elem) {
                    let (to, from) = (self.at(part), from.add(part.position * step));
                    if step == 0 {
                        repeat(to, part.run, from, elem);
                    } else {
                        copy_strided_to_pe(to, part.run.stride, from, step, part.run.count, elem);
                    }
                }
            }
        }
    }

    /// The same elements as those of a region.
    fn of_region<'r>(&self, region: &'r super::region::Region) -> RawTarget<'r> {
        // SAFETY: what `new` was promised.
        unsafe { RawTarget::new(self.heap, self.ctx, self.pe, region, self.elem, self.atomic) }
    }

    /// Where a stretch begins in this process. It wraps: a stretch without elements may begin outside of
    /// the heap.
    fn at(&self, stretch: Stretch) -> *mut u8 {
        self.heap.wrapping_add(stretch.offset)
    }

    /// A stretch, in the order in which it lies in memory, with the elements of local memory that
    /// are `step` bytes apart.
    fn piece(&self, stretch: Stretch, step: usize) -> BatchPiece {
        let Stretch { offset, run, position } = stretch.ascending();
        BatchPiece { offset, run, local: position * step, step }
    }

    /// All elements that are not shadowed in pieces, and whether any of them descends. Those of local
    /// memory are `step` bytes apart.
    fn pieces(&self, shadowed: &Shadowed, step: usize) -> (Vec<BatchPiece>, bool) {
        let mut descends = false;
        let pieces = self.places.stretches_without(self.elem, shadowed).map(|stretch| {
            descends |= stretch.descends();
            self.piece(stretch, step)
        });
        (pieces.collect(), descends)
    }

    /// Those that descend, if there are `any`.
    fn descending<'s>(&'s self, shadowed: &'s Shadowed, any: bool) -> impl Iterator<Item = Stretch> + 's {
        let all = any.then(|| self.places.stretches_without(self.elem, shadowed));
        all.into_iter().flatten().filter(|stretch| stretch.descends())
    }

    /// The short way into a C library, by which stretches go one by one, without a list of pieces, if the last axis is
    /// a list of plain elements, and nothing counts the list as one operation.
    #[cfg(feature = "openshmem")]
    fn short_way(&self) -> Option<Entered> {
        let is_list = || self.places.innermost_list().is_some_and(|(_, stride)| stride >= self.elem);
        if self.atomic || self.elem == 0 || !is_list() {
            return None;
        }
        Entered::if_free(self.ctx)
    }

    /// # Safety
    ///
    /// As [`get`](PlacedTarget::get).
    #[cold]
    unsafe fn get_far(&self, mode: Mode, to: *mut u8) {
        let PlacedTarget { ctx, pe, elem, .. } = *self;
        #[cfg(feature = "openshmem")]
        if matches!(mode, Mode::Blocking)
            && let Some(library) = self.short_way()
        {
            let way = library.way;
            self.places.each_dense(elem, move |offset, position, count| {
                // SAFETY: the elements lie side by side, and `to` has room for them; all have arrived below.
                unsafe { way.get_nbi(pe, offset, to.add(position * elem), count * elem) };
            });
            drop(library);
            return runtime::get().transport().quiet(ctx);
        }
        if let Some(stretch) = self.places.only_reversed(elem).filter(|_| !self.atomic) {
            // SAFETY: the elements lie side by side, and `to` has room for them.
            unsafe {
                far::get_bytes(Mode::Blocking, ctx, pe, stretch.offset, to, stretch.run.count * elem);
                return reverse(slice::from_raw_parts_mut(to, stretch.run.count * elem), elem);
            }
        }
        let (pieces, descends) = self.pieces(&Shadowed::NONE, self.elem);
        // What descends is turned around after it has arrived.
        let mode = if descends { Mode::Blocking } else { mode };
        // SAFETY: the pieces are the elements, and `to` has room for all of them. They have arrived
        // before they are turned around.
        unsafe {
            self.get_pieces(mode, &pieces, to);
            for stretch in self.descending(&Shadowed::NONE, descends) {
                let to = to.add(stretch.position * self.elem);
                reverse(slice::from_raw_parts_mut(to, stretch.run.count * self.elem), self.elem);
            }
        }
    }

    /// # Safety
    ///
    /// As [`put`](PlacedTarget::put).
    #[cold]
    unsafe fn put_far(&self, mode: Mode, from: *const u8, step: usize) {
        // Two puts to one place may arrive in any order. So only the last one is sent.
        let shadowed = self.places.shadowed();
        #[cfg(feature = "openshmem")]
        if matches!(mode, Mode::Blocking)
            && step == self.elem
            && let Some(library) = self.short_way()
        {
            let (PlacedTarget { pe, elem, .. }, way) = (*self, library.way);
            let put = move |offset, position, count| {
                // SAFETY: the elements lie side by side, and `from` holds as many; the way is entered until the end.
                unsafe { way.put(pe, offset, from.add(position * elem), count, elem) };
            };
            if shadowed.any() {
                for Stretch { offset, run, position } in self.places.stretches_without(elem, &shadowed) {
                    put(offset, position, run.count);
                }
            } else {
                self.places.each_dense(elem, put);
            }
            return;
        }
        let (pieces, descends) = self.pieces(&shadowed, step);
        if step == 0 || !descends {
            // SAFETY: the pieces are elements, and `from` holds what is written to them.
            return unsafe { self.put_pieces(mode, &pieces, from) };
        }
        let mut turned = words(self.places.len() * self.elem);
        let turned: *mut u8 = turned.as_mut_ptr().cast();
        // SAFETY: as many bytes as there are at `from`, of which those of each stretch that descends
        // are turned around. They are read before the call returns.
        unsafe {
            copy_strided(turned, self.elem, from, step, self.places.len(), self.elem);
            for stretch in self.descending(&shadowed, true) {
                let at = turned.add(stretch.position * self.elem);
                reverse(slice::from_raw_parts_mut(at, stretch.run.count * self.elem), self.elem);
            }
            self.put_pieces(Mode::Blocking, &pieces, turned);
        }
    }

    /// Reads pieces to local memory: those of `to`.
    ///
    /// # Safety
    ///
    /// The pieces are elements of this target, and there is room for them at `to`, under the
    /// conditions of [`RawTarget::get`].
    pub(super) unsafe fn get_pieces(&self, mode: Mode, pieces: &[BatchPiece], to: *mut u8) {
        let PlacedTarget { ctx, pe, elem, .. } = *self;
        // SAFETY: the caller's promise for each element.
        unsafe {
            if self.is_near() {
                for &BatchPiece { offset, run, local, step } in pieces {
                    let from = self.heap.wrapping_add(offset);
                    copy_strided(to.wrapping_add(local), step, from, run.stride, run.count, elem);
                }
                self.after_reads();
            } else if self.atomic {
                let (transport, width) = (runtime::get().transport(), Width::of(elem));
                each_cell(pieces, |offset, local| {
                    let bits = transport.amo(ctx, pe, offset, width, Amo::Fetch);
                    cell::write_bits(to.wrapping_add(local), width, bits);
                });
            } else {
                let transport = runtime::get().transport();
                transport.get_pieces(ctx, pe, pieces, to, elem, matches!(mode, Mode::Blocking));
            }
        }
    }

    /// Writes pieces from local memory: from those of `from`. No two are at one place.
    ///
    /// # Safety
    ///
    /// As [`get_pieces`](PlacedTarget::get_pieces), under the conditions of [`RawTarget::put`].
    pub(super) unsafe fn put_pieces(&self, mode: Mode, pieces: &[BatchPiece], from: *const u8) {
        let PlacedTarget { ctx, pe, elem, .. } = *self;
        // SAFETY: the caller's promise for each element.
        unsafe {
            if self.is_near() {
                self.before_writes();
                for &BatchPiece { offset, run, local, step } in pieces {
                    let to = self.heap.wrapping_add(offset);
                    copy_strided_to_pe(to, run.stride, from.wrapping_add(local), step, run.count, elem);
                }
            } else if self.atomic {
                let width = Width::of(elem);
                each_cell(pieces, |offset, local| {
                    let bits = cell::bits(from.wrapping_add(local), width);
                    far::update(ctx, pe, offset, width, Amo::Set(bits));
                });
            } else {
                let transport = runtime::get().transport();
                transport.put_pieces(ctx, pe, pieces, from, elem, matches!(mode, Mode::Blocking));
            }
        }
    }
}

/// Calls `each` with the offset of each cell, and with its place in local memory.
fn each_cell(pieces: &[BatchPiece], mut each: impl FnMut(usize, usize)) {
    for piece in pieces {
        for i in 0..piece.run.count {
            each(piece.offset + i * piece.run.stride, piece.local + i * piece.step);
        }
    }
}

/// Room for so many bytes, aligned to 8, as the typed routines of a C library want it.
pub(super) fn words(bytes: usize) -> Vec<u64> {
    vec![0; bytes.div_ceil(8)]
}

/// Turns the order of elements of `elem` bytes around.
pub(super) fn reverse(elements: &mut [u8], elem: usize) {
    match elem {
        0 => {}
        4 => elements.as_chunks_mut::<4>().0.reverse(),
        // As numbers where they are aligned, which the compiler turns around several at a time.
        // SAFETY: every bit pattern is a number, and a number is bytes.
        8 => match unsafe { elements.align_to_mut::<u64>() } {
            ([], words, []) => words.reverse(),
            _ => elements.as_chunks_mut::<8>().0.reverse(),
        },
        _ => {
            let mut rest = elements;
            while rest.len() >= 2 * elem {
                let (first, after) = rest.split_at_mut(elem);
                let (middle, last) = after.split_at_mut(after.len() - elem);
                first.swap_with_slice(last);
                rest = middle;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reverse;

    #[test]
    fn elements_of_every_size_are_turned_around() {
        for elem in 1..20 {
            for count in 0..6 {
                let before: Vec<u8> = (0..elem * count).map(|i| i as u8).collect();
                let mut after = before.clone();
                reverse(&mut after, elem);
                let expected: Vec<u8> = before.chunks(elem).rev().flatten().copied().collect();
                assert_eq!(after, expected, "{count} elements of {elem} bytes");
            }
        }
    }
}
