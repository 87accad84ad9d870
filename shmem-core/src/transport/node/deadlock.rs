//! Waits that can never end are found and reported.
//!
//! A PE that waits for others in a collective call waits for ever if one of them never comes: that
//! PE has returned from its function, or it waits itself, for this PE, in a call of another kind.
//! So a PE whose wait has lasted long enough to sleep writes down where it waits, and looks now and
//! then at those that it waits for. A shorter wait costs a store of the name of the call, and
//! nothing else: each meeting counts the visits of a PE for its own sake, and the count lies where
//! others can read it.
//!
//! *A PE has returned.* It says so before it waits for the others in a meeting that is used for
//! nothing else. A reader that sees this reads next how often the PE has come to the meeting in
//! question: the PE came there before it returned, or it never will.
//!
//! *A PE waits elsewhere.* What it wrote down says in which meeting it waits, and for which visit.
//! If the reader belongs to that meeting and has not made that visit, the other cannot go on
//! without the reader. If the other has not come to the reader's meeting, the reader cannot go on
//! without the other. Neither changes until one of them goes on, so this is a deadlock, however
//! long it has lasted. What is left of a wait that is over is never taken for one that lasts: the
//! reader has made that visit.
//!
//! *Threads.* Another thread might come in the place of the one that waits. OpenSHMEM allows that
//! for teams alone: all PEs make their collective calls from one thread at a time. So where one of
//! the two meetings is that of a team, both PEs must have one thread.

use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Mutex, PoisonError};

use super::barrier::{Part, Wait};
use super::record::Node;
use crate::system::process;
use crate::system::status::PeState;
use crate::transport::Members;
use crate::transport::closed;

/// A collective call of the program.
#[derive(Clone, Copy)]
struct CallSite {
    what: &'static str,
    at: &'static Location<'static>,
}

impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A call of several names is described, as `an allocation` is.
        if self.what.contains(' ') {
            write!(f, "{} at {}", self.what, self.at)
        } else {
            write!(f, "`{}` at {}", self.what, self.at)
        }
    }
}

thread_local! {
    /// The last collective call that this thread has begun.
    static PLACE: Cell<Option<CallSite>> = const { Cell::new(None) };
}

/// Whether all PEs have returned from their functions: what they still do together is no call of
/// the program.
static OVER: AtomicBool = AtomicBool::new(false);

/// This thread begins the collective call `what` of the program, `at` this place.
#[inline(always)]
pub(crate) fn begin_at(what: &'static str, at: &'static Location<'static>) {
    PLACE.set(Some(CallSite { what, at }));
}

/// A thread is in a collective call of a team as long as this lives.
pub(crate) struct EnteredCall<'a>(&'a AtomicPtr<Location<'static>>);

impl<'a> EnteredCall<'a> {
    /// This thread begins the call `what` of the team whose word this is.
    ///
    /// # Panics
    ///
    /// When another thread is in one. Not all of them are found that begin at the same instant: it
    /// is a store, and no more.
    #[inline]
    #[track_caller]
    pub(crate) fn enter(
        word: &'a AtomicPtr<Location<'static>>,
        what: &'static str,
        at: &'static Location<'static>,
    ) -> EnteredCall<'a> {
        begin_at(what, at);
        let other = word.load(Ordering::Relaxed);
        if !other.is_null() {
            // SAFETY: the words hold nothing else than what `enter` stores: a reference that is
            // good for ever.
            two_threads(&CallSite { what, at }, unsafe { &*other });
        }
        word.store(std::ptr::from_ref(at).cast_mut(), Ordering::Relaxed);
        EnteredCall(word)
    }
}

impl Drop for EnteredCall<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.store(std::ptr::null_mut(), Ordering::Relaxed);
    }
}

#[cold]
#[track_caller]
fn two_threads(place: &CallSite, other: &Location<'_>) -> ! {
    panic!(
        "a thread of this PE calls {place}, and another one is in a collective call of the same team, at {other}; one thread of a PE at a \
         time makes the collective calls of a team"
    )
}

/// All PEs have begun another job.
pub(crate) fn begin() {
    OVER.store(false, Ordering::Relaxed);
}

/// All PEs have returned from their functions.
pub(crate) fn end() {
    OVER.store(true, Ordering::Relaxed);
}

