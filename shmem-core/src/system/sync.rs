//! What the synchronisation algorithms need of the machine: atomics, fences, and a way to look
//! again.
//!
//! `transport/smp/wait.rs`, `barrier.rs` and `change.rs` there take these from here and nowhere
//! else: the package `models` compiles the same files with another module of this name, to run them
//! under a model checker.

use std::hint::black_box;
use std::panic::RefUnwindSafe;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::tuning::wait::{FIRST_SLEEP, LONGEST_SLEEP, SHORT_LOOKS, SPIN, YIELDS};

/// How many things a PE can say before all have to have heard them: see `transport/smp/barrier.rs`.
pub(crate) const CELLS: usize = 32;
/// How many words are said at once: what fills two cache lines with the count.
pub(crate) const CELL_WORDS: usize = 15;

/// What threads may share, also across a panic.
pub(crate) trait Shareable: Sync + RefUnwindSafe {}
impl<T: Sync + RefUnwindSafe> Shareable for T {}

/// How long a waiter sleeps at most before it looks around, each time twice as long as before.
pub(crate) struct Nap(Duration);

impl Nap {
    /// The first.
    #[inline]
    pub(crate) fn new() -> Nap {
        Nap(FIRST_SLEEP)
    }

    /// How long it is. The next is longer.
    pub(crate) fn take(&mut self) -> Duration {
        let nap = self.0;
        self.0 = (nap * 2).min(LONGEST_SLEEP);
        nap
    }
}

/// Some 10 ns in which the cache line is left to the PE that is about to update it. The processor's
/// own pause takes longer (16 ns on Zen 5, more elsewhere), and a hand-over between neighbouring
/// cores takes 24.
#[inline(always)]
fn breathe() {
    let mut number = 3_u64;
    for _ in 0..5 {
        number = black_box(number.wrapping_mul(5));
    }
}

/// Looks until `found`, with pauses: for an instant by spinning, if that is wanted, and then by
/// yielding. False when it gave up.
#[inline(always)]
pub(crate) fn look_for_a_while(spin: bool, found: impl Fn() -> bool) -> bool {
    if spin {
        // Reading the clock comes first: it takes about as long as a hand-over, and who looks
        // earlier only takes the line away.
        let start = Instant::now();
        for _ in 0..SHORT_LOOKS {
            if found() {
                return true;
            }
            breathe();
        }
        loop {
            for _ in 0..16 {
                if found() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if start.elapsed() >= SPIN {
                break;
            }
        }
    }
    for _ in 0..YIELDS {
        if found() {
            return true;
        }
        rustix::thread::sched_yield();
    }
    false
}

/// Begins to fetch the cache lines of `place` for writing, and waits for nothing.
#[inline(always)]
pub(crate) fn prepare_to_write<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(64) {
        let line = std::ptr::from_ref(place).cast::<u8>().wrapping_add(line);
        // SAFETY: a hint, which accesses no memory that the program could tell; processors that do
        // not have it do nothing.
        unsafe { std::arch::asm!("prefetchw [{}]", in(reg) line, options(nostack, preserves_flags)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
