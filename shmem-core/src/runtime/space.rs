//! The free memory of a heap: the bytes that are not allocated.
//!
//! A map from offset to length finds the neighbours of a freed piece, and a set of (length, offset)
//! finds the smallest free piece that is large enough. There are no size classes and no limits: an
//! allocation succeeds if it fits, to the last byte. Each operation takes a time that grows with
//! the logarithm of the number of free pieces. Its decisions follow from the calls alone, so that
//! all PEs come to the same offsets.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The free pieces of a range of offsets. No two of them touch, and none is empty.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    lengths: BTreeMap<usize, usize>,
    by_length: BTreeSet<(usize, usize)>,
    free: usize,
    end: usize,
}

impl Space {
    /// A space of which all of `range` is free.
    pub(crate) fn new(range: Range<usize>) -> Space {
        let mut space =
            Space { lengths: BTreeMap::new(), by_length: BTreeSet::new(), free: 0, end: range.end };
        space.insert(range.start, range.len());
        space
    }

    /// The number of free bytes.
    pub(crate) fn free_bytes(&self) -> usize {
        self.free
    }

    /// The length of the largest free piece.
    pub(crate) fn largest(&self) -> usize {
        self.by_length.last().map_or(0, |&(len, _)| len)
    }

    /// The number of free bytes at the end of the range. If an allocation needs more, a larger
    /// range would have to provide only the difference.
    pub(crate) fn tail(&self) -> usize {
        self.lengths
            .last_key_value()
            .filter(|&(start, len)| start + len == self.end)
            .map_or(0, |(_, &len)| len)
    }

    /// Allocates `len` bytes, at least 1, at a multiple of `align`, a power of two: from the
    /// smallest free piece that has room, and from the first of equally small ones.
    ///
    /// It steps one by one over pieces that would be large enough without the alignment.
    pub(crate) fn allocate(&mut self, len: usize, align: usize) -> Option<usize> {
        let (at, piece) = self.by_length.range((len, 0)..).find_map(|&(size, start)| {
            let at = start.checked_next_multiple_of(align)?;
            (at - start <= size - len).then_some((at, start))
        })?;
        self.carve(piece, at, len);
        Some(at)
    }

    /// Allocates the `len` bytes at `at`, which must be free.
    ///
    /// # Panics
    ///
    /// When they are not free.
    pub(crate) fn take(&mut self, at: usize, len: usize) {
        let piece = self.lengths.range(..=at).next_back().map(|(&start, &size)| (start, start + size));
        let (start, end) = piece.expect("a free piece begins there or before");
        assert!(end - at >= len, "the bytes are free");
        self.carve(start, at, len);
    }

    /// Frees `len` bytes at `at`, and merges them with the free pieces that they touch.
    pub(crate) fn free(&mut self, at: usize, len: usize) {
        let (mut start, mut end) = (at, at + len);
        if let Some((&before, &size)) = self.lengths.range(..at).next_back() {
            assert!(before + size <= at, "bytes are freed that are free");
            if before + size == at {
                self.remove(before);
                start = before;
            }
        }
        if let Some(&size) = self.lengths.get(&end) {
            self.remove(end);
            end += size;
        }
        self.insert(start, end - start);
    }

    /// Whether the `len` bytes at `at`, which are allocated, can become `wanted` bytes in place.
    pub(crate) fn can_resize(&self, at: usize, len: usize, wanted: usize) -> bool {
        wanted <= len || self.lengths.get(&(at + len)).is_some_and(|&behind| behind >= wanted - len)
    }

    /// Resizes the `len` bytes at `at`, which are allocated, to `wanted` bytes.
    ///
    /// # Panics
    ///
    /// When [`can_resize`](Space::can_resize) is false.
    pub(crate) fn resize(&mut self, at: usize, len: usize, wanted: usize) {
        if wanted > len {
            self.take(at + len, wanted - len);
        } else if wanted < len {
            self.free(at + wanted, len - wanted);
        }
    }

    /// Takes `len` bytes at `at` out of the free piece at `piece`.
    fn carve(&mut self, piece: usize, at: usize, len: usize) {
        let size = self.remove(piece);
        self.insert(piece, at - piece);
        self.insert(at + len, piece + size - (at + len));
    }

    fn insert(&mut self, start: usize, len: usize) {
        if len > 0 {
            self.lengths.insert(start, len);
            self.by_length.insert((len, start));
            self.free += len;
        }
    }

