//! What each PE waits for, in memory that the others and the supervisor read.
//!
//! A wait that ends soon is not written down. One that lasts [`RECORD`] is: what the PE waits for,
//! where in the program, since when, and what it saw when it looked last. When such a wait ends, its
//! record stays, marked as over. So the record of a PE that computes tells what it waited for last.
//!
//! A PE has one record. Of several threads that wait, the one that began last has it, until its wait
//! is over.
//!
//! How a record is read as a whole, and how the supervisor learns that a wait cannot end, is in
//! [`question`](super::question).
//!
//! [`RECORD`]: crate::system::tuning::wait::RECORD

use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::time::{ClockId, clock_gettime};

use super::barrier::Part;
use super::question::WaitWords;
use crate::system::place::{self, Stored};
use crate::system::shared_text::SharedText;
use crate::system::told::AskedCells;

/// Bytes of the description of a wait.
const TEXT: usize = 256;
/// Bytes of the place in the program.
const PLACE: usize = 192;
/// How many of the PEs that have not come are listed.
pub(crate) const LISTED: usize = 8;

/// What is wrong where a PE waits for one that has returned, at the end of a report.
pub(crate) const PARTNER_RULE: &str = ": each of two PEs must name the other equally often";

/// The parts in which a collective call may wait.
const PARTS: [Part; 5] = [Part::Barrier, Part::Pair, Part::Broadcast, Part::Change, Part::End];

/// The kind of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitKind {
    /// For other PEs in a collective call, in this part of it.
    Meeting(Part),
    /// For cells that any PE may update.
    Cells,
    /// For a lock that another PE has, or waits for before this one.
    Lock,
    /// For another thread of the same PE, which is before it in the queue of a lock.
    Turn,
    /// For a PE that must name this one, in `sync_with`.
    Partner,
}

impl WaitKind {
    /// The word for a record; not 0.
    pub(crate) fn word(self) -> u32 {
        match self {
            WaitKind::Meeting(part) => part as u32,
            WaitKind::Cells => 6,
            WaitKind::Lock => 7,
            WaitKind::Turn => 8,
            WaitKind::Partner => 9,
        }
    }

    /// From a word in which it was left.
    pub(crate) fn of(word: u32) -> Option<WaitKind> {
        let meetings = PARTS.into_iter().map(WaitKind::Meeting);
        let others = [WaitKind::Cells, WaitKind::Lock, WaitKind::Turn, WaitKind::Partner];
        meetings.chain(others).find(|kind| kind.word() == word)
    }

    /// Whether it is a wait for other PEs in a call in which PEs meet.
    pub(crate) fn is_meeting(self) -> bool {
        matches!(self, WaitKind::Meeting(_) | WaitKind::Partner)
    }
}

/// A value that a waiting PE saw in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) value: i128,
    /// The position of the cell, where the wait is for several.
    pub(crate) position: Option<usize>,
}

/// A wait, as its PE writes it down and as others read it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WaitEntry {
    /// Which wait of the PE it is: they are counted.
    pub(crate) wait: u32,
    /// Whether the PE is in it, or it was the last.
    pub(crate) is_live: bool,
    pub(crate) kind: WaitKind,
    /// For which time the PE is in the meeting.
    pub(crate) number: u32,
    /// The root that is waited for, or the PE before this one in the queue of a lock.
    pub(crate) other: Option<usize>,
    /// Whether no other thread of the PE could act before the one that waits.
    pub(crate) is_alone: bool,
    /// Where the team has its counters, and which team it is; or where the lock lies.
    pub(crate) offset: usize,
    pub(crate) identity: u64,
    /// How many have not come, of how many.
    pub(crate) missing: usize,
    pub(crate) members: usize,
    /// The first of those that have not come.
    pub(crate) listed: Vec<usize>,
    /// What is waited for: the name of a collective call, the condition, the name of the lock.
    pub(crate) text: String,
    /// The place in the program. Both are texts that are stored, until they are [shown](WaitEntry::shown).
    pub(crate) place: String,
    /// In nanoseconds, by the clock that all processes of the host share.
    pub(crate) since: u64,
    pub(crate) ended: u64,
    /// The cells that are waited for, where they are one or lie side by side.
    pub(crate) cells: Option<AskedCells>,
    /// What the PE saw last, and since when it has seen that. It looks from time to time.
    pub(crate) seen: Option<Seen>,
    pub(crate) seen_since: u64,
    /// How often it has seen a change since the wait was written down.
    pub(crate) changes: u32,
}

