//! The meetings of two PEs: who has come how often, and who waits.
//!
//! This file has the algorithm alone, over a trait for the words that PEs leave for each other. So
//! a model checker can run it on words of its own.
//!
//! # How it works
//!
//! Visits count by two: the lowest bit of what a PE keeps of a pair marks a thread in the call. A PE that
//! comes to a meeting of a pair counts its visits up, tells the other PE, and waits until that one has
//! told it as much. So the n-th visit of one meets the n-th of the other.
//!
//! PE `p` has a word in the heap of PE `q`, its flag there, which only `p` writes. So the cost is one write
//! each way. There are two forms of it:
//!
//! *By stores*, where loads and stores of both PEs reach both flags: a visit stores its number. The two
//! cache lines are on their way at the same time. One word for both PEs, which both would update, is one
//! cache line that goes there and back.
//!
//! *By puts*, elsewhere: the word has two halves, and visits [write](mark) them in turn, each its number. A
//! network may deliver two writes in another order. To one half it cannot: `p` writes it again two visits
//! later. By then `q` has come to the visit between, so it has seen the write before.
//!
//! The other PE may be ahead by one visit and no more: it comes again only after this one has come. So
//! counts may wrap around, and a half that this one waits for has its number, or an older one.
//!
//! A PE that meets several tells all before it waits for the first. So no order of the lists makes
//! PEs wait for each other in a circle, if all of them come.
//!
//! A PE has one place in each pair. A thread takes the places of all its pairs before it tells
//! anybody.
//!
//! # Memory ordering
//!
//! [`come`](PairMemory::come) releases, and [`look`](PairMemory::look) acquires: what a PE
//! has stored before it came is seen by the other one after the meeting, and what it has learned of
//! other PEs as well. The place in a pair is taken with acquire and given back with release, because threads
//! of a PE hand the count of the visits over with it.
//!
//! # What a model checker finds
//!
//! In the package `models`, in both forms, with 2 and 3 PEs that meet in pairs, in chains and all
//! with each other, once or several times, over counts that wrap around:
//!
//! 1. A plain (race-checked) cell that a PE writes before a meeting and the other one reads after it
//!    never races, also where the two have met through a third one.
//! 2. The value is that of the same visit: neither PE is ahead of a meeting.
//! 3. Every execution ends.

use crate::system::sync::{AtomicU32, Ordering};

/// What a visit adds to the count of this PE's visits.
pub(crate) const VISIT: u32 = 2;

/// What this PE keeps of its meetings with another one. Zeros are its first state.
#[derive(Default)]
pub(crate) struct Pair {
    /// Twice the number of this PE's visits, and one more while a thread is in a call.
    visits: AtomicU32,
}

impl Pair {
    /// After so many meetings, twice.
    #[cfg(test)]
    #[allow(dead_code, reason = "for the models")]
    pub(crate) fn after(visits: u32) -> Pair {
        Pair { visits: AtomicU32::new(visits) }
    }

    /// Takes this PE's place for its next visit, and returns that; `None` if a thread has the
    /// place.
    #[inline(always)]
    fn take(&self) -> Option<u32> {
        let mut visits = self.visits.load(Ordering::Relaxed);
        while visits.is_multiple_of(2) {
            let visit = visits.wrapping_add(VISIT);
            let taken = self.visits.compare_exchange(visits, visit | 1, Ordering::Acquire, Ordering::Relaxed);
            match taken {
                Ok(_) => return Some(visit),
                // Another thread has made a visit.
                Err(seen) => visits = seen,
            }
        }
        None
    }

    /// Gives the place back after `visit`.
    #[inline(always)]
    fn leave(&self, visit: u32) {
        self.visits.store(visit, Ordering::Release);
    }
}

/// Tells a PE of a visit, by a store to this PE's flag there.
#[inline(always)]
pub(crate) fn tell(flag: &AtomicU32, visit: u32) {
    flag.store(visit, Ordering::Release);
}

/// What is seen of a pair by its flag, which `tell` writes.
#[inline(always)]
pub(crate) fn seen(flag: &AtomicU32) -> u32 {
    flag.load(Ordering::Acquire)
}

/// Which half of a flag a visit writes, and what it writes there.
#[inline(always)]
pub(crate) fn mark(visit: u32) -> (usize, u16) {
    let number = visit / VISIT;
    ((number % 2) as usize, number as u16)
}

/// What is seen of a pair by the half of its flag that `visit` writes.
#[inline(always)]
pub(crate) fn seen_by(half: u16, visit: u32) -> u32 {
    if half == mark(visit).1 { visit } else { visit.wrapping_sub(VISIT) }
}

