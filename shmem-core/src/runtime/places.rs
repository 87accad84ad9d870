//! Elements in a heap that no [`Region`] describes: those of lists of indices, and of ranges that
//! descend.
//!
//! The walk over them is here, and nowhere else. [`Stretches`] are what a transfer takes at a time:
//! elements at one distance, as many as there can be.

use std::collections::HashSet;
use std::marker::PhantomData;

use super::region::{MAX_RANK, Region};
use crate::system::tuning::lists::{WORDS_FOR_ALL, WORDS_FOR_EACH};
use crate::transport::Run;

/// One axis of a selection: a range or a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisLine {
    /// How many indices, and the distance in bytes: of neighbours in a range, which is negative (as
    /// the two's complement) where the range descends; of neighbouring indices in a list.
    run: Run,
    /// The `run.count` indices of a list; null for a range.
    list: *const usize,
}

// SAFETY: the pointer is that of a `&[usize]`, and nothing is written through it.
unsafe impl Send for AxisLine {}
// SAFETY: as above.
unsafe impl Sync for AxisLine {}

impl AxisLine {
    /// An axis of one index.
    pub(crate) const ONE: AxisLine = AxisLine { run: Run { count: 1, stride: 0 }, list: std::ptr::null() };

    /// A range.
    #[inline(always)]
    pub(crate) fn range(run: Run) -> AxisLine {
        AxisLine { run, list: std::ptr::null() }
    }

    /// How many indices.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.run.count
    }

    /// The distance of neighbours.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        self.run.stride
    }

    /// The indices of a list.
    ///
    /// # Safety
    ///
    /// The list that the axis was made of lives for `'i`.
    #[inline(always)]
    pub(super) unsafe fn indices<'i>(&self) -> Option<&'i [usize]> {
        // SAFETY: the list has `count` indices, and the caller says how long it lives.
        (!self.list.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.list, self.run.count) })
    }

    /// A list of indices, of which neighbouring ones are `stride` bytes apart.
    #[inline(always)]
    pub(crate) fn list(indices: &[usize], stride: usize) -> AxisLine {
        AxisLine { run: Run { count: indices.len(), stride }, list: indices.as_ptr() }
    }
}

/// Elements in a heap, whose lists of indices live for `'i`: from `offset` on, `rank` axes, the
/// outermost first.
///
/// Offsets wrap. Those of elements that there are do not overflow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'i> {
    offset: usize,
    rank: usize,
    lines: [AxisLine; MAX_RANK],
    lists: PhantomData<&'i [usize]>,
}

