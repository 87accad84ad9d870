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
//! On a transport whose transfers need this process to go on, including transfers to other PEs, a
//! waiter drives them with each look, and does not sleep.
//!
//! A wait that no PE can end is a mistake, and is reported: by a PE that is alone with one thread
//! after the others have returned, and by a PE that waits for a lock whose holder has returned.

use std::fmt;
use std::panic::Location;
use std::time::{Duration, Instant};

use crate::system::process;
use crate::system::tuning::wait::{ASK, LONGEST_NAP, SPIN, YIELDING};
use crate::transport::Endpoint;

/// One wait, from the first look on. It decides what to do between two looks.
pub(crate) struct Backoff<'a> {
    endpoint: &'a Endpoint,
    /// A name of the awaited word, to be read after "waits for".
    what: &'a dyn fmt::Debug,
    since: Option<Instant>,
    looks: u32,
    /// Whether each look is followed by giving the core away: there are more PEs than cores, or the
    /// wait has lasted.
    oversubscribed: bool,
    ask_at: Duration,
    /// The PE that has the lock that is waited for, or waits for it before this PE; and the place
    /// of the wait in the program.
    lock: Option<(usize, &'static Location<'static>)>,
    /// Whether no PE was left that could end the wait, when this was last checked.
    deserted: bool,
}

impl<'a> Backoff<'a> {
    /// A wait that has not begun to take time.
    #[inline]
    pub(crate) fn new(endpoint: &'a Endpoint, what: &'a dyn fmt::Debug) -> Backoff<'a> {
        let oversubscribed = endpoint.facts.oversubscribed;
        Backoff {
            endpoint,
            what,
            since: None,
            looks: 0,
            oversubscribed,
            ask_at: ASK,
            lock: None,
            deserted: false,
        }
    }

    /// As [`new`](Backoff::new), for a lock that the PE in `before` has, or waits for before this
    /// one. `before` also holds the place of the wait in the program.
    pub(crate) fn for_lock(
        endpoint: &'a Endpoint,
        what: &'a dyn fmt::Debug,
        before: Option<(usize, &'static Location<'static>)>,
    ) -> Backoff<'a> {
        Backoff { lock: before, ..Backoff::new(endpoint, what) }
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
        // Reads the clock only from time to time: a reading costs as much as many looks.
        if !self.oversubscribed && !self.looks.is_multiple_of(16) {
            return std::hint::spin_loop();
        }
        self.give_way();
    }

    #[cold]
    #[track_caller]
    fn give_way(&mut self) {
        // The caller has looked once more since `deserted` was set, so it has seen what the last PE
        // did before it left.
        if let (true, Some((holder, at))) = (self.deserted, self.lock) {
            process::stop(&format!(
                "PE {} waits at {at} for {:?}, which PE {holder} holds, and PE {holder} has returned from \
                 its function: drop the guard before the function returns",
                self.endpoint.facts.my_pe, self.what
            ));
        }
        assert!(
            !self.deserted,
            "this PE waits for {:?}, and every other PE has returned from its function: no PE is left to \
             end the wait",
            self.what
        );
        let driven = self.endpoint.meetings.progress();
        let since = *self.since.get_or_insert_with(Instant::now);
        let waited = since.elapsed();
        if waited < SPIN && !self.oversubscribed {
            std::hint::spin_loop();
        } else if waited < YIELDING {
            self.oversubscribed |= driven;
            rustix::thread::sched_yield();
        } else {
            // From here on a nap follows every look: spinning between naps would use the core for
            // nothing.
            self.oversubscribed = true;
            if driven {
                rustix::thread::sched_yield();
            } else {
                std::thread::sleep((waited / 8).min(LONGEST_NAP));
            }
            if waited >= self.ask_at {
                self.ask_at = waited + ASK;
                self.deserted = match self.lock {
                    // A PE that waits for the lock has not returned, so only the holder matters.
                    Some((holder, _)) => self.endpoint.meetings.has_returned_alone(holder),
                    None => self.endpoint.meetings.is_deserted(),
                };
            }
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

    /// Once a wait has lasted, there is one look for each nap. The test counts looks and naps,
    /// however long these take.
    #[test]
    fn between_two_looks_of_a_long_wait_is_a_nap() {
        let (system, heap) = (System::ALL[0], 4096);
        let job = Segment::create(system, 1, heap).unwrap();
        let memory = job.fd().try_clone_to_owned().unwrap();
        let endpoint = SmpTransport::new(Segment::attach(system, memory, 0, 1, heap).unwrap(), 0).endpoint();
        for oversubscribed in [false, true] {
            let mut backoff = Backoff::new(&endpoint, &"nothing");
            backoff.oversubscribed = oversubscribed;
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
