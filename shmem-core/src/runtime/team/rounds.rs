//! What the members of a team combine, where they do not read each other's memory.
//!
//! Each member has a room for each signal in its slot, in place of small values, and another one for
//! what it leaves for the members on its host. A member writes to a room again after the team has met
//! twice more, so all have read it: see [`layout`](crate::transport::layout).

use std::ops::Range;

use super::Team;
use super::partials::{Partials, Parties, TreeNode};
use crate::runtime::agreement::hash;
use crate::runtime::bytes::{bytes, bytes_mut, get_bytes, get_words, put_bytes, put_words, with_scratch};
use crate::runtime::direct;
use crate::transport::layout::{EAGER_ROOM, EAGER_SIZE};
use crate::transport::{Carried, FEW_WORDS, RoundMeeting, Sender, Transport};

/// How many words members combine.
pub(crate) const WORDS: usize = 15;
/// Bytes of a room: the words, after one that says which call they belong to.
const ROOM: usize = (1 + WORDS) * size_of::<u64>();
/// The room of what a member leaves for those on its host. Those before it are enough for the rounds of 2^31
/// parties, and for all others that a party meets at once.
const LEFT: usize = EAGER_SIZE / ROOM - 1;
const _: () = assert!(LEFT >= 31);

/// Where words come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A member on this host has left them.
    Left,
    /// A party has sent them with a signal.
    Sent(Sender),
}

/// Words that are combined in one call of a team.
struct CarriedWords<'a, J> {
    transport: &'a dyn Transport,
    /// The offset of the rooms in the heap of each member.
    at: usize,
    /// Which call of the team it is.
    call: u64,
    words: &'a mut [u64; WORDS],
    join: J,
}

impl<J: FnMut(&mut [u64; WORDS], Option<&[u64; WORDS]>, Step)> CarriedWords<'_, J> {
    fn write(&self, pe: usize, room: usize) {
        let mut all = [self.call; 1 + WORDS];
        all[1..].copy_from_slice(self.words);
        put_words(self.transport, pe, self.at + room * ROOM, &all);
    }

    fn join(&mut self, pe: usize, room: usize, step: Step) {
        let mut all = [0; 1 + WORDS];
        get_words(self.transport, pe, self.at + room * ROOM, &mut all);
        let [call, theirs @ ..] = all;
        (self.join)(self.words, Some(&theirs).filter(|_| call == self.call), step);
    }
}

impl<J: FnMut(&mut [u64; WORDS], Option<&[u64; WORDS]>, Step)> Carried for CarriedWords<'_, J> {
    fn leave(&mut self) {
        self.write(direct::my_pe(), LEFT);
    }

    fn join_left(&mut self, pe: usize) {
        self.join(pe, LEFT, Step::Left);
    }

    fn send(&mut self, word: usize, to: usize) {
        self.write(to, word);
    }

    fn join_sent(&mut self, word: usize, sender: Sender, at: usize) {
        self.join(at, word, Step::Sent(sender));
    }
}

/// The values of all members, of which each host sends those of its own to the lead of each other one. They
/// lie side by side in the order of the team: one's own in one's own memory, those of other hosts in that of
/// the lead.
struct CarriedValues<'a> {
    team: &'a Team,
    transport: &'a dyn Transport,
    /// Their offset in the heap of each member.
    at: usize,
    mine: &'a [u8],
    /// The members on this host.
    here: &'a [usize],
    /// Their values, one after the other, once they were gathered to be sent.
    gathered: Vec<u8>,
}

impl CarriedValues<'_> {
    /// The offset of the value of a member.
    fn place(&self, rank: usize) -> usize {
        self.at + rank * self.mine.len()
    }

    /// Reads the values of these members, which follow one another, from the memory of PE `pe` of the world.
    fn read(&self, pe: usize, ranks: Range<usize>, values: &mut [u8]) {
        get_bytes(self.transport, pe, self.place(ranks.start), values);
    }

    /// Reads the value of a member on this host.
    fn read_here(&self, rank: usize, value: &mut [u8]) {
        match rank == self.team.my_pe() {
            true => value.copy_from_slice(self.mine),
            false => self.read(self.team.members.pe(rank), rank..rank + 1, value),
        }
    }
}

