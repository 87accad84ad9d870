//! What each member of a team of several nodes does in a meeting and in a broadcast, step by
//! step: whom it signals, what it sends, what it waits for, and in which order.
//!
//! Nothing here moves anything. [`far`](super::far) takes these steps over the library. The package
//! `simulation` compiles this file too, and takes them on as many virtual PEs as a cluster has.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::hosts::{PeHosts, TeamHosts};
use crate::transport::{Members, Sender};

/// How many cells a team has on each member.
pub(crate) const CELLS: usize = 64;
/// Bytes of a cell: two cache lines.
pub(crate) const CELL_SIZE: usize = 128;
/// The bytes of the longest broadcast in cells. Members meet after four of these.
pub(crate) const IN_CELLS: usize = CELLS / 4 * CELL_SIZE;
/// How many cells a team has on each member for a word.
pub(crate) const WORD_CELLS: usize = 128;
/// The number of words by which members signal: rounds that suffice for 2^31 PEs, or the parties that meet at
/// once.
pub(crate) const SIGNALS: usize = 31;
/// How many parties meet at once at most, and not in rounds.
pub(crate) const AT_ONCE: usize = 16;
const _: () = assert!(AT_ONCE <= SIGNALS);
/// The cells of a member for the words that all members give to each other in messages without a signal.
pub(crate) const GIVEN: usize = 64;
/// How many members a member passes a small broadcast on to.
const BRANCHES: usize = 4;
/// To how many it gives something large. What a host sends goes through its link one after the other, so each more
/// takes as long again.
pub(crate) const LARGE_BRANCHES: usize = 2;

/// What a member does in a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeetingStep {
    /// Signals this PE, by this word.
    Signal { word: usize, pe: usize },
    /// Waits until all members on its host have come.
    AwaitHost,
    /// Waits until it, or the lead of its host, was signalled by this word.
    AwaitSignal { word: usize },
    /// Tells the other members on its host that it has seen all signals.
    TellHost,
    /// Waits until the lead of its host tells it that.
    AwaitLead,
}

/// One member's part in the meetings of its team.
///
/// Few parties signal all others at once, each by a word of its own. More signal each other in rounds, of
/// which each has a word.
pub(crate) struct MeetingRounds {
    /// The PEs that this member, or the lead of its host, signals: all others, or one in each round.
    signalled: Box<[usize]>,
    /// How many hosts, or members where none of them share one, signal each other.
    parties: usize,
    /// Which of these this member belongs to.
    party: usize,
    /// Whether the parties are hosts.
    are_hosts: bool,
    /// The other members on its host.
    neighbours: Box<[usize]>,
    /// The PE that others signal: this one, or the lead of its host.
    lead: usize,
    /// Whether it is that PE, which also signals in rounds after the first.
    leads: bool,
}

impl MeetingRounds {
    /// The part of member `rank`, where some members share these hosts if there are any.
    pub(crate) fn of(members: &Members, rank: usize, hosts: Option<&TeamHosts>) -> MeetingRounds {
        match hosts {
            Some(hosts) => MeetingRounds::among_hosts(members, rank, hosts),
            None => MeetingRounds::among_members(members, rank),
        }
    }

    /// The part of member `rank` where each member takes part by itself.
    pub(crate) fn among_members(members: &Members, rank: usize) -> MeetingRounds {
        MeetingRounds {
            signalled: signalled_by(rank, members.len()).map(|rank| members.pe(rank)).collect(),
            parties: members.len(),
            party: rank,
            are_hosts: false,
            neighbours: Box::default(),
            lead: members.pe(rank),
            leads: true,
        }
    }

    /// The part of member `rank` where each of these hosts takes part as one.
    pub(crate) fn among_hosts(members: &Members, rank: usize, hosts: &TeamHosts) -> MeetingRounds {
        let parties = hosts.leads.len();
        let others = hosts.here.iter().filter(|&&other| other != rank);
        MeetingRounds {
            signalled: signalled_by(hosts.mine, parties).map(|host| members.pe(hosts.leads[host])).collect(),
            parties,
            party: hosts.mine,
            are_hosts: true,
            neighbours: others.map(|&rank| members.pe(rank)).collect(),
            lead: members.pe(hosts.lead()),
            leads: hosts.lead() == rank,
        }
    }

