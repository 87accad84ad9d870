//! What a virtual PE does: the steps of `shmem-core`, as actions of the simulation.

use std::sync::Arc;

use crate::hosts::{PeHosts, TeamHosts};
use crate::machine::Machine;
use crate::members::Members;
use crate::partials::Parties;
use crate::start::Introduction;
use crate::steps::{
    BroadcastStep, BroadcastTree, CellUse, MeetingRounds, MeetingStep, RelayPart, WORD_CELLS, cell_of,
    cells_for, is_word,
};

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
    /// All meet, and join values in pairs: what a party knows of them goes with its signals. A few words of few PEs are
    /// an [`Exchange`](Call::Exchange) instead.
    Pairs {
        /// The bytes of the values of each.
        bytes: usize,
    },
    /// All give a few words to all others, as in a sum of one number.
    Exchange {
        /// How many words each gives.
        words: usize,
    },
    /// A broadcast of so many bytes, which fit into cells.
    Broadcast {
        /// The PE that has the bytes.
        root: usize,
        /// How many there are.
        bytes: usize,
    },
    /// A broadcast of more, from one object to others, which goes from host to host in pieces.
    Relay {
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
    /// How often the PE was signalled by this word: in a round, or by a party.
    Signal(u8),
    /// The last visit in which the lead of the host has told the others that it has seen all signals.
    Told,
    /// The number of the last exchange in which this party has given its words.
    Given(u8),
    /// The number of the broadcast in this cell.
    Cell(u8),
    /// The same, of a cell for a word.
    Short(u8),
    /// The number of the last broadcast that the PE has told the others on its host of.
    Left,
    /// How often the PE has come to a meeting of those on its host alone.
    Met,
    /// The number of the relay that may write to a destination: in this cell, and by this word of it.
    Ready(u8, u8),
}

/// What a virtual PE does next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// Counts itself in on its host; the last one sends these messages to other hosts.
    CountIn { visit: u32, sends: FirstMessages },
    /// Sends bytes that nobody waits for.
    Put { pe: usize, bytes: usize },
    /// Sends a few bytes: how often a party has come, or the value of a cell.
    Write { pe: usize, bytes: usize, word: Word, value: u32 },
    /// Copies bytes from the memory of a PE on its host.
    Take { bytes: usize },
    /// Writes to its own memory, for those on its host.
    Leave { word: Word, value: u32 },
    /// Waits until a word in the memory of PE `at` has this value, or more if it is a count.
    Await { at: usize, word: Word, value: u32 },
}

/// What a host sends to others when all its PEs have come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FirstMessages {
    /// Signals, each after what goes with it.
    Signals { carried: Carried },
    /// So many words of each of its PEs in the exchange of this number.
    Words { each: usize, exchange: u32 },
}

/// What goes with the signals of a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    Nothing,
    Bytes(usize),
    /// The partial results that a party knows, of so many bytes each, after a word.
    Partials(usize),
}

/// The bytes of a word.
pub(crate) const WORD: usize = size_of::<u64>();
/// The bytes of a piece of a relay: `BROADCAST_PIECE` in `shmem-core`.
const PIECE: usize = 256 << 10;
/// The bytes of a signal: half of a word.
const SIGNAL: usize = size_of::<u32>();

