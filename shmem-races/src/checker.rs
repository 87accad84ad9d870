//! The rules: which accesses are ordered, from events in an order in which they can have happened.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::clock::{Clock, Stream};
use crate::event::{Access, Event, Kind, Meeting, Part, Turn};
use crate::history::{History, NO_BATCH, Record};

/// Two accesses that are not ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The access that came first in the events.
    pub first: Side,
    /// The other one.
    pub second: Side,
    /// Whose copy it is.
    pub pe: u16,
    /// The first of the bytes that both accessed.
    pub offset: u64,
    /// How many bytes of this word both accessed.
    pub len: u32,
    /// What is missing.
    pub missing: Missing,
    /// How the PE of the second access has learned last of what the first PE did, if it has: the place
    /// of the call that met, or that read an atomic cell.
    pub after: Option<u32>,
}

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The PE that did it.
    pub pe: u16,
    /// What it did.
    pub kind: Kind,
    /// The line of the program.
    pub place: u32,
}

/// What would order the two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// The PE of the second access knows nothing that the first PE did after its access.
    Synchronisation,
    /// The two PEs have met, but the first access may still be under way: a quiet or a barrier.
    Quiet,
    /// A flag was updated after the first access, and may arrive before it: a fence or a quiet.
    Fence,
    /// The first access was on a context, and another one was completed.
    QuietOfContext,
    /// The operations on another PE were completed.
    QuietOfPe,
    /// One PE did both, and the first may still be under way: a quiet.
    OwnQuiet,
    /// One PE wrote twice, and the second may arrive before the first: a fence or a quiet.
    OwnFence,
}

/// How a PE has learned last what another one did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Meeting(u32),
    Atomic(u32),
}

/// Puts, updates or non-blocking reads that are completed together.
#[derive(Clone, Copy, Debug)]
struct Batch {
    stream: Stream,
    /// The time of the PE when a quiet completed it.
    completed: Option<u32>,
    /// How many fences the stream had when one ordered it.
    fenced: Option<u32>,
}

/// What a PE has under way on one PE by one context.
#[derive(Default)]
struct Open {
    /// The batch to which the next put belongs.
    puts: Option<u32>,
    /// That of the next non-blocking read, which no fence orders.
    gets: Option<u32>,
    /// That of the data of which the next signal tells.
    data: Option<u32>,
    /// Those that no fence has ordered.
    unfenced: Vec<u32>,
    /// Those that no quiet has completed.
    pending: Vec<u32>,
}

/// What is kept of a PE.
struct Pe {
    me: usize,
    clock: Clock,
    /// Whether another PE may know the present time.
    is_passed_on: bool,
    /// The clock, as it is passed on.
    snapshot: Option<Rc<Clock>>,
    /// The same, with the fences of a stream.
    by_stream: FxHashMap<Stream, Rc<Clock>>,
    open: FxHashMap<Stream, Open>,
    /// By context, how many fences have ordered something.
    fences: FxHashMap<u32, u32>,
    /// For each PE, how the news came.
    sources: Vec<Option<Source>>,
    /// The last quiets: when, the context, and the PE if it was of one.
    quiets: VecDeque<(u32, u32, Option<u16>)>,
}

/// What the PEs that came to a meeting know.
struct Gathering {
    clock: Clock,
    arrived: u16,
    left: u16,
}

/// How many quiets of a PE are kept.
const QUIETS: usize = 16;

/// Finds races in the events of a job.
pub struct Checker {
    pes: Vec<Pe>,
    batches: FxHashMap<u32, Batch>,
    last_batch: u32,
    history: History,
    /// What the update of an atomic cell has passed on, by PE and offset.
    cells: FxHashMap<(u16, u64), Rc<Clock>>,
    meetings: FxHashMap<Meeting, Gathering>,
    /// The turn that is next, by queue.
    turns: Vec<u64>,
}

impl Checker {
    /// A checker for a job of so many PEs.
    pub fn new(n_pes: usize) -> Checker {
        Checker::with_room(n_pes, 1 << 18)
    }

    /// A checker that looks what it can forget whenever it remembers more than `room` different
    /// accesses.
    pub fn with_room(n_pes: usize, room: usize) -> Checker {
        let pe = |me: usize| {
            let mut clock = Clock::new(n_pes);
            // Nobody knows of it yet.
            clock.times[me] = 1;
            Pe {
                me,
                clock,
                is_passed_on: false,
                snapshot: None,
                by_stream: FxHashMap::default(),
                open: FxHashMap::default(),
                fences: FxHashMap::default(),
                sources: vec![None; n_pes],
                quiets: VecDeque::new(),
            }
        };
        Checker {
            pes: (0..n_pes).map(pe).collect(),
            batches: FxHashMap::default(),
            last_batch: NO_BATCH,
            history: History::new(n_pes, room),
            cells: FxHashMap::default(),
            meetings: FxHashMap::default(),
            turns: Vec::new(),
        }
    }

