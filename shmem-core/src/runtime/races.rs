//! A run that looks for races, `SHMEM_RACES=1`: what this PE does goes to its journal.
//!
//! The supervisor reads the journals of all PEs, and applies the rules (`launch::races`). Here is what
//! an event is made of, for both.
//!
//! Every operation goes through the transport in such a run, as in any run that is
//! [observed](super::observe). Inside of a collective call nothing is written down but what the call
//! means: a PE reads its own source and writes its own destination, and meets the others; in a call
//! `to ready` it writes its blocks to the others when it comes. So what a collective does inside is no
//! concern of the program.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use shmem_races::{Access, Event, Meeting, Span, Turn};
pub(crate) use shmem_races::{Kind, Part};

use super::agreement::{Call, hash};
use super::objects::NotedObject;
use super::observe;
use super::region::Region;
use crate::runtime;
use crate::system::error::Error;
use crate::system::journal::{Entry, Journals, QUEUES, read_text, text_entries};
use crate::system::place::{self, CallPlace};
use crate::transport::{Amo, Contexts, Ctx, Members, Run, Width, layout};

/// The journal of this PE, in a run that looks for races.
static JOURNAL: OnceLock<Journal> = OnceLock::new();

/// Whether cells have plain access as well.
static UNTYPED_CELLS: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What the accesses of this thread are of a put with signal.
    static PART: Cell<Part> = const { Cell::new(Part::Whole) };
    /// The place of the last atomic operation of this thread, and its number.
    static LAST_PLACE: Cell<(*const Location<'static>, u32)> = const { Cell::new((std::ptr::null(), 0)) };
    /// What this thread reads and writes in the collective call that it is in.
    static PARTS_IN_CALL: RefCell<Vec<Event>> = const { RefCell::new(Vec::new()) };
}

/// The journal that this PE writes.
struct Journal {
    journals: Journals,
    me: usize,
    written: Mutex<NotesSoFar>,
}