impl WaitEntry {
    /// A wait that has lasted since `since`.
    pub(crate) fn new(kind: WaitKind, text: String, at: Option<&Location<'_>>, since: u64) -> WaitEntry {
        WaitEntry {
            wait: 0,
            is_live: true,
            kind,
            number: 0,
            other: None,
            is_alone: false,
            offset: 0,
            identity: 0,
            missing: 0,
            members: 0,
            listed: Vec::new(),
            text,
            place: at.map_or_else(String::new, |at| Stored(at).to_string()),
            since,
            ended: 0,
            cells: None,
            seen: None,
            seen_since: since,
            changes: 0,
        }
    }

    /// With texts as they are shown.
    pub(crate) fn shown(self) -> WaitEntry {
        WaitEntry { text: place::shown(&self.text), place: place::shown(&self.place), ..self }
    }
}

/// The time in nanoseconds, the same for all processes of the host.
pub(crate) fn now() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// The same, some milliseconds ago at most, and read in a fraction of the time.
fn about_now() -> u64 {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return nanoseconds(ClockId::MonotonicCoarse);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    now()
}

fn nanoseconds(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// The record of a PE's last wait that lasted. It consists of atomics alone; zeros are its first
/// state: there was none.
#[repr(C, align(128))]
pub(crate) struct WaitRecord {
    /// Whether what follows is read as a whole, and what the supervisor has asked.
    pub(crate) words: WaitWords,
    kind: AtomicU32,
    number: AtomicU32,
    /// The number of a PE + 1.
    other: AtomicU32,
    is_alone: AtomicU32,
    missing: AtomicU32,
    members: AtomicU32,
    listed: [AtomicU32; LISTED],
    offset: AtomicU64,
    identity: AtomicU64,
    since: AtomicU64,
    ended: AtomicU64,
    /// 0: nothing was seen; else 1 for a number without a sign, and 2 for one with a sign.
    seen_kind: AtomicU32,
    /// The position + 1.
    position: AtomicU32,
    seen: AtomicU64,
    seen_since: AtomicU64,
    changes: AtomicU32,
    /// The PE of the cells + 1; 0: none are known.
    cells_of: AtomicU32,
    cells_at: AtomicU64,
    cells_len: AtomicU64,
    text: SharedText<TEXT>,
    place: SharedText<PLACE>,
    // What follows is written by itself.
    /// Counts the waits that did not end at once.
    moves: AtomicU32,
}

/// A record that describes a call, and the call: its name and its place, by their addresses. Nothing has
/// changed the record since, but for the end of the wait.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Described {
    record: usize,
    call: usize,
    at: usize,
}

/// Of several threads of this process, one writes at a time.
fn writer() -> MutexGuard<'static, Option<Described>> {
    static WRITER: Mutex<Option<Described>> = Mutex::new(None);
    WRITER.lock().unwrap_or_else(PoisonError::into_inner)
}

impl WaitRecord {
    /// Changes the record, which readers see as a whole or not at all.
    fn write<T>(&self, change: impl FnOnce() -> T) -> T {
        let mut described = writer();
        *described = None;
        self.words.write(change)
    }

    /// Writes down a wait of the calling thread. Returns its number, which is not 0.
    pub(crate) fn begin(&self, entry: &WaitEntry) -> u32 {
        let mut described = writer();
        *described = None;
        self.describe(entry)
    }

