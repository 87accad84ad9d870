//! Where elements lie in a heap, in bytes: an offset and up to four ranges.
//!
//! The walk over the elements is here, and nowhere else: [`Rows`] are what a transfer takes at a
//! time.

use crate::transport::Run;

/// How many axes an object can have.
pub(crate) const MAX_RANK: usize = 4;

/// Elements in a heap: from `offset` on, `rank` ranges, the outermost first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) offset: usize,
    pub(crate) rank: usize,
    pub(crate) runs: [Run; MAX_RANK],
}

impl Region {
    /// One element.
    #[inline(always)]
    pub(crate) fn one(offset: usize) -> Region {
        Region { offset, rank: 0, runs: [Run { count: 1, stride: 0 }; MAX_RANK] }
    }

    /// One range.
    #[inline(always)]
    pub(crate) fn range(offset: usize, run: Run) -> Region {
        let mut region = Region { rank: 1, ..Region::one(offset) };
        region.runs[0] = run;
        region
    }

    /// The ranges.
    #[inline(always)]
    pub(crate) fn runs(&self) -> &[Run] {
        &self.runs[..self.rank]
    }

    /// Where the element at position `i` lies, row-major.
    ///
    /// # Panics
    ///
    /// When there is none.
    #[inline(always)]
    pub(crate) fn element(&self, i: usize) -> usize {
        let Some((outermost, inner)) = self.runs().split_first() else {
            assert!(i == 0, "one element has one position");
            return self.offset;
        };
        let (mut offset, mut i) = (self.offset, i);
        for run in inner.iter().rev() {
            offset += i % run.count * run.stride;
            i /= run.count;
        }
        assert!(i < outermost.count, "a position is inside of its selection");
        offset + i * outermost.stride
    }

    /// How many elements.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        let mut len = 1;
        for run in self.runs() {
            len *= run.count;
        }
        len
    }

    /// Where the last element of `elem` bytes ends, if no offset in the region overflows.
    pub(crate) fn end(&self, elem: usize) -> Option<usize> {
        self.runs().iter().try_fold(self.offset.checked_add(elem)?, |end, run| {
            end.checked_add(run.count.saturating_sub(1).checked_mul(run.stride)?)
        })
    }

    /// How many bytes there are from the first element to the last, where they lie side by side and
    /// that is plain to see: one element, or one range. Inlined, so that the optimiser finds which
    /// of the two it is.
    #[inline(always)]
    pub(crate) fn dense(&self, elem: usize) -> Option<usize> {
        self.dense_count(elem).map(|count| count * elem)
    }

    /// As [`dense`](Region::dense): how many elements there are.
    #[inline(always)]
    pub(crate) fn dense_count(&self, elem: usize) -> Option<usize> {
        match self.rank {
            0 => Some(1),
            1 if self.runs[0].stride == elem => Some(self.runs[0].count),
            _ => None,
        }
    }

    /// The elements, of `elem` bytes, in the fewest rows that there can be. In private memory they
    /// lie `step` bytes apart, in row-major order. Where they lie side by side on both sides, they
    /// are one piece.
    pub(crate) fn rows(&self, elem: usize, step: usize) -> Rows<'_> {
        let (mut piece, mut step, mut runs) = (elem, step, self.runs());
        while let Some((run, outer)) = runs.split_last()
            && step == piece
            && (run.stride == piece || run.count == 1)
        {
            piece *= run.count;
            step = piece;
            runs = outer;
        }
        Rows::new(self.offset, piece, step, runs)
    }

    /// Each element, of `elem` bytes, as a row of its own; `step` is as in [`rows`](Region::rows).
    pub(crate) fn singly(&self, elem: usize, step: usize) -> Rows<'_> {
        Rows {
            offset: self.offset,
            piece: elem,
            step,
            run: Run { count: 1, stride: elem },
            outer: self.runs(),
        }
    }

    /// Calls `each` with the elements whose positions are in `from..from + len`, row-major, a range
    /// at a time, and with how many came before. The region has a range.
    ///
    /// # Panics
    ///
    /// When it does not have so many elements.
    pub(crate) fn parts(&self, from: usize, len: usize, mut each: impl FnMut(Region, usize)) {
        let inner = *self.runs().last().expect("one element is no range");
        let mut done = 0;
        while done < len {
            let count = (inner.count - (from + done) % inner.count).min(len - done);
            each(Region::range(self.element(from + done), Run { count, ..inner }), done);
            done += count;
        }
    }
}

/// The elements of a region as rows, in row-major order: what a transfer takes at a time.
pub(crate) struct Rows<'a> {
    /// Where the first row begins.
    offset: usize,
    /// How many bytes lie side by side.
    pub(crate) piece: usize,
    /// The pieces of a row.
    pub(crate) run: Run,
    /// How far apart the pieces are in private memory.
    pub(crate) step: usize,
    /// What repeats the row, the outermost range first.
    outer: &'a [Run],
}

impl<'a> Rows<'a> {
    fn new(offset: usize, piece: usize, step: usize, runs: &'a [Run]) -> Rows<'a> {
        match runs.split_last() {
            Some((run, outer)) => Rows { offset, piece, step, run: *run, outer },
            None => Rows { offset, piece, step, run: Run { count: 1, stride: piece }, outer: &[] },
        }
    }

    /// Whether all elements lie side by side.
    pub(crate) fn is_one_piece(&self) -> bool {
        self.run.count == 1 && self.outer.is_empty()
    }

    /// Calls `each` with the offset of each row in the heap, and with its offset in private memory.
    /// Rows of no bytes are left out: they may lie anywhere.
    #[inline]
    pub(crate) fn each(&self, mut each: impl FnMut(usize, usize)) {
        if self.piece == 0 || self.run.count == 0 || self.outer.iter().any(|run| run.count == 0) {
            return;
        }
        let Some((inner, outer)) = self.outer.split_last() else {
            return each(self.offset, 0);
        };
        let mut at = [0; MAX_RANK];
        let (mut private, row) = (0, self.step * self.run.count);
        loop {
            let start: usize = outer.iter().zip(&at).map(|(run, i)| run.stride * i).sum();
            for i in 0..inner.count {
                each(self.offset + start + i * inner.stride, private);
                private += row;
            }
            // The next combination of the outer indices, the last axis first.
            let mut axis = outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                at[axis] += 1;
                if at[axis] < outer[axis].count {
                    break;
                }
                at[axis] = 0;
            }
        }
    }
}