/// What was written already.
#[derive(Default)]
struct NotesSoFar {
    /// The numbers of the places, by their addresses, and of the calls there.
    places: HashMap<(usize, &'static str), u32>,
    last_place: Option<((usize, &'static str), u32)>,
    /// How often the members of a team have met.
    visits: HashMap<u64, u32>,
    /// The last entry, if it was the read of a cell: the cell, and how often cells of its queue had
    /// changed. A PE that waits reads the same over and over again.
    last_read: Option<(usize, usize, u64)>,
}

/// What a journal tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Note {
    Event(Event),
    /// The number of a place in the program.
    Place {
        number: u32,
        text: String,
    },
    /// An object.
    Object(NotedObject),
}

/// Writes what this PE does to its journal from now on.
pub(crate) fn write_to(journals: Journals, me: usize) {
    let _ = JOURNAL.set(Journal { journals, me, written: Mutex::default() });
    observe::want_operations();
}

/// To be called again and again while a thread waits for the supervisor or for another PE here: over a
/// C library, other PEs may need this one to go on.
pub(super) fn drive() {
    if let Some(runtime) = runtime::find() {
        runtime.endpoint().meetings.progress();
    }
}

/// This process has joined the job by another face than the language, which reaches the bytes of a cell
/// also by plain access.
pub(crate) fn has_untyped_cells() {
    UNTYPED_CELLS.store(true, Ordering::Relaxed);
}

/// Whether something can race with an atomic operation of this PE. The type of a cell leaves it no other access,
/// and a call on the heap completes the operations of the default context before it gives memory to a
/// new object. No PE releases an object before a batch that accesses it has ended.
fn can_race(kind: Kind, ctx: Ctx, pe: usize, me: usize) -> bool {
    let is_completed = ctx == Ctx::DEFAULT || Ctx::is_of_batch(ctx.number());
    let may_be_under_way = !is_completed && kind.is_pending(pe == me);
    may_be_under_way || UNTYPED_CELLS.load(Ordering::Relaxed)
}

/// Whether this run looks for races.
#[inline]
pub(crate) fn watches() -> bool {
    JOURNAL.get().is_some()
}

impl Journal {
    fn written(&self) -> MutexGuard<'_, NotesSoFar> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event(&self, written: &mut NotesSoFar, event: &Event) {
        written.last_read = None;
        self.journals.write(self.me, &[encode(event)], drive);
    }

    /// The number of the place where this thread is in the program.
    fn place(&self, written: &mut NotesSoFar) -> u32 {
        let at = observe::place().or_else(|| place::is_behind_a_face().then(Location::caller));
        at.map_or(0, |at| self.number(written, at))
    }

    /// The same for an atomic operation, mostly without the lock.
    fn place_of_atomic(&self) -> u32 {
        // There the compiler has one place for all operations, and the stack tells them apart.
        if place::is_behind_a_face() {
            return self.place(&mut self.written());
        }
        let Some(at) = observe::place() else { return 0 };
        let (last, number) = LAST_PLACE.get();
        if last == std::ptr::from_ref(at) {
            return number;
        }
        let number = self.number(&mut self.written(), at);
        LAST_PLACE.set((at, number));
        number
    }

    /// The number of a place.
    fn number(&self, written: &mut NotesSoFar, at: &'static Location<'static>) -> u32 {
        self.call(written, "", at)
    }

    /// The number of a call at a place.
    fn call(&self, written: &mut NotesSoFar, what: &'static str, at: &'static Location<'static>) -> u32 {
        let place = CallPlace::of(at);
        let key = (place.number(), what);
        // Most accesses are at the place of the one before.
        if let Some(((last, words), number)) = written.last_place
            && last == key.0
            && std::ptr::eq(words, what)
        {
            return number;
        }
        let number = self.new_call(written, key, what, place);
        written.last_place = Some((key, number));
        number
    }

    fn new_call(
        &self,
        written: &mut NotesSoFar,
        key: (usize, &'static str),
        what: &'static str,
        place: CallPlace,
    ) -> u32 {
        if let Some(number) = written.places.get(&key) {
            return *number;
        }
        let number = written.places.len() as u32 + 1;
        written.places.insert(key, number);
        let line = place.line();
        let text = if what.is_empty() { line } else { format!("{what} ({line})") };
        self.journals.write(self.me, &encode_text(PLACE, [u64::from(number), 0], &text), drive);
        number
    }

    fn access(&self, kind: Kind, ctx: Ctx, pe: usize, span: Span) {
        let mut written = self.written();
        let place = self.place(&mut written);
        let (pe, ctx, part) = (pe as u16, ctx.number(), PART.get());
        let access = Access { kind, pe, ctx, span, place, turn: None, part, can_race: true };
        self.event(&mut written, &Event::Access(access));
    }

    fn meeting(&self, team: u64, members: usize, root: Option<usize>) -> Meeting {
        let mut written = self.written();
        let visits = written.visits.entry(team).or_default();
        *visits += 1;
        Meeting { team, visit: *visits, members: members as u16, root: root.map(|root| root as u16) }
    }
}

/// The journal, where an operation at `offset` is one of the program.
#[inline]
fn journal(offset: usize) -> Option<&'static Journal> {
    JOURNAL.get().filter(|_| offset >= layout::END && !observe::is_inside())
}

/// A transfer of contiguous bytes that blocks. A PE's own copy is written and read at once.
#[inline]
pub(super) fn transfer(kind: Kind, ctx: Ctx, pe: usize, offset: usize, len: usize) {
    if let Some(journal) = journal(offset) {
        transfer_nbi(journal.of_own(kind, pe), ctx, pe, offset, len);
    }
}

/// A transfer of contiguous bytes.
#[inline]
pub(super) fn transfer_nbi(kind: Kind, ctx: Ctx, pe: usize, offset: usize, len: usize) {
    if let Some(journal) = journal(offset) {
        // A span has 32 bits for the length of a piece.
        for start in (0..len).step_by(1 << 30) {
            let len = (len - start).min(1 << 30) as u32;
            let span = Span::contiguous((offset + start) as u64, len);
            journal.access(kind, ctx, pe, span);
        }
    }
}

/// A transfer of elements that are apart.
#[inline]
pub(super) fn strided(kind: Kind, ctx: Ctx, pe: usize, offset: usize, run: Run, elem: usize) {
    if let Some(journal) = journal(offset) {
        let span = Span {
            offset: offset as u64,
            len: elem as u32,
            count: run.count as u32,
            stride: run.stride as u64,
        };
        journal.access(journal.of_own(kind, pe), ctx, pe, span);
    }
}

impl Journal {
    fn of_own(&self, kind: Kind, pe: usize) -> Kind {
        match kind {
            Kind::Put if pe == self.me => Kind::Store,
            Kind::Get if pe == self.me => Kind::Load,
            kind => kind,
        }
    }
}

/// The queue of a cell: neighbours have different ones.
fn queue_of(pe: usize, offset: usize) -> u32 {
    const { assert!(QUEUES.is_power_of_two()) };
    let cell = (offset / 8) as u64 ^ (pe as u64) << 48;
    (cell.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - QUEUES.ilog2())) as u32
}

