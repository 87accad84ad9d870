//! A run that is traced, `SHMEM_TRACE`: what this PE does, and when, goes to its journal.
//!
//! The supervisor reads the journals of all PEs, and makes a file of them (`launch::timeline`). Two
//! things are written down: *runs* of operations, and *spans*, which last and may have others inside.
//! A run that another operation may still join lies in the PE's ledger, in shared memory: so what a PE
//! did last is known also when it is killed. The ledger has the sums as well, which are exact whatever
//! is left out.
//!
//! What is written is bounded. A PE joins operations of the same line, kind, object and target that
//! follow each other at once. When it has written half of the runs that it may write, it joins those of
//! the same line and kind, at longer distances too; when it has written all, it only counts.
//!
//! Every operation goes through the transport in such a run, as in any run that is
//! [observed](super::observe).

pub(crate) mod notes;
mod runs;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use shmem_races::Part;

use self::notes::{CellValue, OperationRun, RunKind, TimeUse, TraceNote};
use self::runs::{CellAccess, GrowingRun};
use super::events;
use super::objects::NotedObject;
use super::observe::{self, OperationKind};
use super::races;
use crate::system::journal::Journals;
use crate::system::ledger::Ledger;
use crate::system::place::CallPlace;
use crate::transport::node::waits::now;
use crate::transport::{Amo, Run, Width, layout};

/// How many updates and reads of cells are written at most for each run.
const CELL_NOTES: usize = 4;
/// The recorder of this PE, in a run that is traced.
static RECORDER: OnceLock<Recorder> = OnceLock::new();

thread_local! {
    static TRACK: RefCell<ThreadTrack> = const { RefCell::new(ThreadTrack { number: None, spans: Vec::new() }) };
}

/// What this PE writes.
struct Recorder {
    journals: Journals,
    me: usize,
    /// Whether runs and spans are wanted, and not sums alone.
    draws: bool,
    /// How many runs this PE may write, and how many spans; and how many notes of cells.
    runs: usize,
    cell_notes: usize,
    /// Whether the job is between its start and its end, and the program wants to be recorded, as it
    /// set by [`control`].
    wanted: AtomicBool,
    so_far: Mutex<SoFar>,
}

/// What was written already.
#[derive(Default)]
struct SoFar {
    /// The numbers of places, by their addresses.
    places: HashMap<usize, u32>,
    last_place: (usize, u32),
    /// The numbers of names.
    names: HashMap<String, u32>,
    tracks: u16,
    growing: Option<GrowingRun>,
    runs: usize,
    spans: usize,
    cell_notes: usize,
    /// Whether it was written down that operations, or spans, are left out.
    is_full: [bool; 2],
    /// What was seen in cells of this PE, by their offsets.
    seen: HashMap<u64, u64>,
}

/// A thread of the program.
struct ThreadTrack {
    number: Option<u16>,
    /// What it is in, from the outside to the inside.
    spans: Vec<OngoingSpan>,
}

struct OngoingSpan {
    activity: TimeUse,
    is_written: bool,
    bytes: u64,
    /// The last look of a wait.
    look: Option<CellValue>,
}

/// Something that lasts as long as this lives.
pub(super) struct RecordedSpan(bool);

/// How many cells are remembered at a time.
const REMEMBERED: usize = 4096;

/// Records what this PE does from now on: sums, and with `slices`, of which all PEs together write so
/// many, runs and spans.
pub(crate) fn write_to(journals: Journals, me: usize, slices: Option<usize>) {
    let runs = slices.map_or(usize::MAX, |slices| (slices / journals.n_pes()).max(1));
    let recorder = Recorder {
        journals,
        me,
        draws: slices.is_some(),
        runs,
        cell_notes: runs.saturating_mul(CELL_NOTES),
        wanted: AtomicBool::new(false),
        so_far: Mutex::default(),
    };
    let _ = RECORDER.set(recorder);
    observe::want_operations();
}

/// Whether this run is traced.
#[inline]
pub(super) fn records() -> bool {
    RECORDER.get().is_some()
}

/// The job begins, for the thread that calls this.
pub(super) fn begin() {
    let Some(recorder) = RECORDER.get() else { return };
    recorder.wanted.store(true, Ordering::Relaxed);
    let is_first = {
        let mut so_far = recorder.so_far();
        let is_first = so_far.tracks == 0;
        TRACK.with_borrow_mut(|track| recorder.number(&mut so_far, track));
        is_first
    };
    if is_first {
        NotedObject::of_statics(recorder.journals.n_pes()).for_each(|noted| object(|| noted));
    }
    recorder.ledger().begin(TimeUse::Program as usize, now());
}

