//! The meetings in which all PEs enter and leave a local phase, and the meeting at the end.
//!
//! Each of the two kinds has a counter of its own, to which every PE adds one for each change. No
//! barrier and no other collective call touches it, so the k-th change on one PE meets the k-th on
//! every other, whatever else they do.

use super::counter::{Counter, Sleep};
use crate::system::os::System;
use crate::system::sync::{AtomicU32, Ordering};

/// The counter of a meeting, alone on its cache lines. Zeros are its first state.
#[derive(Default)]
#[repr(C, align(128))]
pub(crate) struct PhaseCounter(pub(crate) Counter);

/// One PE's handle of a meeting.
pub(crate) struct PhaseMeeting {
    counter: &'static Counter,
    system: System,
    n_pes: u32,
    oversubscribed: bool,
    /// How often this PE has come to a change, modulo 2^32. Others read it.
    visits: &'static AtomicU32,
}

impl PhaseMeeting {
    /// A handle of the meeting of `n_pes` PEs, `oversubscribed` if these are more than the cores.
    /// `visits`, which is 0, is this PE's.
    pub(crate) fn new(
        phases: &'static PhaseCounter,
        system: System,
        n_pes: usize,
        oversubscribed: bool,
        visits: &'static AtomicU32,
    ) -> PhaseMeeting {
        PhaseMeeting { counter: &phases.0, system, n_pes: n_pes as u32, oversubscribed, visits }
    }

    /// See [`Meetings::sync_phase`](crate::transport::Meetings::sync_phase). A wait that
    /// sleeps calls `sleeps`, with the number of the change.
    pub(crate) fn sync(&self, sleeps: impl Fn(Sleep, u32)) {
        // Only one thread at a time is here, so a load and a store are enough.
        let visit = self.visits.load(Ordering::Relaxed).wrapping_add(1);
        self.visits.store(visit, Ordering::Release);
        if let Err(all) = self.counter.advance(self.system, || visit.wrapping_mul(self.n_pes)) {
            self.counter.wait_for(self.system, all, self.oversubscribed, |sleep| sleeps(sleep, visit));
        }
    }

    /// Sets the counter, for a test.
    #[cfg(test)]
    pub(crate) fn set_count(&self, count: u32) {
        self.counter.set(count);
    }

    /// Sets how often this PE has come, for a test.
    #[cfg(test)]
    pub(crate) fn set_visits(&self, visits: u32) {
        self.visits.store(visits, Ordering::Relaxed);
    }
}
