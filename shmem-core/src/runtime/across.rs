//! Elements of a global array, which lie on several PEs: which of them each PE holds, in the fewest
//! pieces.
//!
//! The walk over them is here, and nowhere else. What a coordinate of an axis holds of a range is one
//! [`AxisRun`], in blocks that are dealt in turn one for each row of blocks; what it holds of all axes
//! is one [`GlobalPiece`] as a rule. [`spread`](super::spread) moves these.

use std::marker::PhantomData;

use super::parts::{AxisParts, Dealing, Parts};
use super::places::{AxisLine, Shadowed};
use super::region::MAX_RANK;
use crate::transport::Run;

/// What a selection takes of one axis of a global array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisPick {
    /// The first index of a range; 0 for a list.
    pub(crate) start: usize,
    /// In indices instead of bytes.
    pub(crate) line: AxisLine,
}

impl AxisPick {
    /// The one index of an axis that there is not.
    pub(crate) const FIRST: AxisPick = AxisPick { start: 0, line: AxisLine::ONE };

    #[inline(always)]
    fn count(&self) -> usize {
        self.line.count()
    }
}

/// Elements of a global array, whose lists of indices live for `'i`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalPlaces<'i> {
    /// Not by value: each access would copy a few hundred bytes.
    parts: *const Parts,
    /// Where the part begins in the heap of each PE, and how far from the start of its slot an
    /// element is.
    offset: usize,
    /// The size of a slot.
    slot: usize,
    picks: [AxisPick; MAX_RANK],
    lists: PhantomData<&'i [usize]>,
}

// SAFETY: the pointer is that of a `&Parts`, and nothing is written through it.
unsafe impl Send for GlobalPlaces<'_> {}
// SAFETY: as above.
unsafe impl Sync for GlobalPlaces<'_> {}