/// What one PE knows of the team, and where it is in its calls.
pub(crate) struct Pe {
    pe: usize,
    rounds: MeetingRounds,
    tree: BroadcastTree,
    hosts: Arc<PeHosts>,
    visit: u32,
    broadcasts: u32,
    exchanges: u32,
    met: u32,
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
        let of_pes = Arc::new(PeHosts::of(&told));
        let mut hosts = TeamHosts::of(&members, 0, &of_pes);
        let one = |pe| {
            let rounds = match &mut hosts {
                Some(hosts) => {
                    hosts.mine = machine.host(pe);
                    hosts.here = machine.pes_of(hosts.mine).collect();
                    MeetingRounds::among_hosts(&members, pe, hosts)
                }
                None => MeetingRounds::among_members(&members, pe),
            };
            let tree = BroadcastTree::new(&members, pe, hosts.clone());
            Pe {
                pe,
                rounds,
                tree,
                hosts: of_pes.clone(),
                visit: 0,
                broadcasts: 0,
                exchanges: 0,
                met: 0,
                uses: CellUse::default(),
            }
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
            Call::Meet => self.meet(Carried::Nothing, &mut actions),
            Call::Combine { bytes } => self.meet(Carried::Bytes(bytes), &mut actions),
            // Where few parties meet at once, each sends the values of all its members.
            Call::Pairs { bytes } if self.rounds.is_at_once() => {
                self.meet(Carried::Bytes(self.here() * bytes), &mut actions);
            }
            Call::Pairs { bytes } => self.meet(Carried::Partials(bytes), &mut actions),
            Call::Exchange { words } => {
                // As in `far.rs`, the words count as a visit, in which nobody signals.
                assert!(self.rounds.gives_words(self.hosts.n_pes(), words), "few PEs");
                self.visit += 1;
                self.exchanges += 1;
                let (value, lead) = (self.exchanges, self.lead());
                self.come(FirstMessages::Words { each: words, exchange: value }, &mut actions);
                actions.extend(self.awaits_host());
                actions.extend(self.rounds.until_all_have_come(false).filter_map(|step| {
                    let MeetingStep::AwaitSignal { word } = step else { return None };
                    Some(Action::Await { at: lead, word: Word::Given(word as u8), value })
                }));
            }
            Call::Relay { root, bytes } => self.relay(root, bytes, &mut actions),
            Call::Broadcast { root, bytes } => {
                let (is_word, cells) = (is_word(bytes), cells_for(bytes));
                if !self.uses.has_room(self.visit, cells) {
                    self.meet(Carried::Nothing, &mut actions);
                }
                let cell = self.uses.take(self.visit, cells) as u8;
                self.broadcasts += 1;
                let value = self.broadcasts;
                let short = || Word::Short(cell_of(value.into(), WORD_CELLS) as u8);
                let word = if is_word { short() } else { Word::Cell(cell) };
                for step in self.tree.place(root, &self.hosts).steps(is_word) {
                    actions.extend(match step {
                        BroadcastStep::Await => Some(Action::Await { at: self.pe, word, value }),
                        BroadcastStep::AwaitNeighbour { at } => {
                            let word = if is_word { word } else { Word::Left };
                            Some(Action::Await { at, word, value })
                        }
                        // With the number in each half.
                        BroadcastStep::Put { pe } if is_word => {
                            Some(Action::Write { pe, bytes: 2 * WORD, word, value })
                        }
                        BroadcastStep::Put { pe } => Some(Action::Put { pe, bytes }),
                        // A fence, which waits for nothing.
                        BroadcastStep::Order => None,
                        BroadcastStep::Announce { pe } => {
                            Some(Action::Write { pe, bytes: WORD, word, value })
                        }
                        BroadcastStep::Leave if !is_word => Some(Action::Leave { word: Word::Left, value }),
                        BroadcastStep::Leave if self.pe == root => Some(Action::Leave { word, value }),
                        BroadcastStep::Leave => None,
                    });
                }
            }
        }
        actions
    }

    /// The parts of a relay for each piece, as in `far.rs`, and the meeting on each host after it, as in
    /// `collective/exchange.rs`.
    fn relay(&mut self, root: usize, bytes: usize, actions: &mut Vec<Action>) {
        let RelayPart { given_by, taken_from, given_to, is_taken } =
            self.tree.place(root, &self.hosts).relay();
        let (at, mut first) = (self.pe, None);
        for start in (0..bytes).step_by(PIECE) {
            if !self.uses.has_room(self.visit, 0) {
                self.meet(Carried::Nothing, actions);
            }
            self.uses.take(self.visit, 0);
            self.broadcasts += 1;
            let (value, is_first) = (self.broadcasts, first.is_none());
            let first = *first.get_or_insert(value);
            let cell = |number: u32| cell_of(number.into(), WORD_CELLS) as u8;
            let ready = |word: usize| Word::Ready(cell(first), word as u8);
            let (number, bytes) = (Word::Short(cell(value)), PIECE.min(bytes - start));
            if let Some((word, pe)) = given_by {
                let tells = Action::Write { pe, bytes: WORD, word: ready(word), value: first };
                actions.extend(is_first.then_some(tells));
                actions.push(Action::Await { at, word: number, value });
            }
            if let Some(holder) = taken_from {
                actions.push(Action::Await { at: holder, word: Word::Left, value });
                actions.push(Action::Take { bytes });
            }
            actions.extend(is_taken.then_some(Action::Leave { word: Word::Left, value }));
            for (word, &pe) in given_to.iter().enumerate() {
                let may = Action::Await { at, word: ready(word), value: first };
                actions.extend(is_first.then_some(may));
                actions.push(Action::Put { pe, bytes });
                actions.push(Action::Write { pe, bytes: 2 * WORD, word: number, value });
            }
        }
        if self.shares() {
            self.met += 1;
            let (word, value) = (Word::Met, self.met);
            actions.push(Action::Leave { word, value });
            actions.extend(self.rounds.neighbours().iter().map(|&at| Action::Await { at, word, value }));
        }
    }

    /// What is `carried` goes with each signal.
    fn meet(&mut self, carried: Carried, actions: &mut Vec<Action>) {
        self.visit += 1;
        let visit = self.visit - self.exchanges;
        self.come(FirstMessages::Signals { carried }, actions);
        for step in self.rounds.until_all_have_come(carried != Carried::Nothing) {
            match step {
                MeetingStep::Signal { word, pe } => actions.extend(self.signals([(word, pe)], carried)),
                MeetingStep::AwaitHost => actions.extend(self.awaits_host()),
                MeetingStep::TellHost => actions.push(Action::Leave { word: Word::Told, value: visit }),
                MeetingStep::AwaitLead => {
                    actions.push(Action::Await { at: self.lead(), word: Word::Told, value: visit });
                }
                MeetingStep::AwaitSignal { word } => {
                    let word = Word::Signal(word as u8);
                    actions.push(Action::Await { at: self.lead(), word, value: visit });
                }
            }
        }
    }

    /// The PE comes for this visit.
    fn come(&self, sends: FirstMessages, actions: &mut Vec<Action>) {
        if self.shares() {
            actions.push(Action::CountIn { visit: self.visit, sends });
        } else {
            actions.extend(self.first_messages(sends));
        }
    }

    /// The PE waits until all PEs of its host have come for this visit.
    fn awaits_host(&self) -> Option<Action> {
        let value = self.visit * self.here() as u32;
        self.shares().then(|| Action::Await { at: self.lead(), word: Word::Count, value })
    }

    /// What the last PE of its host does, or one that is alone there.
    pub(crate) fn first_messages(&self, sends: FirstMessages) -> Vec<Action> {
        match sends {
            FirstMessages::Signals { carried } => self.signals(self.rounds.first_signals(), carried),
            FirstMessages::Words { each, exchange } => {
                let bytes = self.here() * each * 2 * WORD;
                let give = |(party, pe)| Action::Write {
                    pe,
                    bytes,
                    word: Word::Given(party as u8),
                    value: exchange,
                };
                self.rounds.first_signals().map(give).collect()
            }
        }
    }

    /// How many partial results its party knows, and sends, in this round.
    fn known(&self, round: usize) -> usize {
        let leads = self.tree.hosts().map(|hosts| &*hosts.leads);
        let parties = Parties { leads, members: self.hosts.n_pes() };
        let party = self.tree.hosts().map_or(self.pe, |hosts| hosts.mine);
        parties.received((party + (1 << round)) % parties.len(), round).count()
    }

    /// Signals to PEs by words, after what goes with them.
    fn signals(&self, signals: impl IntoIterator<Item = (usize, usize)>, carried: Carried) -> Vec<Action> {
        let signals: Vec<_> = signals.into_iter().collect();
        let puts = signals.iter().filter_map(|&(word, pe)| {
            let bytes = match carried {
                Carried::Nothing => return None,
                Carried::Bytes(bytes) => bytes,
                Carried::Partials(each) => WORD + self.known(word) * each,
            };
            Some(Action::Put { pe, bytes })
        });
        let write =
            |&(word, pe)| Action::Write { pe, bytes: SIGNAL, word: Word::Signal(word as u8), value: 1 };
        puts.chain(signals.iter().map(write)).collect()
    }
}
