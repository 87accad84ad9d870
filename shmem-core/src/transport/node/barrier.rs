//! The barrier of a team of PEs, in two forms, and small broadcasts without a barrier. The counters
//! of all PEs lie in their records, those of other teams in the heaps of their members.
//!
//! *One counter*: every PE counts itself in and waits until all are. With 2 PEs this is little more
//! than one hand-over of one cache line. With more PEs than cores, where PEs run one after the
//! other anyway, nothing needs fewer switches between processes.
//!
//! *Dissemination*: with a core for each of many PEs, updates of one word would queue up, PE by PE.
//! So PEs signal each other in rounds: in round r, each PE signals the one 2^r after it and waits
//! for the one 2^r before it. After log2(n) rounds each has a signal, directly or not, from all.
//! This form has been tested, but its speed has not been measured: that takes more than two cores.
//!
//! Two processes on 2 cores, in one-way hand-overs (half the round trip of one cache line, 31 to
//! 280 ns by where the host puts the two cores) of the same run, barriers back to back:
//!
//! | form | hand-overs |
//! |---|---|
//! | one counter, waiters pause between looks (what is here) | 0.35 to 0.65 |
//! | one counter, waiters look without pause | 0.7 to 1.7 |
//! | a flag for each, in one cache line | 0.9 to 2.5 |
//! | a flag for each, on lines of their own | 0.8 to 2.1 |
//! | a counter and an episode, on lines of their own | 1.0 to 2.7 |
//!
//! It is less than one because the PE that takes the line completes one barrier and enters the next
//! with it. Barriers far apart, from the last to come to the last to go, show the same order: the
//! first line of the table takes half the time of the others.
//!
//! With 3 to 256 PEs on 2 cores the barrier takes 1.0 to 1.1 times a counter over plain memory
//! whose waiters only yield, which is the limit: about 1 µs for each PE.
//!
//! # Broadcasts without a barrier
//!
//! The root of a small broadcast need not wait until the others have read it. So each PE has a
//! *ring* of [`CELLS`] cells in its heap: the root writes the next cell, counts it up, and goes on.
//! The others wait for that count, and read. Every PE knows which cell it is without asking: all
//! PEs make the same collective calls, so each counts the broadcasts of every root.
//!
//! A cell is written again only after a barrier that came after it was written: a PE that has come
//! to that barrier has read the cell. So every PE counts the cells that all roots have written
//! since the team's last barrier, whatever that was for, and when these are [`CELLS`], all
//! synchronise. The visits of the barrier tell whether there was one, and a visit costs no more
//! than before.
//!
//! A broadcast of several cells is complete when the first of them is counted up, which comes last:
//! so it takes one wait, and one update of a word that others may sleep on.
//!
//! Words at an aligned address need no copy in private memory: the root copies them to the cell, and
//! from there to its destination, before it counts the cell up; a reader copies them from the cell.
//! Bytes and words have the same cells, so members may send the one and read the other.
//!
//! *Cache lines.* The lines of a cell move to the root and back to each reader. The root fetches
//! a cell for writing some cells before its turn. A reader that finds a cell written fetches the next
//! one, which is then likely to be written too.
//!
//! *Memory ordering.* The root counts the cell up after its writes, and that releases them; a
//! reader sees the count, and that acquires them. A reader comes to the barrier after its reads,
//! and the root leaves the barrier before it writes again: the counters of the barrier release and
//! acquire likewise, so no reader sees what comes later.
//!
//! *Numbers.* A cell is counted up once in each round of its ring and never set back, and its root
//! can be one round ahead of a reader and no more, so a count is never taken for that of another
//! round, also when it wraps around. How many cells a PE has written in all is a word of 64 bits
//! beside its ring: the next team in the same slot begins there.

use super::counter::{Counter, Sleep};
use crate::system::os::System;
use crate::system::sync::{
    AtomicU32, AtomicU64, CELL_WORDS, CELLS, Ordering, Shareable, prepare_to_read, prepare_to_write,
};
use crate::system::tuning::eager;
use crate::transport::{Meeting, Members};

