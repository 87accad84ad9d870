//! Sets of numbers that grow from below.

use std::ops::Range;

/// A set of the numbers of a stream's batches.
///
/// A fence adds all numbers up to the last one, and signals mostly add one after the other. So the set
/// is all numbers below a bound, and few ranges of later ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Serials {
    before: u32,
    /// In order, apart from each other and from what is before them.
    later: Vec<Range<u32>>,
}

impl Serials {
    /// Whether no number is in the set.
    pub(crate) fn is_empty(&self) -> bool {
        self.before == 0 && self.later.is_empty()
    }

    /// Adds a number.
    pub(crate) fn add(&mut self, serial: u32) {
        // By far the most frequent.
        if serial == self.before && self.later.is_empty() {
            self.before += 1;
        } else if !self.contains(serial) {
            let later = std::iter::once(serial..serial + 1).collect();
            self.unite(&Serials { before: 0, later });
        }
    }

    /// Adds all numbers below this one.
    pub(crate) fn add_all_before(&mut self, bound: u32) {
        if bound > self.before {
            self.before = bound;
            if !self.later.is_empty() {
                self.unite(&Serials::default());
            }
        }
    }

    /// Whether all numbers below this one are in the set.
    pub(crate) fn has_all_before(&self, bound: u32) -> bool {
        bound <= self.before
    }

    /// Whether this number is in the set.
    pub(crate) fn contains(&self, serial: u32) -> bool {
        let at = self.later.partition_point(|range| range.end <= serial);
        serial < self.before || self.later.get(at).is_some_and(|range| range.contains(&serial))
    }

    /// Adds the numbers of another set.
    pub(crate) fn join(&mut self, other: &Serials) {
        if other.later.is_empty() {
            self.add_all_before(other.before);
        } else if !self.covers(other) {
            self.unite(other);
        }
    }

    /// Leaves the numbers that another set has as well.
    pub(crate) fn meet(&mut self, other: &Serials) {
        let (mine, theirs) = (self.ranges(), other.ranges());
        let mut common = Serials::default();
        let (mut at, mut other_at) = (0, 0);
        while let (Some(one), Some(other)) = (mine.get(at), theirs.get(other_at)) {
            common.push(one.start.max(other.start)..one.end.min(other.end));
            if one.end <= other.end {
                at += 1;
            } else {
                other_at += 1;
            }
        }
        *self = common;
    }

    /// Whether all numbers of another set are in this one.
    pub(crate) fn covers(&self, other: &Serials) -> bool {
        if other.later.is_empty() && other.before <= self.before {
            return true;
        }
        let mine = self.ranges();
        other.ranges().iter().all(|theirs| {
            let at = mine.partition_point(|range| range.end < theirs.end);
            mine.get(at).is_some_and(|range| range.start <= theirs.start)
        })
    }

    /// All ranges, in order. None is empty.
    fn ranges(&self) -> Vec<Range<u32>> {
        let first = Some(0..self.before).filter(|range| !range.is_empty());
        first.into_iter().chain(self.later.iter().cloned()).collect()
    }

    fn unite(&mut self, other: &Serials) {
        let mut ranges = self.ranges();
        ranges.extend(other.ranges());
        ranges.sort_unstable_by_key(|range| range.start);
        *self = Serials::default();
        ranges.into_iter().for_each(|range| self.push(range));
    }

    /// Adds a range that begins no earlier than those before it.
    fn push(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        match self.later.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            None if range.start <= self.before => self.before = self.before.max(range.end),
            _ => self.later.push(range),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fastrand::Rng;

    use super::*;

    const NUMBERS: u32 = 24;

    /// The same as a plain set.
    fn plain(serials: &Serials) -> BTreeSet<u32> {
        (0..NUMBERS + 2).filter(|number| serials.contains(*number)).collect()
    }

    /// A set that has grown at random, and the numbers that were added.
    fn grown(rng: &mut Rng) -> (Serials, BTreeSet<u32>) {
        let (mut serials, mut model) = (Serials::default(), BTreeSet::new());
        for _ in 0..rng.usize(..12) {
            let number = rng.u32(..NUMBERS);
            if rng.u8(..4) == 0 {
                serials.add_all_before(number);
                model.extend(0..number);
            } else {
                serials.add(number);
                model.insert(number);
            }
        }
        (serials, model)
    }

    #[test]
    fn it_is_a_set() {
        let mut rng = Rng::with_seed(7);
        for _ in 0..20_000 {
            let ((a, of_a), (b, of_b)) = (grown(&mut rng), grown(&mut rng));
            assert_eq!(plain(&a), of_a, "{a:?}");
            assert_eq!(a.covers(&b), of_b.is_subset(&of_a), "{a:?} {b:?}");
            // One set has one form.
            assert_eq!(a == b, of_a == of_b, "{a:?} {b:?}");
            let mut joined = a.clone();
            joined.join(&b);
            assert_eq!(plain(&joined), &of_a | &of_b, "{a:?} {b:?}");
            assert!(joined.covers(&a) && joined.covers(&b));
            let mut common = a.clone();
            common.meet(&b);
            assert_eq!(plain(&common), &of_a & &of_b, "{a:?} {b:?}");
            assert_eq!(common.is_empty(), of_a.is_disjoint(&of_b));
            assert!(a.covers(&common) && b.covers(&common));
        }
    }

    #[test]
    fn what_comes_in_order_takes_no_memory() {
        let mut serials = Serials::default();
        (0..1_000_000).for_each(|number| serials.add(number));
        assert_eq!(serials, Serials { before: 1_000_000, later: Vec::new() });
    }
}