/// An atomic operation, which `operate` carries out; `has_value` says whether the program gets the
/// value.
#[inline]
pub(super) fn atomic(
    ctx: Ctx,
    pe: usize,
    offset: usize,
    width: Width,
    op: Amo,
    has_value: bool,
    operate: impl FnOnce() -> u64,
) -> u64 {
    let Some(journal) = journal(offset) else { return operate() };
    let queue = queue_of(pe, offset);
    // Before the queue: who waits for room in the journal would hold up the others.
    let place = journal.place_of_atomic();
    journal.journals.queue(queue).alone(drive, |cells| {
        let seen = operate();
        let kind = match op {
            Amo::Set(_) => Kind::AtomicSet,
            _ if op.leaves(seen, width).is_none() => Kind::AtomicFetch,
            _ if has_value => Kind::AtomicFetchUpdate,
            _ => Kind::AtomicUpdate,
        };
        let mut written = journal.written();
        let read = Some((pe, offset, cells.writes()));
        if kind == Kind::AtomicFetch && written.last_read == read {
            return seen;
        }
        let turn = Some(Turn { queue, number: cells.turn(kind.writes()) });
        let span = Span::contiguous(offset as u64, width.bytes() as u32);
        let (ctx, part, can_race) = (ctx.number(), PART.get(), can_race(kind, ctx, pe, journal.me));
        let access = Access { kind, pe: pe as u16, ctx, span, place, turn, part, can_race };
        journal.event(&mut written, &Event::Access(access));
        if kind == Kind::AtomicFetch {
            written.last_read = read;
        }
        seen
    })
}

/// While it lives, the accesses of this thread are this part of a put with signal.
pub(crate) struct PartScope(Part);

impl PartScope {
    pub(crate) fn of(part: Part) -> PartScope {
        PartScope(PART.replace(part))
    }
}

/// What the accesses of this thread are of a put with signal.
pub(super) fn part() -> Part {
    PART.get()
}

impl Drop for PartScope {
    fn drop(&mut self) {
        PART.set(self.0);
    }
}

/// Writes down that this PE has ordered or completed operations.
#[inline]
pub(super) fn order(event: impl FnOnce() -> Event) {
    // The fence between the parts of a put with signal is not the program's.
    if let Some(journal) = JOURNAL.get()
        && !observe::is_inside()
        && PART.get() == Part::Whole
    {
        journal.event(&mut journal.written(), &event());
    }
}

/// This PE meets others. It leaves the meeting when this is dropped.
pub(crate) struct MeetingScope(Option<Box<(Meeting, u32)>>);