/// Rounds of signals that suffice for 2^16 PEs.
const ROUNDS: usize = 16;

/// Something alone on its cache lines: two of 64 bytes, because processors fetch them in pairs.
#[derive(Default)]
#[repr(C, align(128))]
pub(crate) struct Padded<T>(T);

/// Where PEs count themselves in. Zeros are its first state.
pub(crate) type Arrivals = Padded<Counter>;

/// Where one PE is signalled, round by round, that another has arrived. Zeros are its first state.
pub(crate) type RoundCounters = Padded<[Padded<Counter>; ROUNDS]>;

/// Where one of two PEs puts a value for the other: the counter and both values on one cache line.
/// Zeros are its first state.
#[derive(Default)]
#[repr(C, align(64))]
pub(crate) struct PairSlot {
    counter: Counter,
    /// Two, used in turns: the writer may be one value ahead of the reader, never two.
    values: [[AtomicU64; 2]; 2],
}

/// Bytes of a cell.
pub(crate) const CELL: usize = CELL_WORDS * size_of::<u64>();
/// A part of a broadcast: the count and the words on the same cache lines. Zeros are its first
/// state.
#[derive(Default)]
#[repr(C, align(64))]
struct BroadcastCell {
    /// How often this cell was used.
    counter: Counter,
    words: [AtomicU64; CELL_WORDS],
}

/// Bytes of a cell before its words.
const CELL_HEAD: usize = std::mem::offset_of!(BroadcastCell, words);

/// The cells that one PE writes as a root. Zeros are its first state.
#[repr(C)]
struct Ring {
    cells: [BroadcastCell; CELLS],
    /// How many cells this PE has written. Others read it when the next team in the slot begins.
    sent: Padded<AtomicU64>,
}

// Not derived: arrays of so many elements have no `Default` of their own.
impl Default for Ring {
    fn default() -> Ring {
        Ring { cells: std::array::from_fn(|_| BroadcastCell::default()), sent: Padded::default() }
    }
}

impl Ring {
    fn cell(&self, number: u64) -> &BroadcastCell {
        &self.cells[number as usize % CELLS]
    }

    /// Prepares the cache lines that `len` bytes take in the cells from `number` on.
    #[inline(always)]
    fn prepare(&self, number: u64, len: usize, prepare: impl Fn(&BroadcastCell, usize)) {
        let mut left = len;
        for number in number.. {
            prepare(self.cell(number), CELL_HEAD + left.min(CELL));
            if left <= CELL {
                break;
            }
            left -= CELL;
        }
    }

    /// Where the counter of cell `number` stands once it is written, modulo 2^32 as counters count.
    fn round(number: u64) -> u32 {
        (number / CELLS as u64 + 1) as u32
    }
}

/// Reads `bytes` from the words of a cell, which begin with them.
pub(crate) fn read_words(words: &[AtomicU64], bytes: &mut [u8]) {
    for (bytes, word) in bytes.chunks_mut(size_of::<u64>()).zip(words) {
        bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes()[..bytes.len()]);
    }
}

/// Copies the words that both have, from the first on.
#[inline]
fn copy_words(from: &[AtomicU64], to: &[AtomicU64]) {
    let copy = |from: &AtomicU64, to: &AtomicU64| {
        to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
    };
    // Mostly it is one word, for which a loop takes longer than the copy.
    match (from, to) {
        ([from], [to, ..]) | ([from, ..], [to]) => copy(from, to),
        _ => from.iter().zip(to).for_each(|(from, to)| copy(from, to)),
    }
}

/// What a team has in the heap of each of its PEs, for this transport alone. Zeros are its first
/// state.
#[derive(Default)]
#[repr(C)]
pub(crate) struct TeamCounters {
    arrivals: Arrivals,
    round_counters: RoundCounters,
    slot: Padded<PairSlot>,
    ring: Ring,
    own: Padded<Own>,
}