    /// Whether they take less time than a routine that knows of no hosts and sends as few messages as it can.
    pub(crate) fn beat_the_library(&self) -> bool {
        self.are_hosts || meets_at_once(self.parties)
    }

    /// Whether each party signals all others at once.
    pub(crate) fn is_at_once(&self) -> bool {
        meets_at_once(self.parties)
    }

    /// Whose words come with a signal.
    pub(crate) fn sender(&self, word: usize) -> Sender {
        if meets_at_once(self.parties) {
            Sender::Party
        } else {
            Sender::Round { round: word, parties: self.parties }
        }
    }

    /// Whether a member gives so many words to each other one, where so many members take these.
    pub(crate) fn gives_words(&self, members: usize, words: usize) -> bool {
        self.is_at_once() && members * words <= GIVEN
    }

    /// The PEs that this member signals in a meeting where each member takes part by itself, and all meet at once.
    pub(crate) fn all_others(&self) -> Option<&[usize]> {
        (!self.are_hosts && self.is_at_once()).then_some(&self.signalled)
    }

    /// The other members on this host.
    pub(crate) fn neighbours(&self) -> &[usize] {
        &self.neighbours
    }

    /// The PE whose memory has the words of the party of this member.
    pub(crate) fn lead(&self) -> usize {
        self.lead
    }

    /// How many members count themselves in on this host; `None` where this member is alone.
    pub(crate) fn here(&self) -> Option<usize> {
        (!self.neighbours.is_empty()).then(|| 1 + self.neighbours.len())
    }

    /// The signals of the last member of a host to come: the word and the PE of each. A member that is alone on
    /// its host is the last.
    pub(crate) fn first_signals(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let (word, signals) = if meets_at_once(self.parties) { (self.party, self.parties) } else { (0, 1) };
        self.signalled.iter().take(signals).map(move |&pe| (word, pe))
    }

    /// What a member does from then on until all have come. Where something `carried` goes with the signals, the
    /// lead of a host sees it with the signal. So the others wait for the lead, and not for the signals.
    pub(crate) fn until_all_have_come(&self, carried: bool) -> impl Iterator<Item = MeetingStep> {
        let host = self.here().map(|_| MeetingStep::AwaitHost);
        let (lead, others) = match self.here() {
            Some(_) if carried && self.leads => (Some(MeetingStep::TellHost), None),
            Some(_) if carried => (None, Some(MeetingStep::AwaitLead)),
            _ => (None, None),
        };
        let at_once = meets_at_once(self.parties);
        let rounds = self.signalled.iter().enumerate().flat_map(move |(i, &pe)| {
            let signal = (!at_once && i > 0 && self.leads).then_some(MeetingStep::Signal { word: i, pe });
            let word = if at_once { (self.party + 1 + i) % self.parties } else { i };
            signal.into_iter().chain([MeetingStep::AwaitSignal { word }])
        });
        host.into_iter().chain(others).chain(rounds).chain(lead)
    }
}

/// Whether so many parties signal all others at once. They send more messages than in rounds, and wait for one
/// of them instead of one after the other.
fn meets_at_once(parties: usize) -> bool {
    parties <= AT_ONCE
}

/// The parties that `party` signals, of so many: all others, or one in each round.
fn signalled_by(party: usize, parties: usize) -> impl Iterator<Item = usize> {
    let all = Members::Strided { start: 0, stride: 1, len: parties };
    let at_once = meets_at_once(parties);
    let others = (1..parties).take_while(move |_| at_once).map(move |distance| (party + distance) % parties);
    let rounds: Vec<usize> = if at_once { Vec::new() } else { all.signalled(party).collect() };
    others.chain(rounds)
}

