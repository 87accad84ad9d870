//! What the PEs tell each other when they join: all of all, in rounds.
//!
//! In round r each PE passes on what it has to the PE 2^r after it: twice as much in each round. So each PE
//! sends log2(n) messages with a signal each, however many PEs there are.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

use shmem_sys as sys;

use super::atomics::Atomics;
use super::far::SignalWords;
use super::known::Faults;
use super::library::Library;
use crate::transport::{Amo, Ctx, Members, Width};

/// What a PE tells all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Introduction {
    /// The first PE whose heap is directly addressable from this one, and the number of such PEs.
    pub(super) first: u32,
    pub(super) reaches: u32,
    /// A hash of the host's name.
    pub(super) host: u64,
    /// Whether the PE has found the memory in which another process reads what it does.
    pub(super) is_watched: bool,
    /// Whether it has found its journal.
    pub(super) has_journal: bool,
}

/// The words of an [`Introduction`].
const WORDS: usize = 2;
/// The bits beside a number of PEs, which is below 2^30.
const WATCHED: u64 = 1 << 30;
const JOURNAL: u64 = 1 << 31;

impl Introduction {
    /// For tests: a PE that addresses so many, of which this is the first.
    #[cfg(test)]
    pub(super) fn near(first: u32, reaches: u32) -> Introduction {
        Introduction { first, reaches, host: 0, is_watched: false, has_journal: false }
    }

    fn to_words(self) -> [u64; WORDS] {
        let Introduction { first, reaches, host, is_watched, has_journal } = self;
        let flags = if is_watched { WATCHED } else { 0 } | if has_journal { JOURNAL } else { 0 };
        [u64::from(first) << 32 | flags | u64::from(reaches), host]
    }

    fn from_words([word, host]: [u64; WORDS]) -> Introduction {
        let (first, reaches) = ((word >> 32) as u32, word as u32 & (WATCHED as u32 - 1));
        Introduction {
            first,
            reaches,
            host,
            is_watched: word & WATCHED != 0,
            has_journal: word & JOURNAL != 0,
        }
    }
}

/// How much symmetric memory `n_pes` PEs need to tell each other.
pub(super) const fn room(n_pes: usize) -> usize {
    n_pes * WORDS * size_of::<u64>()
}

/// The words that a PE has after some rounds: those of the PEs before it, from its own on backwards.
///
/// In the round at a distance it sends the first of them, to where its receiver goes on.
fn sent(distance: usize, n_pes: usize) -> usize {
    distance.min(n_pes - distance)
}

/// Tells all PEs what `mine` says, and returns what each has told, in the order of the PEs. Collective.
///
/// # Safety
///
/// The library is initialised, and this PE is number `me` of `n_pes`. `at` is symmetric memory of
/// [`room`] bytes, aligned to a word, which nobody else uses. `signals` is the symmetric address of
/// `signalled`, this PE's words, which were zeros when the PEs met last, and which nobody else uses.
pub(super) unsafe fn tell_all(
    library: &Library,
    (me, n_pes): (usize, usize),
    at: *mut u64,
    (signalled, signals): (&SignalWords, *mut SignalWords),
    mine: Introduction,
) -> Vec<Introduction> {
    // SAFETY: there is room for one; no PE writes there.
    unsafe { at.cast::<[u64; WORDS]>().write(mine.to_words()) };
    let all = Members::Strided { start: 0, stride: 1, len: n_pes };
    for (round, to) in all.signalled(me).enumerate() {
        let distance = 1 << round;
        let words = sent(distance, n_pes) * WORDS;
        // SAFETY: both ends are inside of the room, as `sent` says; the words sent were written here or
        // have arrived, and the receiver reads its own after the signal, which the fence keeps behind
        // them. The word of the signal is updated by the library alone.
        unsafe {
            let there = at.add(distance * WORDS);
            sys::shmem_putmem(there.cast(), at.cast(), words * size_of::<u64>(), to as c_int);
            sys::shmem_fence();
            let word = signals.cast::<u64>().add(round).cast();
            Atomics(Faults::ALL).update(Ctx::DEFAULT, word, to as c_int, Width::W8, Amo::Add(1));
        }
        #[cfg(test)]
        super::counts::OF_START.fetch_add(2, Ordering::Relaxed);
        while signalled[round].load(Ordering::Acquire) == 0 {
            library.progress();
            library.give_way();
        }
    }
    let told = |pe: usize| {
        // SAFETY: all have arrived. They are read as they were written, word by word.
        let words = std::array::from_fn(|word| unsafe {
            let word = at.add((me + n_pes - pe) % n_pes * WORDS + word);
            AtomicU64::from_ptr(word).load(Ordering::Relaxed)
        });
        Introduction::from_words(words)
    };
    (0..n_pes).map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_learns_of_everybody_in_few_rounds() {
        for n in (1..70).chain([127, 128, 129, 1000]) {
            // What each PE has, as `tell_all` keeps it.
            let mut all: Vec<Vec<usize>> = (0..n).map(|pe| vec![pe]).collect();
            let members = Members::Strided { start: 0, stride: 1, len: n };
            let rounds = members.signalled(0).count();
            assert_eq!(rounds, n.next_power_of_two().ilog2() as usize);
            for round in 0..rounds {
                let before = all.clone();
                for (pe, has) in before.iter().enumerate() {
                    let to = members.signalled(pe).nth(round).expect("a round");
                    assert_eq!(all[to].len(), 1 << round);
                    all[to].extend(&has[..sent(1 << round, n)]);
                }
            }
            for (pe, has) in all.iter().enumerate() {
                assert!(has.iter().copied().eq((0..n).map(|back| (pe + n - back) % n)), "{n} PEs, PE {pe}");
            }
        }
    }

    #[test]
    fn what_is_told_is_understood() {
        for flags in 0..4 {
            for (first, reaches, host) in [(0, 1, 0), (u32::MAX, (1 << 30) - 1, u64::MAX), (65_536, 128, 5)] {
                let (is_watched, has_journal) = (flags & 1 != 0, flags & 2 != 0);
                let told = Introduction { first, reaches, host, is_watched, has_journal };
                assert_eq!(Introduction::from_words(told.to_words()), told);
            }
        }
        assert_eq!(room(1_000_000), 16_000_000);
    }
}