/// What the PE alone writes, and others read.
#[derive(Default)]
#[repr(C)]
struct Own {
    /// How often it has come to the barrier, modulo 2^32.
    visits: AtomicU32,
    /// How many values it has exchanged with the other of two members, modulo 2^32.
    pair: AtomicU32,
    /// Which team this is: the same on its members, and another one in each team of the slot.
    identity: AtomicU64,
}

impl TeamCounters {
    /// Where the count of the PE's visits is.
    #[cfg(feature = "openshmem")]
    pub(crate) const VISITS: usize = std::mem::offset_of!(TeamCounters, own.0.visits);

    /// How often the PE has come to the barrier of the team.
    #[cfg(feature = "openshmem")]
    pub(crate) fn visits(&self) -> &AtomicU32 {
        &self.own.0.visits
    }

    /// Where members count themselves in.
    #[cfg(feature = "openshmem")]
    pub(crate) fn arrivals(&self) -> &Counter {
        &self.arrivals.0
    }

    /// Begins another team in this slot.
    pub(crate) fn identify(&self, identity: u64) {
        self.own.0.identity.store(identity, Ordering::Release);
    }

    pub(crate) fn identity(&self) -> u64 {
        self.own.0.identity.load(Ordering::Acquire)
    }

    /// Whether a PE that waits in `part` of this team, for time `number`, waits for the PE whose
    /// counters these are; `is_root` says whether this PE is the root that is waited for.
    pub(crate) fn expects(&self, part: Part, number: u32, is_root: bool) -> bool {
        let is_before = |count: u32| count.wrapping_sub(number).cast_signed() < 0;
        match part {
            Part::Barrier => is_before(self.own.0.visits.load(Ordering::Acquire)),
            Part::Pair => is_before(self.own.0.pair.load(Ordering::Acquire)),
            Part::Broadcast => {
                let sent = &self.ring.sent.0;
                is_root && is_before(sent.load(Ordering::Acquire) as u32)
            }
            Part::Change | Part::End => false,
        }
    }
}

/// Where PEs wait for each other. Each is counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// For all members of a team at a barrier, as most collective calls have one.
    Barrier = 1,
    /// For the other one of two members.
    Pair = 2,
    /// For the value of a root.
    Broadcast = 3,
    /// For all PEs, to enter or to leave a local phase.
    Change = 4,
    /// For all PEs at the end of the job.
    End = 5,
}

/// A wait that has lasted so long that it may be a deadlock.
pub(crate) struct Wait<'a> {
    /// The PE that waits, in the numbers of the world.
    pub(crate) me: usize,
    pub(crate) part: Part,
    /// Where the team has its counters; `None` for what all PEs have in the control area.
    pub(crate) offset: Option<usize>,
    /// For which time it waits there.
    pub(crate) number: u32,
    pub(crate) members: &'a Members,
    /// The only PE that is waited for, where it is one.
    pub(crate) root: Option<usize>,
    /// Whether this member has come.
    pub(crate) has_come: &'a dyn Fn(usize) -> bool,
}

/// The memory that PEs of one host share, as far as they meet there.
pub(crate) trait BarrierMemory: Shareable + 'static {
    /// How a PE sleeps on a word of this memory.
    fn system(&self) -> System;
    /// How many PEs meet in `arrivals` and by `round_counters`.
    fn n_pes(&self) -> usize;
    /// Whether the node has more PEs than cores: the same on all PEs.
    fn is_oversubscribed(&self) -> bool;
    /// Where all PEs count themselves in.
    fn arrivals(&self) -> &Arrivals;
    /// Where `pe` is signalled that others have arrived.
    fn round_counters(&self, pe: usize) -> &RoundCounters;
    /// What a team has at `offset` in the heap of `pe`.
    fn team_counters(&self, pe: usize, offset: usize) -> &TeamCounters;
    /// How often `pe` has come to the barrier of all PEs: a word that it alone writes.
    fn visits(&self, pe: usize) -> &AtomicU32;
    /// Completes what this PE has issued without a context and what counting in does not complete.
    fn complete(&self);
    /// Writes down that this wait sleeps, and looks whether it will last for ever; if so, ends the
    /// job. Called when the wait begins to sleep, now and then, and when it ends.
    fn sleeps(&self, sleep: Sleep, wait: &Wait<'_>);
}

