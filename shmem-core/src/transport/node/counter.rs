//! Waiting for another PE: spin for an instant, then yield, then sleep.
//!
//! A hand-over between two running PEs takes well under a microsecond, and only a spinning waiter
//! is that fast. After that time the PE that is waited for computes, or does not run at all, so the
//! waiter gives its core away. Yielding is cheaper while other PEs are runnable on the same cores
//! (in the barrier of 8 PEs on 2 cores, sleeping at once takes five times as long). But it is
//! bounded, because `sched_yield` reaches only processes of the same scheduling group (Linux makes
//! one of every session), and because a waiter that only yields keeps a core from resting.
//!
//! The spin pauses between its looks, which has a large effect: a tight loop takes the cache line
//! back from the PE that is about to update it, and a barrier of two then takes twice as long.
//!
//! # No wake is lost
//!
//! The word carries one bit, [`SLEEPER`], beside its count. Only these changes are made to it:
//!
//! * *add*: a PE raises the count by one, leaves the bit, and learns whether the bit was set;
//! * *announce*: a waiter whom the count does not satisfy sets the bit, by compare-and-swap;
//! * *clear*: after an add that satisfies the waiters and found the bit set, the PE that added
//!   clears the bit, and then wakes **all** sleepers.
//!
//! (A counter is also *set*, but only when no PE can be waiting for it, so that no PE sleeps.)
//!
//! A waiter sleeps only if the word, checked atomically with going to sleep, still is the
//! unsatisfying value with the bit that it has seen or set. Say W goes to sleep on such a value,
//! and A is the add that satisfies W. A comes later in the word's order. If the bit was still set
//! when A came, the PE that performed A wakes W. If it was not, a clear came in between, and the
//! wake that follows every clear finds W asleep; W looks again, and announces again. Either way W
//! does not sleep through A. No fence is needed, and a wake costs nothing when no PE sleeps.

use crate::system::os::System;
use crate::system::sync::{AtomicU32, Nap, Ordering, look_for_a_while};

/// The bit of a word that is set when a PE sleeps on it.
const SLEEPER: u32 = 1;
/// The amount by which one count raises the word.
const ONE: u32 = 2;

/// What happens to a wait that sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sleep {
    /// It is about to sleep for the first time.
    Begins,
    /// It has slept, and goes on.
    Lasts,
    /// It is over.
    Ends,
}

/// A counter in shared memory that PEs advance and wait for. It counts modulo 2^31. Zeros are its
/// first state.
#[derive(Default)]
#[repr(transparent)]
pub(crate) struct Counter(AtomicU32);

impl Counter {
    /// Adds one to the count. If that makes it `awaited`, wakes all sleepers; otherwise returns
    /// `awaited` as an error.
    ///
    /// A PE that sees this count, or a later one, also sees everything that this PE has stored.
    #[inline]
    pub(crate) fn advance(&self, system: System, awaited: impl FnOnce() -> u32) -> Result<(), u32> {
        // AcqRel: the adds form one release sequence, so a PE that sees the last add sees what came
        // before each of them.
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

    /// Adds one to the count, and wakes all sleepers. For a counter that one PE alone advances, so
    /// that every waiter waits for that PE.
    ///
    /// The stores become visible as with [`advance`](Counter::advance).
    #[inline]
    pub(crate) fn advance_and_wake(&self, system: System) {
        if self.0.fetch_add(ONE, Ordering::AcqRel) & SLEEPER != 0 {
            self.0.fetch_and(!SLEEPER, Ordering::Relaxed);
            system.wake_all(&self.0);
        }
    }

    /// The count.
    pub(crate) fn count(&self) -> u32 {
        // The division drops the bit. All users count modulo 2^31, so the highest bit of the result
        // is not used.
        self.0.load(Ordering::Acquire) / ONE
    }

    /// Waits until the count is `awaited` or later. Then this PE sees what the PEs that advanced
    /// the count stored before.
    ///
    /// `oversubscribed` means that there are more PEs than cores, so that the PE that is waited for
    /// may need this core. A wait that sleeps calls `sleeps` when it begins to sleep, from time to
    /// time, and when it ends.
    pub(crate) fn wait_for(
        &self,
        system: System,
        awaited: u32,
        oversubscribed: bool,
        sleeps: impl Fn(Sleep),
    ) {
        // Waiters and those who advance are never 2^30 counts apart, so the sign of the difference
        // gives the order, also when the counter has wrapped around.
        let reached =
            |word: u32| (word & !SLEEPER).wrapping_sub(awaited.wrapping_mul(ONE)).cast_signed() >= 0;

        if look_for_a_while(!oversubscribed, || reached(self.0.load(Ordering::Acquire))) {
            return;
        }
        let mut nap = Nap::new();
        sleeps(Sleep::Begins);
        loop {
            let word = self.0.load(Ordering::Acquire);
            if reached(word) {
                sleeps(Sleep::Ends);
                return;
            }
            let announced = word | SLEEPER;
            // A failure means that the word has changed, so the loop reads it again.
            let is_announced = word == announced
                || self.0.compare_exchange(word, announced, Ordering::Relaxed, Ordering::Relaxed).is_ok();
            if is_announced && !system.sleep_while(&self.0, announced, &mut nap) {
                sleeps(Sleep::Lasts);
            }
        }
    }

    /// Whether the count is `awaited` or later. If so, this PE sees what those who advanced it
    /// stored before.
    pub(crate) fn has_reached(&self, awaited: u32) -> bool {
        let word = self.0.load(Ordering::Acquire);
        (word & !SLEEPER).wrapping_sub(awaited.wrapping_mul(ONE)).cast_signed() >= 0
    }

    /// Sets the count. Other PEs see it when they see a later change that this PE makes elsewhere.
    /// No PE may be waiting for the counter.
    pub(crate) fn set(&self, count: u32) {
        self.0.store(count.wrapping_mul(ONE), Ordering::Relaxed);
    }
}
