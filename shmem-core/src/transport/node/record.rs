//! The record of each PE in memory that the PEs of its node share, beside its heap, and the trait
//! of a transport that has that memory.

use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

use super::barrier::{Arrivals, BarrierMemory, RoundCounters, TeamCounters, Wait};
use super::counter::Sleep;
use super::deadlock::{self, Presence};
use super::phase_change::{PhaseCounter, PhaseMeeting};
use super::traffic::Traffic;
use crate::system::os::System;
use crate::system::status::PeStatus;
use crate::system::sync::Shareable;
use crate::system::trace::TraceRecord;
use crate::transport::layout;

/// The record of one PE. It consists of atomics alone; zeros are its first state.
#[repr(C, align(128))]
pub(crate) struct PeRecord {
    /// The PE's state. It comes first: over a C library, PEs of other hosts read it at the start of
    /// the record.
    pub(crate) status: PeStatus,
    /// The count of arrivals at a barrier of all PEs. Only that of PE 0 is used.
    arrivals: Arrivals,
    /// The counter for changes of phase. Only that of PE 0 is used.
    phases: PhaseCounter,
    /// The counter for the end of the job. Only that of PE 0 is used.
    ends: PhaseCounter,
    /// The counters by which other PEs signal this one that they have come to a barrier.
    round_counters: RoundCounters,
    /// How often the PE has come to each meeting of all PEs, and what it waits for.
    pub(crate) presence: Presence,
    /// How much it has moved.
    pub(crate) traffic: Traffic,
    /// Where it was when the supervisor asked last.
    pub(crate) trace: TraceRecord,
}

/// The memory that the PEs of a node share, as one of them sees it.
///
/// # Safety
///
/// An implementation promises that `heap_start(pe)` is the start of a heap of at least
/// [`layout::END`] bytes, which starts at a page and stays mapped as long as the value exists; and
/// that the runtime's part of it is accessed as [`layout`] documents, and was zeros at the start.
pub(crate) unsafe trait Node: Shareable + 'static {
    /// How a PE sleeps on a word of this memory.
    fn system(&self) -> System;
    /// How many PEs the job has.
    fn n_pes(&self) -> usize;
    /// Whether the node has more PEs than cores. The result is the same on all PEs.
    fn is_oversubscribed(&self) -> bool;
    /// The record of `pe`, a PE of this node.
    fn record(&self, pe: usize) -> &PeRecord;
    /// What `pe` leaves for the others to read, where they share this node's memory.
    fn presence(&self, pe: usize) -> &Presence {
        &self.record(pe).presence
    }
    /// The start of the heap of `pe`, a PE of this node.
    fn heap_start(&self, pe: usize) -> NonNull<u8>;
    /// Whether no other thread of this process can act before the calling thread wakes it, or starts
    /// it; false where that is not known.
    fn acts_alone(&self) -> bool;
    /// Completes the operations that this PE has issued without a context and that counting in at a
    /// barrier does not complete.
    fn complete(&self);

    /// The counters of a team at `offset` in the heap of `pe`, a PE of this node.
    fn team_counters(&self, pe: usize, offset: usize) -> &TeamCounters {
        assert!(offset.is_multiple_of(align_of::<TeamCounters>()));
        assert!(offset + size_of::<TeamCounters>() <= layout::END);
        // SAFETY:
        // * in bounds: `Node` promises that the heap has the runtime's part, and the offset was
        //   just checked;
        // * aligned: a heap starts at a page, and the offset was just checked;
        // * valid: the counters consist of atomics, for which the zeros of the start and whatever
        //   PEs write are valid;
        // * alive: the heap stays mapped as long as `self` exists.
        unsafe { self.heap_start(pe).add(offset).cast().as_ref() }
    }

    /// The handle of `me` for the meeting that changes the phase.
    fn phase_changes(&'static self, me: usize) -> PhaseMeeting {
        self.changes(&self.record(0).phases, &self.presence(me).changes)
    }

    /// The handle of `me` for the meeting at the end of the job.
    fn end_of_job(&'static self, me: usize) -> PhaseMeeting {
        self.changes(&self.record(0).ends, &self.presence(me).ends)
    }

    /// A handle of the meeting at `phases`; `visits` is the PE's own count there.
    fn changes(&'static self, phases: &'static PhaseCounter, visits: &'static AtomicU32) -> PhaseMeeting {
        PhaseMeeting::new(phases, self.system(), self.n_pes(), self.is_oversubscribed(), visits)
    }
}

impl<N: Node> BarrierMemory for N {
    fn system(&self) -> System {
        Node::system(self)
    }

    fn n_pes(&self) -> usize {
        Node::n_pes(self)
    }

    fn is_oversubscribed(&self) -> bool {
        Node::is_oversubscribed(self)
    }

    fn arrivals(&self) -> &Arrivals {
        &self.record(0).arrivals
    }

    fn round_counters(&self, pe: usize) -> &RoundCounters {
        &self.record(pe).round_counters
    }

    fn team_counters(&self, pe: usize, offset: usize) -> &TeamCounters {
        Node::team_counters(self, pe, offset)
    }

    fn visits(&self, pe: usize) -> &AtomicU32 {
        &self.presence(pe).visits
    }

    fn complete(&self) {
        Node::complete(self);
    }

    fn sleeps(&self, sleep: Sleep, wait: &Wait<'_>) {
        deadlock::sleeps(self, sleep, wait);
    }
}
