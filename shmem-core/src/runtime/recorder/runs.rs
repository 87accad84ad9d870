//! Which operations are joined to one run, and what an atomic operation did to its cell.

use super::notes::{OperationRun, RunKind};
use crate::runtime::observe::OperationKind;
use crate::transport::{Amo, Width};

/// Operations that are no further apart than this are joined, and when half of the runs are written,
/// those that are no further apart than the second. In nanoseconds.
const GAPS: [u64; 2] = [5_000, 1_000_000];
/// An operation that takes longer than this stands alone.
const LONG: u64 = 10_000;
/// How long before a wait is noticed its first looks may have begun.
const FIRST_LOOKS: u64 = 1_000_000;

/// A run that another operation may join.
#[derive(Clone, Copy)]
pub(super) struct GrowingRun {
    pub(super) run: OperationRun,
    /// What stands for the object.
    pub(super) object: usize,
}

impl GrowingRun {
    /// Whether `next` joins it. Where the PE `is_short` of runs, more does.
    pub(super) fn takes(&self, next: &GrowingRun, is_short: bool) -> bool {
        let (run, with) = (&self.run, &next.run);
        let same = |run: &OperationRun| (run.track, run.kind, run.place);
        let gap = with.start.saturating_sub(run.end);
        if same(run) != same(with) || run.count == u32::MAX || gap > GAPS[usize::from(is_short)] {
            return false;
        }
        let is_long = |run: &OperationRun| run.count == 1 && run.end - run.start > LONG;
        is_short || (run.pe == with.pe && self.object == next.object && !is_long(run) && !is_long(with))
    }

    pub(super) fn add(&mut self, next: &GrowingRun) {
        let (run, with) = (&mut self.run, &next.run);
        if run.pe != with.pe {
            run.pe = None;
        }
        run.count += 1;
        run.end = with.end;
        run.busy += with.busy;
        run.bytes += with.bytes;
        if self.object == next.object {
            (run.low, run.high) = (run.low.min(with.low), run.high.max(with.high));
        } else {
            // Several objects, from here on.
            (self.object, run.low, run.high) = (usize::MAX, 0, 0);
        }
    }

    /// Whether these are the first looks of a wait of this thread at this place.
    pub(super) fn is_of_wait(&self, track: u16, place: u32, now: u64) -> bool {
        let run = &self.run;
        run.kind == RunKind::On(OperationKind::Fetch)
            && (run.track, run.place) == (track, place)
            && now - run.start < FIRST_LOOKS
            && run.pe.is_some()
    }
}

/// What an atomic operation did to its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellAccess {
    /// It has read this value.
    Read(u64),
    /// It has given the cell this value.
    Updated(u64),
}

impl CellAccess {
    /// What `op` did, which has found `seen` in the cell.
    pub(super) fn of(op: Amo, seen: u64, width: Width) -> Option<CellAccess> {
        match op {
            Amo::Fetch => Some(CellAccess::Read(width.low(seen))),
            _ => op.leaves(seen, width).map(CellAccess::Updated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_leaves_its_value() {
        for (op, seen, expected) in [
            (Amo::Fetch, 7, Some(CellAccess::Read(7))),
            (Amo::Add(u64::MAX), 7, Some(CellAccess::Updated(6))),
            (Amo::CompareSwap { expected: 6, new: 8 }, 7, None),
        ] {
            assert_eq!(CellAccess::of(op, seen, Width::W8), expected, "{op:?}");
        }
    }

    #[test]
    fn operations_are_joined_that_follow_each_other_at_once() {
        let run = |start| GrowingRun {
            run: OperationRun {
                track: 0,
                kind: RunKind::On(OperationKind::Put),
                place: 1,
                pe: Some(1),
                count: 1,
                start,
                end: start + 10,
                busy: 10,
                bytes: 8,
                low: start,
                high: start + 8,
            },
            object: 5,
        };
        let first = run(1000);
        let to = |pe, start| {
            let mut to = run(start);
            to.run.pe = Some(pe);
            to
        };
        assert!(first.takes(&run(1010), false) && first.takes(&run(1010 + GAPS[0]), false));
        assert!(!first.takes(&run(1011 + GAPS[0]), false) && first.takes(&run(1011 + GAPS[0]), true));
        assert!(!first.takes(&to(2, 1010), false) && first.takes(&to(2, 1010), true));
        let mut long = run(1010);
        long.run.end = 1010 + LONG + 1;
        assert!(!first.takes(&long, false) && first.takes(&long, true));

        let mut all = first;
        all.add(&run(1020));
        assert_eq!((all.run.count, all.run.busy, all.run.bytes), (2, 20, 16));
        assert_eq!((all.run.low, all.run.high, all.run.end, all.run.pe), (1000, 1028, 1030, Some(1)));
        all.add(&to(2, 1040));
        all.add(&to(1, 1060));
        assert_eq!((all.run.count, all.run.pe), (4, None));
        let mut other = run(1080);
        other.object = 6;
        all.add(&other);
        assert_eq!((all.run.low, all.run.high, all.run.bytes), (0, 0, 40));
    }
}