/// The job ends: the PE has left it.
pub(super) fn finish() {
    let Some(recorder) = RECORDER.get() else { return };
    recorder.wanted.store(false, Ordering::Relaxed);
    recorder.flush(&mut recorder.so_far());
    recorder.ledger().end(now());
}

/// Stops (level 0) or resumes (level 1) the recording on this PE.
pub(super) fn control(level: u32) {
    if let Some(recorder) = RECORDER.get()
        && level <= 1
    {
        recorder.wanted.store(level == 1, Ordering::Relaxed);
    }
}

/// This PE has an object from now on.
pub(super) fn object(object: impl FnOnce() -> NotedObject) {
    if let Some(recorder) = RECORDER.get() {
        let mut so_far = recorder.so_far();
        recorder.flush(&mut so_far);
        recorder.write(&TraceNote::Object(object()));
    }
}

/// The bytes of the heap between the first and the last that `run` touches.
pub(super) fn extent(offset: usize, run: Run, elem: usize) -> Range<usize> {
    let last = run.count.saturating_sub(1).saturating_mul(run.stride);
    offset..offset.saturating_add(last).saturating_add(elem)
}

/// A transfer of so many bytes in `extent`, which `operate` carries out.
#[inline]
pub(super) fn transfer<R>(
    kind: OperationKind,
    pe: usize,
    extent: Range<usize>,
    bytes: usize,
    operate: impl FnOnce() -> R,
) -> R {
    let Some(recorder) = recorder(extent.start) else { return operate() };
    let start = now();
    let result = operate();
    let is_data = matches!(kind, OperationKind::Put | OperationKind::Iput) && races::part() == Part::Data;
    let kind = if is_data { RunKind::PutSignal } else { RunKind::On(kind) };
    recorder.operated(kind, Some(pe), extent, bytes, start, None);
    result
}

/// An atomic operation, which `operate` carries out.
#[inline]
pub(super) fn atomic(pe: usize, offset: usize, width: Width, op: Amo, operate: impl FnOnce() -> u64) -> u64 {
    let Some(recorder) = recorder(offset) else { return operate() };
    let start = now();
    let seen = operate();
    let kind = RunKind::On(OperationKind::of(op));
    let extent = offset..offset + width.bytes();
    recorder.operated(kind, Some(pe), extent, width.bytes(), start, CellAccess::of(op, seen, width));
    seen
}

/// A fence or a quiet, which `operate` carries out.
#[inline]
pub(super) fn order(kind: RunKind, operate: impl FnOnce()) {
    let Some(recorder) = RECORDER.get() else { return operate() };
    let start = now();
    operate();
    // The fence between the parts of a put with signal is not the program's.
    if !observe::is_inside() && races::part() == Part::Whole {
        recorder.operated(kind, None, 0..0, 0, start, None);
    }
}

/// The recorder, where an operation at `offset` is one of the program.
#[inline]
fn recorder(offset: usize) -> Option<&'static Recorder> {
    RECORDER.get().filter(|_| offset >= layout::END && !events::is_telling())
}

/// A span of `activity` with `name`, `at` this place, which `members` PEs take part in.
#[inline]
pub(super) fn span(
    activity: TimeUse,
    name: impl FnOnce() -> String,
    members: usize,
    at: Option<&'static Location<'static>>,
) -> RecordedSpan {
    match RECORDER.get() {
        Some(recorder) if !events::is_telling() => recorder.begin_span(activity, &name(), members, at),
        _ => RecordedSpan::none(),
    }
}

impl RecordedSpan {
    /// Nothing that lasts.
    #[inline(always)]
    pub(super) const fn none() -> RecordedSpan {
        RecordedSpan(false)
    }
}

impl Drop for RecordedSpan {
    #[inline]
    fn drop(&mut self) {
        if self.0 {
            end_span();
        }
    }
}

#[cold]
fn end_span() {
    if let Some(recorder) = RECORDER.get() {
        recorder.end_span();
    }
}

impl Recorder {
    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ledger(&self) -> &Ledger {
        self.journals.ledger(self.me)
    }

    fn write(&self, note: &TraceNote) {
        if self.draws {
            self.journals.write(self.me, &note.encode(), races::drive);
        }
    }

    /// The run that grows becomes a part of the journal.
    fn flush(&self, so_far: &mut SoFar) {
        if let Some(growing) = so_far.growing.take() {
            self.write(&TraceNote::Run(growing.run));
            self.ledger().grown();
        }
    }

