//! Waits that can never end are found and reported.
//!
//! A PE that waits for others in a collective call waits for ever if one of them never comes: that
//! PE has returned from its function, or it waits itself, for this PE, in a call of another kind.
//! So a PE whose wait has lasted long enough to sleep writes down where it waits (see
//! [`waits`](super::waits)), and looks now and then at those that it waits for. A shorter wait costs a store of the name of the call, and
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
//! the two meetings is that of a team, no other thread of either PE may be able to act before the one
//! that waits: see [`threads`](crate::system::threads).

use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use super::barrier::{Part, Wait};
use super::counter::Sleep;
use super::record::Node;
use super::waits::{self, LISTED, WaitEntry, WaitKind, WaitRecord};
use crate::system::place::{self, Shown};
use crate::system::process;
use crate::system::status::PeState;
use crate::system::threads;
#[cfg(feature = "openshmem")]
use crate::system::tuning::library::LOOKED_AT;
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
        f.write_str(&named(self.what, &Shown(self.at)))
    }
}

/// The call `what` at this place.
fn named(what: &str, at: &dyn fmt::Display) -> String {
    // A call of several names is described, as `an allocation` is.
    if what.contains(' ') { format!("{what} at {at}") } else { format!("`{what}` at {at}") }
}

thread_local! {
    /// The last collective call that this thread has begun.
    static PLACE: Cell<Option<CallSite>> = const { Cell::new(None) };
    /// Since when this thread sleeps in a meeting.
    static SINCE: Cell<u64> = const { Cell::new(0) };
}

/// Whether all PEs have returned from their functions: what they still do together is no call of
/// the program.
static OVER: AtomicBool = AtomicBool::new(false);

/// This thread begins the collective call `what` of the program, `at` this place.
#[inline(always)]
pub(crate) fn begin_at(what: &'static str, at: &'static Location<'static>) {
    PLACE.set(Some(CallSite { what, at }));
}