/// What a member does in a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BroadcastStep {
    /// Waits until the broadcast is in this member's own cell.
    Await,
    /// Waits until PE `at`, which is on this host, has it.
    AwaitNeighbour { at: usize },
    /// Puts the bytes into the cell of this PE.
    Put { pe: usize },
    /// Has what it has put to a PE arrive before what it puts there later, for that PE.
    Order,
    /// Puts the number of the broadcast into the cell of this PE.
    Announce { pe: usize },
    /// Tells the other members on its host that it has it.
    Leave,
}

/// How broadcasts go from member to member: a tree of parties, whose root is that of the broadcast. A party is a
/// host, or a member that is alone. On a host, the root or else the lead has the part of the party in the tree, and the
/// others read from its memory.
pub(crate) struct BroadcastTree {
    members: Members,
    rank: usize,
    hosts: Option<TeamHosts>,
}

impl BroadcastTree {
    /// The part of member `rank`.
    pub(crate) fn new(members: &Members, rank: usize, hosts: Option<TeamHosts>) -> BroadcastTree {
        BroadcastTree { members: members.clone(), rank, hosts }
    }

    /// The hosts of the members, where some of them share one.
    pub(crate) fn hosts(&self) -> Option<&TeamHosts> {
        self.hosts.as_ref()
    }

    /// This member's place in a broadcast of member `root`.
    pub(crate) fn place(&self, root: usize, of_job: &PeHosts) -> BroadcastPlace<'_> {
        let (parties, mine, of_root) = match &self.hosts {
            None => (self.members.len(), self.rank, root),
            Some(hosts) => (hosts.leads.len(), hosts.mine, hosts.of_member(root, &self.members, of_job)),
        };
        BroadcastPlace {
            tree: self,
            root,
            of_root,
            parties,
            distance: around(mine + parties - of_root, parties),
        }
    }
}

/// The place of a member in one broadcast.
#[derive(Clone, Copy)]
pub(crate) struct BroadcastPlace<'t> {
    tree: &'t BroadcastTree,
    root: usize,
    /// The party of the root.
    of_root: usize,
    parties: usize,
    /// How many parties this one comes after that of the root.
    distance: usize,
}

impl BroadcastPlace<'_> {
    /// This member's part in a relay from the root.
    pub(crate) fn relay(self) -> RelayPart {
        let actor = self.actor(self.distance);
        let pe = |distance| self.tree.members.pe(self.actor(distance));
        let acts = actor == self.tree.rank;
        let before = self.distance.checked_sub(1).filter(|_| acts);
        let after = passed_on(self.distance, self.parties, LARGE_BRANCHES);
        RelayPart {
            given_by: before.map(|before| (before % LARGE_BRANCHES, pe(before / LARGE_BRANCHES))),
            taken_from: (!acts).then(|| self.tree.members.pe(actor)),
            given_to: if acts { after.map(pe).collect() } else { Vec::new() },
            is_taken: acts && self.shares(),
        }
    }

    /// Whether others on the host of this member are members too.
    fn shares(self) -> bool {
        self.tree.hosts.as_ref().is_some_and(|hosts| hosts.here.len() > 1)
    }

    /// The rank of the member that acts for the party at this distance from the root.
    fn actor(self, distance: usize) -> usize {
        let party = around(self.of_root + distance, self.parties);
        match &self.tree.hosts {
            _ if distance == 0 => self.root,
            None => party,
            Some(hosts) => hosts.leads[party],
        }
    }

    /// The PE that broadcasts.
    pub(crate) fn root(self) -> usize {
        self.tree.members.pe(self.root)
    }

    /// The PE from which this member has a small broadcast; `None` at the root.
    pub(crate) fn source(self) -> Option<usize> {
        let actor = self.actor(self.distance);
        let source = match self.distance.checked_sub(1) {
            _ if actor != self.tree.rank => actor,
            Some(before) => self.actor(before / BRANCHES),
            None => return None,
        };
        Some(self.tree.members.pe(source))
    }

    /// What this member does. Where the number is in every word, the bytes need not come before it.
    pub(crate) fn steps(self, numbered: bool) -> impl Iterator<Item = BroadcastStep> {
        let actor = self.actor(self.distance);
        let acts = actor == self.tree.rank;
        let wait = match acts {
            true => (self.distance > 0).then_some(BroadcastStep::Await),
            false => Some(BroadcastStep::AwaitNeighbour { at: self.tree.members.pe(actor) }),
        };
        let children = if acts { passed_on(self.distance, self.parties, BRANCHES) } else { 0..0 };
        let pe = move |distance| self.tree.members.pe(self.actor(distance));
        let announced = if numbered { 0..0 } else { children.clone() };
        let order = (!announced.is_empty()).then_some(BroadcastStep::Order);
        let leave = (acts && self.shares()).then_some(BroadcastStep::Leave);
        let puts = children.map(move |distance| BroadcastStep::Put { pe: pe(distance) });
        let announcements = announced.map(move |distance| BroadcastStep::Announce { pe: pe(distance) });
        wait.into_iter().chain(puts).chain(order).chain(announcements).chain(leave)
    }
}