    fn remove(&mut self, start: usize) -> usize {
        let len = self.lengths.remove(&start).expect("a free piece begins there");
        self.by_length.remove(&(len, start));
        self.free -= len;
        len
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reference model with a flag for each byte.
    struct Model {
        start: usize,
        taken: Vec<bool>,
    }

    impl Model {
        /// The free pieces, as (start, length).
        fn pieces(&self) -> Vec<(usize, usize)> {
            let mut pieces: Vec<(usize, usize)> = Vec::new();
            for (at, _) in self.taken.iter().enumerate().filter(|(_, taken)| !**taken) {
                let at = self.start + at;
                match pieces.last_mut() {
                    Some((start, len)) if *start + *len == at => *len += 1,
                    _ => pieces.push((at, 1)),
                }
            }
            pieces
        }

        /// The offset at which best fit puts `len` bytes.
        fn best(&self, len: usize, align: usize) -> Option<usize> {
            let fits = |&(start, size): &(usize, usize)| start.next_multiple_of(align) + len <= start + size;
            let best = self.pieces().into_iter().filter(fits).min_by_key(|&(start, size)| (size, start))?;
            Some(best.0.next_multiple_of(align))
        }

        fn set(&mut self, at: usize, len: usize, taken: bool) {
            let range = at - self.start..at + len - self.start;
            assert!(self.taken[range.clone()].iter().all(|&was| was != taken));
            self.taken[range].fill(taken);
        }
    }

    fn check(space: &Space, model: &Model) {
        let pieces = model.pieces();
        assert_eq!(space.lengths.iter().map(|(&start, &len)| (start, len)).collect::<Vec<_>>(), pieces);
        let mut by_length: Vec<_> = pieces.iter().map(|&(start, len)| (len, start)).collect();
        by_length.sort_unstable();
        assert_eq!(space.by_length.iter().copied().collect::<Vec<_>>(), by_length);
        assert_eq!(space.free_bytes(), pieces.iter().map(|(_, len)| len).sum::<usize>());
        assert_eq!(space.largest(), pieces.iter().map(|&(_, len)| len).max().unwrap_or(0));
        let tail = model.taken.iter().rev().take_while(|taken| !**taken).count();
        assert_eq!(space.tail(), tail);
    }

    proptest! {
        /// For any sequence of allocations, frees and resizes: a request that fits succeeds, at the
        /// place that best fit chooses, and no byte is allocated twice.
        #[test]
        fn it_is_best_fit(
            start in 0_usize..40,
            size in 1_usize..400,
            calls in prop::collection::vec((0_u8..4, any::<prop::sample::Index>(), 1_usize..80, 0_u32..9), 1..120),
        ) {
            let mut space = Space::new(start..start + size);
            let mut model = Model { start, taken: vec![false; size] };
            let mut live: Vec<(usize, usize)> = Vec::new();
            for (call, which, len, align) in calls {
                match call {
                    0 | 1 => {
                        let expected = model.best(len, 1 << align);
                        prop_assert_eq!(space.allocate(len, 1 << align), expected);
                        if let Some(at) = expected {
                            model.set(at, len, true);
                            live.push((at, len));
                        }
                    }
                    2 if !live.is_empty() => {
                        let (at, len) = live.swap_remove(which.index(live.len()));
                        space.free(at, len);
                        model.set(at, len, false);
                    }
                    3 if !live.is_empty() => {
                        let which = which.index(live.len());
                        let (at, before) = live[which];
                        let behind = model.taken[at + before - start..].iter().take_while(|taken| !**taken).count();
                        prop_assert_eq!(space.can_resize(at, before, len), len <= before + behind);
                        if len <= before + behind {
                            space.resize(at, before, len);
                            model.set(at, before, false);
                            model.set(at, len, true);
                            live[which].1 = len;
                        }
                    }
                    _ => {}
                }
                check(&space, &model);
            }
            for (at, len) in live {
                space.free(at, len);
            }
            prop_assert_eq!(space.lengths.into_iter().collect::<Vec<_>>(), [(start, size)]);
        }
    }

    #[test]
    fn all_of_it_can_be_had() {
        for size in [64, 4096, 1 << 32, (1 << 40) + 64, 1 << 62] {
            let mut space = Space::new(128..128 + size);
            assert_eq!(space.allocate(size + 1, 1), None);
            assert_eq!((space.allocate(size, 64), space.free_bytes(), space.largest()), (Some(128), 0, 0));
            assert_eq!(space.allocate(1, 1), None);
            space.free(128, size);
            assert_eq!((space.free_bytes(), space.largest(), space.tail()), (size, size, size));
        }
    }

    #[test]
    fn alignments_beyond_the_range_find_nothing() {
        let mut space = Space::new(64..usize::MAX - 63);
        assert_eq!(space.allocate(64, 1 << 63), Some(1 << 63));
        assert_eq!(space.allocate(64, 1 << 63), None);
        assert_eq!(space.allocate(64, 1 << 62), Some(3 << 62));
    }
}
