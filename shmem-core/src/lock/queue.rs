//! The queue of a lock: who has it, who waits for it, and how it is handed over.
//!
//! This file has the algorithm alone, over a trait for atomic operations on named words, and names
//! nothing else of the crate. So a model checker can run it on words of its own.
//!
//! # How it works
//!
//! It is the queue lock of Mellor-Crummey and Scott, with PEs as the ones that queue. Each PE has a
//! copy of the words of a lock, and one PE is the lock's home. `Last`, on the home PE alone, names
//! the PE that came last (its number + 1, or 0: the lock is free). A PE that wants the lock swaps
//! its number into `Last`. If another PE was there, it writes its number to the `Next` of that PE,
//! and waits until its own `Granted` is set. A PE that releases the lock sets `Granted` of the PE
//! in its `Next`. If `Next` is 0, it changes `Last` from its own number to 0. Where that fails,
//! another PE has just come, and will write `Next` soon.
//!
//! No PE waits for a PE that is not in the queue, and each PE waits for words in its own copy only.
//!
//! A PE has one place in the queue. So its threads draw numbers (`Ticket`), and the thread whose
//! number is called (`Serving`) may use the place until it has released the lock.
//!
//! # Memory ordering
//!
//! Loads acquire, stores release, and updates do both. A thread that gets the lock has read a word
//! that the holder before it wrote after its last access: `Granted` (handed over), `Last` (found
//! free; later updates of it continue the release sequence), or `Serving` (within a PE). A word of
//! a PE's own copy is set back to 0 by an update rather than a store: on a network an update is
//! complete when it returns, and a store some time later.
//!
//! # What a model checker finds
//!
//! In the package `models`, with 2 and 3 PEs, one of them with 2 threads, each taking the lock once
//! or twice, some by [`try_lock`]:
//!
//! 1. Mutual exclusion: a plain (race-checked) cell that is read and written under the lock never
//!    races, and counts every turn.
//! 2. Hand-over order: PEs get the lock in the order of their updates of `Last`, and threads of a
//!    PE in the order of their tickets. Recorded in the trait's `swap` and `add`, compared under
//!    the lock.
//! 3. No lost successor: every execution ends. A PE that has come after another one is granted the
//!    lock, also when the other is releasing it at that moment, and when it comes again at once.
//! 4. Nothing is left: at the end `Last`, `Next` and `Granted` are 0 on every PE, and `Serving`
//!    equals `Ticket`.
//! 5. [`try_lock`] does not wait: it calls [`LockMemory::pauses`] in no execution; and alone it
//!    always succeeds.
//!
//! In the models `LockMemory::quiet` does nothing. A pause is the checker's yield, or a sleep where
//! several threads would look in vain.

/// A word of a lock, of which every PE has one in its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockWord {
    /// The PE that came last, on the home PE: its number + 1; 0 for none.
    Last,
    /// The PE that came after this one: its number + 1; 0 for none yet.
    Next,
    /// 1 when this PE, which waited, has the lock; it then writes 0.
    Granted,
    /// The number that the next thread of this PE will draw.
    Ticket,
    /// The number of the thread of this PE that may stand in the queue.
    Serving,
}

/// Atomic operations on the words of one lock, and what else the queue needs.
pub(crate) trait LockMemory {
    /// The number of this PE.
    fn my_pe(&self) -> usize;
    /// The PE whose `Last` is used.
    fn home(&self) -> usize;
    /// Reads; acquires.
    fn load(&self, pe: usize, word: LockWord) -> u64;
    /// Writes; releases.
    fn store(&self, pe: usize, word: LockWord, value: u64);
    /// Writes and returns what was there; acquires and releases.
    fn swap(&self, pe: usize, word: LockWord, value: u64) -> u64;
    /// Writes `new` where `expected` stands, and returns what was there; acquires and releases.
    fn compare_swap(&self, pe: usize, word: LockWord, expected: u64, new: u64) -> u64;
    /// Adds and returns what was there; acquires and releases.
    fn add(&self, pe: usize, word: LockWord, value: u64) -> u64;
    /// Completes this PE's puts.
    fn quiet(&self);
    /// Begins a wait. `before` is the PE ahead in the queue, where it is known: it has the lock, or
    /// waits for it too. The returned function is called after each look that found no change.
    fn pauses(&self, before: Option<usize>) -> impl FnMut();
}

/// A PE as a word holds it.
fn as_word(pe: usize) -> u64 {
    pe as u64 + 1
}

/// The PE that a word holds, which is not 0.
fn as_pe(word: u64) -> usize {
    (word - 1) as usize
}

/// Waits until `found` accepts the value of this PE's `word`, and returns the value.
fn wait(memory: &impl LockMemory, word: LockWord, before: Option<usize>, found: impl Fn(u64) -> bool) -> u64 {
    let mut pause = memory.pauses(before);
    loop {
        let value = memory.load(memory.my_pe(), word);
        if found(value) {
            return value;
        }
        pause();
    }
}

/// Waits for the lock. Returns the ticket for [`unlock`].
#[inline]
pub(crate) fn lock<M: LockMemory>(memory: &M) -> u64 {
    let me = memory.my_pe();
    let ticket = memory.add(me, LockWord::Ticket, 1);
    if memory.load(me, LockWord::Serving) != ticket {
        wait(memory, LockWord::Serving, None, |serving| serving == ticket);
    }
    // The place in the queue is this thread's now, with `Next` and `Granted` at 0.
    let before = memory.swap(memory.home(), LockWord::Last, as_word(me));
    if before != 0 {
        memory.store(as_pe(before), LockWord::Next, as_word(me));
        wait(memory, LockWord::Granted, Some(as_pe(before)), |granted| granted != 0);
        memory.swap(me, LockWord::Granted, 0);
    }
    ticket
}

/// Takes the lock if it is free and no thread waits for it. Never waits.
#[inline]
pub(crate) fn try_lock<M: LockMemory>(memory: &M) -> Option<u64> {
    let me = memory.my_pe();
    let ticket = memory.load(me, LockWord::Serving);
    // Succeeds only if no thread has drawn this number before, which is called already.
    if memory.compare_swap(me, LockWord::Ticket, ticket, ticket.wrapping_add(1)) != ticket {
        return None;
    }
    if memory.compare_swap(memory.home(), LockWord::Last, 0, as_word(me)) != 0 {
        memory.store(me, LockWord::Serving, ticket.wrapping_add(1));
        return None;
    }
    Some(ticket)
}

/// Gives the lock to the next in the queue. `ticket` is what [`lock`] or [`try_lock`] returned.
#[inline]
pub(crate) fn unlock<M: LockMemory>(memory: &M, ticket: u64) {
    let me = memory.my_pe();
    // So that the next holder sees what was written under the lock.
    memory.quiet();
    let mut next = memory.load(me, LockWord::Next);
    if next != 0 || memory.compare_swap(memory.home(), LockWord::Last, as_word(me), 0) != as_word(me) {
        if next == 0 {
            // Another PE has come after this one, and is about to write its number.
            next = wait(memory, LockWord::Next, None, |next| next != 0);
        }
        // Before the place is given away, so that the next thread in it finds `Next` at 0.
        memory.swap(me, LockWord::Next, 0);
        memory.store(as_pe(next), LockWord::Granted, 1);
    }
    memory.store(me, LockWord::Serving, ticket.wrapping_add(1));
}
