//! The barrier of a team of PEs, in two forms, and what its PEs say to each other without one. The
//! world's counters lie in the job's control area, those of other teams in the heaps of their
//! members.
//!
//! *One counter*: everyone counts itself in and waits until all are. With 2 PEs this is little more
//! than one hand-over of one cache line. With more PEs than cores, where PEs run one after the
//! other anyway, nothing needs fewer switches between processes.
//!
//! *Mail*: with a core for each of many PEs, updates of one word would queue up, PE by PE. So they
//! tell each other in rounds (dissemination): in round r, each PE tells the one 2^r after it and
//! hears from the one 2^r before it; after log2(n) rounds each has heard, directly or not, from
//! all. This form has been tested, but its speed has not been measured: that takes more than two
//! cores.
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
//! # Saying without a meeting
//!
//! Who has something to say to all, which is a small broadcast, need not wait until they have heard
//! it. So each PE has a *ring* of [`CELLS`] cells in its heap: it writes into the next one, counts
//! that cell up, and goes on. The others wait for that count, and read. Which cell it is, everybody
//! knows without asking: all PEs make the same collective calls, so each counts what each of them
//! has said.
//!
//! A cell is written again only behind a meeting that came after it was written: who has come there
//! has read it. So everybody counts what was said by all PEs since the team's last meeting,
//! whatever that was for, and when these are [`CELLS`], all meet. The visits of the barrier tell
//! whether there was a meeting, and a visit costs nothing more than before.
//!
//! What takes several cells is there when the first of them is counted up, which comes last: with
//! one wait, and one update of a word that others may sleep on.
//!
//! *Memory ordering.* The writer counts the cell up behind its writes, and that releases them; the
//! reader sees the count, and that acquires them. The reader comes to the meeting behind its reads,
//! and the writer leaves it before it writes again: the counters of the barrier release and acquire
//! likewise, so no reader sees what comes later.
//!
//! *Numbers.* A cell is counted up once in each round of its ring and never set back, and its
//! writer can be one round ahead of a reader and no more, so a count is never taken for that of
//! another round, also when it wraps around. What a PE has said in all is a word of 64 bits beside
//! its ring: there the next team in the same slot begins.

use super::counter::Counter;
use crate::system::os::System;
use crate::system::sync::{AtomicU32, AtomicU64, CELL_WORDS, CELLS, Ordering, Shareable, prepare_to_write};
use crate::system::tuning::eager;
use crate::transport::{Meeting, Members};

/// Rounds of mail that suffice for 2^16 PEs.
const ROUNDS: usize = 16;

/// Something alone on its cache lines: two of 64 bytes, because processors fetch them in pairs.
#[derive(Default)]
#[repr(C, align(128))]
pub(crate) struct Apart<T>(T);

/// Where PEs count themselves in. Zeros are its first state.
pub(crate) type Centre = Apart<Counter>;

/// Where one PE is told that another has arrived, round by round. Zeros are its first state.
pub(crate) type Mailbox = Apart<[Apart<Counter>; ROUNDS]>;

/// Where one of two PEs puts a value for the other: the counter and both values on one cache line.
/// Zeros are its first state.
#[derive(Default)]
#[repr(C, align(64))]
pub(crate) struct Letter {
    counter: Counter,
    /// Two, in turns: the writer may be one letter ahead of the reader, never two.
    values: [[AtomicU64; 2]; 2],
}

/// Bytes that are said at once.
const CELL: usize = CELL_WORDS * size_of::<u64>();
/// One thing that a PE says: the count and the words on the same cache lines. Zeros are its first
/// state.
#[derive(Default)]
#[repr(C, align(64))]
struct Cell {
    /// How often this cell was used.
    counter: Counter,
    words: [AtomicU64; CELL_WORDS],
}

/// What one PE says to all others. Zeros are its first state.
#[derive(Default)]
#[repr(C)]
struct Ring {
    cells: [Cell; CELLS],
    /// How often this PE has said something. Its own business, until there is another team in the
    /// slot.
    said: Apart<AtomicU64>,
}

impl Ring {
    fn cell(&self, number: u64) -> &Cell {
        &self.cells[number as usize % CELLS]
    }

    /// What the counter of cell `number` says when that is written: modulo 2^32, as counters count.
    fn round(number: u64) -> u32 {
        (number / CELLS as u64 + 1) as u32
    }
}

