//! From symmetric memory to symmetric memory, on any two PEs, without a value in between.
//!
//! Where loads and stores reach both, it is a strided copy from heap to heap. Where they reach one,
//! the transport carries the elements between that heap and the other. Otherwise, and where the two
//! overlap, they go through a buffer on this PE: the elements are read before any of them is
//! overwritten, as by `memmove`.

use std::fmt;

use super::direct;
use super::placed::{PlacedTarget, reverse, words};
use super::places::{OnlyAxis, Shadowed, Stretch};
use super::target::Mode;
use crate::system::tuning::moves::BUFFER;
use crate::transport::copy::{copy_strided, copy_strided_to_pe};
use crate::transport::{BatchPiece, Run};

/// One side of a move.
#[derive(Clone, Copy)]
pub(crate) struct MoveSide<'a> {
    pub(crate) target: PlacedTarget<'a>,
    /// What messages and statistics call it.
    pub(crate) object: &'a dyn fmt::Display,
}

/// Elements on both sides, in the same order.
#[derive(Clone, Copy)]
struct MovedPair {
    to: Stretch,
    from: Stretch,
}

/// Copies the elements of `from` to those of `to`, in row-major order. Where elements of `to` are at
/// one place, the last one stays. The two may overlap: what is read was there before.
///
/// Where the `mode` is non-blocking, a side that loads and stores reach may be read or written until
/// a `quiet` of the context of the other has returned.
///
/// # Safety
///
/// They are as many elements, and of the same size. Both are live, where the mode is non-blocking
/// until that `quiet`.
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn move_elements(to: &MoveSide<'_>, from: &MoveSide<'_>, mode: Mode) {
    let elem = to.target.elem;
    if elem == 0 || to.target.places.len() == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    if unsafe { runs(&to.target, &from.target) } {
        return;
    }
    if overlap(&to.target, &from.target) {
        // SAFETY: the caller's promise.
        unsafe {
            match both_in_one(&to.target, &from.target) {
                Some(pair) => from_the_safe_end(to, from, pair),
                None => through_a_buffer(to, from, usize::MAX),
            }
        }
        return;
    }
    let (to_target, from_target) = (&to.target, &from.target);
    // SAFETY: the caller's promise. What is dense and near is the local memory of a transfer of the
    // other side.
    unsafe {
        if let Some(source) = dense(from_target) {
            to_target.put(mode, source, elem);
        } else if let Some(room) = dense(to_target) {
            from_target.get(mode, room);
        } else if to_target.is_near() && from_target.is_near() {
            near(to_target, from_target);
        } else if !near_and_far(to_target, from_target, mode) {
            through_a_buffer(to, from, BUFFER);
        }
    }
}

/// The short way: moves the elements of one range to those of another, which are as many, if the two
/// do not overlap. Returns whether it has.
///
/// # Safety
///
/// All elements lie in heaps, at these addresses of this process; those that are written, in that of `to_pe`.
#[inline(never)]
pub(crate) unsafe fn move_runs(
    (to_pe, to, to_run): (usize, *mut u8, Run),
    (from, from_run): (*const u8, Run),
    elem: usize,
) -> bool {
    if to_run.count == 0 {
        return true;
    }
    let span = |start: usize, run: Run| {
        let last = start.wrapping_add((run.count - 1).wrapping_mul(run.stride));
        (start.min(last), start.max(last) + elem)
    };
    let ((low, high), (from_low, from_high)) = (span(to.addr(), to_run), span(from.addr(), from_run));
    if low < from_high && from_low < high {
        return false;
    }
    // SAFETY: the caller's promise; they do not overlap.
    unsafe { copy_elements(to_pe, (to, to_run.stride), (from, from_run.stride), to_run.count, elem) };
    true
}

/// Copies `count` elements of `elem` bytes to the memory of a PE, which may be this one. Each side has its first
/// address and its stride.
///
/// # Safety
///
/// As [`copy_strided`].
#[inline(always)]
unsafe fn copy_elements(
    to_pe: usize,
    (to, to_stride): (*mut u8, usize),
    (from, from_stride): (*const u8, usize),
    count: usize,
    elem: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        if to_pe == direct::my_pe() {
            copy_strided(to, to_stride, from, from_stride, count, elem);
        } else {
            copy_strided_to_pe(to, to_stride, from, from_stride, count, elem);
        }
    }
}