    /// Writes down a wait of the calling thread in `call` at the place `at`, for time `number`, or 0 where the
    /// times are not counted. Nothing else is known of it. Returns its number, which is not 0.
    ///
    /// A program that makes the same call again pays for no texts. They would take longer than a small
    /// collective call of the library.
    #[cfg(feature = "openshmem")]
    pub(crate) fn begin_call(
        &self,
        call: &'static str,
        at: &'static Location<'static>,
        number: u32,
        since: u64,
    ) -> u32 {
        let this = Described {
            record: std::ptr::from_ref(self).addr(),
            call: call.as_ptr().addr(),
            at: std::ptr::from_ref(at).addr(),
        };
        let mut described = writer();
        // Behind a face all calls have the same place in Rust.
        if *described == Some(this) && !place::is_behind_a_face() {
            return self.words.begin(|| {
                self.number.store(number, Ordering::Relaxed);
                self.since.store(since, Ordering::Relaxed);
            });
        }
        *described = Some(this);
        let kind = WaitKind::Meeting(Part::Barrier);
        self.describe(&WaitEntry { number, ..WaitEntry::new(kind, call.to_owned(), Some(at), since) })
    }

    /// As [`begin`](WaitRecord::begin), by the one that writes.
    fn describe(&self, entry: &WaitEntry) -> u32 {
        self.words.begin(|| {
            self.kind.store(entry.kind.word(), Ordering::Relaxed);
            self.number.store(entry.number, Ordering::Relaxed);
            self.other.store(entry.other.map_or(0, |pe| pe as u32 + 1), Ordering::Relaxed);
            self.is_alone.store(entry.is_alone.into(), Ordering::Relaxed);
            self.offset.store(entry.offset as u64, Ordering::Relaxed);
            self.identity.store(entry.identity, Ordering::Relaxed);
            self.since.store(entry.since, Ordering::Relaxed);
            self.store_missing(entry);
            self.text.set(&entry.text);
            self.place.set(&entry.place);
            self.seen_kind.store(0, Ordering::Relaxed);
            self.store_seen(entry.seen, entry.seen_since);
            self.changes.store(0, Ordering::Relaxed);
            let cells = entry.cells.map_or((0, 0, 0), |cells| (cells.pe as u32 + 1, cells.offset, cells.len));
            self.cells_of.store(cells.0, Ordering::Relaxed);
            self.cells_at.store(cells.1 as u64, Ordering::Relaxed);
            self.cells_len.store(cells.2 as u64, Ordering::Relaxed);
        })
    }

    /// Whether the record is that of `wait`, which has not ended; or that of an earlier wait that is
    /// over, so that `wait` may be written down again.
    pub(crate) fn is_of(&self, wait: u32) -> bool {
        self.words.wait() == wait
    }

    /// Whether no wait that lasts is written down.
    pub(crate) fn is_free(&self) -> bool {
        !self.words.is_live()
    }

    /// Replaces the list of those that have not come.
    pub(crate) fn refresh_missing(&self, wait: u32, entry: &WaitEntry) {
        self.write(|| {
            if self.is_of(wait) {
                self.store_missing(entry);
                if entry.is_alone {
                    self.is_alone.store(1, Ordering::Relaxed);
                }
            }
        });
    }

    /// Looks again whether another thread of the PE can act: it may have fallen asleep since the wait
    /// began.
    pub(crate) fn refresh_alone(&self, wait: u32, is_alone: impl FnOnce() -> bool) {
        if self.is_of(wait) && self.is_alone.load(Ordering::Relaxed) == 0 && is_alone() {
            self.write(|| {
                if self.is_of(wait) {
                    self.is_alone.store(1, Ordering::Relaxed);
                }
            });
        }
    }

    fn store_missing(&self, entry: &WaitEntry) {
        self.missing.store(entry.missing as u32, Ordering::Relaxed);
        self.members.store(entry.members as u32, Ordering::Relaxed);
        let none = u32::MAX;
        let listed = entry.listed.iter().map(|pe| *pe as u32).chain(std::iter::repeat(none));
        self.listed.iter().zip(listed).for_each(|(word, pe)| word.store(pe, Ordering::Relaxed));
    }