/// What a team has in the heap of each of its PEs, for this transport alone. Zeros are its first
/// state.
#[derive(Default)]
#[repr(C)]
pub(crate) struct TeamCounters {
    centre: Centre,
    mailbox: Mailbox,
    letter: Apart<Letter>,
    ring: Ring,
    own: Apart<Own>,
}

/// What the PE alone writes, and others read.
#[derive(Default)]
#[repr(C)]
struct Own {
    /// How often it has come to the barrier, modulo 2^32.
    visits: AtomicU32,
    /// How many letters it has written, modulo 2^32.
    letters: AtomicU32,
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

    /// Begins another team in this slot.
    pub(crate) fn identify(&self, identity: u64) {
        self.own.0.identity.store(identity, Ordering::Release);
    }

    pub(crate) fn identity(&self) -> u64 {
        self.own.0.identity.load(Ordering::Acquire)
    }

    /// Whether somebody who waits in `part` of this team, for time `number`, waits for the PE whose
    /// counters these are; `speaks` says whether this PE is the speaker that is waited for.
    pub(crate) fn expects(&self, part: Part, number: u32, speaks: bool) -> bool {
        let is_before = |count: u32| count.wrapping_sub(number).cast_signed() < 0;
        match part {
            Part::Barrier => is_before(self.own.0.visits.load(Ordering::Acquire)),
            Part::Letters => is_before(self.own.0.letters.load(Ordering::Acquire)),
            Part::Talk => {
                let said = &self.ring.said.0;
                speaks && is_before(said.load(Ordering::Acquire) as u32)
            }
            Part::Change => false,
        }
    }
}

/// Where PEs wait for each other: what each of them counts apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Barrier = 1,
    Letters = 2,
    Talk = 3,
    Change = 4,
}

impl Part {
    /// From a word in which it was left.
    pub(crate) fn of(word: u32) -> Option<Part> {
        [Part::Barrier, Part::Letters, Part::Talk, Part::Change].into_iter().find(|part| *part as u32 == word)
    }
}

/// A wait that lasts.
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
    pub(crate) speaker: Option<usize>,
    /// Whether this member has come.
    pub(crate) has_come: &'a dyn Fn(usize) -> bool,
}

/// The memory that PEs of one host share, as far as they meet there.
pub(crate) trait Shared: Shareable + 'static {
    /// How a PE sleeps on a word of this memory.
    fn system(&self) -> System;
    /// How many PEs meet in `centre` and by `mailbox`.
    fn n_pes(&self) -> usize;
    /// Whether the host has more PEs than cores. All PEs say the same.
    fn is_oversubscribed(&self) -> bool;
    /// Where all PEs count themselves in.
    fn centre(&self) -> &Centre;
    /// Where `pe` is told that others have arrived.
    fn mailbox(&self, pe: usize) -> &Mailbox;
    /// What a team has at `offset` in the heap of `pe`.
    fn team_counters(&self, pe: usize, offset: usize) -> &TeamCounters;
    /// How often `pe` has come to the barrier of all PEs: a word that it alone writes.
    fn visits(&self, pe: usize) -> &AtomicU32;
    /// Completes what this PE has issued without a context and what counting in does not complete.
    fn complete(&self);
    /// Looks whether this wait will last for ever, and ends the job if it will. Called now and
    /// then.
    fn lasts(&self, wait: &Wait<'_>);
}

/// How the PEs of a team meet. All decide alike: whether there are enough cores is the shared
/// memory's word.
#[derive(Clone)]
enum Form {
    Alone,
    OneCounter {
        counter: &'static Counter,
        /// Where the count stood when the team began.
        base: u32,
        crowded: bool,
    },
    Mail {
        mine: &'static Mailbox,
        /// The box of the PE that is told in each round.
        told: Box<[&'static Mailbox]>,
        base: [u32; ROUNDS],
    },
}

/// One PE's place in the barrier of a team, and a clone is the same place. What a visit needs is
/// here, and not behind the segment.
pub(crate) struct Barrier<S: 'static> {
    segment: &'static S,
    system: System,
    form: Form,
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

impl<S: Shared> Barrier<S> {
    /// The place of `pe` in the barrier of the job whose memory is `segment`.
    pub(crate) fn new(segment: &'static S, pe: usize) -> Barrier<S> {
        let members = Members::Strided { start: 0, stride: 1, len: segment.n_pes() };
        // The others may be here already, so where the counters stand says nothing: they began at
        // zero.
        Barrier::among(segment, None, members, pe, || segment.centre(), |other| segment.mailbox(other), |_| 0)
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
            || &counters(0).centre,
            |other| &counters(other).mailbox,
            Counter::count,
        )
    }

