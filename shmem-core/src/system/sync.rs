//! The machine's services for the synchronisation algorithms: atomics, fences, and waiting.
//!
//! `counter.rs`, `barrier.rs`, `phase_change.rs` and `question.rs` in `transport/node` import these from this
//! module alone: the package `models` compiles the same files with another module of this name, to
//! run them under a model checker.

use std::hint::black_box;
use std::panic::RefUnwindSafe;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use super::tuning::wait::{FIRST_SLEEP, LONGEST_SLEEP, SHORT_LOOKS, SPIN, YIELDS, YIELDS_OVERSUBSCRIBED};

/// The number of cells that broadcasts without a barrier may fill before all PEs have to
/// synchronise: see `transport/node/barrier.rs`.
pub(crate) const CELLS: usize = 64;
/// The number of words in a cell: with its count they fill two cache lines.
pub(crate) const CELL_WORDS: usize = 15;

/// Types that threads may share, also across a panic.
pub(crate) trait Shareable: Sync + RefUnwindSafe {}
impl<T: Sync + RefUnwindSafe> Shareable for T {}

/// The limit of a waiter's next sleep, which doubles each time.
pub(crate) struct Nap(Duration);

impl Nap {
    /// The first sleep.
    #[inline]
    pub(crate) fn new() -> Nap {
        Nap(FIRST_SLEEP)
    }

    /// Returns the current limit, and doubles it for the next sleep.
    pub(crate) fn take(&mut self) -> Duration {
        let nap = self.0;
        self.0 = (nap * 2).min(LONGEST_SLEEP);
        nap
    }
}

/// A pause of some 10 ns in which the PE that is about to update the cache line can keep it. The
/// processor's own pause takes longer (16 ns on Zen 5, more elsewhere), and a hand-over between
/// neighbouring cores takes 24.
#[inline(always)]
pub(crate) fn breathe() {
    let mut number = 3_u64;
    for _ in 0..5 {
        number = black_box(number.wrapping_mul(5));
    }
}

/// Calls `found` until it is true, with pauses: if `spin`, by spinning for an instant, and then by
/// yielding. False when it gave up.
#[inline(always)]
pub(crate) fn look_for_a_while(spin: bool, found: impl Fn() -> bool) -> bool {
    if spin {
        // Reads the clock first: that takes about as long as a hand-over, and an earlier look would
        // only take the line away from the other PE.
        let start = Instant::now();
        for _ in 0..SHORT_LOOKS {
            if found() {
                return true;
            }
            breathe();
        }
        if spin_since(start, &found) {
            return true;
        }
    }
    yield_for_a_while(spin, found, rustix::thread::sched_yield)
}

/// The same, for what a C library brings; `give_way` yields.
#[cfg(feature = "openshmem")]
#[inline(always)]
pub(crate) fn look_for_a_message(spin: bool, found: impl Fn() -> bool, give_way: impl Fn()) -> bool {
    if spin {
        // The clock is read when several looks were in vain. The other PE takes some 10 ns longer to write, in the
        // library, and not always as long: with the clock first, meetings of 2 PEs took 1.15 times as long.
        for _ in 0..SHORT_LOOKS {
            breathe();
            if found() {
                return true;
            }
        }
        if spin_since(Instant::now(), &found) {
            return true;
        }
    }
    yield_for_a_while(spin, found, give_way)
}

/// Calls `found` until it is true, or until [`SPIN`] has passed since `start`: then false.
#[inline(always)]
fn spin_since(start: Instant, found: &impl Fn() -> bool) -> bool {
    loop {
        for _ in 0..16 {
            if found() {
                return true;
            }
            std::hint::spin_loop();
        }
        if start.elapsed() >= SPIN {
            return false;
        }
    }
}

/// Calls `found` until it is true, and `give_way` after each time, as often as makes sense where waiters `spin` or do
/// not: then false.
#[inline(always)]
fn yield_for_a_while(spin: bool, found: impl Fn() -> bool, give_way: impl Fn()) -> bool {
    for _ in 0..if spin { YIELDS } else { YIELDS_OVERSUBSCRIBED } {
        if found() {
            return true;
        }
        give_way();
    }
    false
}

/// Gives the processor a hint for each cache line of the first `len` bytes of `place`, one at
/// least.
macro_rules! hint {
    ($instruction:literal, $place:ident, $len:ident) => {{
        #[cfg(target_arch = "x86_64")]
        {
            let (start, mut at) = (std::ptr::from_ref($place).cast::<u8>(), 0);
            loop {
                let line = start.wrapping_add(at);
                // SAFETY: a hint, which accesses no memory in a way that the program could observe;
                // processors without it do nothing.
                unsafe {
                    std::arch::asm!(concat!($instruction, " [{}]"), in(reg) line, options(nostack, preserves_flags))
                };
                at += 64;
                if at >= $len.min(size_of_val($place)) {
                    break;
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = ($place, $len);
    }};
}

/// Begins to fetch the cache lines of the first `len` bytes of `place` for writing, and waits for
/// nothing.
#[inline(always)]
pub(crate) fn prepare_to_write<T>(place: &T, len: usize) {
    hint!("prefetchw", place, len);
}

/// As [`prepare_to_write`], for reading.
#[inline(always)]
pub(crate) fn prepare_to_read<T>(place: &T, len: usize) {
    hint!("prefetcht0", place, len);
}