impl<'i> Places<'i> {
    /// The elements from `offset` on, of the first `rank` axes.
    ///
    /// # Safety
    ///
    /// The lists of the axes live for `'i`.
    #[inline(always)]
    pub(crate) unsafe fn new(offset: usize, rank: usize, lines: [AxisLine; MAX_RANK]) -> Places<'i> {
        Places { offset, rank, lines, lists: PhantomData }
    }

    /// The elements of a region.
    #[inline]
    pub(crate) fn of(region: &Region) -> Places<'static> {
        // SAFETY: there are no lists.
        unsafe { Places::new(region.offset, region.rank, region.runs.map(AxisLine::range)) }
    }

    /// The elements from `offset` on, of one axis.
    pub(crate) fn of_axis(offset: usize, axis: OnlyAxis<'i>) -> Places<'i> {
        let mut lines = [AxisLine::ONE; MAX_RANK];
        lines[0] = match axis {
            OnlyAxis::List(list, stride) => AxisLine::list(list, stride),
            OnlyAxis::Range(run) => AxisLine::range(run),
        };
        // SAFETY: the list lives for `'i`.
        unsafe { Places::new(offset, 1, lines) }
    }

    /// The axes.
    #[inline(always)]
    fn lines(&self) -> &[AxisLine] {
        &self.lines[..self.rank]
    }

    /// The indices of an axis that is a list.
    #[inline(always)]
    fn list(&self, line: &AxisLine) -> Option<&'i [usize]> {
        // SAFETY: `line` is one of these axes, whose lists live for `'i`.
        unsafe { line.indices() }
    }

    /// How far the index at position `i` of an axis is from that axis' start.
    #[inline(always)]
    fn distance(&self, line: &AxisLine, i: usize) -> usize {
        self.list(line).map_or(i, |list| list[i]).wrapping_mul(line.run.stride)
    }

    /// How many elements.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.lines().iter().map(|line| line.run.count).product()
    }

    /// Where the first element lies, if there is one.
    pub(crate) fn first(&self) -> usize {
        if self.len() == 0 { self.offset } else { self.element(0) }
    }

    /// The same elements, each moved on by `bytes`.
    #[inline(always)]
    pub(crate) fn behind(mut self, bytes: usize) -> Places<'i> {
        self.offset = self.offset.wrapping_add(bytes);
        self
    }

    /// Where the element at position `i` lies, row-major.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub(crate) fn element(&self, i: usize) -> usize {
        let (mut offset, mut rest) = (self.offset, i);
        for line in self.lines().iter().rev() {
            assert!(line.run.count > 0, "a position is inside of its selection");
            offset = offset.wrapping_add(self.distance(line, rest % line.run.count));
            rest /= line.run.count;
        }
        assert!(rest == 0, "a position is inside of its selection");
        offset
    }

    /// The same elements as a region, where there is no list and no range that descends.
    pub(crate) fn region(&self) -> Option<Region> {
        let ascends = |line: &AxisLine| line.list.is_null() && (line.run.stride.cast_signed() >= 0);
        self.lines().iter().all(ascends).then(|| Region {
            offset: self.offset,
            rank: self.rank,
            runs: self.lines.map(|line| line.run),
        })
    }

    /// From the lowest byte of an element to after the highest one. The elements, of `elem` bytes,
    /// are not none.
    pub(crate) fn span(&self, elem: usize) -> (usize, usize) {
        let (mut low, mut high) = (self.offset, self.offset);
        for line in self.lines() {
            let (least, most) = match self.list(line) {
                Some(list) => (list.iter().min().copied(), list.iter().max().copied()),
                None => (Some(0), Some(line.run.count - 1)),
            };
            let far = |index: Option<usize>| index.unwrap_or(0).wrapping_mul(line.run.stride);
            let (least, most) = (far(least), far(most));
            let descends = line.run.stride.cast_signed() < 0;
            let (least, most) = if descends { (most, least) } else { (least, most) };
            (low, high) = (low.wrapping_add(least), high.wrapping_add(most));
        }
        (low, high.wrapping_add(elem))
    }

    /// Where the elements begin, and the axis, where there is one axis alone: a list of indices with
    /// the distance of neighbouring ones, or a range. Inlined, so that the optimiser finds which of
    /// the two it is.
    #[inline(always)]
    pub(crate) fn only_axis(&self) -> Option<(usize, OnlyAxis<'i>)> {
        let line = &self.lines[0];
        let axis = match self.list(line) {
            Some(list) => OnlyAxis::List(list, line.run.stride),
            None => OnlyAxis::Range(line.run),
        };
        (self.rank == 1).then_some((self.offset, axis))
    }

    /// The innermost axis, where it is a list: its indices, and the distance in bytes of
    /// neighbouring ones.
    pub(crate) fn innermost_list(&self) -> Option<(&'i [usize], usize)> {
        let line = self.lines().last()?;
        Some((self.list(line)?, line.run.stride))
    }

    /// The elements, of `elem` bytes, in row-major order, in the fewest stretches that there can be.
    pub(crate) fn stretches(&self, elem: usize) -> Stretches<'_> {
        self.stretches_without(elem, const { &Shadowed::NONE })
    }

    /// The same without the elements that are written again later on, when all are written.
    pub(crate) fn stretches_without<'p>(&'p self, elem: usize, shadowed: &'p Shadowed) -> Stretches<'p> {
        let mut inner = Run { count: 1, stride: elem };
        let mut outer = self.rank;
        while let Some(line) = self.lines[..outer].last()
            && line.list.is_null()
        {
            if line.run.count == 1 {
                // Its only index is at its start.
            } else if inner.count == 1 {
                inner = line.run;
            } else if line.run.stride == inner.count.wrapping_mul(inner.stride) {
                inner.count *= line.run.count;
            } else {
                break;
            }
            outer -= 1;
        }
        Stretches::new(self, inner, outer, inner.stride == elem, shadowed)
    }

    /// Calls `each` with the rows of all axes but the last: where each begins, before the distances of
    /// the last axis, and the position of its first element.
    #[inline]
    pub(crate) fn each_row(&self, mut each: impl FnMut(usize, usize)) {
        let inner = self.lines().last().map_or(AxisLine::ONE.run, |line| line.run);
        // The short way of the most frequent forms, whose rows may be short, too.
        match self.lines() {
            [_] => return each(self.offset, 0),
            [outer, _] => {
                for i in 0..outer.run.count {
                    each(self.offset.wrapping_add(self.distance(outer, i)), i * inner.count);
                }
                return;
            }
            _ => {}
        }
        let outer = self.rank.saturating_sub(1);
        for row in Stretches::new(self, inner, outer, false, const { &Shadowed::NONE }) {
            each(row.offset, row.position);
        }
    }

    /// Calls `each` with elements that lie side by side, as many as follow one another in a row, where the last axis
    /// is a list: where they begin, the position of the first one, and how many.
    #[cfg(feature = "openshmem")]
    #[inline]
    pub(crate) fn each_dense(&self, elem: usize, mut each: impl FnMut(usize, usize, usize)) {
        let (list, stride) = self.innermost_list().expect("the last axis is a list");
        self.each_row(|row, position| {
            let mut done = 0;
            while let [first, rest @ ..] = &list[done..] {
                let mut count = 1;
                if stride == elem {
                    count +=
                        rest.iter().zip(*first + 1..).take_while(|(index, next)| **index == *next).count();
                }
                each(row.wrapping_add(first.wrapping_mul(stride)), position + done, count);
                done += count;
            }
        });
    }

    /// The elements in the order in which they lie in memory, where they are one range that descends without gaps.
    pub(crate) fn only_reversed(&self, elem: usize) -> Option<Stretch> {
        let (offset, OnlyAxis::Range(run)) = self.only_axis()? else { return None };
        (run.stride == elem.wrapping_neg()).then(|| Stretch { offset, run, position: 0 }.ascending())
    }

    /// Which elements are written again later on, when all are written in row-major order.
    pub(crate) fn shadowed(&self) -> Shadowed {
        Shadowed::of(self.lines().iter().map(|line| self.list(line)))
    }
}

