//! Waiting for a word that another PE changes with an atomic operation.
//!
//! A PE that updates a cell does not know whether another PE waits for it, and must not pay to find
//! out: an atomic update is one instruction. So an update wakes no waiter; the waiter reads the
//! cell again and again, and this module decides how often. The waiter spins for as long as a
//! hand-over between running PEs takes. Then it gives its core away, since the PE that it waits for
//! may need it. After that it sleeps in naps, each an eighth as long as it has waited, at most
//! [`LONGEST_NAP`]. So a short wait is as fast as it can be, a long one burns no core, and no wait
//! ends later than an eighth of its length after it could have.
//!
//! With more PEs than cores, the PE that is waited for may run on another core, or need this one. So
//! a waiter spins no longer than it takes to give the core away, and if that was for nothing, its
//! thread does without in the next waits: see [`Trials`].
//!
//! On a transport whose transfers need this process to go on, including transfers to other PEs, a
//! waiter drives them with each look once it has spun, and does not sleep.
//!
//! A wait that no PE can end is a mistake, and is reported: by a PE that is alone with one thread
//! after the others have returned, and by a PE that waits for a lock whose holder has returned.

use std::cell::Cell;
use std::panic::Location;
use std::time::{Duration, Instant};

use crate::runtime::observe::{self, ObservedSpan};
use crate::system::place::{self, Shown};
use crate::system::process;
use crate::system::sync::breathe;
use crate::system::told::AskedCells;
use crate::system::tuning::wait::{
    ASK, LONGEST_NAP, RECORD, SHORT_LOOKS, SPIN, SPIN_OVERSUBSCRIBED, TRIAL_EVERY, YIELDING,
    YIELDS_OVERSUBSCRIBED,
};
use crate::transport::node::barrier::Part;
use crate::transport::node::deadlock;
use crate::transport::node::waits::{self, LISTED, PARTNER_RULE, Seen, WaitEntry, WaitKind};
use crate::transport::{Endpoint, closed};

/// What a wait is for. Asked only when the wait lasts.
pub(crate) trait Awaited {
    /// What is waited for, to be read after "waits for"; a text that is stored, and [shown](place::shown) later.
    fn text(&self) -> String;
    /// What is there now.
    fn seen(&self) -> Option<Seen> {
        None
    }
    /// The cells that are waited for, where they are one or lie side by side.
    fn cells(&self) -> Option<AskedCells> {
        None
    }
    /// Where the lock lies that is waited for.
    fn lock(&self) -> Option<usize> {
        None
    }
    /// The collective call that the wait is in, if it is in one.
    fn call(&self) -> Option<&'static str> {
        None
    }
    /// How many PEs come to this call, and those of them that have not come. Asked from time to time.
    fn missing(&self) -> (usize, Vec<usize>) {
        (0, Vec::new())
    }
}

/// When a thread that shares its core tries to spin. A spin that is for nothing takes the core from a PE
/// that needs it, so the next [`TRIAL_EVERY`] - 1 waits do without. Each spin that brings the awaited
/// value halves their number, down to 0: a thread spins in each wait where nearly all spins pay. Where
/// half of them do, as among neighbours that share cores, it does so seldom.
#[derive(Clone, Copy)]
struct Trials {
    /// How many waits do without from now on.
    left: u32,
    /// How many do without after a spin.
    between: u32,
}

thread_local! {
    static TRIALS: Cell<Trials> = const { Cell::new(Trials { left: 0, between: 0 }) };
}

impl Trials {
    /// Whether this wait spins.
    #[inline]
    fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left -= u32::from(!is_due);
        is_due
    }

    /// A spin is over, and the awaited value `came` meanwhile or did not.
    fn end(&mut self, came: bool) {
        self.between = if came { self.between / 2 } else { TRIAL_EVERY - 1 };
        self.left = self.between;
    }

    /// Changes those of the calling thread.
    #[inline]
    fn with<T>(change: impl FnOnce(&mut Trials) -> T) -> T {
        let mut trials = TRIALS.get();
        let result = change(&mut trials);
        TRIALS.set(trials);
        result
    }
}

