//! The rules: which accesses are ordered, from events in an order in which they can have happened.

use rustc_hash::FxHashMap;

use super::batches::{Batch, Batches, NO_BATCH, Open};
use super::cells::Cells;
use super::clock::{Clock, Stream};
use super::event::{Access, Event, Kind, Meeting, Part, Span, Turn};
use super::history::{History, Record};
use super::pe::{Learned, Pe, Teams};
use super::why::{Missing, Race, Side, Update, missing};

/// What the PEs that came to a meeting know.
struct Gathering {
    clock: Clock,
    arrived: u16,
    left: u16,
}

/// Finds races in the events of a job.
pub struct Checker {
    pes: Vec<Pe>,
    batches: Batches,
    history: History,
    cells: Cells,
    meetings: FxHashMap<Meeting, Gathering>,
    /// The PEs that have come to a meeting of a team, by team.
    teams: Teams,
    /// The turn that is next, by queue.
    turns: Vec<u64>,
}

impl Checker {
    /// A checker for a job of so many PEs.
    pub fn new(n_pes: usize) -> Checker {
        Checker::with_room(n_pes, 1 << 16)
    }

    /// A checker that looks what it can forget whenever it remembers more than `room` different
    /// accesses.
    pub fn with_room(n_pes: usize, room: usize) -> Checker {
        Checker {
            pes: (0..n_pes).map(|me| Pe::new(me, n_pes)).collect(),
            batches: Batches::new(),
            history: History::new(n_pes, room),
            cells: Cells::new(n_pes, room),
            meetings: FxHashMap::default(),
            teams: Teams::default(),
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
            Event::Fence { ctx } => self.pes[me].fence(ctx),
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
            Event::Renew { offset, len, place } => self.renew(me, offset, len, place, found),
        }
        if self.history.is_full() {
            self.collect();
        } else if self.cells.is_full() {
            self.forget_passed();
        }
    }

    fn access(&mut self, me: usize, access: &Access, found: &mut dyn FnMut(Race)) {
        let Access { kind, pe: owner, span, place, .. } = *access;
        let cell = (owner, span.offset);
        let is_pending = kind.is_pending(usize::from(owner) == me);
        if let Some(turn) = access.turn {
            let queue = turn.queue as usize;
            if queue >= self.turns.len() {
                self.turns.resize(queue + 1, 0);
            }
            self.turns[queue] += 1;
        }
        // Before it learns anything: what it finds in the cell depends on the schedule.
        if access.can_race {
            self.compare(me, access, is_pending, found);
        }
        if kind.acquires() {
            let mut seen = self.cells.get(cell).peekable();
            let learned = Learned::Read { place, cell, update: seen.peek().map(|last| last.update) };
            let pe = &mut self.pes[me];
            pe.note_synchronisation(learned);
            for snapshot in seen {
                pe.learn_once(&snapshot.clock, learned);
            }
        }
        if kind.is_ordered_by_fences() && !is_pending {
            self.pes[me].learn_own_fences(stream(me, access));
        }
        if kind.is_atomic() && kind.writes() {
            let (pe, stream) = (&mut self.pes[me], stream(me, access));
            let open = if access.part == Part::Signal { pe.open.get_mut(stream) } else { None };
            let data = open.and_then(|open| open.data.take()).and_then(|data| self.batches.get(data));
            let passed = match data.and_then(|data| data.serial) {
                Some(data) => pe.snapshot_after(stream, data),
                None => pe.snapshot_by(stream),
            };
            // An update passes on what those before it have passed on; a set does not.
            let update = Update { pe: me as u16, ctx: access.ctx, place };
            self.cells.update(cell, passed, update, kind != Kind::AtomicSet);
        }
    }

    /// Compares an access with those before it.
    fn compare(&mut self, me: usize, access: &Access, is_pending: bool, found: &mut dyn FnMut(Race)) {
        let Access { kind, pe: owner, ctx, span, place, .. } = *access;
        let batch = if is_pending { self.batch(me, access) } else { NO_BATCH };
        let pe = &mut self.pes[me];
        // A quiet, a fence or a signal orders what is under way, and gives it a time.
        let time = if is_pending && kind.is_atomic() { pe.time_of_update() } else { pe.time() };
        pe.note_place(place, time);
        let width = if kind.is_atomic() { span.len as u8 } else { 0 };
        let record = Record { pe: me as u16, time, batch, ctx, kind, width, place, bytes: 0 };
        let Checker { pes, batches, history, teams, .. } = self;
        let ordered = |earlier: &Record| is_ordered(pes, batches, earlier, me, access);
        let mut race = |earlier: &Record, offset: u64, len: u32| {
            let missing = missing(pes, batches, earlier, me, access);
            found(race_of(pes, teams, [earlier, &record], owner, (offset, len), missing));
        };
        history.access(usize::from(owner), span, record, &ordered, &mut race);
    }

    /// The bytes become a new object, after a call in which all PEs have met.
    fn renew(&mut self, me: usize, offset: u64, len: u64, place: u32, found: &mut dyn FnMut(Race)) {
        let (kind, ctx, span) = (Kind::Store, 0, Span::contiguous(offset, 0));
        let (turn, part, can_race) = (None, Part::Whole, true);
        let access = Access { kind, pe: me as u16, ctx, span, place, turn, part, can_race };
        let time = self.pes[me].time();
        let record = Record { pe: me as u16, time, batch: NO_BATCH, ctx, kind, width: 0, place, bytes: 0 };
        let Checker { pes, batches, history, teams, .. } = self;
        let ordered = |earlier: &Record| is_ordered(pes, batches, earlier, me, &access);
        let mut race = |earlier: &Record, offset: u64, len: u32| {
            let missing = match missing(pes, batches, earlier, me, &access) {
                Missing::Synchronisation => Missing::Synchronisation,
                _ => Missing::QuietBeforeFree,
            };
            found(race_of(pes, teams, [earlier, &record], me as u16, (offset, len), missing));
        };
        history.renew(me, offset, len, &ordered, &mut race);
        self.cells.forget(me as u16, offset, len);
    }