/// How the PEs of a team meet. All decide alike: whether there are enough cores is the shared
/// memory's word.
#[derive(Clone)]
enum BarrierForm {
    Alone,
    OneCounter {
        counter: &'static Counter,
        /// Where the count stood when the team began.
        base: u32,
        oversubscribed: bool,
    },
    Dissemination {
        mine: &'static RoundCounters,
        /// The counters of the PE that is signalled in each round.
        signalled: Box<[&'static RoundCounters]>,
        base: [u32; ROUNDS],
    },
}

/// One PE's place in the barrier of a team, and a clone is the same place. What a visit needs is
/// here, and not in the segment.
pub(crate) struct Barrier<S: 'static> {
    segment: &'static S,
    system: System,
    form: BarrierForm,
    count: u32,
    members: Members,
    rank: usize,
    /// Where the team has its counters; none for the job.
    offset: Option<usize>,
    /// How often this PE has come here, modulo 2^32. Others read it.
    visits: &'static AtomicU32,
}

impl<S> Clone for Barrier<S> {
    fn clone(&self) -> Self {
        let (form, members) = (self.form.clone(), self.members.clone());
        Barrier { form, members, ..*self }
    }
}

impl<S: BarrierMemory> Barrier<S> {
    /// The place of `pe` in the barrier of the job whose memory is `segment`.
    pub(crate) fn new(segment: &'static S, pe: usize) -> Barrier<S> {
        let members = Members::Strided { start: 0, stride: 1, len: segment.n_pes() };
        // The others may be here already, so where the counters stand says nothing: they began at
        // zero.
        Barrier::among(
            segment,
            None,
            members,
            pe,
            || segment.arrivals(),
            |other| segment.round_counters(other),
            |_| 0,
        )
    }

    /// The place of member `rank` in the barrier of a team, whose counters are at `offset` in the
    /// heaps. To be made by all members before any of them comes here.
    fn of_team(segment: &'static S, offset: usize, members: &Members, rank: usize) -> Barrier<S> {
        let counters = |rank| segment.team_counters(members.pe(rank), offset);
        counters(rank).own.0.visits.store(0, Ordering::Relaxed);
        Barrier::among(
            segment,
            Some(offset),
            members.clone(),
            rank,
            || &counters(0).arrivals,
            |other| &counters(other).round_counters,
            Counter::count,
        )
    }

    fn among(
        segment: &'static S,
        offset: Option<usize>,
        members: Members,
        rank: usize,
        arrivals: impl Fn() -> &'static Arrivals,
        round_counters: impl Fn(usize) -> &'static RoundCounters,
        base: impl Fn(&Counter) -> u32,
    ) -> Barrier<S> {
        let oversubscribed = segment.is_oversubscribed();
        let count = members.len();
        let form = match count {
            1 => BarrierForm::Alone,
            _ if count == 2 || oversubscribed => {
                let counter = &arrivals().0;
                BarrierForm::OneCounter { counter, base: base(counter), oversubscribed }
            }
            _ => {
                let mine = round_counters(rank);
                let signalled = members.signalled(rank).map(round_counters).collect();
                BarrierForm::Dissemination {
                    mine,
                    signalled,
                    base: std::array::from_fn(|round| base(&mine.0[round].0)),
                }
            }
        };
        let visits = match offset {
            None => segment.visits(rank),
            Some(offset) => &segment.team_counters(members.pe(rank), offset).own.0.visits,
        };
        let (system, count) = (segment.system(), count as u32);
        Barrier { segment, system, form, count, members, rank, offset, visits }
    }