impl<'i> GlobalPlaces<'i> {
    /// The elements of `picks` in an array whose parts begin at `offset`, of `slot` bytes each.
    ///
    /// # Safety
    ///
    /// The lists of the picks live for `'i`, and all indices are inside of the array. `parts` lives as long
    /// as this and its copies are used.
    #[inline]
    pub(crate) unsafe fn new(
        parts: &Parts,
        offset: usize,
        slot: usize,
        picks: [AxisPick; MAX_RANK],
    ) -> GlobalPlaces<'i> {
        GlobalPlaces { parts, offset, slot, picks, lists: PhantomData }
    }

    /// How the array is divided.
    #[inline(always)]
    fn parts(&self) -> &Parts {
        // SAFETY: `new` was promised that it lives.
        unsafe { &*self.parts }
    }

    /// The same elements, with other knowledge of how long the lists live.
    ///
    /// # Safety
    ///
    /// The lists of the picks live for `'o`.
    #[inline]
    pub(crate) unsafe fn with_lists<'o>(self) -> GlobalPlaces<'o> {
        GlobalPlaces { lists: PhantomData, ..self }
    }

    /// How many elements. Inlined: of axes that there are not, the optimiser knows it.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.picks.iter().map(AxisPick::count).product()
    }

    /// The same elements, each moved on by `bytes`.
    pub(crate) fn behind(mut self, bytes: usize) -> GlobalPlaces<'i> {
        self.offset += bytes;
        self
    }

    /// The indices of an axis that is a list.
    pub(super) fn list(&self, axis: usize) -> Option<&'i [usize]> {
        // SAFETY: the lists of these picks live for `'i`.
        unsafe { self.picks[axis].line.indices() }
    }

    /// Whether no axis but the first has more than one place, and each of these is picked once.
    #[inline(always)]
    fn is_line(&self) -> bool {
        self.parts().is_line && self.picks[1..].iter().all(|pick| pick.count() == 1)
    }

    /// The list, and how its axis is divided, where that is the only axis with more than one index.
    pub(super) fn only_list(&self) -> Option<OnlyList<'i>> {
        let list = self.list(0).filter(|_| self.is_line())?;
        Some(OnlyList { list, axis: self.parts().axes[0], offset: self.offset, stride: self.slot })
    }

    /// Whether the indices of an axis come in descending order.
    fn descends(&self, axis: usize) -> bool {
        let line = &self.picks[axis].line;
        self.list(axis).is_none() && line.count() > 1 && line.stride().cast_signed() < 0
    }

    /// Which axes descend.
    pub(super) fn turned(&self) -> [bool; MAX_RANK] {
        std::array::from_fn(|axis| self.descends(axis))
    }

    /// Which elements are written again later on, when all are written in row-major order.
    pub(super) fn shadowed(&self) -> Shadowed {
        Shadowed::of((0..MAX_RANK).map(|axis| self.list(axis)))
    }

    /// The same elements, with the axes that descend turned around.
    pub(super) fn ascending(mut self) -> GlobalPlaces<'i> {
        for axis in 0..MAX_RANK {
            if self.descends(axis) {
                let pick = &mut self.picks[axis];
                let (count, step) = (pick.count(), pick.line.stride());
                pick.start = pick.start.wrapping_add((count - 1).wrapping_mul(step));
                pick.line = AxisLine::range(Run { count, stride: step.wrapping_neg() });
            }
        }
        self
    }

    /// The numbers of elements on each axis.
    pub(super) fn counts(&self) -> [usize; MAX_RANK] {
        self.picks.each_ref().map(AxisPick::count)
    }

    /// The elements in pieces, each of them on one PE. In local memory they lie `step` bytes apart,
    /// in row-major order; 0 repeats one element. Neighbours that lie side by side on both sides are
    /// joined to elements of more than `elem` bytes, where `joins` says so.
    pub(super) fn pieces(&self, elem: usize, step: usize, joins: bool) -> GlobalPieces<'_, 'i> {
        self.pieces_without(elem, step, joins, const { &Shadowed::NONE })
    }

    /// The stretches of a range without gaps, of an array with one axis in blocks, whose elements of `elem`
    /// bytes have no gaps either: one for each block. It is the most frequent form, and the shortest way.
    #[inline(always)]
    pub(super) fn stretches(&self, elem: usize) -> Option<BlockStretches> {
        let (parts, AxisPick { start, line }) = (self.parts(), &self.picks[0]);
        let axis = &parts.axes[0];
        let is_dense = line.stride() == 1 && self.slot == elem && self.list(0).is_none();
        if !is_dense || axis.dealing != Dealing::Blocks || !self.is_line() {
            return None;
        }
        let (pe, place) = axis.locate_in_blocks(*start);
        Some(BlockStretches {
            pe,
            offset: self.offset + place * elem,
            here: (axis.block - place) * elem,
            left: line.count() * elem,
            start: self.offset,
            block: axis.block * elem,
        })
    }

    /// Calls `each` with the pieces of a range of an array with one axis, which have one loop each: the
    /// short way, of which each instruction counts. Returns whether it is such a range.
    #[inline(always)]
    pub(super) fn each_of_range(
        &self,
        elem: usize,
        step: usize,
        joins: bool,
        mut each: impl FnMut(RangePiece),
    ) -> bool {
        let axis = &self.parts().axes[0];
        if !self.is_line() || axis.dealing == Dealing::BlockCyclic || self.list(0).is_some() {
            return false;
        }
        let slot = self.slot;
        let AxisPick { start, line } = &self.picks[0];
        let count = line.count();
        let mut each_run = |run: AxisRun| {
            let (stride, distance) =
                (run.place_step.wrapping_mul(slot), run.position_step.wrapping_mul(step));
            let (offset, local) = (self.offset + run.place * slot, run.position * step);
            let (elem, row) = if joins && stride == elem && distance == elem || run.count == 1 {
                let all = elem * run.count;
                (all, PieceLoop { count: 1, stride: all, step: all })
            } else {
                (elem, PieceLoop { count: run.count, stride, step: distance })
            };
            each(RangePiece { pe: run.coordinate, offset, local, elem, row });
        };
        match axis.dealing {
            // The first indices are on one coordinate after the other.
            Dealing::Cyclic if line.stride() == 1 => {
                let (mut coordinate, mut place) = axis.locate_cyclic(*start);
                let position_step = axis.coordinates;
                for position in 0..position_step.min(count) {
                    let count = axis.rounds(count - position);
                    each_run(AxisRun { coordinate, position, position_step, place, count, ..AxisRun::ONE });
                    coordinate += 1;
                    if coordinate == axis.coordinates {
                        (coordinate, place) = (0, place + 1);
                    }
                }
            }
            _ => AxisRuns::new(self, 0, const { &Shadowed::NONE }).for_each(each_run),
        }
        true
    }

    /// [`pieces`](GlobalPlaces::pieces) without the elements that are written again later on, when all are
    /// written.
    pub(super) fn pieces_without<'p>(
        &'p self,
        elem: usize,
        step: usize,
        joins: bool,
        shadowed: &'p Shadowed,
    ) -> GlobalPieces<'p, 'i> {
        let mut strides = [step; MAX_RANK];
        for axis in (0..MAX_RANK - 1).rev() {
            strides[axis] = strides[axis + 1].wrapping_mul(self.picks[axis + 1].count());
        }
        let mut runs: [AxisRuns<'p, 'i>; MAX_RANK] =
            std::array::from_fn(|axis| AxisRuns::new(self, axis, shadowed));
        let now = match runs.each_mut().map(AxisRuns::next) {
            [Some(a), Some(b), Some(c), Some(d)] => Some([a, b, c, d]),
            _ => None,
        };
        GlobalPieces { places: self, elem, strides, joins, shadowed, runs, now }
    }
}