/// A member's part in a relay of something large: one member of each party gives it to one of some other parties, piece by
/// piece. The other members on a host take it from there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RelayPart {
    /// The PE that gives it to this member, and by which word this one tells it that it may.
    pub(crate) given_by: Option<(usize, usize)>,
    /// The PE on this host from whose memory this member takes it.
    pub(crate) taken_from: Option<usize>,
    /// The PEs that this member gives it to, each of which tells by the next word that it may.
    pub(crate) given_to: Vec<usize>,
    /// Whether the other members on this host take it from here.
    pub(crate) is_taken: bool,
}

/// `n % len` of what is below `2 * len`, without a division.
fn around(n: usize, len: usize) -> usize {
    if n < len { n } else { n - len }
}

/// Whom a party passes a broadcast on to, as distances from that of the root. Every party but that of the root
/// gets it from one other.
fn passed_on(distance: usize, len: usize, branches: usize) -> Range<usize> {
    let first = distance * branches + 1;
    first.min(len)..(first + branches).min(len)
}

/// Whether a broadcast of so many bytes has a cell for a word.
pub(crate) fn is_word(len: usize) -> bool {
    len <= size_of::<u64>()
}

/// How many cells a broadcast of so many bytes takes: none where it has a cell for a word.
pub(crate) fn cells_for(len: usize) -> usize {
    if is_word(len) { 0 } else { len.div_ceil(CELL_SIZE) }
}

/// What broadcasts have written since the members met for the time `visit`: how many there were, and how many cells they
/// took. All members count the same, so all know which cells are next, and when they must meet again.
#[derive(Default)]
pub(crate) struct CellUse {
    broadcasts: AtomicU32,
    cells: AtomicU32,
    visit: AtomicU32,
}

impl CellUse {
    /// Whether a broadcast in so many cells has room, after the members have met for the time `visit`. One in a cell for
    /// a word, or in none, takes 0.
    pub(crate) fn has_room(&self, visit: u32, cells: usize) -> bool {
        let [broadcasts, used] =
            [&self.broadcasts, &self.cells].map(|of| of.load(Ordering::Relaxed) as usize);
        visit != self.visit.load(Ordering::Relaxed) || broadcasts < WORD_CELLS && used + cells <= CELLS
    }

    /// Takes so many cells for a broadcast. Returns the first of them.
    pub(crate) fn take(&self, visit: u32, cells: usize) -> usize {
        if self.visit.swap(visit, Ordering::Relaxed) != visit {
            self.broadcasts.store(0, Ordering::Relaxed);
            self.cells.store(0, Ordering::Relaxed);
        }
        let first = self.cells.load(Ordering::Relaxed);
        self.broadcasts.store(self.broadcasts.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.cells.store(first + cells as u32, Ordering::Relaxed);
        first as usize
    }
}

/// The cell for a word of broadcast `number`, and what else there are so many of.
pub(crate) fn cell_of(number: u64, cells: usize) -> usize {
    number as usize % cells
}

#[cfg(test)]
mod tests {
    use super::super::start::Introduction;
    use super::*;