/// [`Places`] with lists of their own, for an operation that is done later.
#[cfg(feature = "gpu")]
pub(crate) struct OwnedPlaces {
    offset: usize,
    rank: usize,
    /// The lists are those of `_lists`.
    lines: [AxisLine; MAX_RANK],
    // Not boxes: moving a box would end the right of the pointers in `lines` to read it.
    _lists: Vec<Vec<usize>>,
}

#[cfg(feature = "gpu")]
impl OwnedPlaces {
    /// The same elements.
    pub(crate) fn of(places: &Places<'_>) -> OwnedPlaces {
        let Places { offset, rank, mut lines, .. } = *places;
        let mut lists = Vec::new();
        for line in &mut lines[..rank] {
            if let Some(list) = places.list(line) {
                let list = list.to_vec();
                line.list = list.as_ptr();
                lists.push(list);
            }
        }
        OwnedPlaces { offset, rank, lines, _lists: lists }
    }

    /// The elements.
    pub(crate) fn places(&self) -> Places<'_> {
        // SAFETY: the lists are those of `_lists`, which `self` owns and never changes.
        unsafe { Places::new(self.offset, self.rank, self.lines) }
    }
}

/// An axis that is alone.
pub(crate) enum OnlyAxis<'i> {
    /// These indices, of which neighbouring ones are so many bytes apart.
    List(&'i [usize], usize),
    Range(Run),
}