/// Whether the other PE has come to `visit` too, by what is seen of the pair.
#[inline(always)]
fn is_complete(seen: u32, visit: u32) -> bool {
    seen.wrapping_sub(visit).cast_signed() >= 0
}

/// The words, and what else the algorithm needs.
pub(crate) trait PairMemory {
    /// The number of this PE.
    fn my_pe(&self) -> usize;
    /// What this PE keeps of `pe`.
    fn pair(&self, pe: usize) -> &Pair;
    /// Begins to fetch what [`come`](PairMemory::come) writes. A hint.
    fn prepare(&self, pe: usize);
    /// Tells `pe` that this PE has come for `visit`; releases.
    fn come(&self, pe: usize, visit: u32);
    /// Is called between the last [`come`](PairMemory::come) of a call and the first [`look`](PairMemory::look).
    fn has_come(&self);
    /// Reads which visit of `pe` this PE sees, in its own `visit`; acquires.
    fn look(&self, pe: usize, visit: u32) -> u32;
    /// Begins a wait for `pe` in this `visit`. The returned function is called before each look.
    fn pauses(&self, pe: usize, visit: u32) -> impl FnMut();
}

/// How many partners a call keeps on the stack.
const FEW: usize = 8;

/// A place that a thread has taken: which pair's, and for which visit.
#[derive(Clone, Copy, Default)]
struct TakenPlace {
    pe: u32,
    visit: u32,
}

/// Meets each of `pes`. One that is named several times is met once, and this PE itself not at all.
///
/// # Errors
///
/// The PE with which another thread of this one is in a meeting. Then nothing was done.
#[inline(always)]
pub(crate) fn meet<M: PairMemory>(
    memory: &M,
    pes: impl ExactSizeIterator<Item = usize>,
) -> Result<(), usize> {
    if pes.len() <= FEW {
        meet_in(memory, pes, &mut [TakenPlace::default(); FEW])
    } else {
        meet_many(memory, pes)
    }
}

/// [`meet`], of one PE, which is not this one.
#[inline(always)]
pub(crate) fn meet_one<M: PairMemory>(memory: &M, pe: usize) -> Result<(), usize> {
    // The line comes while the place is taken.
    memory.prepare(pe);
    let Some(visit) = memory.pair(pe).take() else {
        return Err(pe);
    };
    memory.come(pe, visit);
    memory.has_come();
    if !is_complete(memory.look(pe, visit), visit) {
        wait(memory, pe, visit);
    }
    memory.pair(pe).leave(visit);
    Ok(())
}

/// [`meet`], of more PEs than have room on the stack.
#[cold]
#[inline(never)]
fn meet_many<M: PairMemory>(memory: &M, pes: impl ExactSizeIterator<Item = usize>) -> Result<(), usize> {
    let mut room = vec![TakenPlace::default(); pes.len()];
    meet_in(memory, pes, &mut room)
}

/// [`meet`], with room for as many places as there are PEs.
#[inline(always)]
fn meet_in<M: PairMemory>(
    memory: &M,
    pes: impl Iterator<Item = usize>,
    room: &mut [TakenPlace],
) -> Result<(), usize> {
    let me = memory.my_pe();
    let mut count = 0;
    for pe in pes {
        if pe == me {
            continue;
        }
        memory.prepare(pe);
        let Some(visit) = memory.pair(pe).take() else {
            let taken = &room[..count];
            if taken.iter().any(|taken| taken.pe as usize == pe) {
                continue; // once more
            }
            for taken in taken {
                memory.pair(taken.pe as usize).leave(taken.visit.wrapping_sub(VISIT));
            }
            return Err(pe);
        };
        room[count] = TakenPlace { pe: pe as u32, visit };
        count += 1;
    }
    let taken = room[..count].iter().map(|taken| (taken.pe as usize, taken.visit));
    for (pe, visit) in taken.clone() {
        memory.come(pe, visit);
    }
    memory.has_come();
    for (pe, visit) in taken {
        if !is_complete(memory.look(pe, visit), visit) {
            wait(memory, pe, visit);
        }
        memory.pair(pe).leave(visit);
    }
    Ok(())
}

/// Waits until `pe` has come to `visit`; it had not at the last look.
#[inline(never)]
fn wait<M: PairMemory>(memory: &M, pe: usize, visit: u32) {
    let mut pause = memory.pauses(pe, visit);
    loop {
        pause();
        if is_complete(memory.look(pe, visit), visit) {
            return;
        }
    }
}
