//! The meetings of two PEs: who has come how often, and who waits.
//!
//! This file has the algorithm alone, over a trait for the flags that PEs leave for each other. So a
//! model checker can run it on words of its own.
//!
//! # How it works
//!
//! Two PEs have a flag for each other: PE `p` has a word in the heap of PE `q` that says how often `p`
//! has come to a meeting of the two. Only `p` writes it. A PE that comes counts its visits up, writes
//! the count to the other PE, and waits until the other one's flag has reached the same count. So the
//! n-th visit of one meets the n-th of the other, and the cost is one write each way. Visits count by
//! two, because the count of a PE has a bit for the thread that is in a call.
//!
//! The other PE may be ahead by one visit and no more: it comes again only after this one has come. So
//! counts may wrap around.
//!
//! A PE that meets several writes all flags before it waits for the first. So no order of the lists
//! makes PEs wait for each other in a circle, if all of them come.
//!
//! A PE has one place in each pair. A thread takes the places of all its pairs before it writes a flag.
//!
//! # Memory ordering
//!
//! [`post`](PairMemory::post) releases and [`look`](PairMemory::look) acquires: what a PE has stored
//! before it came is seen by the other one after the meeting, and what it has learned of other PEs as
//! well. The place in a pair is taken with acquire and given back with release, because threads of a PE
//! hand the count of the visits over with it.
//!
//! # What a model checker finds
//!
//! In the package `models`, with 2 and 3 PEs that meet in pairs, in chains and all with each other, once
//! or several times, over counts that wrap around:
//!
//! 1. A plain (race-checked) cell that a PE writes before a meeting and the other one reads after it
//!    never races, also where the two have met through a third one.
//! 2. The value is that of the same visit: neither PE is ahead of a meeting.
//! 3. Every execution ends.

use crate::system::sync::{AtomicU32, Ordering};

/// What a visit adds to a flag.
pub(crate) const VISIT: u32 = 2;

/// What this PE keeps of its meetings with another one. Zeros are its first state.
#[derive(Default)]
pub(crate) struct Pair {
    /// Twice the number of this PE's visits, and one more while a thread is in a call.
    visits: AtomicU32,
}

impl Pair {
    /// After what flag there have been meetings.
    #[cfg(test)]
    #[allow(dead_code, reason = "for the models")]
    pub(crate) fn after(flag: u32) -> Pair {
        Pair { visits: AtomicU32::new(flag) }
    }

    /// Takes this PE's place; false if a thread has it.
    #[inline(always)]
    fn take(&self) -> bool {
        // A load first: an update that fails costs as much as one that does not.
        self.visits.load(Ordering::Relaxed).is_multiple_of(2)
            && self.visits.fetch_or(1, Ordering::Acquire).is_multiple_of(2)
    }

    /// Gives the place back.
    #[inline(always)]
    fn leave(&self) {
        self.visits.store(self.visit(), Ordering::Release);
    }

    /// The visit of the thread that has the place, as a flag says it.
    #[inline(always)]
    fn visit(&self) -> u32 {
        self.visits.load(Ordering::Relaxed) & !1
    }

    /// The next one.
    #[inline(always)]
    fn next_visit(&self) -> u32 {
        let visit = self.visit().wrapping_add(VISIT);
        self.visits.store(visit | 1, Ordering::Relaxed);
        visit
    }
}

/// The flags, and what else the algorithm needs.
pub(crate) trait PairMemory {
    /// The number of this PE.
    fn my_pe(&self) -> usize;
    /// What this PE keeps of `pe`.
    fn pair(&self, pe: usize) -> &Pair;
    /// Writes this PE's flag in the heap of `pe`; releases.
    fn post(&self, pe: usize, visit: u32);
    /// Reads the flag of `pe` in the heap of this PE; acquires.
    fn look(&self, pe: usize) -> u32;
    /// Begins a wait for `pe`. The returned function is called after each look in vain.
    fn pauses(&self, pe: usize) -> impl FnMut();
}

/// How many partners a call keeps on the stack.
const FEW: usize = 8;

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
    if pes.len() <= FEW { meet_in(memory, pes, &mut [0; FEW]) } else { meet_many(memory, pes) }
}

/// [`meet`], of more PEs than have room on the stack.
#[cold]
#[inline(never)]
fn meet_many<M: PairMemory>(memory: &M, pes: impl ExactSizeIterator<Item = usize>) -> Result<(), usize> {
    let mut room = vec![0; pes.len()];
    meet_in(memory, pes, &mut room)
}

/// [`meet`], with room for as many PEs as there are.
#[inline(always)]
fn meet_in<M: PairMemory>(
    memory: &M,
    pes: impl Iterator<Item = usize>,
    room: &mut [usize],
) -> Result<(), usize> {
    let me = memory.my_pe();
    let mut count = 0;
    for pe in pes {
        if pe == me {
            continue;
        }
        if !memory.pair(pe).take() {
            let taken = &room[..count];
            if taken.contains(&pe) {
                continue; // once more
            }
            taken.iter().for_each(|&pe| memory.pair(pe).leave());
            return Err(pe);
        }
        room[count] = pe;
        count += 1;
    }
    let taken = &room[..count];
    for &pe in taken {
        memory.post(pe, memory.pair(pe).next_visit());
    }
    for &pe in taken {
        let visit = memory.pair(pe).visit();
        let has_come = || memory.look(pe).wrapping_sub(visit).cast_signed() >= 0;
        if !has_come() {
            let mut pause = memory.pauses(pe);
            while !has_come() {
                pause();
            }
        }
    }
    taken.iter().for_each(|&pe| memory.pair(pe).leave());
    Ok(())
}