    /// The number of a thread.
    fn number(&self, so_far: &mut SoFar, track: &mut ThreadTrack) -> u16 {
        if let Some(number) = track.number {
            return number;
        }
        let number = so_far.tracks;
        so_far.tracks = number.saturating_add(1);
        self.write(&TraceNote::Track { number, thread: thread(number) });
        track.number = Some(number);
        number
    }

    /// The number of a place; 0 for none.
    fn place(&self, so_far: &mut SoFar, at: Option<&'static Location<'static>>) -> u32 {
        let Some(at) = at else { return 0 };
        let at = CallPlace::of(at);
        let address = at.number();
        if so_far.last_place.0 != address {
            let next = so_far.places.len() as u32 + 1;
            let number = *so_far.places.entry(address).or_insert(next);
            if number == next {
                let text = at.line();
                self.write(&TraceNote::Place { number, text });
            }
            so_far.last_place = (address, number);
        }
        so_far.last_place.1
    }

    /// The number of a name.
    fn name(&self, so_far: &mut SoFar, name: &str) -> u32 {
        if let Some(number) = so_far.names.get(name) {
            return *number;
        }
        let number = so_far.names.len() as u32;
        so_far.names.insert(name.to_owned(), number);
        self.write(&TraceNote::Name { number, text: name.to_owned() });
        number
    }

    /// The first thread does `activity` from `now` on.
    fn turn_to(&self, number: u16, activity: TimeUse, now: u64) {
        if number == 0 {
            self.ledger().turn_to(activity as usize, now);
        }
    }

    /// This thread has begun an operation at `start`, and it is over. `cell` is what it did if it is an
    /// atomic one.
    fn operated(
        &self,
        kind: RunKind,
        pe: Option<usize>,
        extent: Range<usize>,
        bytes: usize,
        start: u64,
        cell: Option<CellAccess>,
    ) {
        // So that there is a time between the two, at which an arrow can begin or end.
        let end = now().max(start + 2);
        if !self.wanted.load(Ordering::Relaxed) {
            return;
        }
        // Where the thread ends, nobody knows of its spans any more.
        let _ = TRACK.try_with(|track| {
            let track = &mut *track.borrow_mut();
            let moved = pe.map(|pe| self.journals.moved(self.me, pe));
            if observe::is_inside() {
                moved.inspect(|moved| moved.add(1, bytes as u64));
                if let Some(span) = track.spans.last_mut().filter(|_| pe != Some(self.me)) {
                    span.bytes += bytes as u64;
                }
                return;
            }
            let mut so_far = self.so_far();
            let number = self.number(&mut so_far, track);
            let value = |value, at| CellValue {
                track: number,
                pe: pe.unwrap_or_default() as u16,
                offset: extent.start as u64,
                value,
                at,
            };
            // The value was there before the read ended.
            let read_by = end - 1;
            if let (Some(CellAccess::Read(seen)), Some(span)) = (cell, track.spans.last_mut())
                && span.activity == TimeUse::Wait
            {
                // The looks of a wait are the wait.
                span.look = Some(value(seen, end));
                return;
            }
            moved.inspect(|moved| moved.add(1, bytes as u64));
            let during = if pe.is_some() { TimeUse::Transfer } else { TimeUse::Order };
            self.turn_to(number, during, start);
            self.turn_to(number, track.activity(), end);
            let (at, object, is_look) = observe::accessed();
            let place = self.place(&mut so_far, at.filter(|_| pe.is_some()));
            let run = OperationRun {
                track: number,
                kind,
                place,
                pe: pe.map(|pe| pe as u16),
                count: 1,
                start,
                end,
                busy: end - start,
                bytes: bytes as u64,
                low: extent.start as u64,
                high: extent.end as u64,
            };
            let is_written = self.join(&mut so_far, GrowingRun { run, object });
            let is_own = pe == Some(self.me);
            match cell.filter(|_| is_written) {
                Some(CellAccess::Read(seen)) if is_own && is_look => {
                    self.seen(&mut so_far, &value(seen, read_by))
                }
                Some(CellAccess::Updated(value_now)) => {
                    let update = value(value_now, start + 1);
                    if is_own {
                        so_far.remember(&update);
                    }
                    self.write_cell(&mut so_far, TraceNote::Updated(update));
                }
                _ => {}
            }
        });
    }

