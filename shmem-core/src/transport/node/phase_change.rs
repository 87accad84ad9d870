//! Where all PEs meet to enter and to leave a local phase, and where they meet at the end.
//!
//! Each of the two meetings has a counter of its own, in which every PE counts itself in once for
//! each change. No barrier and no other collective call touches it, so the k-th change on one PE
//! meets the k-th on every other, whatever else they do.

use super::counter::Counter;
use crate::system::os::System;
use crate::system::sync::{AtomicU32, Ordering};

/// Where PEs count themselves in, alone on its cache lines. Zeros are its first state.
#[derive(Default)]
#[repr(C, align(128))]
pub(crate) struct PhaseCounter(pub(crate) Counter);

/// One PE's place in the meeting.
pub(crate) struct PhaseMeeting {
    counter: &'static Counter,
    system: System,
    n_pes: u32,
    oversubscribed: bool,
    /// How often this PE has come to a change, modulo 2^32. Others read it.
    visits: &'static AtomicU32,
}

impl PhaseMeeting {
    /// A place in the meeting of `n_pes` PEs, `oversubscribed` if these are more than the cores.
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

    /// See [`Transport::sync_phase`](crate::transport::Transport::sync_phase); `lasts` is called
    /// now and then in a wait that is long, with the number of the change.
    pub(crate) fn sync(&self, lasts: impl Fn(u32)) {
        // By one thread at a time: a load and a store are enough.
        let visit = self.visits.load(Ordering::Relaxed).wrapping_add(1);
        self.visits.store(visit, Ordering::Release);
        if let Err(all) = self.counter.advance(self.system, || visit.wrapping_mul(self.n_pes)) {
            self.counter.wait_for(self.system, all, self.oversubscribed, || lasts(visit));
        }
    }

    /// Lets a test choose where the counter stands.
    #[cfg(test)]
    pub(crate) fn set_count(&self, count: u32) {
        self.counter.set(count);
    }

    /// Lets a test choose how often this PE has come.
    #[cfg(test)]
    pub(crate) fn set_visits(&self, visits: u32) {
        self.visits.store(visits, Ordering::Relaxed);
    }
}