/// One wait, from the first look on. It decides what to do between two looks.
pub(crate) struct Backoff<'a> {
    endpoint: &'a Endpoint,
    what: &'a dyn Awaited,
    /// The place of the wait in the program.
    at: Option<&'static Location<'static>>,
    since: Option<Instant>,
    /// What a subscriber sees of the wait, once it has not ended at once.
    span: Option<ObservedSpan>,
    /// The number under which the wait is written down; 0 before it is.
    written: u32,
    /// The question that the next look in vain answers.
    question: u32,
    looks: u32,
    /// How many turns the waiter gives to the other PEs of its core before it reads the clock. After each of them, little
    /// of what it reads is still near the core.
    turns: u32,
    /// Whether the waiter looks several times before it reads the clock. If not, each look is followed
    /// by giving the core away: the wait has lasted, or the PEs share cores, and the wait is no trial.
    spins: bool,
    /// Whether it spins although PEs share cores.
    is_trial: bool,
    ask_at: Duration,
    /// The PE that has the lock that is waited for, or waits for it before this PE; or the PE that
    /// alone can end the wait.
    before: Option<usize>,
    /// Whether no PE was left that could end the wait, when this was last checked.
    deserted: bool,
}

impl<'a> Backoff<'a> {
    /// A wait that has not begun to take time.
    #[inline]
    pub(crate) fn new(
        endpoint: &'a Endpoint,
        what: &'a dyn Awaited,
        at: Option<&'static Location<'static>>,
    ) -> Backoff<'a> {
        let is_trial = endpoint.facts.oversubscribed && Trials::with(Trials::is_due);
        Backoff {
            endpoint,
            what,
            at,
            since: None,
            span: None,
            written: 0,
            question: 0,
            looks: 0,
            turns: if endpoint.facts.oversubscribed && !is_trial { YIELDS_OVERSUBSCRIBED } else { 0 },
            spins: is_trial || !endpoint.facts.oversubscribed,
            is_trial,
            ask_at: ASK,
            before: None,
            deserted: false,
        }
    }

    /// As [`new`](Backoff::new), for a lock that the PE `before` has, or waits for before this one.
    pub(crate) fn for_lock(
        endpoint: &'a Endpoint,
        what: &'a dyn Awaited,
        at: Option<&'static Location<'static>>,
        before: Option<usize>,
    ) -> Backoff<'a> {
        let mut backoff = Backoff::new(endpoint, what, at);
        backoff.before = before;
        backoff
    }

    /// As [`new`](Backoff::new), for PE `partner`, which alone can end the wait.
    pub(crate) fn for_partner(
        endpoint: &'a Endpoint,
        what: &'a dyn Awaited,
        at: &'static Location<'static>,
        partner: usize,
    ) -> Backoff<'a> {
        Backoff::for_lock(endpoint, what, Some(at), Some(partner))
    }

    /// To be called after each look that did not find the awaited value.
    ///
    /// # Panics
    ///
    /// When no PE is left that could end the wait.
    #[inline]
    #[track_caller]
    pub(crate) fn pause(&mut self) {
        self.looks = self.looks.wrapping_add(1);
        if self.spins {
            // A trial is short, and the other PE may be on this core.
            if self.looks <= SHORT_LOOKS && !self.is_trial {
                return breathe();
            }
            // Reads the clock only from time to time: a reading costs as much as many looks.
            if !self.looks.is_multiple_of(16) {
                return std::hint::spin_loop();
            }
        }
        self.give_way();
    }

    /// The wait does not end at once.
    #[inline(always)]
    fn begin(&mut self) {
        if self.span.is_none() {
            self.endpoint.meetings.wait_record().moved();
            self.span = Some(observe::wait(|| place::shown(&self.what.text()), self.before, self.at));
        }
    }

    #[cold]
    #[track_caller]
    fn give_way(&mut self) {
        if self.turns > 0 {
            self.begin();
            self.turns -= 1;
            self.endpoint.meetings.take_turn();
        } else {
            self.give_way_for_long();
        }
        // The next look would be refused, at a place in this crate.
        if closed::is_closed() {
            self.is_in_phase();
        }
    }

    #[inline(never)]
    #[track_caller]
    fn give_way_for_long(&mut self) {
        let record = self.endpoint.meetings.wait_record();
        if self.written != 0 {
            // The caller has looked since the question was read.
            record.words.answer(self.question);
        }
        // The caller has looked once more since `deserted` was set, so it has seen what the last PE
        // did before it left.
        if self.deserted {
            self.is_deserted();
        }
        // Before the library is driven, which may give the core away: a spin must not be credited with that.
        let since = match self.since {
            Some(since) => since,
            None => {
                self.begin();
                *self.since.insert(Instant::now())
            }
        };
        let driven = self.endpoint.meetings.progress();
        let waited = since.elapsed();
        if self.is_trial && waited >= SPIN_OVERSUBSCRIBED {
            self.end_trial(false);
        }
        if self.spins && waited < SPIN {
            std::hint::spin_loop();
        } else if waited < YIELDING {
            self.spins &= !driven;
            self.endpoint.meetings.give_way();
        } else {
            // From here on a nap follows every look: spinning between naps would use the core for
            // nothing.
            self.spins = false;
            if waited >= RECORD {
                self.write_down(waited, driven);
            }
            if driven {
                self.endpoint.meetings.give_way();
            } else {
                std::thread::sleep((waited / 8).min(LONGEST_NAP));
            }
            if waited >= self.ask_at {
                self.ask_at = waited + ASK;
                if driven {
                    record.refresh_seen(self.written, self.what.seen());
                }
                record.refresh_alone(self.written, || self.endpoint.meetings.acts_alone());
                if self.what.call().is_some() {
                    self.list_missing();
                }
                self.deserted = match self.before {
                    // A PE that waits for the lock has not returned, so only the holder matters; and
                    // of two partners the other one.
                    Some(holder) => self.endpoint.meetings.has_returned_alone(holder),
                    None => self.endpoint.meetings.is_deserted(),
                };
            }
            // Before the next look.
            self.question = record.words.asked();
        }
    }

    /// The value that is waited for came while the waiter spun, or the spin is over. From then on the wait
    /// is like others of PEs that share cores.
    fn end_trial(&mut self, came: bool) {
        (self.is_trial, self.spins) = (false, false);
        Trials::with(|trials| trials.end(came));
    }

    /// Writes down that the wait lasts, for others to read. Where each look is `driven`, what is seen
    /// is written less often: another read of the cell would slow the looks down.
    fn write_down(&mut self, waited: Duration, driven: bool) {
        let record = self.endpoint.meetings.wait_record();
        if self.written == 0 || !record.is_of(self.written) {
            // A wait of another thread that has the record keeps it. It was this one's own answers
            // that were for nothing: a PE with several threads gets no verdict.
            if !record.is_free() {
                return;
            }
            let (kind, offset) = match (self.what.lock(), self.before) {
                _ if self.what.call().is_some() => (WaitKind::Meeting(Part::Barrier), 0),
                (Some(offset), Some(_)) => (WaitKind::Lock, offset),
                (Some(offset), None) => (WaitKind::Turn, offset),
                (None, Some(_)) => (WaitKind::Partner, 0),
                (None, None) => (WaitKind::Cells, 0),
            };
            // It waits for one after the other, and needs each.
            let listed: Vec<usize> = self.before.into_iter().filter(|_| kind == WaitKind::Partner).collect();
            let since = waits::now().saturating_sub(waited.as_nanos() as u64);
            self.written = record.begin(&WaitEntry {
                other: self.before,
                is_alone: self.endpoint.meetings.acts_alone(),
                offset,
                cells: self.what.cells(),
                missing: listed.len(),
                members: 2 * listed.len(),
                listed,
                seen: self.what.seen(),
                seen_since: waits::now(),
                ..WaitEntry::new(kind, self.name(), self.at, since)
            });
        } else if !driven {
            record.refresh_seen(self.written, self.what.seen());
        }
    }

    /// What is waited for, as others read it.
    fn name(&self) -> String {
        self.what.call().map_or_else(|| self.what.text(), str::to_owned)
    }

    /// Writes down which PEs have not come to the call that the wait is in.
    fn list_missing(&self) {
        let (members, listed) = self.what.missing();
        let entry = WaitEntry {
            missing: listed.len(),
            members,
            listed: listed.into_iter().take(LISTED).collect(),
            ..WaitEntry::new(WaitKind::Meeting(Part::Barrier), String::new(), self.at, 0)
        };
        self.endpoint.meetings.wait_record().refresh_missing(self.written, &entry);
    }

    /// Ends the PE: another thread of it has entered a local phase.
    #[cold]
    fn is_in_phase(&self) -> ! {
        let at = self.at.map(|at| format!(" at {}", Shown(at))).unwrap_or_default();
        process::stop(&format!(
            "a thread of PE {} waited{at} for {} when the PE entered a local phase: join or pause the threads that use remote! or \
             local! before local_phase",
            self.endpoint.facts.my_pe,
            place::shown(&self.name())
        ))
    }

    /// Ends the PE: no PE is left that could end the wait.
    #[cold]
    #[track_caller]
    fn is_deserted(&self) {
        let (text, me) = (place::shown(&self.what.text()), self.endpoint.facts.my_pe);
        if let (Some(call), Some(at), Some(pe)) = (self.what.call(), self.at, self.what.missing().1.first()) {
            deadlock::has_returned_from(*pe, me, call, at);
        }
        if let (Some(partner), Some(at), None) = (self.before, self.at, self.what.lock()) {
            process::stop_stuck(&format!(
                "PE {me} waits at {} in {text} for PE {partner}, and PE {partner} has returned from its function{PARTNER_RULE}",
                Shown(at)
            ));
        }
        if let (Some(holder), Some(at)) = (self.before, self.at) {
            process::stop_stuck(&format!(
                "PE {me} waits at {} for {text}, which PE {holder} holds, and PE {holder} has returned from its function: drop the \
                 guard before the function returns",
                Shown(at)
            ));
        }
        assert!(
            self.endpoint.facts.n_pes > 1,
            "this PE waits for {text}, and the job has no other PE that could end the wait"
        );
        panic!(
            "this PE waits for {text}, and every other PE has returned from its function: no PE is left to end the wait"
        );
    }
}

