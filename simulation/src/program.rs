//! What a virtual PE does: the steps of `shmem-core`, as actions of the simulation.

use crate::hosts::{PeHosts, TeamHosts};
use crate::machine::Machine;
use crate::members::Members;
use crate::start::Introduction;
use crate::steps::{BroadcastStep, CellUse, MeetingRounds, MeetingStep, broadcast_steps, cell_of};

/// A collective call of the team of all PEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// All meet.
    Meet,
    /// All meet, and what they combine goes with the signals: whether they make the same call, or a sum
    /// of integers.
    Combine {
        /// How many bytes go with each signal.
        bytes: usize,
    },
    /// A broadcast of so many bytes, which fit into a cell.
    Broadcast {
        /// The PE that has the bytes.
        root: usize,
        /// How many there are.
        bytes: usize,
    },
}

/// A word of a PE's memory that others write and that somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    /// How many members of the host have come.
    Count,
    /// How often the PE was signalled in this round.
    Round(u8),
    /// The number of the broadcast in this cell.
    Cell(u8),
}

/// What a virtual PE does next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// Counts itself in on its host; the last one signals this PE in round 0, after so many bytes if
    /// there are any.
    CountIn { visit: u32, first: Option<usize>, bytes: usize },
    /// Sends bytes that nobody waits for, but the sender if it `completes` them.
    Put { pe: usize, bytes: usize, completes: bool },
    /// Sends 8 bytes: an increment of a count, or the value of a cell.
    Write { pe: usize, word: Word, value: u32 },
    /// Waits until a word has this value, or more if it is a count. Counts are those of the lead.
    Await { word: Word, value: u32 },
}

/// The bytes of a word.
pub(crate) const WORD: usize = size_of::<u64>();

/// What one PE knows of the team, and where it is in its calls.
pub(crate) struct Pe {
    pe: usize,
    pes: usize,
    rounds: MeetingRounds,
    visit: u32,
    broadcasts: u32,
    uses: CellUse,
}

impl Pe {
    /// All PEs of a machine. Each takes part by itself where it is alone on its host.
    pub(crate) fn all(machine: &Machine) -> Vec<Pe> {
        let members = Members::Strided { start: 0, stride: 1, len: machine.pes };
        let introduction = |pe| {
            let host = machine.pes_of(machine.host(pe));
            Introduction::near(host.start as u32, if machine.shares_memory { host.len() as u32 } else { 1 })
        };
        let told: Vec<_> = (0..machine.pes).map(introduction).collect();
        // The hosts are the same for all PEs, except for which of them is that of the PE.
        let mut hosts = TeamHosts::of(&members, 0, &PeHosts::of(&told));
        let one = |pe| {
            let rounds = match &mut hosts {
                Some(hosts) => {
                    hosts.mine = machine.host(pe);
                    hosts.here = machine.pes_of(hosts.mine).collect();
                    MeetingRounds::among_hosts(&members, pe, hosts)
                }
                None => MeetingRounds::among_members(&members, pe),
            };
            Pe { pe, pes: machine.pes, rounds, visit: 0, broadcasts: 0, uses: CellUse::default() }
        };
        (0..machine.pes).map(one).collect()
    }

    /// Whether several PEs wait for the words of its host.
    pub(crate) fn shares(&self) -> bool {
        self.rounds.here().is_some()
    }

    /// The PE whose memory has the words of its host.
    pub(crate) fn lead(&self) -> usize {
        self.rounds.lead()
    }

    /// How many PEs count themselves in on its host.
    pub(crate) fn here(&self) -> usize {
        self.rounds.here().unwrap_or(1)
    }

    /// What the PE does in its next call.
    pub(crate) fn call(&mut self, call: Call) -> Vec<Action> {
        let mut actions = Vec::new();
        match call {
            Call::Meet => self.meet(0, &mut actions),
            Call::Combine { bytes } => self.meet(bytes, &mut actions),
            Call::Broadcast { root, bytes } => {
                if !self.uses.has_cell(self.visit) {
                    self.meet(0, &mut actions);
                }
                self.uses.take(self.visit);
                self.broadcasts += 1;
                let pe = |distance| (root + distance) % self.pes;
                let value = self.broadcasts;
                let word = Word::Cell(cell_of(value.into()) as u8);
                for step in broadcast_steps((self.pe + self.pes - root) % self.pes, self.pes) {
                    actions.extend(match step {
                        BroadcastStep::Await => Some(Action::Await { word, value }),
                        BroadcastStep::Put { distance } => {
                            Some(Action::Put { pe: pe(distance), bytes, completes: false })
                        }
                        BroadcastStep::Fence => None,
                        BroadcastStep::Announce { distance } => {
                            Some(Action::Write { pe: pe(distance), word, value })
                        }
                    });
                }
            }
        }
        actions
    }

    /// `bytes` go with each signal.
    fn meet(&mut self, bytes: usize, actions: &mut Vec<Action>) {
        self.visit += 1;
        let visit = self.visit;
        let first = self.rounds.first_signal();
        if self.shares() {
            actions.push(Action::CountIn { visit, first, bytes });
        } else {
            actions.extend(first.into_iter().flat_map(|pe| self.signal(0, pe, bytes)));
        }
        for step in self.rounds.until_all_have_come() {
            match step {
                MeetingStep::Signal { round, pe } => actions.extend(self.signal(round, pe, bytes)),
                MeetingStep::AwaitHost => {
                    actions.push(Action::Await { word: Word::Count, value: visit * self.here() as u32 });
                }
                MeetingStep::AwaitSignal { round } => {
                    actions.push(Action::Await { word: Word::Round(round as u8), value: visit });
                }
            }
        }
    }

    /// A signal, after the bytes that go with it if there are any.
    pub(crate) fn signal(
        &self,
        round: usize,
        pe: usize,
        bytes: usize,
    ) -> impl DoubleEndedIterator<Item = Action> {
        let completes = self.rounds.completes_puts();
        let put = (bytes > 0).then_some(Action::Put { pe, bytes, completes });
        put.into_iter().chain([Action::Write { pe, word: Word::Round(round as u8), value: 1 }])
    }
}