/// Of each axis, which positions have an index that comes again later; empty where none has.
///
/// Where axes are combined, the last element that is written to a place is the one at the last
/// position of its index on each axis.
pub(crate) struct Shadowed([Vec<bool>; MAX_RANK]);

impl Shadowed {
    /// No index comes twice.
    pub(crate) const NONE: Shadowed = Shadowed([const { Vec::new() }; MAX_RANK]);

    /// Of these axes, those that are a list.
    pub(super) fn of<'i>(axes: impl Iterator<Item = Option<&'i [usize]>>) -> Shadowed {
        let mut all = Shadowed::NONE;
        for (list, shadowed) in axes.zip(&mut all.0) {
            if let Some(list) = list
                && !list.is_sorted_by(|one, next| one < next)
                && Indices::come_twice(list)
            {
                let mut later = Indices::for_all_of(list);
                *shadowed = vec![false; list.len()];
                for (shadowed, index) in shadowed.iter_mut().zip(list).rev() {
                    *shadowed = !later.insert(*index);
                }
            }
        }
        all
    }

    /// The positions of an axis; none where no index comes again.
    pub(super) fn on(&self, axis: usize) -> &[bool] {
        &self.0[axis]
    }

    /// Whether any index comes twice.
    pub(crate) fn any(&self) -> bool {
        self.0.iter().flatten().any(|shadowed| *shadowed)
    }
}

/// A set of indices.
enum Indices {
    /// A bit for each.
    Bits(Vec<u64>),
    Hashed(HashSet<usize>),
}

impl Indices {
    /// An empty set, for those of a list. Where the indices are few and far from each other, there would
    /// be too many bits.
    fn for_all_of(list: &[usize]) -> Indices {
        let words = list.iter().max().map_or(0, |last| last / 64 + 1);
        if words <= WORDS_FOR_EACH * list.len() + WORDS_FOR_ALL {
            Indices::Bits(vec![0; words])
        } else {
            Indices::Hashed(HashSet::with_capacity(list.len()))
        }
    }

    /// Whether any index of a list comes twice.
    fn come_twice(list: &[usize]) -> bool {
        match Indices::for_all_of(list) {
            // To the end, without a branch for each: mostly none does.
            Indices::Bits(mut words) => {
                list.iter().fold(0, |twice, &index| twice | Indices::set(&mut words, index)) != 0
            }
            Indices::Hashed(mut seen) => !list.iter().all(|&index| seen.insert(index)),
        }
    }

    /// Adds one of the indices, and returns whether it was not there.
    fn insert(&mut self, index: usize) -> bool {
        match self {
            Indices::Bits(words) => Indices::set(words, index) == 0,
            Indices::Hashed(indices) => indices.insert(index),
        }
    }

    /// Sets the bit of an index, and returns it if it was set; 0 if not.
    #[inline]
    fn set(words: &mut [u64], index: usize) -> u64 {
        let (word, bit) = (&mut words[index / 64], 1 << (index % 64));
        let found = *word & bit;
        *word |= bit;
        found
    }
}

/// Elements at one distance, which follow one another in a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Where the first one lies.
    pub(crate) offset: usize,
    /// How many there are, and their distance in bytes, which may be negative.
    pub(crate) run: Run,
    /// The position of the first one in the selection.
    pub(crate) position: usize,
}

impl Stretch {
    /// `count` of the elements, after the first `skip`.
    pub(crate) fn part(self, skip: usize, count: usize) -> Stretch {
        Stretch {
            offset: self.offset.wrapping_add(skip.wrapping_mul(self.run.stride)),
            run: Run { count, ..self.run },
            position: self.position + skip,
        }
    }