/// A range in blocks, of which each PE has one stretch of bytes; see [`GlobalPlaces::stretches`].
pub(super) struct BlockStretches {
    /// The PE of the next stretch, and where it begins in its heap.
    pe: usize,
    offset: usize,
    /// How many bytes there are from there to the end of the block, and to that of the range.
    here: usize,
    left: usize,
    /// Where each block begins, and how many bytes it has.
    start: usize,
    block: usize,
}

impl Iterator for BlockStretches {
    /// The PE, the offset in its heap, and the number of bytes.
    type Item = (usize, usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize, usize)> {
        if self.left == 0 {
            return None;
        }
        let bytes = self.here.min(self.left);
        let stretch = (self.pe, self.offset, bytes);
        (self.pe, self.offset, self.here, self.left) =
            (self.pe + 1, self.start, self.block, self.left - bytes);
        Some(stretch)
    }
}

/// A list of indices of an array with one axis, each of whose coordinates is a PE.
pub(super) struct OnlyList<'i> {
    pub(super) list: &'i [usize],
    /// By value: behind a reference it would be read again after each store to the copies.
    pub(super) axis: AxisParts,
    /// Where the part begins in the heap of each PE.
    pub(super) offset: usize,
    /// How far apart neighbouring places of a part are.
    pub(super) stride: usize,
}

/// What one coordinate of an axis holds of a selection: `count` times `width` neighbouring indices.
/// Steps may be negative, as the two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AxisRun {
    coordinate: usize,
    /// The position of the first one in the selection, and how far the next ones are.
    position: usize,
    position_step: usize,
    /// Its place among what the coordinate holds, and how far the next ones are.
    place: usize,
    place_step: usize,
    count: usize,
    /// How many neighbours each of them is, in the selection and on the PE.
    width: usize,
}

impl AxisRun {
    /// The first index, of coordinate 0.
    const ONE: AxisRun =
        AxisRun { coordinate: 0, position: 0, position_step: 1, place: 0, place_step: 1, count: 1, width: 1 };
}

/// The runs of an axis.
#[derive(Clone)]
struct AxisRuns<'p, 'i> {
    parts: &'p AxisParts,
    pick: AxisPick,
    list: Option<&'i [usize]>,
    /// Which positions of the list are left out; empty where none is.
    shadowed: &'p [bool],
    /// What the next run begins with: a position; in what is dealt singly, its number.
    next: usize,
    /// In what is dealt in whole blocks, the next of the blocks that begin a run, and after the last
    /// of these the position after all of them.
    rounds: Option<Rounds>,
}

/// Whole blocks that are dealt in turn.
#[derive(Clone, Copy)]
struct Rounds {
    /// The position of the first block.
    start: usize,
    /// How many there are.
    blocks: usize,
    /// The next one that begins a run.
    next: usize,
}

impl<'p, 'i> AxisRuns<'p, 'i> {
    fn new(places: &'p GlobalPlaces<'i>, axis: usize, shadowed: &'p Shadowed) -> AxisRuns<'p, 'i> {
        let (parts, pick) = (&places.parts().axes[axis], places.picks[axis]);
        AxisRuns { parts, pick, list: places.list(axis), shadowed: shadowed.on(axis), next: 0, rounds: None }
    }