/// The last collective call that this thread has begun: `barrier_all at src/main.rs:61`.
pub(crate) fn last_call() -> Option<String> {
    let CallSite { what, at } = PLACE.get()?;
    if place::is_behind_a_face() {
        // The thread is not in that call any more.
        return Some(what.to_owned());
    }
    Some(format!("{what} at {}:{}", at.file(), at.line()))
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
        if threads::one_calls() {
            threads::assert_may_call(&CallSite { what, at });
        }
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
    /// What it waits for.
    pub(crate) wait: WaitRecord,
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

/// A wait in a meeting begins to sleep, still sleeps, or is over.
#[cold]
pub(crate) fn sleeps(job: &impl Node, sleep: Sleep, wait: &Wait<'_>) {
    let record = &job.presence(wait.me).wait;
    match sleep {
        Sleep::Begins => {
            record.moved();
            SINCE.set(waits::now());
        }
        Sleep::Lasts => look(job, wait),
        Sleep::Ends => waits::meeting_is_over(record),
    }
}

/// Writes down a wait that lasts, and ends the job if it will last for ever.
fn look(job: &impl Node, wait: &Wait<'_>) {
    // Before the first call of the program, and after the last, there is nothing to disagree on.
    let (place, at_end) = (PLACE.get(), wait.part == Part::End);
    if OVER.load(Ordering::Relaxed) || (place.is_none() && !at_end) {
        return;
    }
    let me = wait.me;
    let record = &job.presence(me).wait;
    // Before the look that answers it.
    let question = record.words.asked();
    let is_alone = job.acts_alone();
    // In a local phase what teams have is not reached, and nobody waits in a team.
    let reaches_teams = !closed::is_closed();
    let (what, at) = match place.filter(|_| !at_end) {
        Some(CallSite { what, at }) => (what, Some(at)),
        None => ("the end of the job", None),
    };
    let mut entry = WaitEntry {
        number: wait.number,
        other: wait.root,
        is_alone,
        offset: wait.offset.unwrap_or(0),
        identity: wait
            .offset
            .filter(|_| reaches_teams)
            .map_or(0, |offset| job.team_counters(me, offset).identity()),
        members: wait.members.len(),
        ..WaitEntry::new(WaitKind::Meeting(wait.part), what.to_owned(), at, SINCE.get())
    };
    let others = || {
        (0..wait.members.len())
            .map(|rank| (wait.members.pe(rank), rank))
            .filter(|(pe, _)| *pe != me && wait.root.is_none_or(|root| root == *pe))
    };
    for (pe, _) in others().filter(|(_, rank)| !(wait.has_come)(*rank)) {
        entry.missing += 1;
        if entry.listed.len() < LISTED {
            entry.listed.push(pe);
        }
    }
    waits::in_meeting(record, &entry);
    let place = place.filter(|_| !at_end);
    for (pe, member, place) in others().filter_map(|(pe, member)| Some((pe, member, place?))) {
        // Read before the counts: see the top.
        let has_returned = matches!(job.record(pe).status.state(), PeState::Leaving | PeState::Finished);
        let left = job.presence(pe).wait.read();
        if (wait.has_come)(member) {
            continue;
        }
        if has_returned {
            has_returned_early(pe, me, &place);
        }
        let Some(left) = left else { continue };
        let WaitKind::Meeting(part) = left.kind else { continue };
        let expects_me = match (part, left.offset) {
            (Part::Change, _) => is_before(&job.presence(me).changes, left.number),
            // Who waits at the end of a batch has no number.
            (Part::Barrier, 0) => left.number != 0 && is_before(&job.presence(me).visits, left.number),
            (Part::End, _) => false,
            (_, offset) if reaches_teams => {
                let mine = job.team_counters(me, offset);
                mine.identity() == left.identity && mine.expects(part, left.number, left.other == Some(me))
            }
            _ => false,
        };
        let of_all = |offset: usize| offset == 0 || offset == crate::transport::layout::TEAMS;
        let all_come_in_order = of_all(left.offset) && of_all(wait.offset.unwrap_or(0));
        if expects_me && (all_come_in_order || (is_alone && left.is_alone)) {
            let mut theirs = theirs(&left);
            // All that tells the two calls apart.
            if theirs == place.to_string() && left.offset != wait.offset.unwrap_or(0) {
                theirs += ", on another team";
            }
            wait_for_each_other(me, &place, pe, &theirs);
        }
    }
    if entry.missing > 0 {
        record.words.answer(question);
    }
}

/// A collective call that another PE is in, as a sentence names it.
fn theirs(left: &WaitEntry) -> String {
    named(&left.text, &place::shown(&left.place))
}

/// [`look`], where PEs see of each other what the library reads for them: who has returned, and how
/// often each has come to a call of all PEs. Inside of the library a PE can leave no word, so the
/// kind of call is all that `waits_elsewhere` has to say. `at_end` says that this PE has returned
/// itself.
#[cfg(feature = "openshmem")]
#[cold]
pub(crate) fn look_far(
    me: usize,
    pes: impl Iterator<Item = usize>,
    at_end: bool,
    has_returned: impl Fn(usize) -> bool,
    has_come: impl Fn(usize) -> bool,
    waits_elsewhere: impl Fn(usize) -> Option<&'static str>,
) {
    if OVER.load(Ordering::Relaxed) {
        return;
    }
    let place = PLACE.get();
    for pe in pes {
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

/// Ends the job where one of these PEs has come to this meeting in a call of another kind, in which it waits for
/// something else than this PE does. That may be the same routine, with another number of elements.
#[cfg(feature = "openshmem")]
#[cold]
pub(crate) fn look_far_at_kinds(
    me: usize,
    mut pes: impl Iterator<Item = usize>,
    is_of_another: impl Fn(usize) -> bool,
) {
    let Some(place) = site() else { return };
    if let Some(pe) = pes.find(|&pe| is_of_another(pe)) {
        wait_for_each_other(
            me,
            &place,
            pe,
            "another collective call, or in one with other arguments (SHMEM_CHECK=1 says which)",
        );
    }
}

/// The ranks that the member of this rank looks at in its look with this number, of so many members: those after it, at
/// first the next ones. So where all wait, each is looked at at once, and where one waits, it looks at all in time.
#[cfg(feature = "openshmem")]
pub(crate) fn looked_at(rank: usize, members: usize, number: usize) -> impl Iterator<Item = usize> {
    let others = members - 1;
    let first = if others > LOOKED_AT { number * LOOKED_AT % others } else { 0 };
    (first..).take(others.min(LOOKED_AT)).map(move |i| (rank + 1 + i % others) % members)
}

/// The call of the program that this thread is in.
#[cfg(feature = "openshmem")]
fn site() -> Option<CallSite> {
    PLACE.get().filter(|_| !OVER.load(Ordering::Relaxed))
}

/// A thread waits in a call of PEs of several nodes as long as this lives. Written down at once: inside
/// of the library nobody sees how long it lasts.
#[cfg(feature = "openshmem")]
pub(crate) struct FarWait<'a> {
    record: &'a WaitRecord,
    is_written: bool,
    since: u64,
}

#[cfg(feature = "openshmem")]
impl<'a> FarWait<'a> {
    /// A wait that is not written down yet.
    pub(crate) fn new(record: &'a WaitRecord) -> FarWait<'a> {
        FarWait { record, is_written: false, since: 0 }
    }

    /// A wait in a routine of the library. `visit` says how often this PE has come to routines for all PEs, and
    /// is `None` in other routines. The library does not say who is missing; the visits of all PEs together do.
    pub(crate) fn in_library(record: &'a WaitRecord, visit: Option<u32>) -> FarWait<'a> {
        let site = site();
        if let Some(CallSite { what, at }) = site {
            waits::in_library(record, what, at, visit);
        }
        FarWait { is_written: site.is_some(), ..FarWait::new(record) }
    }

    /// Whether it is written down.
    pub(crate) fn is_written(&self) -> bool {
        self.is_written
    }

    /// It did not end at once.
    pub(crate) fn begins(&mut self) {
        self.record.moved();
        self.since = waits::now();
    }

    /// Writes down that it lasts; of so many `members` these are `missing`, where that is known.
    pub(crate) fn write_down(&mut self, members: usize, missing: Vec<usize>) {
        let Some(CallSite { what, at }) = site() else {
            return;
        };
        self.is_written = true;
        let entry = WaitEntry {
            members,
            missing: missing.len(),
            listed: missing.into_iter().take(LISTED).collect(),
            ..WaitEntry::new(WaitKind::Meeting(Part::Barrier), what.to_owned(), Some(at), self.since)
        };
        waits::in_meeting(self.record, &entry);
    }
}

#[cfg(feature = "openshmem")]
impl Drop for FarWait<'_> {
    fn drop(&mut self) {
        if self.is_written {
            waits::meeting_is_over(self.record);
        }
    }
}

/// [`sleeps`], in a change of phase.
pub(crate) fn change_sleeps(job: &impl Node, sleep: Sleep, me: usize, number: u32) {
    all_sleep(job, sleep, me, Part::Change, number, |presence| &presence.changes);
}

/// [`sleeps`], at the end of the job.
pub(crate) fn end_sleeps(job: &impl Node, sleep: Sleep, me: usize, number: u32) {
    all_sleep(job, sleep, me, Part::End, number, |presence| &presence.ends);
}

/// [`sleeps`], in a meeting of all PEs in which `count` counts the visits of each.
fn all_sleep(
    job: &impl Node,
    sleep: Sleep,
    me: usize,
    part: Part,
    number: u32,
    count: impl Fn(&Presence) -> &AtomicU32,
) {
    let members = Members::Strided { start: 0, stride: 1, len: job.n_pes() };
    let has_come = |pe| !is_before(count(job.presence(pe)), number);
    let wait = Wait { me, part, offset: None, number, members: &members, root: None, has_come: &has_come };
    sleeps(job, sleep, &wait);
}

fn is_before(count: &AtomicU32, number: u32) -> bool {
    count.load(Ordering::Acquire).wrapping_sub(number).cast_signed() < 0
}

/// Ends PE `me`, which waits in the call `what` of the program, `at` this place, for `pe`, which has
/// returned from its function.
pub(crate) fn has_returned_from(
    pe: usize,
    me: usize,
    what: &'static str,
    at: &'static Location<'static>,
) -> ! {
    has_returned_early(pe, me, &CallSite { what, at })
}

fn has_returned_early(pe: usize, me: usize, place: &dyn fmt::Display) -> ! {
    process::stop_stuck(&format!(
        "the PEs disagree: PE {pe} has returned from its function, and PE {me} waits for it in {place}; every PE must make the same \
         collective calls in the same order"
    ))
}

fn wait_for_each_other(me: usize, place: &CallSite, pe: usize, theirs: &str) -> ! {
    process::stop_stuck(&format!(
        "the PEs disagree: PE {me} waits for PE {pe} in {place}, and PE {pe} waits for PE {me} in {theirs}; every PE must make the \
         same collective calls in the same order"
    ))
}

#[cfg(all(test, feature = "openshmem"))]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_member_is_looked_at_by_some_at_once_and_by_each_in_time() {
        for members in [1, 2, 7, LOOKED_AT, LOOKED_AT + 1, LOOKED_AT + 2, 3 * LOOKED_AT, 1000] {
            let all: BTreeSet<usize> = (0..members).collect();
            let by_all: BTreeSet<usize> = (0..members).flat_map(|rank| looked_at(rank, members, 0)).collect();
            assert!(by_all == all || members == 1);
            for rank in [0, members / 2, members - 1] {
                let number = members.div_ceil(LOOKED_AT);
                let looks: Vec<Vec<usize>> =
                    (0..number).map(|number| looked_at(rank, members, number).collect()).collect();
                let one_by_one = looks.iter().all(|look| {
                    look.len() == (members - 1).min(LOOKED_AT)
                        && look.iter().collect::<BTreeSet<_>>().len() == look.len()
                });
                assert!(one_by_one, "{members}: {looks:?}");
                let mut seen: BTreeSet<usize> = looks.into_iter().flatten().collect();
                assert!(seen.insert(rank) && seen == all, "{members}, {rank}: {seen:?}");
            }
        }
    }
}