impl Carried for CarriedValues<'_> {
    fn leave(&mut self) {
        put_bytes(self.transport, direct::my_pe(), self.place(self.team.my_pe()), self.mine);
    }

    fn send(&mut self, _word: usize, to: usize) {
        let len = self.mine.len();
        // One value alone need not be gathered.
        if let &[me] = self.here {
            return put_bytes(self.transport, to, self.place(me), self.mine);
        }
        if self.gathered.is_empty() {
            let mut gathered = vec![0; self.here.len() * len];
            let values = gathered.chunks_exact_mut(len);
            self.here.iter().zip(values).for_each(|(&rank, value)| self.read_here(rank, value));
            self.gathered = gathered;
        }
        let mut values = &self.gathered[..];
        for run in self.here.chunk_by(|one, next| one + 1 == *next) {
            let (of_run, others) = values.split_at(run.len() * len);
            put_bytes(self.transport, to, self.place(run[0]), of_run);
            values = others;
        }
    }
}

/// Values that are joined in pairs, in rounds: each party sends the [partial results](super::partials) that it knows.
struct CarriedPartials<'a, J> {
    team: &'a Team,
    transport: &'a dyn Transport,
    /// The offset of the rooms in the heap of each member, and the bytes of a room.
    at: usize,
    room: usize,
    /// Which call of the team it is.
    call: u64,
    parties: Parties<'a>,
    /// The members on this host, and which party they are.
    here: &'a [usize],
    party: usize,
    mine: &'a [u8],
    known: Partials<u8, J>,
}

/// Bytes of the room for what one of these parties receives in a round. There is one for each round, and one for what a
/// member leaves for those on its host.
fn room_for_partials(parties: &Parties<'_>) -> usize {
    EAGER_ROOM / (parties.rounds() + 1) / 64 * 64
}

impl<J: Fn(&mut [u8], &[u8])> CarriedPartials<'_, J> {
    /// The room of what a member leaves for those on its host, after those of the rounds.
    fn left(&self) -> usize {
        self.parties.rounds()
    }

    fn write(&self, pe: usize, room: usize, values: &[u8]) {
        let mut all = Vec::with_capacity(size_of::<u64>() + values.len());
        all.extend_from_slice(&self.call.to_ne_bytes());
        all.extend_from_slice(values);
        put_bytes(self.transport, pe, self.at + room * self.room, &all);
    }

    /// Learns the values of these nodes, which PE `pe` of the world has in this room.
    fn read(&mut self, pe: usize, room: usize, nodes: &[TreeNode]) {
        let mut all = vec![0; size_of::<u64>() + nodes.len() * self.mine.len()];
        get_bytes(self.transport, pe, self.at + room * self.room, &mut all);
        let (call, values) = all.split_at(size_of::<u64>());
        // In an unchecked program whose PEs disagree, the result is any.
        if call == self.call.to_ne_bytes() {
            self.known.learn(nodes.iter().copied(), values);
        }
    }
}

impl<J: Fn(&mut [u8], &[u8])> Carried for CarriedPartials<'_, J> {
    fn leave(&mut self) {
        self.write(direct::my_pe(), self.left(), self.mine);
    }

    fn join_left(&mut self, pe: usize) {
        let rank = self.here.iter().find(|&&rank| self.team.members.pe(rank) == pe);
        let rank = *rank.expect("a member on this host");
        self.read(pe, self.left(), &[TreeNode::of(rank)]);
    }

    fn send(&mut self, word: usize, to: usize) {
        self.write(to, word, self.known.values());
    }

    fn join_sent(&mut self, word: usize, _sender: Sender, at: usize) {
        let nodes: Vec<TreeNode> = self.parties.received(self.party, word).collect();
        self.read(at, word, &nodes);
    }
}

/// How many words members combine that do not join them twice: see [`join_windows`].
pub(crate) const HALF: usize = WORDS / 2;

/// Joins the words of each party once, where joining them twice gives another result.
///
/// Where each party sends its own to all others, the first half has them all in the end. In rounds, after round
/// r the first half has those of the 2^(r + 1) parties up to this one. Their number may not
/// be a power of two. So the second half has those of as many parties up to this one as the lower r + 1 bits
/// of that number say.
pub(crate) fn join_windows(
    words: &mut [u64; WORDS],
    theirs: &[u64; WORDS],
    step: Step,
    mut join: impl FnMut(&mut [u64], &[u64]),
) {
    let (window, part) = words.split_at_mut(HALF);
    let (their_window, their_part) = theirs.split_at(HALF);
    if let Step::Sent(Sender::Round { round, parties }) = step
        && parties >> round & 1 == 1
    {
        part[..HALF].copy_from_slice(window);
        if parties & ((1 << round) - 1) != 0 {
            join(&mut part[..HALF], &their_part[..HALF]);
        }
    }
    join(window, their_window);
}