    /// Whether all that must come before this event has come: its turn, and for the end of a meeting
    /// those that it waits for.
    pub fn is_ready(&self, event: &Event) -> bool {
        let is_next = |turn: &Turn| self.turns.get(turn.queue as usize).copied().unwrap_or(0) == turn.number;
        match event {
            Event::Access(access) => access.turn.as_ref().is_none_or(is_next),
            Event::Leave { meeting, .. } => self.meetings.get(meeting).is_some_and(|gathering| {
                let awaited = if meeting.root.is_some() { 1 } else { meeting.members };
                gathering.arrived >= awaited
            }),
            _ => true,
        }
    }

    /// Takes an event of PE `me`, which is [ready](Checker::is_ready). Passes each race that it is part
    /// of to `found`.
    pub fn take(&mut self, me: usize, event: &Event, found: &mut dyn FnMut(Race)) {
        match *event {
            Event::Access(access) => self.access(me, &access, found),
            Event::Fence { ctx } => self.fence(me, ctx),
            Event::Quiet { ctx } => {
                self.complete(me, |stream| stream.ctx == ctx);
                self.pes[me].note_quiet(ctx, None);
            }
            Event::PeQuiet { ctx, pe } => {
                self.complete(me, |stream| stream.ctx == ctx && stream.target == pe);
                self.pes[me].note_quiet(ctx, Some(pe));
            }
            Event::QuietAll => self.complete(me, |_| true),
            Event::Arrive(meeting) => self.arrive(me, meeting),
            Event::Leave { meeting, place } => self.leave(me, meeting, place),
            Event::Renew { offset, len } => {
                self.history.forget(me, offset, len);
                self.cells
                    .retain(|(pe, at), _| usize::from(*pe) != me || !(offset..offset + len).contains(at));
            }
        }
        if self.history.is_full() {
            self.collect();
        }
    }

    fn access(&mut self, me: usize, access: &Access, found: &mut dyn FnMut(Race)) {
        let Access { kind, pe: owner, span, place, .. } = *access;
        let cell = (owner, span.offset);
        if let Some(turn) = access.turn {
            let queue = turn.queue as usize;
            if queue >= self.turns.len() {
                self.turns.resize(queue + 1, 0);
            }
            self.turns[queue] += 1;
        }
        if kind.acquires()
            && let Some(clock) = self.cells.get(&cell).cloned()
        {
            self.pes[me].learn(&clock, Source::Atomic(place));
        }
        let is_pending = kind.is_pending(usize::from(owner) == me);
        if kind.is_ordered_by_fences() && !is_pending {
            self.pes[me].learn_own_fences(stream(me, access));
        }
        let batch = if is_pending { self.batch(me, access) } else { NO_BATCH };
        // An atomic operation passes on the time, and a new time for each would fill the memory. It
        // conflicts with plain access alone, which the cells of the language do not have.
        let time = if kind.is_atomic() { self.pes[me].clock.times[me] } else { self.pes[me].time() };
        let width = if kind.is_atomic() { span.len as u8 } else { 0 };
        let record = Record { pe: me as u16, time, batch, ctx: access.ctx, kind, width, place };
        let Checker { pes, batches, history, .. } = self;
        let ordered = |earlier: &Record| is_ordered(pes, batches, earlier, me, access);
        let mut race = |earlier: &Record, offset: u64, len: u32| {
            let side = |record: &Record| Side { pe: record.pe, kind: record.kind, place: record.place };
            let missing = missing(pes, batches, earlier, me, access);
            let after = pes[me].sources[usize::from(earlier.pe)]
                .map(|(Source::Meeting(place) | Source::Atomic(place))| place);
            let (first, second) = (side(earlier), side(&record));
            found(Race { first, second, pe: owner, offset, len, missing, after });
        };
        history.access(usize::from(owner), span, record, &ordered, &mut race);
        if kind.is_atomic() && kind.writes() {
            let mut passed = self.pes[me].snapshot_by(stream(me, access));
            if access.part == Part::Signal
                && let Some(open) = self.pes[me].open.get_mut(&stream(me, access))
                && let Some(data) = open.data.take()
            {
                Rc::make_mut(&mut passed).signalled.insert(data);
            }
            // An update passes on what those before it have passed on; a set does not.
            match self.cells.entry(cell) {
                Entry::Vacant(entry) => drop(entry.insert(passed)),
                Entry::Occupied(entry) if Rc::ptr_eq(entry.get(), &passed) => {}
                Entry::Occupied(mut entry) => {
                    if kind != Kind::AtomicSet && !passed.covers(entry.get()) {
                        Rc::make_mut(&mut passed).join(entry.get());
                    }
                    entry.insert(passed);
                }
            }
        }
    }

