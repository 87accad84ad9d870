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
//! n-th visit of one meets the n-th of the other, and the cost is one write each way.
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

use crate::system::sync::{AtomicU32, AtomicU64, Ordering};

/// What this PE keeps of its meetings with another one. Zeros are its first state.
#[derive(Default)]
pub(crate) struct Pair {
    /// How often this PE has come.
    visits: AtomicU32,
    /// The call that has this PE's place: the address of a variable of it; 0 for none.
    call: AtomicU64,
}

#[cfg(test)]
#[allow(dead_code, reason = "for the models")]
impl Pair {
    /// After so many meetings.
    pub(crate) fn after(visits: u32) -> Pair {
        Pair { visits: AtomicU32::new(visits), ..Pair::default() }
    }
}

/// The flags, and what else the algorithm needs.
pub(crate) trait PairMemory {
    /// The number of this PE.
    fn my_pe(&self) -> usize;
    /// What this PE keeps of `pe`.
    fn pair(&self, pe: usize) -> &Pair;
    /// Writes this PE's flag in the heap of `pe`; releases.
    fn post(&self, pe: usize, visits: u32);
    /// Reads the flag of `pe` in the heap of this PE; acquires.
    fn look(&self, pe: usize) -> u32;
    /// Begins a wait for `pe`. The returned function is called after each look in vain.
    fn pauses(&self, pe: usize) -> impl FnMut();
}

/// How many partners a call keeps on the stack.
const FEW: usize = 8;

/// Gives the places of a call back.
#[inline(always)]
fn leave<M: PairMemory>(memory: &M, taken: &[usize]) {
    for &pe in taken {
        memory.pair(pe).call.store(0, Ordering::Release);
    }
}

/// Meets each of `pes`. One that is named several times is met once, and this PE itself not at all.
///
/// # Errors
///
/// The PE with which another thread of this one is in a meeting. Then nothing was done.
#[inline]
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
    // No other call that lasts has a variable there.
    let call = room.as_ptr().addr() as u64;
    let me = memory.my_pe();
    let mut count = 0;
    for pe in pes {
        if pe == me {
            continue;
        }
        let place = &memory.pair(pe).call;
        // It is named twice. A load: an update that fails costs as much as one that does not.
        if place.load(Ordering::Relaxed) == call {
            continue;
        }
        if place.compare_exchange(0, call, Ordering::Acquire, Ordering::Relaxed).is_err() {
            leave(memory, &room[..count]);
            return Err(pe);
        }
        room[count] = pe;
        count += 1;
    }
    let taken = &room[..count];
    for &pe in taken {
        let visits = &memory.pair(pe).visits;
        let visit = visits.load(Ordering::Relaxed).wrapping_add(1);
        visits.store(visit, Ordering::Relaxed);
        memory.post(pe, visit);
    }
    for &pe in taken {
        let visit = memory.pair(pe).visits.load(Ordering::Relaxed);
        let has_come = || memory.look(pe).wrapping_sub(visit).cast_signed() >= 0;
        if !has_come() {
            let mut pause = memory.pauses(pe);
            while !has_come() {
                pause();
            }
        }
    }
    leave(memory, taken);
    Ok(())
}