/// Which words have those of all parties after the `last` step of [`join_windows`].
pub(crate) fn whole(last: Step) -> Range<usize> {
    match last {
        Step::Sent(Sender::Round { parties, .. }) if !parties.is_power_of_two() => HALF..2 * HALF,
        _ => 0..HALF,
    }
}

impl Team {
    /// Whether all members pass the same word. They meet. Collective, for teams that have
    /// [rounds](crate::transport::Meeting::rounds).
    #[track_caller]
    pub(crate) fn are_alike(&self, transport: &dyn Transport, mine: u64) -> bool {
        let mut words = [mine; WORDS];
        let done = self.combine(transport, false, &mut words, |words, theirs, _| {
            let (least, most) = theirs.map_or((0, u64::MAX), |theirs| (theirs[0], theirs[1]));
            words[0] = words[0].min(least);
            words[1] = words[1].max(most);
        });
        done && words[0] == words[1]
    }

    /// Whether the members are on several hosts, few enough to meet at once.
    pub(crate) fn meets_at_once(&self) -> bool {
        self.rounds_at_once().is_some()
    }

    fn rounds_at_once(&self) -> Option<&dyn RoundMeeting> {
        self.meeting.rounds().filter(|rounds| rounds.is_at_once())
    }

    /// Whether an exchange of so many bytes of each takes one message from each party to each.
    pub(crate) fn gives_words(&self, len: usize) -> bool {
        let words = len.div_ceil(size_of::<u64>());
        words <= FEW_WORDS && self.meeting.rounds().is_some_and(|rounds| rounds.gives_words(words))
    }