    /// The batch to which an access belongs that may be under way.
    fn batch(&mut self, me: usize, access: &Access) -> u32 {
        let stream = stream(me, access);
        let open = self.pes[me].open.entry(stream).or_default();
        let is_get = access.kind == Kind::GetNbi;
        let slot = match access.part {
            _ if is_get => &mut open.gets,
            Part::Data => &mut open.data,
            _ => &mut open.puts,
        };
        *slot.get_or_insert_with(|| {
            self.last_batch += 1;
            let batch = self.last_batch;
            self.batches.insert(batch, Batch { stream, completed: None, fenced: None });
            open.pending.push(batch);
            if !is_get {
                open.unfenced.push(batch);
            }
            batch
        })
    }

    fn fence(&mut self, me: usize, ctx: u32) {
        let Pe { open, fences, by_stream, .. } = &mut self.pes[me];
        let mut of_context = open.iter_mut().filter(|(stream, _)| stream.ctx == ctx).map(|(_, open)| open);
        if of_context.by_ref().all(|open| open.unfenced.is_empty()) {
            return;
        }
        let count = fences.entry(ctx).or_default();
        *count += 1;
        by_stream.retain(|stream, _| stream.ctx != ctx);
        for (_, open) in open.iter_mut().filter(|(stream, _)| stream.ctx == ctx) {
            (open.puts, open.data) = (None, None);
            for batch in open.unfenced.drain(..) {
                if let Some(batch) = self.batches.get_mut(&batch) {
                    batch.fenced = Some(*count);
                }
            }
        }
    }

    fn complete(&mut self, me: usize, concerned: impl Fn(&Stream) -> bool) {
        let concerned = |stream: &Stream, open: &Open| concerned(stream) && !open.pending.is_empty();
        if !self.pes[me].open.iter().any(|(stream, open)| concerned(stream, open)) {
            return;
        }
        let time = self.pes[me].time();
        for (_, open) in self.pes[me].open.iter_mut().filter(|(stream, open)| concerned(stream, open)) {
            (open.puts, open.gets, open.data) = (None, None, None);
            open.unfenced.clear();
            for batch in open.pending.drain(..) {
                if let Some(batch) = self.batches.get_mut(&batch) {
                    batch.completed = Some(time);
                }
            }
        }
    }

    fn arrive(&mut self, me: usize, meeting: Meeting) {
        let n_pes = self.pes.len();
        let gathering = self.meetings.entry(meeting).or_insert_with(|| Gathering {
            clock: Clock::new(n_pes),
            arrived: 0,
            left: 0,
        });
        if meeting.root.is_none_or(|root| usize::from(root) == me) {
            gathering.clock.join(&self.pes[me].snapshot());
            gathering.arrived += 1;
        }
    }

    fn leave(&mut self, me: usize, meeting: Meeting, place: u32) {
        let Some(gathering) = self.meetings.get_mut(&meeting) else { return };
        self.pes[me].learn(&gathering.clock, Source::Meeting(place));
        gathering.left += 1;
        if gathering.left == meeting.members {
            self.meetings.remove(&meeting);
        }
    }

    /// Forgets what every PE knows.
    fn collect(&mut self) {
        let Checker { pes, batches, history, .. } = self;
        let known = |pe: u16, time: u32| pes.iter().all(|other| other.clock.times[usize::from(pe)] >= time);
        let over = |record: &Record| match batches.get(&record.batch) {
            None => known(record.pe, record.time),
            Some(batch) => batch.completed.is_some_and(|time| known(record.pe, time)),
        };
        let mut used = history.collect(&over);
        used.sort_unstable();
        let is_over = |number: u32, batch: &Batch| {
            batch.completed.is_some_and(|time| known(batch.stream.pe, time))
                && used.binary_search(&number).is_err()
        };
        let gone: Vec<u32> = batches
            .iter()
            .filter(|(number, batch)| is_over(**number, batch))
            .map(|(number, _)| *number)
            .collect();
        for number in gone {
            batches.remove(&number);
        }
        let common = self.pes.iter().skip(1).fold(self.pes[0].clock.clone(), |mut common, pe| {
            common.times.iter_mut().zip(&pe.clock.times).for_each(|(all, one)| *all = (*all).min(*one));
            common.fenced.retain(|stream, fences| pe.clock.fenced.get(stream) == Some(fences));
            common.signalled.retain(|batch| pe.clock.signalled.contains(batch));
            common
        });
        self.cells.retain(|_, clock| !common.covers(clock));
    }
}