    fn among(
        segment: &'static S,
        offset: Option<usize>,
        members: Members,
        rank: usize,
        centre: impl Fn() -> &'static Centre,
        mailbox: impl Fn(usize) -> &'static Mailbox,
        base: impl Fn(&Counter) -> u32,
    ) -> Barrier<S> {
        let crowded = segment.is_oversubscribed();
        let count = members.len();
        let form = match count {
            1 => Form::Alone,
            _ if count == 2 || crowded => {
                let counter = &centre().0;
                Form::OneCounter { counter, base: base(counter), crowded }
            }
            _ => {
                let mine = mailbox(rank);
                let distances = (0..).map(|round| 1 << round).take_while(|&distance| distance < count);
                let told = distances.map(|distance| mailbox((rank + distance) % count)).collect();
                Form::Mail { mine, told, base: std::array::from_fn(|round| base(&mine.0[round].0)) }
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
    pub(crate) fn wait(&self) {
        match &self.form {
            Form::OneCounter { counter, base, crowded } => {
                // As `arrive` and `depart`, without a look more for the one that comes last. The
                // others wait for the count, so nothing else comes before it.
                let all = || base.wrapping_add(self.visit().wrapping_mul(self.count));
                if let Err(all) = counter.advance(self.system, all) {
                    counter.wait_for(self.system, all, *crowded, || self.lasts());
                }
            }
            _ => {
                let visit = self.arrive();
                self.depart(visit);
            }
        }
    }

    /// Says that this PE is here, and does not wait. [`depart`](Barrier::depart) comes next, with
    /// what is returned.
    pub(crate) fn arrive(&self) -> u32 {
        let visit = self.visit();
        match &self.form {
            Form::Alone => {}
            Form::OneCounter { counter, base, .. } => {
                // Whether it is the last, it learns when it departs.
                let _ = counter.advance(self.system, || base.wrapping_add(visit.wrapping_mul(self.count)));
            }
            Form::Mail { told, .. } => told[0].0[0].0.advance_and_wake(self.system),
        }
        visit
    }

    /// Returns when every member has arrived for the same visit.
    pub(crate) fn depart(&self, visit: u32) {
        match &self.form {
            Form::Alone => {}
            Form::OneCounter { counter, base, crowded } => {
                // Nobody is counted in for the next visit before it has seen this one complete, so
                // between two complete visits each member adds one.
                let all = base.wrapping_add(visit.wrapping_mul(self.count));
                counter.wait_for(self.system, all, *crowded, || self.lasts());
            }
            Form::Mail { mine, told, base } => {
                // Each box has one sender, which may be one visit ahead of its reader, never two:
                // to finish the next visit it needs to have heard, directly or not, from the
                // reader.
                for (round, (other, base)) in told.iter().zip(base).enumerate() {
                    if round > 0 {
                        // Nobody sleeps on another's count than the next one, so whoever sleeps is
                        // to be woken.
                        other.0[round].0.advance_and_wake(self.system);
                    }
                    mine.0[round].0.wait_for(self.system, base.wrapping_add(visit), false, || self.lasts());
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

    /// The wait for the last visit lasts.
    #[cold]
    fn lasts(&self) {
        let number = self.visits();
        let has_come = |rank| {
            let pe = self.members.pe(rank);
            let visits = match self.offset {
                None => self.segment.visits(pe),
                Some(offset) => &self.segment.team_counters(pe, offset).own.0.visits,
            };
            visits.load(Ordering::Acquire).wrapping_sub(number).cast_signed() >= 0
        };
        self.segment.lasts(&Wait {
            me: self.members.pe(self.rank),
            part: Part::Barrier,
            offset: self.offset,
            number,
            members: &self.members,
            speaker: None,
            has_come: &has_come,
        });
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
            Form::Alone => {}
            Form::OneCounter { counter, .. } => counter.set(visit.wrapping_mul(self.count)),
            Form::Mail { mine, .. } => mine.0.iter().for_each(|round| round.0.set(visit)),
        }
    }
}

/// How two PEs write to each other.
struct Letters {
    mine: &'static Letter,
    other: &'static Letter,
    crowded: bool,
    base: u32,
    /// How many this PE has written.
    written: &'static AtomicU32,
}

/// What a PE has heard of one member, or said, if it is that.
struct Speaker {
    ring: &'static Ring,
    /// How often that member has spoken.
    said: AtomicU64,
}

/// What is said in a team, as one PE sees it. Collective, so each word is that of one thread at a
/// time.
struct Talk {
    rank: usize,
    /// In the order of the team.
    speakers: Box<[Speaker]>,
    crowded: bool,
    /// How many cells were written since the team has met last, by all PEs.
    written: AtomicU32,
    /// How often it had met then.
    visits: AtomicU32,
}

/// Where the members of a team meet, where two PEs exchange values, and where one speaks to all.
pub(crate) struct TeamMeeting<S: 'static> {
    barrier: Barrier<S>,
    /// Where the team has its counters.
    offset: usize,
    members: Members,
    letters: Option<Letters>,
    talk: Talk,
}

impl<S: Shared> TeamMeeting<S> {
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
        let letters = (members.len() == 2).then(|| {
            let letter = |rank| &segment.team_counters(members.pe(rank), offset).letter.0;
            let written = &segment.team_counters(members.pe(rank), offset).own.0.letters;
            written.store(0, Ordering::Relaxed);
            let mine: &Letter = letter(rank);
            Letters {
                mine,
                other: letter(1 - rank),
                crowded: segment.is_oversubscribed(),
                base: mine.counter.count(),
                written,
            }
        });
        let speaker = |rank| {
            let ring = &segment.team_counters(members.pe(rank), offset).ring;
            // In the slot of the world nobody was before, and a look would take a page of each
            // heap.
            let said = if world.is_some() { 0 } else { ring.said.0.load(Ordering::Acquire) };
            Speaker { ring, said: AtomicU64::new(said) }
        };
        let talk = Talk {
            rank,
            speakers: (0..members.len()).map(speaker).collect(),
            crowded: segment.is_oversubscribed(),
            written: AtomicU32::new(0),
            visits: AtomicU32::new(0),
        };
        let barrier = world.unwrap_or_else(|| Barrier::of_team(segment, offset, members, rank));
        TeamMeeting { barrier, offset, members: members.clone(), letters, talk }
    }

    /// Lets a test begin shortly before the counters of the cells wrap around. On every PE, before
    /// anything is said.
    #[cfg(test)]
    pub(crate) fn near_wrap_around(&self) {
        let rounds = (1 << 31) - 3;
        for speaker in &self.talk.speakers {
            speaker.said.store(rounds * CELLS as u64, Ordering::Relaxed);
        }
        let mine = self.talk.speakers[self.talk.rank].ring;
        mine.cells.iter().for_each(|cell| cell.counter.set(rounds as u32));
    }

    /// How many cells were written since the team has met, of all rings together.
    fn cells_in_use(&self) -> usize {
        let talk = &self.talk;
        let have_met = self.barrier.visits() != talk.visits.load(Ordering::Relaxed);
        if have_met { 0 } else { talk.written.load(Ordering::Relaxed) as usize }
    }

    /// Where the next `count` cells of member `speaker` begin, as cells are counted from its first
    /// on. Where not so many are free, all meet first.
    fn next_cells(&self, speaker: usize, count: usize) -> u64 {
        let talk = &self.talk;
        if self.cells_in_use() + count > CELLS {
            self.barrier.wait();
        }
        talk.written.store((self.cells_in_use() + count) as u32, Ordering::Relaxed);
        talk.visits.store(self.barrier.visits(), Ordering::Relaxed);
        let said = &talk.speakers[speaker].said;
        let start = said.load(Ordering::Relaxed);
        said.store(start + count as u64, Ordering::Relaxed);
        start
    }

    /// Writes `bytes` to the next cells of this PE, counts the first of them up, behind all others,
    /// and wakes who sleeps there.
    fn write(&self, start: u64, bytes: &[u8]) {
        let Talk { speakers, rank, .. } = &self.talk;
        let Speaker { ring, said } = &speakers[*rank];
        for (number, piece) in (start..).zip(bytes.chunks(CELL)) {
            let cell = ring.cell(number);
            for (word, bytes) in cell.words.iter().zip(piece.chunks(size_of::<u64>())) {
                let mut whole = [0; size_of::<u64>()];
                whole[..bytes.len()].copy_from_slice(bytes);
                word.store(u64::from_ne_bytes(whole), Ordering::Relaxed);
            }
            if number > start {
                // Nobody waits for it.
                cell.counter.set(Ring::round(number));
            }
        }
        let next = said.load(Ordering::Relaxed);
        ring.said.0.store(next, Ordering::Relaxed);
        ring.cell(start).counter.advance_and_wake(self.barrier.system);
        // The others have it from the last round. Where one thing is said after the other, it comes
        // back meanwhile.
        prepare_to_write(ring.cell(next));
    }

    /// Waits for what member `speaker` says, and reads it.
    fn read(&self, speaker: usize, start: u64, bytes: &mut [u8]) {
        let ring = self.talk.speakers[speaker].ring;
        let (first, round) = (ring.cell(start), Ring::round(start));
        // Who is behind the speaker finds it there, and needs no clock to wait by.
        if !first.counter.has_reached(round) {
            first.counter.wait_for(self.barrier.system, round, self.talk.crowded, || {
                // The next that it says.
                let number = (start as u32).wrapping_add(1);
                self.lasts(Part::Talk, number, Some(speaker), &|_| first.counter.has_reached(round));
            });
        }
        for (number, piece) in (start..).zip(bytes.chunks_mut(CELL)) {
            for (bytes, word) in piece.chunks_mut(size_of::<u64>()).zip(&ring.cell(number).words) {
                bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes()[..bytes.len()]);
            }
        }
    }

    /// The wait for time `number` in `part` lasts.
    #[cold]
    fn lasts(&self, part: Part, number: u32, speaker: Option<usize>, has_come: &dyn Fn(usize) -> bool) {
        let (members, offset) = (&self.members, Some(self.offset));
        let me = members.pe(self.talk.rank);
        let speaker = speaker.map(|rank| members.pe(rank));
        self.barrier.segment.lasts(&Wait { me, part, offset, number, members, speaker, has_come });
    }
}

impl<S: Shared> Meeting for TeamMeeting<S> {
    fn sync(&self) {
        self.barrier.wait();
    }

    fn is_near(&self) -> bool {
        true
    }

    fn barrier(&self) {
        self.barrier.segment.complete();
        // Counting in releases what this PE has stored, to everybody who sees the count: no fence
        // of its own is needed.
        self.barrier.wait();
    }

    fn arrive(&self) -> u32 {
        self.barrier.arrive()
    }

    fn depart(&self, visit: u32) {
        self.barrier.depart(visit);
    }

    fn swap(&self, value: [u64; 2]) -> Option<[u64; 2]> {
        let letters = self.letters.as_ref()?;
        // Collective, as `Barrier::wait`.
        let number = letters.written.load(Ordering::Relaxed).wrapping_add(1);
        letters.written.store(number, Ordering::Release);
        let turn = number as usize % 2;
        for (word, value) in letters.other.values[turn].iter().zip(value) {
            word.store(value, Ordering::Relaxed);
        }
        let system = self.barrier.system;
        letters.other.counter.advance_and_wake(system);
        let awaited = letters.base.wrapping_add(number);
        letters.mine.counter.wait_for(system, awaited, letters.crowded, || {
            self.lasts(Part::Letters, number, None, &|_| letters.mine.counter.has_reached(awaited));
        });
        Some(std::array::from_fn(|word| letters.mine.values[turn][word].load(Ordering::Relaxed)))
    }

    fn say(&self, speaker: usize, bytes: &mut [u8]) -> bool {
        let cells = bytes.len().div_ceil(CELL);
        if cells
            > if self.talk.crowded { eager::BROADCAST_CELLS_OVERSUBSCRIBED } else { eager::BROADCAST_CELLS }
        {
            return false;
        }
        if cells > 0 && self.talk.speakers.len() > 1 {
            let start = self.next_cells(speaker, cells);
            if speaker == self.talk.rank {
                self.write(start, bytes);
            } else {
                self.read(speaker, start, bytes);
            }
        }
        true
    }
}