    /// Returns when every member has come here. What any of them stored before is visible to every
    /// one after.
    #[inline]
    pub(crate) fn sync(&self) {
        match &self.form {
            BarrierForm::OneCounter { counter, base, oversubscribed } => {
                // As `arrive` and `wait`, without a look more for the one that comes last. The
                // others wait for the count, so nothing else comes before it.
                let all = || base.wrapping_add(self.visit().wrapping_mul(self.count));
                if let Err(all) = counter.advance(self.system, all) {
                    counter.wait_for(self.system, all, *oversubscribed, |sleep| self.sleeps(sleep));
                }
            }
            _ => {
                let visit = self.arrive();
                self.wait(visit);
            }
        }
    }

    /// Says that this PE is here, and does not wait. [`wait`](Barrier::wait) comes next, with
    /// what is returned.
    pub(crate) fn arrive(&self) -> u32 {
        let visit = self.visit();
        match &self.form {
            BarrierForm::Alone => {}
            BarrierForm::OneCounter { counter, base, .. } => {
                // Whether it is the last, it learns in `wait`.
                let _ = counter.advance(self.system, || base.wrapping_add(visit.wrapping_mul(self.count)));
            }
            BarrierForm::Dissemination { signalled, .. } => signalled[0].0[0].0.advance_and_wake(self.system),
        }
        visit
    }

    /// Returns when every member has arrived for the same visit.
    pub(crate) fn wait(&self, visit: u32) {
        match &self.form {
            BarrierForm::Alone => {}
            BarrierForm::OneCounter { counter, base, oversubscribed } => {
                // Nobody is counted in for the next visit before it has seen this one complete, so
                // between two complete visits each member adds one.
                let all = base.wrapping_add(visit.wrapping_mul(self.count));
                counter.wait_for(self.system, all, *oversubscribed, |sleep| self.sleeps(sleep));
            }
            BarrierForm::Dissemination { mine, signalled, base } => {
                // Each box has one sender, which may be one visit ahead of its reader, never two:
                // to finish the next visit it needs to have heard, directly or not, from the
                // reader.
                for (round, (other, base)) in signalled.iter().zip(base).enumerate() {
                    if round > 0 {
                        // Nobody sleeps on another's count than the next one, so whoever sleeps is
                        // to be woken.
                        other.0[round].0.advance_and_wake(self.system);
                    }
                    mine.0[round]
                        .0
                        .wait_for(self.system, base.wrapping_add(visit), false, |sleep| self.sleeps(sleep));
                }
            }
        }
    }

    /// The number of a new visit.
    #[inline]
    fn visit(&self) -> u32 {
        // Collective, so no other thread of this PE is here: a load and a store are enough.
        let visit = self.visits.load(Ordering::Relaxed).wrapping_add(1);
        self.visits.store(visit, Ordering::Relaxed);
        visit
    }

    /// Looks for a deadlock, when the wait for the last visit has lasted.
    #[cold]
    fn sleeps(&self, sleep: Sleep) {
        let number = self.visits();
        let has_come = |rank| {
            let pe = self.members.pe(rank);
            let visits = match self.offset {
                None => self.segment.visits(pe),
                Some(offset) => &self.segment.team_counters(pe, offset).own.0.visits,
            };
            visits.load(Ordering::Acquire).wrapping_sub(number).cast_signed() >= 0
        };
        let wait = Wait {
            me: self.members.pe(self.rank),
            part: Part::Barrier,
            offset: self.offset,
            number,
            members: &self.members,
            root: None,
            has_come: &has_come,
        };
        self.segment.sleeps(sleep, &wait);
    }

    /// How often this PE has come here, modulo 2^32.
    pub(crate) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// Lets a test begin shortly before the counters wrap around. On every PE, before the first
    /// visit of any.
    #[cfg(test)]
    pub(crate) fn near_wrap_around(&self) {
        let visit = u32::MAX - 20;
        self.visits.store(visit, Ordering::Relaxed);
        match &self.form {
            BarrierForm::Alone => {}
            BarrierForm::OneCounter { counter, .. } => counter.set(visit.wrapping_mul(self.count)),
            BarrierForm::Dissemination { mine, .. } => mine.0.iter().for_each(|round| round.0.set(visit)),
        }
    }
}

