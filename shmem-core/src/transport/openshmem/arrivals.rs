//! Where the members on one host meet, before one of them signals another host.

use super::LibraryJob;
use super::far::SignalWords;
use super::{FAR_WORDS, layout};
use crate::transport::node::counter::Counter;
use crate::transport::node::record::Node as _;

/// Where the members on one host count themselves in, before one of them signals another host.
pub(super) struct Arrivals {
    counter: &'static Counter,
    /// Where the count stood when the team began.
    base: u32,
    count: u32,
}

impl Arrivals {
    /// So many members count themselves in here. All of them make theirs before any of them comes.
    pub(super) fn new(counter: &'static Counter, count: usize) -> Arrivals {
        Arrivals { counter, base: counter.count(), count: count as u32 }
    }

    fn all(&self, visit: u32) -> u32 {
        self.base.wrapping_add(visit.wrapping_mul(self.count))
    }

    /// This PE comes for this visit. Returns whether it is the last of the host.
    pub(super) fn arrive(&self, job: &LibraryJob, visit: u32) -> bool {
        // Nobody is counted in for the next visit before it has seen this one complete.
        self.counter.advance(job.system(), || self.all(visit)).is_ok()
    }

    /// Whether all members on this host have come for this visit.
    pub(super) fn are_here(&self, visit: u32) -> bool {
        self.counter.has_reached(self.all(visit))
    }
}

/// The words and the count of a team whose slot is at `offset`, in the heap of the lead `pe`, a PE
/// of this host.
pub(super) fn of_lead(
    job: &'static LibraryJob,
    pe: usize,
    offset: usize,
) -> (&'static SignalWords, &'static Counter) {
    let counter = job.team_counters(pe, offset).arrivals();
    const { assert!(FAR_WORDS + size_of::<SignalWords>() <= layout::MEETING) };
    // SAFETY: `team_counters` has checked that the slot lies in the runtime's part of a heap that
    // is mapped here until the process ends. The words come after the counters, at a multiple of
    // their alignment, and are made of atomics.
    let words = unsafe { job.heap_start(pe).add(offset + FAR_WORDS).cast().as_ref() };
    (words, counter)
}
