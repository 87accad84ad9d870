//! How many PEs there are, and what they share.

use crate::network::{Link, Time};

/// Cores that all PEs of a machine share, in turns. PE n is bound to core n; if there are more
/// PEs, the numbering starts again with the first core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cores {
    /// How many there are.
    pub number: usize,
    /// How long it takes until the next PE of a core runs, after one that waits has looked.
    pub turn: Time,
}

/// A machine of virtual PEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// How many PEs it has.
    pub pes: usize,
    /// How many PEs each host has; the last host has those that are left.
    pub per_host: usize,
    /// Whether the PEs of a host share memory, so that each host takes part in meetings as one.
    pub shares_memory: bool,
    /// How long an update of a counter takes that PEs of one host share, and until a waiter sees
    /// it.
    pub counter: Time,
    /// How long a call takes beside its messages: before them, it keeps the PE busy.
    pub call: Time,
    /// Messages between PEs of one host. They do not share a link, so `g` is not used.
    pub within: Link,
    /// Between hosts.
    pub between: Link,
    /// The cores, where there are fewer than PEs.
    pub cores: Option<Cores>,
}

impl Machine {
    /// Hosts with a core for each PE.
    #[must_use]
    pub fn of_hosts(pes: usize, per_host: usize, counter: Time, within: Link, between: Link) -> Machine {
        Machine { pes, per_host, shares_memory: true, counter, call: 0, within, between, cores: None }
    }

    /// The same machine, where each PE takes part in meetings by itself.
    #[must_use]
    pub fn by_pes(self) -> Machine {
        Machine { shares_memory: false, ..self }
    }

    /// One PE on each host.
    #[must_use]
    pub fn of_single_pes(pes: usize, between: Link) -> Machine {
        Machine::of_hosts(pes, 1, 0, between, between)
    }

    /// The host of a PE.
    #[must_use]
    pub fn host(&self, pe: usize) -> usize {
        pe / self.per_host
    }

    /// How many hosts there are.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.pes.div_ceil(self.per_host)
    }

    /// The PEs of a host.
    #[must_use]
    pub fn pes_of(&self, host: usize) -> std::ops::Range<usize> {
        host * self.per_host..((host + 1) * self.per_host).min(self.pes)
    }

    /// The link between two PEs.
    pub(crate) fn link(&self, from: usize, to: usize) -> &Link {
        if self.host(from) == self.host(to) { &self.within } else { &self.between }
    }
}
