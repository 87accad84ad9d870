//! Waiting for another PE: spin for an instant, then yield, then sleep.
//!
//! A hand-over between two running PEs takes well under a microsecond, and only a spinning waiter
//! is that fast. A waiter that has not been answered after that is waiting for a PE that computes,
//! or that does not run at all: it gives its core away. Yielding is the cheaper way while the
//! others are runnable on the same cores (by the barrier of 8 PEs on 2 cores, sleeping at once
//! takes five times as long), but it is bounded, because `sched_yield` reaches only processes of
//! the same scheduling group (Linux makes one of every session), and because a waiter that only
//! yields keeps a core from resting.
//!
//! The spin pauses between its looks, and this is worth more than it seems: a tight loop takes the
//! cache line back from the PE that is about to update it, and a barrier of two then takes twice as
//! long.
//!
//! # No wake is lost
//!
//! The word carries one bit, [`SLEEPER`], beside its count. These are all the changes that it ever
//! sees:
//!
//! * *add*: the count goes up by one, and the bit stays; the author learns whether it was set;
//! * *announce*: a waiter whom the count does not satisfy sets the bit, by compare-and-swap;
//! * *clear*: the author of an add that satisfies the waiters takes the bit away if its add found
//!   it, and then wakes **all** who sleep.
//!
//! (A counter is also *set*, where nobody can be waiting for it: then nobody sleeps.)
//!
//! A waiter sleeps only if the word still is, atomically with going to sleep, the unsatisfying
//! value with the bit that it has seen or made. Say W goes to sleep on such a value, and A is the
//! add that satisfies W. A comes later in the word's order. If the bit was still set when A came,
//! A's author wakes W. If it was not, a clear took it between, and the wake that follows every
//! clear finds W asleep; W looks again, and announces again. Either way W does not sleep through A.
//! No fence is needed, and nobody pays for a wake when nobody sleeps.

use crate::system::os::System;
use crate::system::sync::{AtomicU32, Nap, Ordering, look_for_a_while};

/// The bit of a word that says that somebody sleeps on it.
const SLEEPER: u32 = 1;
/// What one count is worth in a word.
const ONE: u32 = 2;

/// A counter in shared memory that PEs advance and wait for. It counts modulo 2^31; zeros are its
/// first state.
#[derive(Default)]
#[repr(transparent)]
pub(crate) struct Counter(AtomicU32);

impl Counter {
    /// Counts one more. The first who makes it `awaited` wakes those who sleep; the others get it
    /// back as an error.
    ///
    /// Everything that this PE has stored is visible to whoever sees the count, or a later one.
    #[inline]
    pub(crate) fn advance(&self, system: System, awaited: impl FnOnce() -> u32) -> Result<(), u32> {
        // AcqRel: the adds form one release sequence, so who sees the last sees what came before
        // each.
        let before = self.0.fetch_add(ONE, Ordering::AcqRel);
        let awaited = awaited();
        if (before & !SLEEPER).wrapping_add(ONE) != awaited.wrapping_mul(ONE) {
            return Err(awaited);
        }
        if before & SLEEPER != 0 {
            self.0.fetch_and(!SLEEPER, Ordering::Relaxed);
            system.wake_all(&self.0);
        }
        Ok(())
    }

    /// Counts one more, and wakes whoever sleeps: for a counter that has one author, whom all who
    /// wait are waiting for.
    ///
    /// What is visible to whom is as for [`advance`](Counter::advance).
    #[inline]
    pub(crate) fn advance_and_wake(&self, system: System) {
        if self.0.fetch_add(ONE, Ordering::AcqRel) & SLEEPER != 0 {
            self.0.fetch_and(!SLEEPER, Ordering::Relaxed);
            system.wake_all(&self.0);
        }
    }

    /// The count.
    pub(crate) fn count(&self) -> u32 {
        // All users count modulo 2^31: the highest bit is nobody's.
        self.0.load(Ordering::Acquire) / ONE
    }

    /// Waits until the count is `awaited` or later, and sees what those who advanced it stored
    /// before.
    ///
    /// `oversubscribed` says that there are more PEs than cores, so that the one waited for may
    /// need this core. `lasts` is called now and then in a wait that is long.
    pub(crate) fn wait_for(&self, system: System, awaited: u32, oversubscribed: bool, lasts: impl Fn()) {
        // Those who wait and those who advance are never 2^30 counts apart, so the sign of the
        // difference tells before from after, also when the counter has wrapped around.
        let reached =
            |word: u32| (word & !SLEEPER).wrapping_sub(awaited.wrapping_mul(ONE)).cast_signed() >= 0;

        if look_for_a_while(!oversubscribed, || reached(self.0.load(Ordering::Acquire))) {
            return;
        }
        let mut nap = Nap::new();
        loop {
            let word = self.0.load(Ordering::Acquire);
            if reached(word) {
                return;
            }
            let announced = word | SLEEPER;
            // A failure means that the word has changed: look again.
            let is_announced = word == announced
                || self.0.compare_exchange(word, announced, Ordering::Relaxed, Ordering::Relaxed).is_ok();
            if is_announced && !system.sleep_while(&self.0, announced, &mut nap) {
                lasts();
            }
        }
    }

    /// Whether the count is `awaited` or later; then sees what those who advanced it stored before.
    pub(crate) fn has_reached(&self, awaited: u32) -> bool {
        let word = self.0.load(Ordering::Acquire);
        (word & !SLEEPER).wrapping_sub(awaited.wrapping_mul(ONE)).cast_signed() >= 0
    }

    /// Sets the count, for whoever sees a later change that this PE makes elsewhere. Nobody waits
    /// for it.
    pub(crate) fn set(&self, count: u32) {
        self.0.store(count.wrapping_mul(ONE), Ordering::Relaxed);
    }
}