/// How two PEs write to each other.
struct PairExchange {
    mine: &'static PairSlot,
    other: &'static PairSlot,
    oversubscribed: bool,
    base: u32,
    /// How many this PE has written.
    written: &'static AtomicU32,
}

/// The ring of one member, and how far this PE has read it, or written if it is its own.
struct Root {
    ring: &'static Ring,
    /// How many cells of it were written.
    sent: AtomicU64,
}

/// The broadcasts of a team, as one PE sees them. One thread at a time uses each word, as
/// broadcasts are collective.
struct Broadcasts {
    rank: usize,
    /// In the order of the team.
    roots: Box<[Root]>,
    oversubscribed: bool,
    /// How many cells were written since the team has met last, by all PEs.
    written: AtomicU32,
    /// How often it had met then.
    visits: AtomicU32,
}

/// Where the members of a team synchronise, exchange values by two, and broadcast.
pub(crate) struct TeamMeeting<S: 'static> {
    barrier: Barrier<S>,
    /// Where the team has its counters.
    offset: usize,
    members: Members,
    pair: Option<PairExchange>,
    broadcasts: Broadcasts,
}

impl<S: BarrierMemory> TeamMeeting<S> {
    /// The place of member `rank`; see
    /// [`Transport::meeting`](crate::transport::Transport::meeting). `world` is the barrier of all
    /// PEs, for the team that has it.
    pub(crate) fn new(
        segment: &'static S,
        offset: usize,
        members: &Members,
        rank: usize,
        world: Option<Barrier<S>>,
    ) -> TeamMeeting<S> {
        let pair = (members.len() == 2).then(|| {
            let slot = |rank| &segment.team_counters(members.pe(rank), offset).slot.0;
            let written = &segment.team_counters(members.pe(rank), offset).own.0.pair;
            written.store(0, Ordering::Relaxed);
            let mine: &PairSlot = slot(rank);
            PairExchange {
                mine,
                other: slot(1 - rank),
                oversubscribed: segment.is_oversubscribed(),
                base: mine.counter.count(),
                written,
            }
        });
        let root = |rank| {
            let ring = &segment.team_counters(members.pe(rank), offset).ring;
            // In the slot of the world nobody was before, and a look would take a page of each
            // heap.
            let sent = if world.is_some() { 0 } else { ring.sent.0.load(Ordering::Acquire) };
            Root { ring, sent: AtomicU64::new(sent) }
        };
        let broadcasts = Broadcasts {
            rank,
            roots: (0..members.len()).map(root).collect(),
            oversubscribed: segment.is_oversubscribed(),
            written: AtomicU32::new(0),
            visits: AtomicU32::new(0),
        };
        let barrier = world.unwrap_or_else(|| Barrier::of_team(segment, offset, members, rank));
        TeamMeeting { barrier, offset, members: members.clone(), pair, broadcasts }
    }

    /// Lets a test begin shortly before the counters of the cells wrap around. On every PE, before
    /// any broadcast.
    #[cfg(test)]
    pub(crate) fn near_wrap_around(&self) {
        let rounds = (1 << 31) - 3;
        for root in &self.broadcasts.roots {
            root.sent.store(rounds * CELLS as u64, Ordering::Relaxed);
        }
        let mine = self.broadcasts.roots[self.broadcasts.rank].ring;
        mine.cells.iter().for_each(|cell| cell.counter.set(rounds as u32));
    }

    /// How many cells were written since the team has met, of all rings together.
    #[inline]
    fn cells_in_use(&self) -> usize {
        let broadcasts = &self.broadcasts;
        let have_met = self.barrier.visits() != broadcasts.visits.load(Ordering::Relaxed);
        if have_met { 0 } else { broadcasts.written.load(Ordering::Relaxed) as usize }
    }

