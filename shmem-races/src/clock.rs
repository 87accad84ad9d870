//! What a PE knows of the others.

use std::collections::BTreeMap;

use super::serials::Serials;

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
    /// By stream, the batches of which it is known that they have arrived, because a fence or a signal
    /// has ordered them before something that has arrived.
    pub(crate) arrived: BTreeMap<Stream, Serials>,
}

impl Clock {
    pub(crate) fn new(n_pes: usize) -> Clock {
        Clock { times: vec![0; n_pes], arrived: BTreeMap::new() }
    }

    /// Adds what another one knows.
    pub(crate) fn join(&mut self, other: &Clock) {
        for (mine, theirs) in self.times.iter_mut().zip(&other.times) {
            *mine = (*mine).max(*theirs);
        }
        for (stream, serials) in &other.arrived {
            self.arrived.entry(*stream).or_default().join(serials);
        }
    }

    /// Leaves what another one knows as well.
    pub(crate) fn meet(&mut self, other: &Clock) {
        for (mine, theirs) in self.times.iter_mut().zip(&other.times) {
            *mine = (*mine).min(*theirs);
        }
        self.arrived.retain(|stream, serials| {
            let theirs = other.arrived.get(stream);
            theirs.inspect(|theirs| serials.meet(theirs)).is_some() && !serials.is_empty()
        });
    }

    /// Whether all that `other` knows is known here.
    pub(crate) fn covers(&self, other: &Clock) -> bool {
        let knows = |(stream, serials): (&Stream, &Serials)| {
            self.arrived.get(stream).is_some_and(|mine| mine.covers(serials))
        };
        other.times.iter().zip(&self.times).all(|(theirs, mine)| theirs <= mine)
            && other.arrived.iter().all(knows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known<const N: usize>(before: u32, others: [u32; N]) -> Serials {
        let mut serials = Serials::default();
        serials.add_all_before(before);
        others.into_iter().for_each(|serial| serials.add(serial));
        serials
    }

    #[test]
    fn a_join_covers_both_and_both_cover_what_is_common() {
        let stream = |target| Stream { pe: 0, ctx: 0, target };
        let clock = |times: [u32; 2], arrived: &[(u16, Serials)]| Clock {
            times: times.to_vec(),
            arrived: arrived.iter().map(|(target, serials)| (stream(*target), serials.clone())).collect(),
        };
        let a = clock([1, 5], &[(1, known(3, [7]))]);
        let b = clock([2, 4], &[(1, known(2, [4, 7])), (2, known(1, []))]);
        assert!(!a.covers(&b) && !b.covers(&a));
        let mut joined = a.clone();
        joined.join(&b);
        assert!(joined.covers(&a) && joined.covers(&b));
        assert_eq!(joined, clock([2, 5], &[(1, known(3, [4, 7])), (2, known(1, []))]));
        let mut common = a.clone();
        common.meet(&b);
        assert!(a.covers(&common) && b.covers(&common));
        assert_eq!(common, clock([1, 4], &[(1, known(2, [7]))]));
    }
}