impl MeetingScope {
    /// No meeting.
    #[inline(always)]
    pub(crate) const fn none() -> MeetingScope {
        MeetingScope(None)
    }

    /// This PE comes to a meeting of the team with these members, whose slot is at `slot`. It has
    /// completed its operations of the default context before if this is a `barrier`. With a
    /// `root`, all wait for that PE alone.
    #[inline]
    pub(super) fn come(call: &Call, slot: usize, members: &Members) -> MeetingScope {
        if watches() { MeetingScope::of_team(call, slot, members) } else { MeetingScope::none() }
    }

    #[cold]
    fn of_team(call: &Call, slot: usize, members: &Members) -> MeetingScope {
        let Some(journal) = JOURNAL.get() else { return MeetingScope::none() };
        let pes: Vec<usize> = (0..members.len()).map(|rank| members.pe(rank)).collect();
        let root = call.root.filter(|_| call.what == "broadcast").map(|root| pes[root]);
        let meeting = journal.meeting(hash((slot, &pes)), pes.len(), root);
        let mut written = journal.written();
        let place = journal.call(&mut written, call.what, call.place);
        if call.what.starts_with("barrier") || call.what == "batch" {
            journal.event(&mut written, &Event::Quiet { ctx: Ctx::DEFAULT.number() });
        }
        journal.event(&mut written, &Event::Arrive(meeting));
        MeetingScope(Some(Box::new((meeting, place))))
    }

    /// This PE begins or ends a local phase, and has completed all its operations before.
    #[inline]
    pub(crate) fn of_phase(what: &'static str, at: &'static Location<'static>) -> MeetingScope {
        if !watches() {
            return MeetingScope::none();
        }
        MeetingScope::of_all(u64::MAX, Event::QuietAll, what, at)
    }

    /// This PE meets all others in a call on the heap, which is a barrier.
    #[inline]
    pub(super) fn on_heap(at: &'static Location<'static>) -> MeetingScope {
        if !watches() {
            return MeetingScope::none();
        }
        let quiet = Event::Quiet { ctx: Ctx::DEFAULT.number() };
        MeetingScope::of_all(u64::MAX - 1, quiet, "the call on the heap", at)
    }

    #[cold]
    fn of_all(team: u64, before: Event, what: &'static str, at: &'static Location<'static>) -> MeetingScope {
        let Some(journal) = JOURNAL.get() else { return MeetingScope::none() };
        let meeting = journal.meeting(team, super::direct::n_pes(), None);
        let mut written = journal.written();
        let place = journal.call(&mut written, what, at);
        journal.event(&mut written, &before);
        journal.event(&mut written, &Event::Arrive(meeting));
        MeetingScope(Some(Box::new((meeting, place))))
    }
}

impl Drop for MeetingScope {
    #[inline]
    fn drop(&mut self) {
        if let Some(meeting) = self.0.take() {
            leave(*meeting);
        }
    }
}

#[cold]
fn leave((meeting, place): (Meeting, u32)) {
    if let Some(journal) = JOURNAL.get() {
        journal.event(&mut journal.written(), &Event::Leave { meeting, place });
    }
}

/// This PE meets some others, each by itself. It leaves the meetings when this is dropped.
pub(super) struct PairMeetings {
    meetings: Vec<Meeting>,
    place: u32,
}

impl PairMeetings {
    /// This PE comes to its next meeting with each of `others`. It `completes` its operations of the
    /// default context before.
    pub(super) fn come(call: &Call, completes: bool, others: &BTreeSet<usize>) -> PairMeetings {
        let Some(journal) = JOURNAL.get() else { return PairMeetings { meetings: Vec::new(), place: 0 } };
        let meeting = |other: &usize| {
            let pair = (journal.me.min(*other), journal.me.max(*other));
            journal.meeting(hash(("a pair", pair)), 2, None)
        };
        let meetings: Vec<Meeting> = others.iter().map(meeting).collect();
        let mut written = journal.written();
        let place = journal.call(&mut written, call.what, call.place);
        if completes {
            journal.event(&mut written, &Event::Quiet { ctx: Ctx::DEFAULT.number() });
        }
        for meeting in &meetings {
            journal.event(&mut written, &Event::Arrive(*meeting));
        }
        PairMeetings { meetings, place }
    }
}

