//! What a PE knows of the others.

use std::collections::{BTreeMap, BTreeSet};

/// The puts and updates of one PE to another one by one context: a fence orders these among each
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Stream {
    pub(crate) pe: u16,
    pub(crate) ctx: u32,
    pub(crate) target: u16,
}

/// A vector clock, with what fences and signals add to it.
///
/// What the PE `p` did until its time `times[p]` is known, if it was over then. Of what may still
/// have been under way, that is known which was ordered before something that has arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) times: Vec<u32>,
    /// By stream, how many fences of it precede something that has arrived. What was put before the
    /// last of them has arrived as well.
    pub(crate) fenced: BTreeMap<Stream, u32>,
    /// Batches that have arrived because their signal has.
    pub(crate) signalled: BTreeSet<u32>,
}

impl Clock {
    pub(crate) fn new(n_pes: usize) -> Clock {
        Clock { times: vec![0; n_pes], ..Clock::default() }
    }

    /// Adds what another one knows.
    pub(crate) fn join(&mut self, other: &Clock) {
        for (mine, theirs) in self.times.iter_mut().zip(&other.times) {
            *mine = (*mine).max(*theirs);
        }
        for (stream, fences) in &other.fenced {
            let mine = self.fenced.entry(*stream).or_default();
            *mine = (*mine).max(*fences);
        }
        self.signalled.extend(&other.signalled);
    }

    /// Whether all that `other` knows is known here.
    pub(crate) fn covers(&self, other: &Clock) -> bool {
        let knows =
            |(stream, fences): (&Stream, &u32)| self.fenced.get(stream).is_some_and(|mine| mine >= fences);
        other.times.iter().zip(&self.times).all(|(theirs, mine)| theirs <= mine)
            && other.fenced.iter().all(knows)
            && other.signalled.is_subset(&self.signalled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_covers_both() {
        let stream = |target| Stream { pe: 0, ctx: 0, target };
        let a = Clock {
            times: vec![1, 5],
            fenced: BTreeMap::from([(stream(1), 3)]),
            signalled: BTreeSet::from([7]),
        };
        let b = Clock {
            times: vec![2, 4],
            fenced: BTreeMap::from([(stream(1), 2), (stream(2), 1)]),
            ..Clock::new(2)
        };
        assert!(!a.covers(&b) && !b.covers(&a));
        let mut joined = a.clone();
        joined.join(&b);
        assert!(joined.covers(&a) && joined.covers(&b));
        assert_eq!(joined.times, [2, 5]);
        assert_eq!(joined.fenced, BTreeMap::from([(stream(1), 3), (stream(2), 1)]));
    }
}