impl Drop for Backoff<'_> {
    /// The wait is over: the PE goes on next, or panics.
    #[inline]
    fn drop(&mut self) {
        // A wait that never looked in vain tells nothing.
        if self.is_trial && self.looks != 0 {
            self.end_trial(true);
        }
        if self.written != 0 {
            self.endpoint.meetings.wait_record().end(self.written);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::system::os::System;
    use crate::transport::smp::SmpTransport;
    use crate::transport::smp::segment::Segment;

    /// How often this thread has given its core away to sleep.
    fn sleeps() -> i64 {
        // SAFETY: zeros are a value of this type, and the system fills it in.
        unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage), 0);
            usage.ru_nvcsw
        }
    }

    struct NoWait;

    impl Awaited for NoWait {
        fn text(&self) -> String {
            "nothing".to_owned()
        }
    }

    /// Where every spin pays, each wait spins. After one that did not, this takes 8 that do.
    #[test]
    fn a_thread_that_shares_its_core_spins_where_that_pays() {
        let mut trials = Trials { left: 0, between: 0 };
        let mut spins = |waits: u32, came: bool| {
            let due = |_: &u32| trials.is_due().then(|| trials.end(came)).is_some();
            (0..waits).filter(due).count()
        };
        assert_eq!(spins(1000, true), 1000);
        assert_eq!(spins(1000, false), 4);
        // What is left of the last 255 waits without, and then half as many after each spin.
        assert_eq!(spins(4 * TRIAL_EVERY - 1000, true), 0);
        assert_eq!(spins(8 + 127 + 63 + 31 + 15 + 7 + 3 + 1, true), 8);
        assert_eq!(spins(1000, true), 1000);
    }

    /// Once a wait has lasted, there is one look for each nap. The test counts looks and naps,
    /// however long these take.
    #[test]
    fn between_two_looks_of_a_long_wait_is_a_nap() {
        let (system, heap) = (System::ALL[0], 4096);
        let job = Segment::create(system, 1, heap).unwrap();
        let memory = job.fd().try_clone_to_owned().unwrap();
        let endpoint = SmpTransport::new(Segment::attach(system, memory, 0, 1, heap).unwrap(), 0).endpoint();
        for spins in [true, false] {
            let mut backoff = Backoff::new(&endpoint, &NoWait, None);
            backoff.spins = spins;
            let before = sleeps();
            while sleeps() == before {
                backoff.pause();
            }
            let (first, mut looks) = (sleeps(), 0);
            while sleeps() < first + 100 {
                backoff.pause();
                looks += 1;
            }
            // A nap that is over before it has begun, because the system ran another process
            // meanwhile, does not count as a sleep.
            assert!(looks < 200, "{looks} looks beside 100 naps");
        }
    }
}