/// [`move_runs`], where each side is one range that loads and stores reach.
///
/// # Safety
///
/// As [`move_elements`].
unsafe fn runs(to: &PlacedTarget<'_>, from: &PlacedTarget<'_>) -> bool {
    let range = |side: &PlacedTarget<'_>| match side.places.only_axis()? {
        (offset, OnlyAxis::Range(run)) if side.is_near() && !side.is_atomic() => {
            Some((side.pe, side.heap.wrapping_add(offset), run))
        }
        _ => None,
    };
    let (Some(to_range), Some((_, source, run))) = (range(to), range(from)) else {
        return false;
    };
    // SAFETY: the elements of both, in the heaps that they are in.
    unsafe { move_runs(to_range, (source, run), to.elem) }
}

/// Whether writing one of the two may change the other. They are not empty.
fn overlap(to: &PlacedTarget<'_>, from: &PlacedTarget<'_>) -> bool {
    let [(to_low, to_high), (from_low, from_high)] = [to, from].map(|side| side.places.span(side.elem));
    to.pe == from.pe && to_low < from_high && from_low < to_high
}

/// Where the elements begin, if loads and stores reach them and they lie side by side. Atomic cells
/// do not count: their transfers are ordered.
fn dense(side: &PlacedTarget<'_>) -> Option<*mut u8> {
    if !side.is_near() || side.is_atomic() {
        return None;
    }
    let mut stretches = side.places.stretches(side.elem);
    let only = stretches.next()?;
    let is_dense =
        only.run.count == side.places.len() && (only.run.count == 1 || only.run.stride == side.elem);
    is_dense.then(|| side.heap.wrapping_add(only.offset))
}

/// All elements as one pair, if they are at one distance, which is the same on both sides.
fn both_in_one(to: &PlacedTarget<'_>, from: &PlacedTarget<'_>) -> Option<MovedPair> {
    let len = to.places.len();
    let only = |side: &PlacedTarget<'_>| {
        side.places.stretches(side.elem).next().filter(|first| first.run.count == len).map(Stretch::ascending)
    };
    let descends =
        |side: &PlacedTarget<'_>| side.places.stretches(side.elem).next().is_some_and(Stretch::descends);
    let pair = MovedPair { to: only(to)?, from: only(from)? };
    (pair.to.run == pair.from.run && descends(to) == descends(from)).then_some(pair)
}

/// Calls `each` with all pairs, in row-major order, without the elements of `to` that are written
/// again.
fn pairs(
    to: &PlacedTarget<'_>,
    from: &PlacedTarget<'_>,
    shadowed: &Shadowed,
    mut each: impl FnMut(MovedPair),
) {
    let mut sources = from.places.stretches(from.elem);
    let mut source: Option<Stretch> = None;
    for target in to.places.stretches_without(to.elem, shadowed) {
        let mut done = 0;
        while done < target.run.count {
            let position = target.position + done;
            let now = loop {
                match source {
                    Some(source) if source.position + source.run.count > position => break source,
                    _ => source = Some(sources.next().expect("both have as many elements")),
                }
            };
            let skip = position - now.position;
            let count = (target.run.count - done).min(now.run.count - skip);
            each(MovedPair { to: target.part(done, count), from: now.part(skip, count) });
            done += count;
        }
    }
}

/// # Safety
///
/// As [`move_elements`]; loads and stores reach both sides, which do not overlap.
unsafe fn near(to: &PlacedTarget<'_>, from: &PlacedTarget<'_>) {
    to.before_writes();
    pairs(to, from, const { &Shadowed::NONE }, |pair| {
        let (target, source) =
            (to.heap.wrapping_add(pair.to.offset), from.heap.wrapping_add(pair.from.offset));
        let MovedPair { to: Stretch { run, .. }, from: Stretch { run: Run { stride, .. }, .. } } = pair;
        // SAFETY: elements of both, in the heaps that they are in.
        unsafe { copy_elements(to.pe, (target, run.stride), (source, stride), run.count, to.elem) };
    });
    from.after_reads();
}