    /// The batch to which an access belongs that may be under way.
    fn batch(&mut self, me: usize, access: &Access) -> u32 {
        let stream = stream(me, access);
        let open = self.pes[me].open.of(stream);
        let is_get = access.kind == Kind::GetNbi;
        let slot = match access.part {
            _ if is_get => &mut open.gets,
            Part::Data => &mut open.data,
            _ => &mut open.puts,
        };
        *slot.get_or_insert_with(|| {
            let serial = (!is_get).then_some(open.serials);
            open.serials += u32::from(!is_get);
            let batch = self.batches.add(Batch { stream, serial, completed: None });
            open.pending.push(batch);
            batch
        })
    }

    fn complete(&mut self, me: usize, concerned: impl Fn(&Stream) -> bool) {
        let concerned = |stream: &Stream, open: &Open| concerned(stream) && !open.pending.is_empty();
        if !self.pes[me].open.iter().any(|(stream, open)| concerned(stream, open)) {
            return;
        }
        let time = self.pes[me].time();
        for (_, open) in self.pes[me].open.iter_mut().filter(|(stream, open)| concerned(stream, open)) {
            (open.puts, open.gets, open.data) = (None, None, None);
            for batch in open.pending.drain(..) {
                if let Some(batch) = self.batches.get_mut(batch) {
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
        let members = self.teams.entry(meeting.team).or_default();
        if members.len() < usize::from(meeting.members) && !members.contains(&(me as u16)) {
            members.push(me as u16);
        }
    }

    fn leave(&mut self, me: usize, meeting: Meeting, place: u32) {
        let Some(gathering) = self.meetings.get_mut(&meeting) else { return };
        let learned = Learned::Meeting { place, team: meeting.team, root: meeting.root };
        self.pes[me].note_synchronisation(learned);
        self.pes[me].learn(&gathering.clock, learned);
        gathering.left += 1;
        if gathering.left == meeting.members {
            self.meetings.remove(&meeting);
        }
    }

    /// Forgets what every PE knows.
    fn collect(&mut self) {
        let Checker { pes, batches, history, .. } = self;
        let known = |pe: u16, time: u32| pes.iter().all(|other| other.clock.times[usize::from(pe)] >= time);
        let over = |record: &Record| match batches.get(record.batch) {
            None => known(record.pe, record.time),
            Some(batch) => batch.completed.is_some_and(|time| known(record.pe, time)),
        };
        let mut used = history.collect(&over);
        used.sort_unstable();
        batches.retain(|number, batch| {
            let is_known = batch.completed.is_some_and(|time| known(batch.stream.pe, time));
            !is_known || used.binary_search(&number).is_ok()
        });
        self.forget_passed();
    }

    /// Forgets what cells have passed on and every PE knows.
    fn forget_passed(&mut self) {
        let mut common = self.pes[0].clock.clone();
        self.pes.iter().for_each(|pe| common.meet(&pe.clock));
        self.cells.retain(|snapshot| !common.covers(&snapshot.clock));
    }
}

/// What is said of two accesses that are not ordered.
fn race_of(
    pes: &[Pe],
    teams: &Teams,
    [first, second]: [&Record; 2],
    pe: u16,
    (offset, len): (u64, u32),
    missing: Missing,
) -> Race {
    let side = |record: &Record, other: u16| {
        let mine = &pes[usize::from(record.pe)];
        let known = pes[usize::from(other)].clock.times[usize::from(record.pe)];
        Side {
            pe: record.pe,
            kind: record.kind,
            ctx: record.ctx,
            place: record.place,
            after: mine.synchronised_before(record.time).map(|learned| learned.for_race(teams, other)),
            is_again: mine.was_at(record.place, record.time, known),
        }
    };
    let news = pes[usize::from(second.pe)].learned_of(usize::from(first.pe));
    let news = news.map(|learned| learned.for_race(teams, first.pe));
    let (first, second) = (side(first, second.pe), side(second, first.pe));
    Race { first, second, pe, offset, len, missing, news }
}

fn stream(me: usize, access: &Access) -> Stream {
    Stream { pe: me as u16, ctx: access.ctx, target: access.pe }
}

/// Whether an earlier access is ordered before one that PE `me` is about to do.
fn is_ordered(pes: &[Pe], batches: &Batches, earlier: &Record, me: usize, access: &Access) -> bool {
    let clock = &pes[me].clock;
    let is_own = usize::from(earlier.pe) == me;
    let knows = |time: u32| is_own || clock.times[usize::from(earlier.pe)] >= time;
    let Some(batch) = batches.get(earlier.batch) else { return knows(earlier.time) };
    let goes_after = is_own && access.kind.is_ordered_by_fences() && batch.stream == stream(me, access);
    let is_ordered = |serial: u32| {
        let arrived = clock.arrived.get(&batch.stream);
        goes_after && serial < pes[me].fenced(batch.stream)
            || arrived.is_some_and(|arrived| arrived.contains(serial))
    };
    batch.completed.is_some_and(knows) || batch.serial.is_some_and(is_ordered)
}