    /// Whether it descends.
    pub(crate) fn descends(self) -> bool {
        self.run.count > 1 && self.run.stride.cast_signed() < 0
    }

    /// The same elements in the order in which they lie in memory.
    pub(crate) fn ascending(self) -> Stretch {
        if !self.descends() {
            return self;
        }
        let last = (self.run.count - 1).wrapping_mul(self.run.stride);
        Stretch {
            offset: self.offset.wrapping_add(last),
            run: Run { stride: self.run.stride.wrapping_neg(), ..self.run },
            ..self
        }
    }
}

/// The elements of [`Places`] in stretches, in row-major order.
pub(crate) struct Stretches<'p> {
    places: &'p Places<'p>,
    /// The elements of a row.
    inner: Run,
    /// How many axes repeat the row.
    outer: usize,
    /// Whether a row may continue the one before.
    joins: bool,
    shadowed: &'p Shadowed,
    /// The combination of the outer positions, and its number.
    at: [usize; MAX_RANK],
    row: usize,
    /// Where the next row begins.
    next: Option<usize>,
}

impl<'p> Stretches<'p> {
    fn new(
        places: &'p Places<'p>,
        inner: Run,
        outer: usize,
        joins: bool,
        shadowed: &'p Shadowed,
    ) -> Stretches<'p> {
        let (at, next) = ([0; MAX_RANK], None);
        let mut stretches = Stretches { places, inner, outer, joins, shadowed, at, row: 0, next };
        if places.len() > 0 {
            stretches.next = Some(stretches.offset());
            if stretches.is_shadowed() {
                stretches.advance();
            }
        }
        stretches
    }

    fn offset(&self) -> usize {
        let lines = self.places.lines[..self.outer].iter().zip(self.at);
        lines.fold(self.places.offset, |offset, (line, i)| offset.wrapping_add(self.places.distance(line, i)))
    }

    fn is_shadowed(&self) -> bool {
        let axes = self.shadowed.0[..self.outer].iter().zip(self.at);
        axes.into_iter().any(|(shadowed, i)| shadowed.get(i).is_some_and(|shadowed| *shadowed))
    }

    /// Goes to the next row that is not shadowed.
    fn advance(&mut self) {
        self.next = None;
        loop {
            // The next combination of the outer positions, the last axis first.
            let mut axis = self.outer;
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                self.at[axis] += 1;
                if self.at[axis] < self.places.lines[axis].run.count {
                    break;
                }
                self.at[axis] = 0;
            }
            self.row += 1;
            if !self.is_shadowed() {
                self.next = Some(self.offset());
                return;
            }
        }
    }
}

impl Iterator for Stretches<'_> {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        let offset = self.next?;
        let position = self.row * self.inner.count;
        let mut run = self.inner;
        self.advance();
        while self.joins
            && self.next == Some(offset.wrapping_add(run.count * run.stride))
            && self.row * self.inner.count == position + run.count
        {
            run.count += self.inner.count;
            self.advance();
        }
        Some(Stretch { offset, run, position })
    }
}

#[cfg(test)]
mod tests {
    use super::{AxisLine, Places, Shadowed, Stretch};
    use crate::transport::Run;

    /// An object of 6 × 8 elements of 4 bytes.
    const ROW: usize = 32;
    const ELEM: usize = 4;

    fn places<'i>(offset: usize, lines: &[AxisLine]) -> Places<'i> {
        let mut all = [AxisLine::ONE; 4];
        all[..lines.len()].copy_from_slice(lines);
        // SAFETY: the lists of these tests are constants.
        unsafe { Places::new(offset, lines.len(), all) }
    }

    fn range(count: usize, stride: isize) -> AxisLine {
        AxisLine::range(Run { count, stride: stride.cast_unsigned() })
    }