/// Moves the elements in one batch, where loads and stores reach one side alone, and a batch can say
/// it: no element is written twice, and neither side descends alone. Returns whether it has.
///
/// # Safety
///
/// As [`move_elements`]; they do not overlap.
unsafe fn near_and_far(to: &PlacedTarget<'_>, from: &PlacedTarget<'_>, mode: Mode) -> bool {
    let shadowed = to.places.shadowed();
    if !(to.is_near() || from.is_near()) || shadowed.any() || to.is_atomic() || from.is_atomic() {
        return false;
    }
    let (mut pieces, mut fits) = (Vec::new(), true);
    pairs(to, from, &shadowed, |pair| {
        fits &= pair.to.descends() == pair.from.descends();
        let (target, source) = (pair.to.ascending(), pair.from.ascending());
        let (there, here) = if from.is_near() { (target, source) } else { (source, target) };
        let step = if here.run.count == 1 { to.elem } else { here.run.stride };
        fits &= step >= to.elem;
        pieces.push(BatchPiece { offset: there.offset, run: there.run, local: here.offset, step });
    });
    if !fits {
        return false;
    }
    // SAFETY: the elements of both sides; those of the near one are local memory from the start of
    // the heap on.
    unsafe {
        if from.is_near() {
            to.put_pieces(mode, &pieces, from.heap);
        } else {
            from.get_pieces(mode, &pieces, to.heap);
        }
    }
    true
}

/// Moves the elements through a buffer of at most `most` bytes, or of one element.
///
/// # Safety
///
/// As [`move_elements`]; if they overlap, all fit into the buffer.
#[cold]
#[track_caller]
unsafe fn through_a_buffer(to: &MoveSide<'_>, from: &MoveSide<'_>, most: usize) {
    let elem = to.target.elem;
    let at_once = (most / elem).max(1);
    let shadowed = to.target.places.shadowed();
    let (mut all, mut part, mut filled) = (Vec::new(), Vec::new(), 0);
    pairs(&to.target, &from.target, &shadowed, |pair| {
        let mut done = 0;
        while done < pair.to.run.count {
            let count = (pair.to.run.count - done).min(at_once - filled);
            part.push(MovedPair { to: pair.to.part(done, count), from: pair.from.part(done, count) });
            (done, filled) = (done + count, filled + count);
            if filled == at_once {
                all.push(std::mem::take(&mut part));
                filled = 0;
            }
        }
    });
    all.push(part);
    let largest = all.iter().map(|part| part.iter().map(|pair| pair.to.run.count).sum()).max();
    let mut buffer = words(largest.unwrap_or(0) * elem);
    for part in all.iter().filter(|part| !part.is_empty()) {
        // SAFETY: the buffer has room for the largest part.
        unsafe { one_part(to, from, part, &mut buffer) };
    }
}

/// Moves the pairs through the buffer: all are read before any is written.
///
/// # Safety
///
/// They are pairs of the two sides, no two are at one place of `to`, and the buffer has room for
/// them.
#[track_caller]
unsafe fn one_part(to: &MoveSide<'_>, from: &MoveSide<'_>, part: &[MovedPair], buffer: &mut [u64]) {
    let elem = to.target.elem;
    let buffer: *mut u8 = buffer.as_mut_ptr().cast();
    let (mut reads, mut writes, mut local) = (Vec::new(), Vec::new(), 0);
    for pair in part {
        let piece = |stretch: Stretch| {
            let Stretch { offset, run, .. } = stretch.ascending();
            BatchPiece { offset, run, local, step: elem }
        };
        reads.push(piece(pair.from));
        writes.push(piece(pair.to));
        local += pair.to.run.count * elem;
    }
    // SAFETY: elements of both sides, and as much room in the buffer. All have arrived there when
    // the reads have returned.
    unsafe {
        from.take_down();
        from.target.get_pieces(Mode::Blocking, &joined(&reads, elem), buffer);
        for (pair, read) in part.iter().zip(&reads) {
            if pair.to.descends() != pair.from.descends() {
                let bytes = read.run.count * elem;
                reverse(std::slice::from_raw_parts_mut(buffer.add(read.local), bytes), elem);
            }
        }
        to.take_down();
        to.target.put_pieces(Mode::Blocking, &joined(&writes, elem), buffer);
    }
}