/// What one PE leaves for the others to read. Zeros are its first state.
#[repr(C, align(128))]
pub(crate) struct Presence {
    /// How often it has come to the meeting of all PEs.
    pub(crate) visits: AtomicU32,
    /// How often it has come to a change of phase.
    pub(crate) changes: AtomicU32,
    /// How often it has come to the end of the job.
    pub(crate) ends: AtomicU32,
    /// Whether it has come there, with one thread.
    pub(crate) ended_alone: AtomicU32,
    word: WaitRecord,
}

impl Presence {
    /// The PE begins another job, in which it has not come to the end.
    pub(crate) fn revoke_end(&self) {
        self.ended_alone.store(0, Ordering::Release);
    }

    /// The PE has returned from its function, with one thread or not.
    pub(crate) fn ends_alone(&self, alone: bool) {
        self.ended_alone.store(alone.into(), Ordering::Release);
    }
}

const TEXT: usize = 256;

/// The record of a wait that lasts, or lasted.
#[repr(C, align(128))]
struct WaitRecord {
    /// Odd while it is written; 0 when there is none.
    sequence: AtomicU32,
    part: AtomicU32,
    number: AtomicU32,
    root: AtomicU32,
    is_alone: AtomicU32,
    len: AtomicU32,
    offset: AtomicU64,
    identity: AtomicU64,
    text: [AtomicU8; TEXT],
}

/// The same, as it is read.
struct Left {
    part: u32,
    number: u32,
    root: usize,
    is_alone: bool,
    offset: usize,
    identity: u64,
    text: String,
}

impl WaitRecord {
    fn leave(&self, left: &Left) {
        // Of several threads that wait, the last word stands.
        static WRITER: Mutex<()> = Mutex::new(());
        let _writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        let mut len = left.text.len().min(TEXT);
        while !left.text.is_char_boundary(len) {
            len -= 1;
        }
        for (word, value) in [
            (&self.part, left.part),
            (&self.number, left.number),
            (&self.root, left.root as u32),
            (&self.is_alone, u32::from(left.is_alone)),
            (&self.len, len as u32),
        ] {
            word.store(value, Ordering::Relaxed);
        }
        self.offset.store(left.offset as u64, Ordering::Relaxed);
        self.identity.store(left.identity, Ordering::Relaxed);
        for (slot, byte) in self.text.iter().zip(&left.text.as_bytes()[..len]) {
            slot.store(*byte, Ordering::Relaxed);
        }
        self.sequence.store(sequence.wrapping_add(2), Ordering::Release);
    }

    /// What was left last; `None` when there is nothing, or while it changes.
    fn read(&self) -> Option<Left> {
        let before = self.sequence.load(Ordering::Acquire);
        if before == 0 || !before.is_multiple_of(2) {
            return None;
        }
        let len = (self.len.load(Ordering::Relaxed) as usize).min(TEXT);
        let bytes: Vec<u8> = self.text[..len].iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
        let left = Left {
            part: self.part.load(Ordering::Relaxed),
            number: self.number.load(Ordering::Relaxed),
            root: self.root.load(Ordering::Relaxed) as usize,
            is_alone: self.is_alone.load(Ordering::Relaxed) != 0,
            offset: self.offset.load(Ordering::Relaxed) as usize,
            identity: self.identity.load(Ordering::Relaxed),
            text: String::from_utf8_lossy(&bytes).into_owned(),
        };
        fence(Ordering::Acquire);
        (self.sequence.load(Ordering::Relaxed) == before).then_some(left)
    }
}