impl Drop for PairMeetings {
    fn drop(&mut self) {
        self.meetings.drain(..).for_each(|meeting| leave((meeting, self.place)));
    }
}

/// When a part in a collective call takes place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Before this PE meets the others.
    Coming,
    /// At any time between the call and its return.
    Meanwhile,
    /// After it has met the others.
    Leaving,
}

/// This PE's part in a collective call: `when` it meets the others there, it reads or writes the elements of
/// `region` on PE `pe`, `at` this place.
pub(crate) fn part_in_call(
    kind: Kind,
    when: When,
    (pe, region, elem): (usize, &Region, usize),
    at: &'static Location<'static>,
) {
    let Some(journal) = JOURNAL.get() else { return };
    let rows = region.rows(elem, elem);
    rows.each(|offset, _| {
        let mut written = journal.written();
        let place = journal.number(&mut written, at);
        let (len, count, stride) = (rows.piece as u32, rows.run.count as u32, rows.run.stride as u64);
        let span = Span { offset: offset as u64, len, count, stride };
        let (pe, ctx) = (pe as u16, Ctx::DEFAULT.number());
        let (turn, part, can_race) = (None, Part::Whole, true);
        let event = Event::Access(Access { kind, pe, ctx, span, place, turn, part, can_race });
        if when != When::Leaving {
            journal.event(&mut written, &event);
        }
        if when != When::Coming {
            PARTS_IN_CALL.with_borrow_mut(|parts| parts.push(event));
        }
    });
}

/// This PE returns from a collective call, which it has left.
pub(super) fn returned() {
    if let Some(journal) = JOURNAL.get() {
        let parts = PARTS_IN_CALL.take();
        let mut written = journal.written();
        parts.iter().for_each(|event| journal.event(&mut written, event));
    }
}