impl Pe {
    /// The time of something that is over when it returns: one that no other PE knows yet.
    fn time(&mut self) -> u32 {
        let me = self.me;
        if std::mem::take(&mut self.is_passed_on) {
            self.clock.times[me] += 1;
            self.changed();
        }
        self.clock.times[me]
    }

    fn changed(&mut self) {
        self.snapshot = None;
        self.by_stream.clear();
    }

    /// What this PE passes on.
    fn snapshot(&mut self) -> Rc<Clock> {
        self.is_passed_on = true;
        self.snapshot.get_or_insert_with(|| Rc::new(self.clock.clone())).clone()
    }

    /// What this PE passes on by an update of the stream: also what its fences have ordered.
    fn snapshot_by(&mut self, stream: Stream) -> Rc<Clock> {
        let all = self.snapshot();
        let Some(fences) = self.fences.get(&stream.ctx).copied() else { return all };
        let by_stream = self.by_stream.entry(stream).or_insert_with(|| {
            let mut clock = Clock::clone(&all);
            clock.fenced.insert(stream, fences);
            Rc::new(clock)
        });
        by_stream.clone()
    }

    /// Keeps a quiet for the explanation of a race.
    fn note_quiet(&mut self, ctx: u32, pe: Option<u16>) {
        let quiet = (self.clock.times[self.me], ctx, pe);
        if self.quiets.back() != Some(&quiet) {
            self.quiets.push_back(quiet);
            if self.quiets.len() > QUIETS {
                self.quiets.pop_front();
            }
        }
    }

    /// An update of the stream is over: so what its fences have ordered has arrived.
    fn learn_own_fences(&mut self, stream: Stream) {
        if let Some(fences) = self.fences.get(&stream.ctx)
            && self.open.contains_key(&stream)
            && self.clock.fenced.insert(stream, *fences) != Some(*fences)
        {
            self.changed();
        }
    }

    /// Adds what another PE has passed on.
    fn learn(&mut self, news: &Clock, source: Source) {
        if self.clock.covers(news) {
            return;
        }
        for ((source_of, mine), theirs) in self.sources.iter_mut().zip(&self.clock.times).zip(&news.times) {
            if mine < theirs {
                *source_of = Some(source);
            }
        }
        self.clock.join(news);
        self.changed();
    }
}

fn stream(me: usize, access: &Access) -> Stream {
    Stream { pe: me as u16, ctx: access.ctx, target: access.pe }
}

/// Whether an earlier access is ordered before one that PE `me` is about to do.
fn is_ordered(
    pes: &[Pe],
    batches: &FxHashMap<u32, Batch>,
    earlier: &Record,
    me: usize,
    access: &Access,
) -> bool {
    let clock = &pes[me].clock;
    let is_own = usize::from(earlier.pe) == me;
    let knows = |time: u32| is_own || clock.times[usize::from(earlier.pe)] >= time;
    let Some(batch) = batches.get(&earlier.batch) else { return knows(earlier.time) };
    let arrived = clock.fenced.get(&batch.stream);
    let goes_after = is_own && access.kind.is_ordered_by_fences() && batch.stream == stream(me, access);
    batch.completed.is_some_and(knows)
        || batch.fenced.is_some_and(|fenced| goes_after || arrived.is_some_and(|arrived| *arrived >= fenced))
        || clock.signalled.contains(&earlier.batch)
}

/// Why it is not.
fn missing(
    pes: &[Pe],
    batches: &FxHashMap<u32, Batch>,
    earlier: &Record,
    me: usize,
    access: &Access,
) -> Missing {
    let from = usize::from(earlier.pe);
    if from == me {
        let writes = access.kind.is_ordered_by_fences() && earlier.kind.writes();
        return if writes { Missing::OwnFence } else { Missing::OwnQuiet };
    }
    let known = pes[me].clock.times[from];
    let Some(batch) = batches.get(&earlier.batch).filter(|_| known >= earlier.time) else {
        return Missing::Synchronisation;
    };
    let Stream { ctx, target, .. } = batch.stream;
    let quiets = || pes[from].quiets.iter().filter(|(time, ..)| (earlier.time..=known).contains(time));
    if quiets().any(|(_, of, pe)| *of == ctx && pe.is_some_and(|pe| pe != target)) {
        return Missing::QuietOfPe;
    }
    if quiets().any(|(_, of, _)| *of != ctx) {
        return Missing::QuietOfContext;
    }
    match pes[me].sources[from] {
        Some(Source::Atomic(_)) => Missing::Fence,
        _ => Missing::Quiet,
    }
}