    /// Replaces what was seen, if that has changed.
    pub(crate) fn refresh_seen(&self, wait: u32, seen: Option<Seen>) {
        if self.load_seen() != seen && self.is_of(wait) {
            self.write(|| {
                self.store_seen(seen, now());
                let changes = self.changes.load(Ordering::Relaxed);
                self.changes.store(changes.saturating_add(1), Ordering::Relaxed);
            });
        }
    }

    fn store_seen(&self, seen: Option<Seen>, since: u64) {
        let Some(Seen { value, position }) = seen else { return };
        self.seen_kind.store(if value < 0 { 2 } else { 1 }, Ordering::Relaxed);
        self.seen.store(value as u64, Ordering::Relaxed);
        self.position.store(position.map_or(0, |at| at as u32 + 1), Ordering::Relaxed);
        self.seen_since.store(since, Ordering::Relaxed);
    }

    fn load_seen(&self) -> Option<Seen> {
        let bits = self.seen.load(Ordering::Relaxed);
        let value = match self.seen_kind.load(Ordering::Relaxed) {
            1 => i128::from(bits),
            2 => i128::from(bits.cast_signed()),
            _ => return None,
        };
        let position = self.position.load(Ordering::Relaxed).checked_sub(1).map(|at| at as usize);
        Some(Seen { value, position })
    }

    fn load_cells(&self) -> Option<AskedCells> {
        let pe = self.cells_of.load(Ordering::Relaxed).checked_sub(1)? as usize;
        let offset = self.cells_at.load(Ordering::Relaxed) as usize;
        Some(AskedCells { pe, offset, len: self.cells_len.load(Ordering::Relaxed) as usize })
    }

    /// The wait is over, before its PE goes on.
    pub(crate) fn end(&self, wait: u32) {
        let _writer = writer();
        self.words.end(wait, || self.ended.store(about_now(), Ordering::Relaxed));
    }

    /// The last wait that was written down; `None` when there is none, or while it changes.
    pub(crate) fn read(&self) -> Option<WaitEntry> {
        self.read_with(true)
    }

    /// As [`read`](WaitRecord::read); only `texts` brings the description and the place.
    fn read_with(&self, texts: bool) -> Option<WaitEntry> {
        self.words.read(|| self.load(texts)).flatten()
    }

    /// What is there, whole or not.
    fn load(&self, texts: bool) -> Option<WaitEntry> {
        let listed = self.listed.iter().map(|word| word.load(Ordering::Relaxed));
        Some(WaitEntry {
            wait: self.words.wait(),
            is_live: self.words.is_live(),
            kind: WaitKind::of(self.kind.load(Ordering::Relaxed))?,
            number: self.number.load(Ordering::Relaxed),
            other: self.other.load(Ordering::Relaxed).checked_sub(1).map(|pe| pe as usize),
            is_alone: self.is_alone.load(Ordering::Relaxed) != 0,
            offset: self.offset.load(Ordering::Relaxed) as usize,
            identity: self.identity.load(Ordering::Relaxed),
            missing: self.missing.load(Ordering::Relaxed) as usize,
            members: self.members.load(Ordering::Relaxed) as usize,
            listed: listed.take_while(|pe| *pe != u32::MAX).map(|pe| pe as usize).collect(),
            text: if texts { self.text.get() } else { String::new() },
            place: if texts { self.place.get() } else { String::new() },
            since: self.since.load(Ordering::Relaxed),
            ended: self.ended.load(Ordering::Relaxed),
            cells: self.load_cells(),
            seen: self.load_seen(),
            seen_since: self.seen_since.load(Ordering::Relaxed),
            changes: self.changes.load(Ordering::Relaxed),
        })
    }

    /// As [`read`](WaitRecord::read), and again while the record changes, for a while. Only `texts`
    /// brings the description and the place.
    pub(crate) fn read_patiently(&self, texts: bool) -> Option<WaitEntry> {
        for _ in 0..100 {
            if let Some(entry) = self.read_with(texts) {
                return Some(entry);
            }
            if self.words.is_unused() {
                return None;
            }
            std::thread::yield_now();
        }
        None
    }