/// Contexts that are told apart also where the transport has only one.
struct NumberedContexts(&'static dyn Contexts);

/// Contexts for a run that looks for races.
pub(super) fn numbered(contexts: &'static dyn Contexts) -> &'static dyn Contexts {
    if watches() { Box::leak(Box::new(NumberedContexts(contexts))) } else { contexts }
}

impl Contexts for NumberedContexts {
    fn create(&self) -> Result<Ctx, Error> {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        let ctx = self.0.create()?;
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(if ctx == Ctx::DEFAULT { Ctx::numbered(number) } else { ctx })
    }

    fn destroy(&self, ctx: Ctx) {
        self.0.destroy(ctx.carrier());
        order(|| Event::Quiet { ctx: ctx.number() });
    }
}

/// The context of the operations of a batch that begins: in a run that looks for races, one of its own,
/// which only the end of the batch completes.
#[inline]
pub(super) fn context_of_batch() -> Ctx {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    if watches() { Ctx::of_batch(LAST.fetch_add(1, Ordering::Relaxed)) } else { Ctx::DEFAULT }
}

/// The copy of this PE of these bytes is a new object from now on, which the program asks for `at` this
/// place.
#[inline]
pub(super) fn renew(
    offset: usize,
    bytes: usize,
    at: &'static Location<'static>,
    object: impl FnOnce() -> NotedObject,
) {
    if let Some(journal) = JOURNAL.get() {
        let mut written = journal.written();
        let place = journal.number(&mut written, at);
        let event = Event::Renew { offset: offset as u64, len: bytes as u64, place };
        journal.event(&mut written, &event);
        drop(written);
        describe(object);
    }
}

/// How the accesses to statics are named.
pub(super) fn describe_statics() {
    let Some(journal) = JOURNAL.get().filter(|journal| journal.me == 0) else { return };
    NotedObject::of_statics(journal.journals.n_pes()).for_each(|object| describe(|| object));
}

/// The accesses to these bytes of the heap are named by the variables of a note.
pub(crate) fn describe_variables(offset: usize, bytes: usize, note: &str) {
    let (offset, extents) = (offset as u64, vec![bytes as u64]);
    describe(|| NotedObject { offset, elem: 1, extents, name: place::memory_of_note(note) });
}

/// How the accesses to an object are named.
pub(super) fn describe(object: impl FnOnce() -> NotedObject) {
    let Some(journal) = JOURNAL.get() else { return };
    let object = object();
    let _written = journal.written();
    journal.journals.write(
        journal.me,
        &encode_text(OBJECT, [object.offset, object.elem], &object.text()),
        drive,
    );
}

// The first byte of an entry.
const ACCESS: u8 = 1;
const FENCE: u8 = 2;
const QUIET: u8 = 3;
const PE_QUIET: u8 = 4;
const QUIET_ALL: u8 = 5;
const ARRIVE: u8 = 6;
const LEAVE: u8 = 7;
const RENEW: u8 = 8;
const PLACE: u8 = 9;
const OBJECT: u8 = 10;

/// In the order of their declaration, as are those of [`Kind::ALL`].
const PARTS: [Part; 3] = [Part::Whole, Part::Data, Part::Signal];
/// No root, or no turn.
const NONE: u64 = u64::MAX;

fn head(tag: u8, kind: usize, part: usize, pe: u16, place: u32) -> u64 {
    u64::from(tag) | (kind as u64) << 8 | (part as u64) << 12 | u64::from(pe) << 16 | u64::from(place) << 32
}

fn two(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

fn encode(event: &Event) -> Entry {
    let plain = |tag| head(tag, 0, 0, 0, 0);
    match *event {
        Event::Access(Access { kind, pe, ctx, span, place, turn, part, can_race }) => {
            let (queue, number) = turn.map_or((0, NONE), |turn| (turn.queue, turn.number));
            let Span { offset, len, count, stride } = span;
            [
                head(ACCESS, kind as usize, part as usize, pe, place),
                two(ctx, len),
                offset,
                two(count, queue),
                stride,
                number,
                can_race.into(),
                0,
            ]
        }
        Event::Fence { ctx } => [plain(FENCE), ctx.into(), 0, 0, 0, 0, 0, 0],
        Event::Quiet { ctx } => [plain(QUIET), ctx.into(), 0, 0, 0, 0, 0, 0],
        Event::PeQuiet { ctx, pe } => [head(PE_QUIET, 0, 0, pe, 0), ctx.into(), 0, 0, 0, 0, 0, 0],
        Event::QuietAll => [plain(QUIET_ALL), 0, 0, 0, 0, 0, 0, 0],
        Event::Arrive(meeting) => encode_meeting(ARRIVE, meeting, 0),
        Event::Leave { meeting, place } => encode_meeting(LEAVE, meeting, place),
        Event::Renew { offset, len, place } => [head(RENEW, 0, 0, 0, place), offset, len, 0, 0, 0, 0, 0],
    }
}

fn encode_meeting(tag: u8, meeting: Meeting, place: u32) -> Entry {
    let Meeting { team, visit, members, root } = meeting;
    [head(tag, 0, 0, members, visit), team, root.map_or(NONE, u64::from), place.into(), 0, 0, 0, 0]
}

fn encode_text(tag: u8, [first, second]: [u64; 2], text: &str) -> Vec<Entry> {
    text_entries([head(tag, 0, 0, 0, 0), first, second, 0, 0, 0, 0, 0], text)
}

/// The next note of a journal, from its entries. A note is in the journal as a whole, or its end comes
/// soon; `None` where there is no other, or what is there makes no sense.
pub(crate) fn decode(mut next: impl FnMut() -> Option<Entry>) -> Option<Note> {
    let entry = next()?;
    let [word, first, second, third, stride, number, can_race, _] = entry;
    let (tag, kind, part) = (word as u8, (word >> 8 & 15) as usize, (word >> 12 & 15) as usize);
    let (pe, place) = ((word >> 16) as u16, (word >> 32) as u32);
    let meeting = || Meeting {
        team: first,
        visit: place,
        members: pe,
        root: (second != NONE).then_some(second as u16),
    };
    let event = match tag {
        ACCESS => {
            let (ctx, len) = (first as u32, (first >> 32) as u32);
            let (count, queue) = (third as u32, (third >> 32) as u32);
            let span = Span { offset: second, len, count, stride };
            let turn = (number != NONE).then_some(Turn { queue, number });
            Event::Access(Access {
                kind: *Kind::ALL.get(kind)?,
                pe,
                ctx,
                span,
                place,
                turn,
                part: *PARTS.get(part)?,
                can_race: can_race != 0,
            })
        }
        FENCE => Event::Fence { ctx: first as u32 },
        QUIET => Event::Quiet { ctx: first as u32 },
        PE_QUIET => Event::PeQuiet { ctx: first as u32, pe },
        QUIET_ALL => Event::QuietAll,
        ARRIVE => Event::Arrive(meeting()),
        LEAVE => Event::Leave { meeting: meeting(), place: third as u32 },
        RENEW => Event::Renew { offset: first, len: second, place },
        PLACE | OBJECT => {
            let text = read_text(&entry, next)?;
            if tag == PLACE {
                return Some(Note::Place { number: first as u32, text });
            }
            return Some(Note::Object(NotedObject::of_text(first, second, &text)?));
        }
        _ => return None,
    };
    Some(Note::Event(event))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(entries: &[Entry]) -> Option<Note> {
        let mut entries = entries.iter().copied();
        let note = decode(|| entries.next());
        assert_eq!(entries.next(), None);
        note
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let span = Span { offset: 1 << 40, len: 1 << 30, count: u32::MAX, stride: 1 << 41 };
        let turn = Some(Turn { queue: 1023, number: 1 << 50 });
        let mut events = vec![
            Event::Fence { ctx: 7 },
            Event::Quiet { ctx: u32::MAX },
            Event::PeQuiet { ctx: 1, pe: 63 },
            Event::QuietAll,
            Event::Renew { offset: 8, len: 1 << 40, place: 9 },
        ];
        for (kind, part) in Kind::ALL.into_iter().flat_map(|kind| PARTS.map(|part| (kind, part))) {
            for (turn, can_race) in [(None, true), (turn, true), (turn, false)] {
                events.push(Event::Access(Access {
                    kind,
                    pe: u16::MAX,
                    ctx: 3,
                    span,
                    place: u32::MAX,
                    turn,
                    part,
                    can_race,
                }));
            }
        }
        for root in [None, Some(0), Some(9)] {
            let meeting = Meeting { team: u64::MAX, visit: u32::MAX, members: 12, root };
            events.extend([Event::Arrive(meeting), Event::Leave { meeting, place: 7 }]);
        }
        for event in events {
            assert_eq!(back(&[encode(&event)]), Some(Note::Event(event)));
        }
        for text in ["", "src/main.rs:1", &"é".repeat(100)] {
            let entries = encode_text(PLACE, [7, 0], text);
            assert_eq!(back(&entries), Some(Note::Place { number: 7, text: text.to_owned() }));
        }
        let entries = encode_text(OBJECT, [4096, 8], "2,3\tHALO");
        let object = NotedObject { offset: 4096, elem: 8, extents: vec![2, 3], name: "HALO".to_owned() };
        assert_eq!(back(&entries), Some(Note::Object(object)));
        assert_eq!(back(&[[0; 8]]), None);
    }
}