/// The same pieces of a buffer in fewer: those of one side are as short as those of the other.
fn joined(pieces: &[BatchPiece], elem: usize) -> Vec<BatchPiece> {
    let mut joined: Vec<BatchPiece> = Vec::with_capacity(pieces.len());
    for &piece in pieces {
        if let Some(last) = joined.last_mut() {
            let distance = piece.offset.wrapping_sub(last.offset);
            let (one, next) = (last.run, piece.run);
            let stride = if one.count == 1 { distance } else { one.stride };
            let continues = distance == one.count.wrapping_mul(stride)
                && stride.cast_signed() >= elem.cast_signed()
                && (next.count == 1 || next.stride == stride)
                && last.local + one.count * elem == piece.local;
            if continues {
                last.run = Run { count: one.count + next.count, stride };
                continue;
            }
        }
        joined.push(piece);
    }
    joined
}

/// Moves the elements of one pair through a small buffer, beginning at the end where no element is
/// overwritten before it was read.
///
/// # Safety
///
/// As [`move_elements`]; the pair is all elements of both sides, both of which ascend at the same
/// distance.
#[track_caller]
unsafe fn from_the_safe_end(to: &MoveSide<'_>, from: &MoveSide<'_>, pair: MovedPair) {
    let elem = to.target.elem;
    let count = pair.to.run.count;
    let at_once = (BUFFER / elem).max(1).min(count);
    let mut buffer = words(at_once * elem);
    let parts = count.div_ceil(at_once);
    let upwards = pair.to.offset > pair.from.offset;
    for i in 0..parts {
        let skip = if upwards { parts - 1 - i } else { i } * at_once;
        let len = at_once.min(count - skip);
        let part = MovedPair { to: pair.to.part(skip, len), from: pair.from.part(skip, len) };
        // SAFETY: a part of the elements. Those that are written are before (or after) all that are
        // still to be read.
        unsafe { one_part(to, from, &[part], &mut buffer) };
    }
}

impl MoveSide<'_> {
    /// Says that this side is accessed next, in a run that takes down accesses.
    #[track_caller]
    fn take_down(&self) {
        if !self.target.is_near() {
            let PlacedTarget { pe, .. } = self.target;
            if self.target.is_atomic() {
                direct::cells(pe, self.object)
            } else {
                direct::heap(pe, self.object)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::joined;
    use crate::transport::{BatchPiece, Run};

    #[test]
    fn pieces_are_joined_where_they_go_on() {
        let pieces = |all: &[(usize, usize, usize)]| {
            let mut local = 0;
            let piece = |&(offset, count, stride): &(usize, usize, usize)| {
                let piece = BatchPiece { offset, run: Run { count, stride }, local, step: 8 };
                local += count * 8;
                piece
            };
            all.iter().map(piece).collect::<Vec<_>>()
        };
        for (before, after) in [
            (&[(0, 1, 8), (16, 1, 8), (32, 1, 8)][..], &[(0, 3, 16)][..]),
            (&[(0, 2, 8), (16, 3, 8), (48, 1, 8)], &[(0, 5, 8), (48, 1, 8)]),
            (&[(0, 2, 16), (32, 1, 8), (48, 2, 16)], &[(0, 5, 16)]),
            (&[(0, 2, 16), (32, 2, 8)], &[(0, 2, 16), (32, 2, 8)]),
            (&[(8, 1, 8), (0, 1, 8), (0, 1, 8)], &[(8, 1, 8), (0, 1, 8), (0, 1, 8)]),
            (&[], &[]),
        ] {
            let (found, expected) = (joined(&pieces(before), 8), pieces(after));
            assert_eq!(found, expected, "{before:?}");
        }
        // The buffer is one, but not where a part of it is left out.
        let mut apart = pieces(&[(0, 1, 8), (8, 1, 8)]);
        apart[1].local = 16;
        assert_eq!(joined(&apart, 8), apart);
    }
}