    /// Adds an operation to the run that grows, or begins another one with it. Returns whether it is
    /// among what is written.
    fn join(&self, so_far: &mut SoFar, next: GrowingRun) -> bool {
        let is_short = so_far.runs > self.runs / 2;
        if let Some(growing) = &mut so_far.growing
            && growing.takes(&next, is_short)
        {
            growing.add(&next);
            self.ledger().grow(&growing.run.encode());
            return true;
        }
        self.flush(so_far);
        if so_far.runs >= self.runs {
            self.ledger().leave_out_operation();
            self.full(so_far, next.run.track, next.run.start, false);
            return false;
        }
        so_far.runs += 1;
        so_far.growing = Some(next);
        self.ledger().grow(&next.run.encode());
        true
    }

    /// Writes down, once, that what comes is left out.
    fn full(&self, so_far: &mut SoFar, track: u16, at: u64, of_spans: bool) {
        if !std::mem::replace(&mut so_far.is_full[usize::from(of_spans)], true) {
            self.write(&TraceNote::Full { track, at, of_spans });
        }
    }

    /// A wait or a test has looked at a cell of this PE. It is of interest where it has another value than before.
    fn seen(&self, so_far: &mut SoFar, cell: &CellValue) {
        if so_far.remember(cell) {
            self.write_cell(so_far, TraceNote::Seen(*cell));
        }
    }

    fn write_cell(&self, so_far: &mut SoFar, note: TraceNote) {
        if so_far.cell_notes < self.cell_notes {
            so_far.cell_notes += 1;
            self.write(&note);
        } else {
            self.ledger().leave_out_cell();
        }
    }

    #[cold]
    fn begin_span(
        &self,
        activity: TimeUse,
        name: &str,
        members: usize,
        at: Option<&'static Location<'static>>,
    ) -> RecordedSpan {
        if !self.wanted.load(Ordering::Relaxed) {
            return RecordedSpan::none();
        }
        let begun = TRACK.try_with(|track| {
            let track = &mut *track.borrow_mut();
            let mut so_far = self.so_far();
            let number = self.number(&mut so_far, track);
            let place = self.place(&mut so_far, at);
            let now = now();
            let mut start = now;
            if activity == TimeUse::Wait
                && let Some(looks) = so_far.growing.take_if(|growing| growing.is_of_wait(number, place, now))
            {
                // The first looks were no wait yet.
                let GrowingRun { run, .. } = looks;
                let pe = run.pe.map_or(self.me, usize::from);
                self.journals.moved(self.me, pe).take_back(u64::from(run.count), run.bytes);
                self.ledger().grown();
                so_far.runs -= 1;
                start = run.start;
            }
            self.flush(&mut so_far);
            let is_written = so_far.spans < self.runs;
            if is_written {
                so_far.spans += 1;
                let name = self.name(&mut so_far, name);
                let members = members as u32;
                self.write(&TraceNote::Begin { track: number, activity, name, place, start, members });
            } else {
                self.ledger().leave_out_span();
                self.full(&mut so_far, number, now, true);
            }
            self.turn_to(number, activity, now);
            track.spans.push(OngoingSpan { activity, is_written, bytes: 0, look: None });
        });
        RecordedSpan(begun.is_ok())
    }

    fn end_span(&self) {
        let _ = TRACK.try_with(|track| {
            let track = &mut *track.borrow_mut();
            let Some(span) = track.spans.pop() else { return };
            let mut so_far = self.so_far();
            let number = self.number(&mut so_far, track);
            self.flush(&mut so_far);
            let mut end = now();
            if let Some(look) = span.look {
                // The wait goes on for a moment after its last look, at which an arrow can end.
                end = end.max(look.at + 1);
                if usize::from(look.pe) == self.me {
                    so_far.remember(&look);
                }
            }
            if span.is_written {
                self.write(&TraceNote::End { track: number, end, bytes: span.bytes, seen: span.look });
            }
            self.turn_to(number, track.activity(), end);
        });
    }
}

impl SoFar {
    /// Takes down the value of a cell of this PE. Returns whether it is another one than before.
    fn remember(&mut self, cell: &CellValue) -> bool {
        if self.seen.len() >= REMEMBERED {
            self.seen.clear();
        }
        self.seen.insert(cell.offset, cell.value) != Some(cell.value)
    }
}

impl ThreadTrack {
    /// What the thread does besides operations.
    fn activity(&self) -> TimeUse {
        self.spans.last().map_or(TimeUse::Program, |span| span.activity)
    }
}

/// The system's number of this thread, which is number `track` of the PE.
fn thread(track: u16) -> u64 {
    #[cfg(target_os = "linux")]
    {
        let _ = track;
        rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs().into()
    }
    #[cfg(not(target_os = "linux"))]
    {
        u64::from(std::process::id()) << 16 | u64::from(track)
    }
}