    fn index(&self, position: usize) -> usize {
        self.pick.start.wrapping_add(position.wrapping_mul(self.pick.line.stride()))
    }

    /// One run from `position` on, of `count` indices that one coordinate holds at the same distance.
    fn run(&self, position: usize, count: usize) -> AxisRun {
        let (coordinate, place) = self.parts.locate(self.index(position));
        let place_step = self.pick.line.stride();
        AxisRun { coordinate, position, position_step: 1, place, place_step, count, width: 1 }
    }

    /// What neighbours in a list have in common: a coordinate, and a distance of their places.
    fn next_of_list(&mut self, list: &[usize]) -> Option<AxisRun> {
        let is_shadowed = |position: usize| self.shadowed.get(position).is_some_and(|shadowed| *shadowed);
        let mut position = self.next;
        while is_shadowed(position) {
            position += 1;
        }
        let (coordinate, place) = self.parts.locate(*list.get(position)?);
        let mut run =
            AxisRun { coordinate, position, position_step: 1, place, place_step: 1, count: 1, width: 1 };
        for &index in &list[position + 1..] {
            let (other, at) = self.parts.locate(index);
            // Only those that ascend: others could be one element twice.
            if other != coordinate || at != place + run.count || is_shadowed(position + run.count) {
                break;
            }
            run.count += 1;
        }
        self.next = position + run.count;
        Some(run)
    }

    /// What is dealt singly: from each of the first positions on, every so many have one coordinate.
    fn next_of_cyclic(&mut self) -> Option<AxisRun> {
        let (count, step) = (self.pick.count(), self.pick.line.stride().cast_signed());
        let coordinates = self.parts.coordinates;
        let common = gcd(step.unsigned_abs(), coordinates);
        let period = coordinates / common;
        let position = self.next;
        if position >= period.min(count) {
            return None;
        }
        self.next += 1;
        let run = self.run(position, (count - position).div_ceil(period));
        let place_step = (step / common.cast_signed()).cast_unsigned();
        Some(AxisRun { position_step: period, place_step, ..run })
    }

    /// What is dealt in blocks: as many as there are to the end of the block of the next one.
    fn next_of_blocks(&mut self) -> Option<AxisRun> {
        let (position, count) = (self.next, self.pick.count());
        if position >= count {
            return None;
        }
        let step = self.pick.line.stride().cast_signed();
        let run = self.run(position, 1);
        let within = match self.parts.dealing {
            Dealing::BlockCyclic => run.place % self.parts.block,
            _ => run.place,
        };
        let room = if step < 0 { within } else { self.parts.block - 1 - within };
        let more = match step.unsigned_abs() {
            0 => 0,
            1 => room,
            step => room / step,
        };
        let run = AxisRun { count: (more + 1).min(count - position), ..run };
        self.next += run.count;
        Some(run)
    }

    /// The blocks of the next coordinate, where whole blocks follow one another.
    fn next_of_rounds(&mut self) -> Option<AxisRun> {
        let block = self.parts.block;
        let rounds = match &mut self.rounds {
            Some(rounds) => rounds,
            None => {
                let (position, step) = (self.next, self.pick.line.stride());
                let starts = step == 1 && self.index(position).is_multiple_of(block);
                let blocks = (self.pick.count() - position) / block;
                if !starts || blocks < 2 {
                    return None;
                }
                self.rounds.insert(Rounds { start: position, blocks, next: 0 })
            }
        };
        let Rounds { start, blocks, next } = *rounds;
        rounds.next += 1;
        if rounds.next == blocks.min(self.parts.coordinates) {
            self.next = start + blocks * block;
            self.rounds = None;
        }
        let run = self.run(start + next * block, 1);
        let period = self.parts.coordinates;
        Some(AxisRun {
            position_step: period * block,
            place_step: block,
            count: (blocks - next).div_ceil(period),
            width: block,
            ..run
        })
    }
}

impl Iterator for AxisRuns<'_, '_> {
    type Item = AxisRun;