    fn stretches(places: &Places<'_>) -> Vec<(usize, usize, isize, usize)> {
        let numbers = |s: Stretch| (s.offset, s.run.count, s.run.stride.cast_signed(), s.position);
        let all: Vec<_> = places.stretches(ELEM).map(numbers).collect();
        // The same elements as one by one.
        let walked: Vec<usize> = all
            .iter()
            .flat_map(|&(offset, count, stride, _)| {
                (0..count).map(move |i| offset.wrapping_add_signed(stride * i as isize))
            })
            .collect();
        let single: Vec<usize> = (0..places.len()).map(|i| places.element(i)).collect();
        assert_eq!(walked, single);
        all
    }

    #[test]
    fn neighbours_of_a_list_are_one_segment() {
        let list = places(100, &[AxisLine::list(&[7, 2, 3, 4, 0, 1, 1], ELEM)]);
        assert_eq!(stretches(&list), [(128, 1, 4, 0), (108, 3, 4, 1), (100, 2, 4, 4), (104, 1, 4, 6)]);
        let rows = places(0, &[AxisLine::list(&[1, 2, 5], ROW), range(8, 4)]);
        assert_eq!(stretches(&rows), [(32, 16, 4, 0), (160, 8, 4, 16)]);
        let columns = places(0, &[range(2, ROW as isize), AxisLine::list(&[6, 7], ELEM)]);
        assert_eq!(stretches(&columns), [(24, 2, 4, 0), (56, 2, 4, 2)]);
    }

    #[test]
    fn ranges_that_descend() {
        let all = places(28, &[range(8, -4)]);
        assert_eq!(stretches(&all), [(28, 8, -4, 0)]);
        let turned = places(5 * ROW + 28, &[range(6, -(ROW as isize)), range(8, -4)]);
        assert_eq!(stretches(&turned), [(188, 48, -4, 0)]);
        let rows = places(5 * ROW, &[range(6, -(ROW as isize)), range(8, 4)]);
        assert_eq!(stretches(&rows).len(), 6);
        let stretch = rows.stretches(ELEM).next().unwrap();
        assert_eq!(stretch.ascending(), stretch);
        let down = all.stretches(ELEM).next().unwrap();
        assert_eq!(down.ascending(), Stretch { offset: 0, run: Run { count: 8, stride: 4 }, position: 0 });
    }

    #[test]
    fn what_comes_again_is_shadowed() {
        let list = places(0, &[AxisLine::list(&[3, 1, 3, 3, 1], ROW), AxisLine::list(&[0, 2, 0], ELEM)]);
        let shadowed = list.shadowed();
        assert!(shadowed.any());
        let last: Vec<_> = list.stretches_without(ELEM, &shadowed).map(|s| (s.offset, s.position)).collect();
        assert_eq!(last, [(3 * ROW + 8, 10), (3 * ROW, 11), (ROW + 8, 13), (ROW, 14)]);
        assert!(!places(0, &[AxisLine::list(&[0, 4, 5], ROW)]).shadowed().any());
        assert!(!places(0, &[AxisLine::list(&[5, 0, 4], ROW)]).shadowed().any());
        assert!(!Shadowed::NONE.any());
    }

    /// In both forms of the set.
    #[test]
    fn the_last_of_equal_indices_counts() {
        for far in [1, 1 << 20] {
            let list = [5, 0, 64, 5, 63, far, 64, far].map(|index| index * far);
            let shadowed = Shadowed::of([Some(&list[..])].into_iter());
            let last = |i: usize| !list[i + 1..].contains(&list[i]);
            let expected: Vec<bool> = (0..list.len()).map(|i| !last(i)).collect();
            assert_eq!(shadowed.on(0), expected);
        }
    }

    #[test]
    fn spans() {
        assert_eq!(places(8, &[AxisLine::list(&[7, 2], ELEM)]).span(ELEM), (16, 40));
        assert_eq!(places(28, &[range(8, -4)]).span(ELEM), (0, 32));
        assert_eq!(places(64, &[range(3, ROW as isize), range(2, 8)]).span(ELEM), (64, 64 + 2 * ROW + 12));
    }
}