    /// Where the next `count` cells of member `root` begin, as cells are counted from its first
    /// on. Where not so many are free, all meet first.
    #[inline]
    fn next_cells(&self, root: usize, count: usize) -> u64 {
        let broadcasts = &self.broadcasts;
        let mut in_use = self.cells_in_use();
        if in_use + count > CELLS {
            self.barrier.sync();
            in_use = 0;
        }
        broadcasts.written.store((in_use + count) as u32, Ordering::Relaxed);
        broadcasts.visits.store(self.barrier.visits(), Ordering::Relaxed);
        let sent = &broadcasts.roots[root].sent;
        let start = sent.load(Ordering::Relaxed);
        sent.store(start + count as u64, Ordering::Relaxed);
        start
    }

    /// Writes `bytes` to the next cells of this PE, and tells the others.
    fn write(&self, start: u64, bytes: &[u8]) {
        let Broadcasts { roots, rank, .. } = &self.broadcasts;
        let ring = roots[*rank].ring;
        for (number, piece) in (start..).zip(bytes.chunks(CELL)) {
            let cell = ring.cell(number);
            for (word, bytes) in cell.words.iter().zip(piece.chunks(size_of::<u64>())) {
                let mut whole = [0; size_of::<u64>()];
                whole[..bytes.len()].copy_from_slice(bytes);
                word.store(u64::from_ne_bytes(whole), Ordering::Relaxed);
            }
            if number > start {
                // No PE waits for it.
                cell.counter.set(Ring::round(number));
            }
        }
        self.publish(start, bytes.len());
    }

    /// As [`write`](TeamMeeting::write), of the words `from`, which this PE also copies to `to`.
    #[inline]
    fn write_words(&self, start: u64, from: &[AtomicU64], to: Option<&[AtomicU64]>) {
        let words = &self.broadcasts.roots[self.broadcasts.rank].ring.cell(start).words;
        copy_words(from, words);
        // From the cell, as the two places may overlap; and before the others take its line away.
        if let Some(to) = to {
            copy_words(words, to);
        }
        self.publish(start, size_of_val(from));
    }

    /// Counts the cell `start` of this PE up, which is the first of a broadcast of `len` bytes, and
    /// wakes the PEs that sleep there. All its cells are written.
    #[inline]
    fn publish(&self, start: u64, len: usize) {
        let Root { ring, sent } = &self.broadcasts.roots[self.broadcasts.rank];
        let next = sent.load(Ordering::Relaxed);
        ring.sent.0.store(next, Ordering::Relaxed);
        ring.cell(start).counter.advance_and_wake(self.barrier.system);
        // The others have its lines from the last round. With one broadcast after the other, they
        // come back meanwhile.
        ring.prepare(next + eager::CELLS_AHEAD - 1, len, prepare_to_write);
    }

    /// Waits for the broadcast of member `root`, and reads it.
    fn read(&self, root: usize, start: u64, bytes: &mut [u8]) {
        self.wait_for_cell(root, start, bytes.len());
        let ring = self.broadcasts.roots[root].ring;
        for (number, piece) in (start..).zip(bytes.chunks_mut(CELL)) {
            read_words(&ring.cell(number).words, piece);
        }
    }

    /// As [`read`](TeamMeeting::read), to words.
    #[inline]
    fn read_words(&self, root: usize, start: u64, to: &[AtomicU64]) {
        self.wait_for_cell(root, start, size_of_val(to));
        copy_words(&self.broadcasts.roots[root].ring.cell(start).words, to);
    }

    /// Waits until the cell `start` of member `root` is counted up, which is the first of a broadcast
    /// of `len` bytes.
    #[inline]
    fn wait_for_cell(&self, root: usize, start: u64, len: usize) {
        let ring = self.broadcasts.roots[root].ring;
        let (first, round) = (ring.cell(start), Ring::round(start));
        // A late reader finds the cell already written and skips the timed wait. The cell behind this
        // broadcast is then likely to be written as well; to fetch it earlier would take it away from
        // the root.
        if first.counter.has_reached(round) {
            ring.prepare(start + 1, len, prepare_to_read);
        } else {
            self.wait_long_for_cell(root, start);
            if len > CELL {
                ring.prepare(start + 1, len - CELL, prepare_to_read);
            }
        }
    }