    /// The members meet, and pass the values of all to `each`, in the order of the team: of one or several side by
    /// side, with the number of the first. All pass as many bytes, at least one, and together they fit into a place of
    /// the slot. Collective. Returns `false`, and does nothing, where the members read each other's memory, or are on
    /// too many hosts to meet at once.
    #[track_caller]
    pub(crate) fn exchange_at_once(
        &self,
        transport: &dyn Transport,
        mine: &[u8],
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> bool {
        let Some(rounds) = self.rounds_at_once() else { return false };
        let (me, n, len) = (self.my_pe(), self.n_pes(), mine.len());
        if self.gives_words(len) {
            let mut words = [0; FEW_WORDS];
            bytes_mut(&mut words)[..len].copy_from_slice(mine);
            let mut each = |rank, words: &[u64]| each(rank, &bytes(words)[..len]);
            return rounds.exchange_words(&words[..len.div_ceil(size_of::<u64>())], &mut each);
        }
        self.calls.exchange();
        let alone = [me];
        let hosts = self.meeting.hosts();
        let (here, lead) = hosts.map_or((&alone[..], me), |hosts| (hosts.here, hosts.leads[hosts.mine]));
        let mut carried =
            CarriedValues { team: self, transport, at: self.eager(), mine, here, gathered: Vec::new() };
        rounds.combine(false, &mut carried);
        with_scratch(n * len, |values| {
            // Those of this host were left by their owners.
            carried.read(self.members.pe(lead), 0..n, values);
            for &rank in here {
                carried.read_here(rank, &mut values[rank * len..][..len]);
            }
            each(0, values);
        });
        true
    }

    /// The members meet, and what they carry goes with the signals. Collective. Returns `false`, and does nothing, where
    /// the members read each other's memory, or are on too many hosts to meet at once.
    #[track_caller]
    pub(crate) fn meet_with(&self, carried: &mut dyn Carried) -> bool {
        self.rounds_at_once().inspect(|rounds| rounds.combine(false, carried)).is_some()
    }

    /// The members meet, in a barrier if it `completes`, and combine their words by `join`, which gets
    /// `None` in place of the words of a party that makes another call. Collective. Returns `false`, and
    /// does nothing, where the members read each other's memory.
    #[track_caller]
    pub(crate) fn combine(
        &self,
        transport: &dyn Transport,
        completes: bool,
        words: &mut [u64; WORDS],
        join: impl FnMut(&mut [u64; WORDS], Option<&[u64; WORDS]>, Step),
    ) -> bool {
        let Some(rounds) = self.meeting.rounds() else { return false };
        let number = self.calls.exchange();
        let call = hash((self.identity, number));
        rounds.combine(completes, &mut CarriedWords { transport, at: self.eager(), call, words, join });
        true
    }

    /// The parties that join partial results in rounds. `None` where the members read each other's memory, or few
    /// enough parties meet at once, or the members of a host do not follow one another, host after host.
    fn parties(&self) -> Option<(&dyn RoundMeeting, Parties<'_>)> {
        let rounds = self.meeting.rounds().filter(|rounds| !rounds.is_at_once())?;
        let leads = match self.meeting.hosts() {
            Some(hosts) if hosts.lanes == 0 => return None,
            hosts => hosts.map(|hosts| hosts.leads),
        };
        Some((rounds, Parties { leads, members: self.n_pes() }))
    }

    /// How many of `n` values of `size` bytes members join at a time by [`join_pairs`](Team::join_pairs); `None` where
    /// they get the values of all sooner. The same on all members.
    pub(crate) fn pairs_at_a_time(&self, n: usize, size: usize) -> Option<usize> {
        let (_, parties) = self.parties()?;
        let at_a_time = (room_for_partials(&parties) - size_of::<u64>()) / (parties.most_nodes() * size);
        // Each of the rounds takes a flight, and to get what one member has takes more than one.
        (at_a_time > 0 && n.div_ceil(at_a_time) * parties.rounds() <= parties.members).then_some(at_a_time)
    }

    /// The members join their values in pairs, in the messages of a meeting, and all get the result. `join` joins the
    /// second to the first. Collective, for as many values as [`pairs_at_a_time`](Team::pairs_at_a_time) says.
    #[track_caller]
    pub(crate) fn join_pairs(
        &self,
        transport: &dyn Transport,
        values: &mut [u8],
        join: impl Fn(&mut [u8], &[u8]),
    ) {
        let (rounds, parties) = self.parties().expect("the members join in rounds");
        let (me, call) = (self.my_pe(), hash((self.identity, self.calls.exchange())));
        let hosts = self.meeting.hosts();
        let alone = [me];
        let (here, party) = hosts.map_or((&alone[..], me), |hosts| (hosts.here, hosts.mine));
        let mine = values.to_vec();
        let mut known = Partials::new(parties.members, mine.len(), join);
        known.push(TreeNode::of(me), &mine);
        let (at, room) = (self.eager(), room_for_partials(&parties));
        let mut carried = CarriedPartials {
            team: self,
            transport,
            at,
            room,
            call,
            parties,
            here,
            party,
            mine: &mine,
            known,
        };
        rounds.combine(false, &mut carried);
        values.copy_from_slice(carried.known.joined());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Members;

    /// What each of `n` parties has in the end, where each begins with `words` of its number.
    fn simulate(
        n: usize,
        words: impl Fn(usize) -> [u64; WORDS],
        mut join: impl FnMut(&mut [u64; WORDS], &[u64; WORDS], Step),
    ) -> Vec<[u64; WORDS]> {
        let mut all: Vec<_> = (0..n).map(words).collect();
        let members = Members::Strided { start: 0, stride: 1, len: n };
        for round in 0..members.signalled(0).count() {
            let sent = all.clone();
            for (party, sent) in sent.iter().enumerate() {
                let to = members.signalled(party).nth(round).expect("a round");
                join(&mut all[to], sent, Step::Sent(Sender::Round { round, parties: n }));
            }
        }
        all
    }

    /// A step of so many parties.
    fn last(parties: usize) -> Step {
        Step::Sent(Sender::Round { round: 0, parties })
    }

    #[test]
    fn each_party_is_joined_once() {
        for n in 1..300 {
            let one = |party: usize| [(party as u64 + 3).pow(3); WORDS];
            let all = simulate(n, one, |words, theirs, step| {
                join_windows(words, theirs, step, |joined, other| {
                    joined
                        .iter_mut()
                        .zip(other)
                        .for_each(|(joined, other)| *joined = joined.wrapping_add(*other));
                });
            });
            let expected: u64 = (0..n).map(|party| one(party)[0]).sum();
            for (party, words) in all.iter().enumerate() {
                assert_eq!(words[whole(last(n))], [expected; HALF], "{n} parties, {party}");
            }
        }
    }

    #[test]
    fn members_of_a_host_are_joined_before_the_rounds() {
        let join = |words: &mut [u64; WORDS], theirs: &[u64; WORDS], step| {
            join_windows(words, theirs, step, |joined, other| joined[0] += other[0]);
        };
        for hosts in 1..20 {
            // Host h has h + 1 members; member i of it says 100 h + i.
            let host = |number: usize| {
                let member = |i: usize| [(100 * number + i) as u64; WORDS];
                let mut words = member(0);
                (1..=number).for_each(|i| join(&mut words, &member(i), Step::Left));
                words
            };
            let expected: usize = (0..hosts).flat_map(|host| (0..=host).map(move |i| 100 * host + i)).sum();
            for words in simulate(hosts, host, join) {
                assert_eq!(words[whole(last(hosts)).start], expected as u64);
            }
        }
    }
}
