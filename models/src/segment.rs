// The memory of a job, as in `Segment` of `shmem-core`. Each set of algorithms includes it, and
// these are its counters.

use super::barrier::{Arrivals, BarrierMemory, RoundCounters, TeamCounters, Wait};
use super::counter::Sleep;
use super::phase_change::PhaseCounter;
use crate::system::os::{Kernel, System};
use crate::system::sync::AtomicU32;

pub(crate) struct Segment {
    kernel: Kernel,
    n_pes: usize,
    cores: usize,
    arrivals: Arrivals,
    phases: PhaseCounter,
    round_counters: Vec<RoundCounters>,
    /// One slot for a team.
    teams: Vec<TeamCounters>,
    visits: Vec<AtomicU32>,
    changes: Vec<AtomicU32>,
}

impl Segment {
    pub(crate) fn new(n_pes: usize, cores: usize) -> Segment {
        Segment {
            kernel: Kernel::new(),
            n_pes,
            cores,
            arrivals: Arrivals::default(),
            phases: PhaseCounter::default(),
            // A barrier with one counter, or of two PEs, needs no counters for rounds.
            round_counters: (0..if n_pes > 2 && cores >= n_pes { n_pes } else { 0 })
                .map(|_| RoundCounters::default())
                .collect(),
            teams: Vec::new(),
            visits: (0..n_pes).map(|_| AtomicU32::new(0)).collect(),
            changes: (0..n_pes).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    pub(crate) fn with_a_team(n_pes: usize, cores: usize) -> Segment {
        let teams = (0..n_pes).map(|_| TeamCounters::default()).collect();
        Segment { teams, ..Segment::new(n_pes, cores) }
    }

    pub(super) fn phases(&self) -> &PhaseCounter {
        &self.phases
    }

    /// How often a PE has come to a change of phase.
    pub(super) fn changes(&self, pe: usize) -> &AtomicU32 {
        &self.changes[pe]
    }
}

impl BarrierMemory for Segment {
    fn system(&self) -> System {
        self.kernel.system()
    }

    fn n_pes(&self) -> usize {
        self.n_pes
    }

    fn is_oversubscribed(&self) -> bool {
        self.n_pes > self.cores
    }

    fn arrivals(&self) -> &Arrivals {
        &self.arrivals
    }

    fn round_counters(&self, pe: usize) -> &RoundCounters {
        &self.round_counters[pe]
    }

    fn team_counters(&self, pe: usize, _offset: usize) -> &TeamCounters {
        &self.teams[pe]
    }

    fn visits(&self, pe: usize) -> &AtomicU32 {
        &self.visits[pe]
    }

    fn complete(&self) {}

    fn sleeps(&self, sleep: Sleep, _: &Wait<'_>) {
        assert!(sleep != Sleep::Lasts, "a sleep ends only by a wake");
    }
}
