//! Where all PEs meet to enter and to leave a local phase.
//!
//! The meeting has a counter of its own, in which every PE counts itself in once for each change. No barrier and no other
//! collective call touches it, so the k-th change on one PE meets the k-th on every other, whatever else they do.

use super::system::System;
use super::wait::Counter;
use crate::sync::{AtomicU32, Ordering, fence};

/// Where PEs count themselves in, alone on its cache lines. Zeros are its first state.
#[derive(Default)]
#[repr(C, align(128))]
pub(crate) struct Phases(pub(super) Counter);

/// One PE's place in the meeting.
pub(crate) struct Changes {
    counter: &'static Counter,
    system: System,
    n_pes: u32,
    crowded: bool,
    /// How often this PE has come to a change, modulo 2^32.
    visits: AtomicU32,
}

impl Changes {
    /// A place in the meeting of `n_pes` PEs, `crowded` if these are more than the cores.
    pub(crate) fn new(phases: &'static Phases, system: System, n_pes: usize, crowded: bool) -> Changes {
        Changes { counter: &phases.0, system, n_pes: n_pes as u32, crowded, visits: AtomicU32::new(0) }
    }

    /// The count when everybody has come to `visit`.
    fn all(&self, visit: u32) -> u32 {
        visit.wrapping_mul(self.n_pes)
    }

    /// See [`Transport::sync_phase`](crate::transport::Transport::sync_phase); `left` says whether a PE has said that it leaves.
    pub(crate) fn sync(&self, left: impl Fn(usize) -> bool) -> Result<(), usize> {
        // By one thread at a time: a load and a store are enough.
        let visit = self.visits.load(Ordering::Relaxed).wrapping_add(1);
        self.visits.store(visit, Ordering::Relaxed);
        let all = self.all(visit);
        if self.counter.advance(self.system, || all).is_ok() {
            return Ok(());
        }
        // A PE that leaves the job says so, and then looks whether a change is pending. This PE has made one pending, and now
        // looks who leaves. With a fence between the two on either side, one of them sees the other.
        fence(Ordering::SeqCst);
        if let Some(gone) = (0..self.n_pes as usize).find(|pe| left(*pe))
            // It may have passed this very change before it left; then the count is complete by now.
            && !self.counter.has_reached(all)
        {
            return Err(gone);
        }
        self.counter.wait_for(self.system, all, self.crowded);
        Ok(())
    }

    /// See [`Transport::phase_is_pending`](crate::transport::Transport::phase_is_pending).
    pub(crate) fn is_pending(&self) -> bool {
        fence(Ordering::SeqCst);
        let mine = self.all(self.visits.load(Ordering::Relaxed));
        self.counter.has_reached(mine.wrapping_add(1))
    }

    /// Lets a test choose how often this PE has come.
    #[cfg(test)]
    pub(crate) fn set_visits(&self, visits: u32) {
        self.visits.store(visits, Ordering::Relaxed);
    }
}