/// Leaves word of a wait that lasts, and ends the job if it will last for ever.
#[cold]
pub(crate) fn look(job: &impl Node, wait: &Wait<'_>) {
    // Before the first call of the program, and after the last, there is nothing to disagree on.
    let Some(place) = PLACE.get().filter(|_| !OVER.load(Ordering::Relaxed)) else { return };
    let me = wait.me;
    let is_alone = job.is_only_thread();
    // In a local phase what teams have is not reached, and nobody waits in a team.
    let reaches_teams = !closed::is_closed();
    job.record(me).presence.word.leave(&Left {
        part: wait.part as u32,
        number: wait.number,
        root: wait.root.unwrap_or(usize::MAX),
        is_alone,
        offset: wait.offset.unwrap_or(0),
        identity: wait
            .offset
            .filter(|_| reaches_teams)
            .map_or(0, |offset| job.team_counters(me, offset).identity()),
        text: place.to_string(),
    });
    for (pe, member) in (0..wait.members.len()).map(|rank| (wait.members.pe(rank), rank)) {
        if pe == me || wait.root.is_some_and(|root| root != pe) {
            continue;
        }
        // Read before the counts: see the top.
        let has_returned = matches!(job.record(pe).status.state(), PeState::Leaving | PeState::Finished);
        let left = job.record(pe).presence.word.read();
        if (wait.has_come)(member) {
            continue;
        }
        if has_returned {
            has_returned_early(pe, me, &place);
        }
        let Some(left) = left else { continue };
        let expects_me = match (Part::of(left.part), left.offset) {
            (Some(Part::Change), _) => is_before(&job.record(me).presence.changes, left.number),
            (Some(Part::Barrier), 0) => is_before(&job.record(me).presence.visits, left.number),
            (Some(part), offset) if reaches_teams => {
                let mine = job.team_counters(me, offset);
                mine.identity() == left.identity && mine.expects(part, left.number, left.root == me)
            }
            _ => false,
        };
        let of_all = |offset: usize| offset == 0 || offset == crate::transport::layout::TEAMS;
        let all_come_in_order = of_all(left.offset) && of_all(wait.offset.unwrap_or(0));
        if expects_me && (all_come_in_order || (is_alone && left.is_alone)) {
            wait_for_each_other(me, &place, pe, &left.text);
        }
    }
}

/// [`look`], where PEs see of each other what the library reads for them: who has returned, and how
/// often each has come to a call of all PEs. EnteredCall of the library a PE can leave no word, so the
/// kind of call is all that `waits_elsewhere` has to say. `at_end` says that this PE has returned
/// itself.
#[cfg(feature = "openshmem")]
#[cold]
pub(crate) fn look_far(
    me: usize,
    members: &Members,
    at_end: bool,
    has_returned: impl Fn(usize) -> bool,
    has_come: impl Fn(usize) -> bool,
    waits_elsewhere: impl Fn(usize) -> Option<&'static str>,
) {
    if OVER.load(Ordering::Relaxed) {
        return;
    }
    let place = PLACE.get();
    for pe in (0..members.len()).map(|rank| members.pe(rank)).filter(|&pe| pe != me) {
        let (has_returned, waits) = (has_returned(pe), waits_elsewhere(pe));
        if has_come(pe) {
            continue;
        }
        match (at_end, place, waits) {
            (true, _, Some(theirs)) => has_returned_early(me, pe, &theirs),
            (false, Some(place), _) if has_returned => has_returned_early(pe, me, &place),
            (false, Some(place), Some(theirs)) => wait_for_each_other(me, &place, pe, theirs),
            _ => {}
        }
    }
}

/// [`look`], in a change of phase.
pub(crate) fn change_lasts(job: &impl Node, me: usize, number: u32) {
    let members = Members::Strided { start: 0, stride: 1, len: job.n_pes() };
    let has_come = |pe| !is_before(&job.record(pe).presence.changes, number);
    let wait = Wait {
        me,
        part: Part::Change,
        offset: None,
        number,
        members: &members,
        root: None,
        has_come: &has_come,
    };
    look(job, &wait);
}

fn is_before(count: &AtomicU32, number: u32) -> bool {
    count.load(Ordering::Acquire).wrapping_sub(number).cast_signed() < 0
}

fn has_returned_early(pe: usize, me: usize, place: &dyn fmt::Display) -> ! {
    process::stop(&format!(
        "the PEs disagree: PE {pe} has returned from its function, and PE {me} waits for it in {place}; every PE must make the same \
         collective calls in the same order"
    ))
}

fn wait_for_each_other(me: usize, place: &CallSite, pe: usize, theirs: &str) -> ! {
    process::stop(&format!(
        "the PEs disagree: PE {me} waits for PE {pe} in {place}, and PE {pe} waits for PE {me} in {theirs}; every PE must make the \
         same collective calls in the same order"
    ))
}