    #[test]
    fn every_member_gets_a_broadcast_once() {
        for (len, branches) in (1..200).flat_map(|len| [(len, BRANCHES), (len, LARGE_BRANCHES)]) {
            let mut got = vec![0; len];
            got[0] = 1;
            let mut next = vec![0];
            while let Some(distance) = next.pop() {
                for child in passed_on(distance, len, branches) {
                    got[child] += 1;
                    next.push(child);
                }
            }
            assert_eq!(got, vec![1; len]);
        }
    }

    #[test]
    fn bytes_are_put_before_they_are_announced() {
        use BroadcastStep::{Announce, Await, Order, Put};
        let steps = |rank, numbered| {
            let members = Members::of((10..17).collect());
            BroadcastTree::new(&members, rank, None)
                .place(6, &PeHosts::of(&[]))
                .steps(numbered)
                .collect::<Vec<_>>()
        };
        let pes = [14, 15];
        let puts = pes.map(|pe| Put { pe });
        assert_eq!(steps(0, false), [&[Await][..], &puts, &[Order], &pes.map(|pe| Announce { pe })].concat());
        assert_eq!(steps(0, true), [&[Await][..], &puts].concat());
        assert_eq!(steps(1, false), [Await]);
        assert_eq!(steps(6, true), [10, 11, 12, 13].map(|pe| Put { pe }));
    }

    #[test]
    fn a_broadcast_reaches_each_host_once() {
        use BroadcastStep::{Await, AwaitNeighbour, Leave, Put};
        // Three hosts with 2, 1 and 3 PEs; the root is the second PE of the last.
        let told = [(0, 2), (0, 2), (2, 1), (3, 3), (3, 3), (3, 3)];
        let told = told.map(|(first, reaches)| Introduction::near(first, reaches));
        let (pes, members) = (PeHosts::of(&told), Members::of((0..6).collect()));
        let steps = |rank| {
            let hosts = TeamHosts::of(&members, rank, &pes);
            BroadcastTree::new(&members, rank, hosts).place(4, &pes).steps(true).collect::<Vec<_>>()
        };
        assert_eq!(steps(4), [Put { pe: 0 }, Put { pe: 2 }, Leave]);
        for rank in [3, 5] {
            assert_eq!(steps(rank), [AwaitNeighbour { at: 4 }]);
        }
        assert_eq!(steps(0), [Await, Leave]);
        assert_eq!(steps(1), [AwaitNeighbour { at: 0 }]);
        assert_eq!(steps(2), [Await]);
    }

    #[test]
    fn something_large_reaches_each_host_once() {
        // Four hosts with 2, 1, 3 and 1 PEs; the root is the second PE of the third.
        let told = [(0, 2), (0, 2), (2, 1), (3, 3), (3, 3), (3, 3), (6, 1)];
        let told = told.map(|(first, reaches)| Introduction::near(first, reaches));
        let (pes, members) = (PeHosts::of(&told), Members::of((0..7).collect()));
        let part = |rank| {
            let hosts = TeamHosts::of(&members, rank, &pes);
            BroadcastTree::new(&members, rank, hosts).place(4, &pes).relay()
        };
        let none = || RelayPart { given_by: None, taken_from: None, given_to: Vec::new(), is_taken: false };
        assert_eq!(part(4), RelayPart { given_to: vec![6, 0], is_taken: true, ..none() });
        assert_eq!(part(6), RelayPart { given_by: Some((0, 4)), given_to: vec![2], ..none() });
        assert_eq!(part(0), RelayPart { given_by: Some((1, 4)), is_taken: true, ..none() });
        assert_eq!(part(2), RelayPart { given_by: Some((0, 6)), ..none() });
        for (rank, from) in [(3, 4), (5, 4), (1, 0)] {
            assert_eq!(part(rank), RelayPart { taken_from: Some(from), ..none() });
        }
    }