    /// As [`wait_for_cell`](TeamMeeting::wait_for_cell), of a cell that was not counted up at first.
    #[inline(never)]
    fn wait_long_for_cell(&self, root: usize, start: u64) {
        let (first, round) = (self.broadcasts.roots[root].ring.cell(start), Ring::round(start));
        first.counter.wait_for(self.barrier.system, round, self.broadcasts.oversubscribed, |sleep| {
            // The number of the cell that the root writes next.
            let number = (start as u32).wrapping_add(1);
            self.sleeps(sleep, Part::Broadcast, number, Some(root), &|_| first.counter.has_reached(round));
        });
    }

    /// Looks for a deadlock, when the wait for time `number` in `part` has lasted.
    #[cold]
    fn sleeps(
        &self,
        sleep: Sleep,
        part: Part,
        number: u32,
        root: Option<usize>,
        has_come: &dyn Fn(usize) -> bool,
    ) {
        let (members, offset) = (&self.members, Some(self.offset));
        let me = members.pe(self.broadcasts.rank);
        let root = root.map(|rank| members.pe(rank));
        let wait = Wait { me, part, offset, number, members, root, has_come };
        self.barrier.segment.sleeps(sleep, &wait);
    }
}

impl<S: BarrierMemory> Meeting for TeamMeeting<S> {
    fn sync(&self) {
        self.barrier.sync();
    }

    fn is_directly_addressable(&self) -> bool {
        true
    }

    fn barrier(&self) {
        self.barrier.segment.complete();
        // Counting in releases what this PE has stored, to everybody who sees the count: no fence
        // of its own is needed.
        self.barrier.sync();
    }

    fn arrive(&self) -> u32 {
        self.barrier.arrive()
    }

    fn wait(&self, visit: u32) {
        self.barrier.wait(visit);
    }

    fn exchange_pair(&self, value: [u64; 2]) -> Option<[u64; 2]> {
        let pair = self.pair.as_ref()?;
        // Collective, as `Barrier::sync`.
        let number = pair.written.load(Ordering::Relaxed).wrapping_add(1);
        pair.written.store(number, Ordering::Release);
        let turn = number as usize % 2;
        for (word, value) in pair.other.values[turn].iter().zip(value) {
            word.store(value, Ordering::Relaxed);
        }
        let system = self.barrier.system;
        pair.other.counter.advance_and_wake(system);
        let awaited = pair.base.wrapping_add(number);
        pair.mine.counter.wait_for(system, awaited, pair.oversubscribed, |sleep| {
            self.sleeps(sleep, Part::Pair, number, None, &|_| pair.mine.counter.has_reached(awaited));
        });
        Some(std::array::from_fn(|word| pair.mine.values[turn][word].load(Ordering::Relaxed)))
    }

    fn broadcasts(&self, len: usize) -> bool {
        let most = match self.broadcasts.oversubscribed {
            true => eager::BROADCAST_CELLS_OVERSUBSCRIBED,
            false => eager::BROADCAST_CELLS,
        };
        len <= most * CELL
    }

    fn broadcast(&self, root: usize, bytes: &mut [u8]) {
        let cells = bytes.len().div_ceil(CELL);
        if cells > 0 && self.broadcasts.roots.len() > 1 {
            let start = self.next_cells(root, cells);
            if root == self.broadcasts.rank {
                self.write(start, bytes);
            } else {
                self.read(root, start, bytes);
            }
        }
    }

    fn broadcast_words(&self, root: usize, from: &[AtomicU64], to: Option<&[AtomicU64]>) -> bool {
        if !(1..=CELL_WORDS).contains(&from.len()) {
            return false;
        }
        // A PE alone does the same, and nobody reads the cell.
        let start = self.next_cells(root, 1);
        if root == self.broadcasts.rank {
            self.write_words(start, from, to);
        } else {
            self.read_words(root, start, to.unwrap_or_default());
        }
        true
    }
}