    fn next(&mut self) -> Option<AxisRun> {
        if let Some(list) = self.list {
            return self.next_of_list(list);
        }
        match self.parts.dealing {
            Dealing::Whole => {
                let count = self.pick.count();
                let run = (self.next == 0 && count > 0).then(|| self.run(0, count));
                self.next = 1;
                run
            }
            Dealing::Cyclic => self.next_of_cyclic(),
            Dealing::Blocks => self.next_of_blocks(),
            Dealing::BlockCyclic if self.next < self.pick.count() => {
                self.next_of_rounds().or_else(|| self.next_of_blocks())
            }
            Dealing::BlockCyclic => None,
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A loop over elements: how many, and how far apart they are in the heap and in local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceLoop {
    pub(super) count: usize,
    pub(super) stride: usize,
    pub(super) step: usize,
}

/// Elements of a range on one PE: those of the row, of `elem` bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangePiece {
    pub(super) pe: usize,
    /// Where the first one lies in the heap, and in local memory.
    pub(super) offset: usize,
    pub(super) local: usize,
    /// The size of what lies side by side on both sides.
    pub(super) elem: usize,
    pub(super) row: PieceLoop,
}

/// The most loops of a piece: an axis has two.
const LOOPS: usize = 2 * MAX_RANK;

/// Elements on one PE.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlobalPiece {
    pub(super) pe: usize,
    /// Where the first one lies in the heap, and in local memory.
    pub(super) offset: usize,
    pub(super) local: usize,
    /// The size of what lies side by side on both sides.
    pub(super) elem: usize,
    loops: [PieceLoop; LOOPS],
    count: usize,
}

impl GlobalPiece {
    /// The loops, the outermost first.
    pub(super) fn loops(&self) -> &[PieceLoop] {
        &self.loops[..self.count]
    }

    fn push(&mut self, count: usize, stride: usize, step: usize) {
        if count != 1 {
            self.loops[self.count] = PieceLoop { count, stride, step };
            self.count += 1;
        }
    }
}

/// The pieces of [`GlobalPlaces`].
pub(super) struct GlobalPieces<'p, 'i> {
    places: &'p GlobalPlaces<'i>,
    elem: usize,
    /// How far apart neighbours of each axis are in local memory.
    strides: [usize; MAX_RANK],
    joins: bool,
    shadowed: &'p Shadowed,
    runs: [AxisRuns<'p, 'i>; MAX_RANK],
    now: Option<[AxisRun; MAX_RANK]>,
}

impl GlobalPieces<'_, '_> {
    fn piece(&self, runs: &[AxisRun; MAX_RANK]) -> GlobalPiece {
        let GlobalPlaces { offset, slot, .. } = self.places;
        let parts = self.places.parts();
        let pe = parts.pe(runs.map(|run| run.coordinate));
        let mut piece = GlobalPiece {
            pe,
            offset: *offset,
            local: 0,
            elem: self.elem,
            loops: [PieceLoop { count: 1, stride: 0, step: 0 }; LOOPS],
            count: 0,
        };
        let mut strides = [*slot; MAX_RANK];
        for axis in (0..MAX_RANK - 1).rev() {
            let inner = axis + 1;
            strides[axis] = strides[inner] * parts.axes[inner].room(runs[inner].coordinate);
        }
        for (axis, run) in runs.iter().enumerate() {
            let (stride, step) = (strides[axis], self.strides[axis]);
            piece.offset += run.place * stride;
            piece.local += run.position * step;
            piece.push(run.count, run.place_step.wrapping_mul(stride), run.position_step.wrapping_mul(step));
            piece.push(run.width, stride, step);
        }
        if self.joins {
            while let Some(&PieceLoop { count, stride, step }) = piece.loops().last()
                && stride == piece.elem
                && step == piece.elem
            {
                piece.elem *= count;
                piece.count -= 1;
            }
        }
        piece
    }

    /// Goes to the next combination of runs, the last axis first.
    fn advance(&mut self) {
        let Some(now) = &mut self.now else { return };
        for axis in (0..MAX_RANK).rev() {
            if let Some(next) = self.runs[axis].next() {
                now[axis] = next;
                return;
            }
            self.runs[axis] = AxisRuns::new(self.places, axis, self.shadowed);
            now[axis] = self.runs[axis].next().expect("the axis had a run before");
        }
        self.now = None;
    }
}

impl Iterator for GlobalPieces<'_, '_> {
    type Item = GlobalPiece;

    fn next(&mut self) -> Option<GlobalPiece> {
        let runs = self.now?;
        let piece = self.piece(&runs);
        self.advance();
        Some(piece)
    }
}