    /// This PE waits, and the wait did not end at once.
    pub(crate) fn moved(&self) {
        // Threads that count at the same time may lose a count, and change the word all the same.
        self.moves.store(self.moves.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Words that change when the PE begins or ends a wait that does not end at once, or sees another
    /// value in a cell.
    pub(crate) fn movement(&self) -> [u32; 4] {
        let seen = self.seen.load(Ordering::Relaxed);
        let (wait, is_live) = (self.words.wait(), self.words.is_live());
        [wait, is_live.into(), self.moves.load(Ordering::Relaxed), (seen ^ seen >> 32) as u32]
    }
}

thread_local! {
    /// The wait in a meeting that this thread has written down, and is in.
    static MEETING: Cell<u32> = const { Cell::new(0) };
}

/// Writes down that this thread waits in a meeting, or that it still does. Returns once it is
/// written.
pub(crate) fn in_meeting(record: &WaitRecord, entry: &WaitEntry) {
    let wait = MEETING.get();
    if wait != 0 && record.is_of(wait) {
        record.refresh_missing(wait, entry);
    } else {
        MEETING.set(record.begin(entry));
    }
}

/// Writes down that this thread waits in a routine of the library: see
/// [`begin_call`](WaitRecord::begin_call).
#[cfg(feature = "openshmem")]
pub(crate) fn in_library(
    record: &WaitRecord,
    call: &'static str,
    at: &'static Location<'static>,
    visit: Option<u32>,
) {
    MEETING.set(record.begin_call(call, at, visit.unwrap_or_default(), about_now()));
}

/// The wait of this thread in a meeting is over, if it was written down.
pub(crate) fn meeting_is_over(record: &WaitRecord) {
    let wait = MEETING.replace(0);
    if wait != 0 {
        record.end(wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Box<WaitRecord> {
        // SAFETY: made of atomic integers, for which zeros are values.
        unsafe { Box::new(std::mem::zeroed()) }
    }

    fn entry(text: &str) -> WaitEntry {
        WaitEntry::new(WaitKind::Cells, text.to_owned(), Some(Location::caller()), 7)
    }

    #[test]
    fn kinds_come_back() {
        let mut kinds = PARTS.map(WaitKind::Meeting).to_vec();
        kinds.extend([WaitKind::Cells, WaitKind::Lock, WaitKind::Turn]);
        for kind in kinds {
            assert_eq!(WaitKind::of(kind.word()), Some(kind));
        }
        assert_eq!(WaitKind::of(0), None);
    }

    #[test]
    fn what_is_written_is_read() {
        let record = fresh();
        assert_eq!(record.read(), None);
        let mut written = entry("FLAG >= 3");
        written.seen = Some(Seen { value: -2, position: Some(4) });
        written.cells = Some(AskedCells { pe: 0, offset: 4096, len: 8 });
        let wait = record.begin(&written);
        let read = record.read().unwrap();
        assert_eq!(read, WaitEntry { wait, ..written.clone() });
        record.refresh_seen(wait, Some(Seen { value: i128::from(u64::MAX), position: None }));
        // The same again is no change.
        record.refresh_seen(wait, Some(Seen { value: i128::from(u64::MAX), position: None }));
        let read = record.read().unwrap();
        let seen = read.seen.unwrap();
        assert_eq!((seen.value, seen.position, read.changes), (i128::from(u64::MAX), None, 1));
        record.end(wait);
        let over = record.read().unwrap();
        assert!(!over.is_live && over.ended > 0 && record.is_free());
    }

    #[test]
    fn the_end_of_an_earlier_wait_changes_nothing() {
        let record = fresh();
        let first = record.begin(&entry("one"));
        let second = record.begin(&entry("two"));
        record.end(first);
        assert!(record.read().unwrap().is_live && record.is_of(second));
    }

    #[test]
    fn those_that_have_not_come_are_listed() {
        let record = fresh();
        let mut written = entry("barrier");
        (written.missing, written.members, written.listed) = (9, 12, (2..10).collect());
        record.begin(&written);
        let read = record.read().unwrap();
        assert_eq!((read.missing, read.members, read.listed), (9, 12, (2..10).collect()));
    }
}