    #[test]
    fn the_last_of_a_host_signals_all_others() {
        use MeetingStep::{AwaitHost, AwaitLead, AwaitSignal, TellHost};
        // Three hosts, which PEs 0, 2 and 5 lead.
        let members = Members::of((0..6).collect());
        let part = |rank: usize, mine: usize, here: Vec<usize>| {
            MeetingRounds::among_hosts(&members, rank, &TeamHosts::for_tests(vec![0, 2, 5], mine, here))
        };
        for rank in [2, 3] {
            let rounds = part(rank, 1, vec![2, 3, 4]);
            assert_eq!(rounds.first_signals().collect::<Vec<_>>(), [(1, 5), (1, 0)]);
            let expected = [AwaitHost, AwaitSignal { word: 2 }, AwaitSignal { word: 0 }];
            assert_eq!(rounds.until_all_have_come(false).collect::<Vec<_>>(), expected);
            let [host, signals @ ..] = expected;
            let carrying = if rank == 2 {
                vec![host, signals[0], signals[1], TellHost]
            } else {
                vec![host, AwaitLead, signals[0], signals[1]]
            };
            assert_eq!(rounds.until_all_have_come(true).collect::<Vec<_>>(), carrying);
        }
        assert_eq!(part(5, 2, vec![5]).here(), None);
        let alone = MeetingRounds::among_members(&Members::of(vec![4]), 0);
        assert_eq!((alone.first_signals().next(), alone.until_all_have_come(true).next()), (None, None));
    }

    #[test]
    fn the_last_of_a_host_signals_first_and_its_lead_later() {
        use MeetingStep::{AwaitHost, AwaitSignal, Signal};
        // Two PEs on each of one host too many to meet at once.
        let hosts = AT_ONCE + 1;
        let members = Members::of((0..2 * hosts).collect());
        for (rank, leads) in [(2, true), (3, false)] {
            let leads_of = (0..hosts).map(|host| 2 * host).collect();
            let of = TeamHosts::for_tests(leads_of, 1, vec![2, 3]);
            let rounds = MeetingRounds::among_hosts(&members, rank, &of);
            assert_eq!(rounds.first_signals().collect::<Vec<_>>(), [(0, 4)]);
            let mut expected = vec![AwaitHost, AwaitSignal { word: 0 }];
            for (word, distance) in [(1, 2), (2, 4), (3, 8), (4, 16)] {
                expected.extend(leads.then_some(Signal { word, pe: 2 * ((1 + distance) % hosts) }));
                expected.push(AwaitSignal { word });
            }
            assert_eq!(rounds.until_all_have_come(false).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn each_party_signals_each_other_one_at_once() {
        for parties in 1..=AT_ONCE {
            for party in 0..parties {
                let mut all: Vec<usize> = signalled_by(party, parties).chain([party]).collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..parties));
            }
        }
    }

    #[test]
    fn members_meet_when_all_cells_are_written() {
        let uses = CellUse::default();
        for visit in [0, 3] {
            for cell in 0..CELLS / 2 {
                assert!(uses.has_room(visit, 2));
                assert_eq!(uses.take(visit, 2), 2 * cell);
            }
            // Words have cells of their own.
            for _ in CELLS / 2..WORD_CELLS {
                assert!(!uses.has_room(visit, 1) && uses.has_room(visit, 0) && uses.has_room(visit + 1, 1));
                uses.take(visit, 0);
            }
            assert!(!uses.has_room(visit, 0) && uses.has_room(visit + 1, 0));
        }
        assert_eq!([0, 8, 9, 128, 129, IN_CELLS].map(cells_for), [0, 0, 1, 1, 2, CELLS / 4]);
    }
}
