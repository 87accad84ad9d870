//! The queue of a lock: who has it, who waits for it, and how it is handed over.
//!
//! The algorithm alone, over a trait for atomic operations on named words, so that a model checker
//! can run it on words of its own: this file names nothing else of the crate.
//!
//! # How it works
//!
//! It is the queue lock of Mellor-Crummey and Scott, with PEs as the ones that queue. Each PE has a
//! copy of the words of a lock, and one PE is the lock's home. `Last`, on the home PE alone, is who
//! came last (PE + 1, or 0: the lock is free). A PE that comes swaps itself in there; when somebody
//! was there before, it writes itself into the `Next` of that one, and looks at its own `Granted`
//! until that is set. Who leaves grants the lock to its `Next`; when there is none, it swaps `Last`
//! from itself to 0, and when that fails somebody is just coming, who will write `Next` soon.
//!
//! Nobody waits for a PE that is not in the queue, and everybody looks at words in its own copy
//! only.
//!
//! A PE has one place in the queue. So its threads draw numbers (`Ticket`), and the one whose
//! number is called (`Serving`) may use the place, until it has left the lock.
//!
//! # Memory ordering
//!
//! Loads acquire, stores release, and updates do both. Whoever gets the lock has read a word that
//! whoever had it before wrote after its last access: `Granted` (handed over), `Last` (found free;
//! later updates of it continue the release sequence), or `Serving` (within a PE). A word of a PE's
//! own copy is put back by an update rather than a store: on a network an update is complete when
//! it returns, and a store is complete some time later.
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
//! 3. No lost successor: every execution ends. Who swapped itself in behind somebody is granted the
//!    lock, also when the one before is leaving at that moment, and also when that one comes again
//!    at once.
//! 4. Nothing is left: at the end `Last`, `Next` and `Granted` are 0 on every PE, and `Serving` is
//!    `Ticket`.
//! 5. [`try_lock`] does not wait: it calls [`LockMemory::pauses`] in no execution; and alone it always
//!    succeeds.
//!
//! `LockMemory::quiet` does nothing there, and a pause is the checker's yield, or a sleep where several
//! would look in vain.

/// A word of a lock, of which every PE has one in its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockWord {
    /// Who came last, on the home PE: its number + 1; 0 is nobody.
    Last,
    /// Who comes after this PE: its number + 1; 0 is nobody yet.
    Next,
    /// 1 when this PE, which waited, has the lock; it puts 0 back.
    Granted,
    /// The number that the next thread of this PE will draw.
    Ticket,
    /// The number of the thread of this PE that may stand in the queue.
    Serving,
}

/// Atomic operations on the words of one lock, and what else the queue needs of its surroundings.
pub(crate) trait LockMemory {
    /// The number of this PE.
    fn my_pe(&self) -> usize;
    /// The PE whose `Last` counts.
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
    /// Begins to wait, for the PE `before` that has the lock or waits for it itself, where it is
    /// known. What is returned is called after each look that was in vain.
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

/// Looks at a word of this PE until `found` likes it.
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

/// Waits for the lock; returns what [`unlock`] wants.
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

/// Takes the lock when nobody has it or waits for it; never waits.
#[inline]
pub(crate) fn try_lock<M: LockMemory>(memory: &M) -> Option<u64> {
    let me = memory.my_pe();
    let ticket = memory.load(me, LockWord::Serving);
    // Only when nobody draws a number before does this succeed: the number is called already.
    if memory.compare_swap(me, LockWord::Ticket, ticket, ticket.wrapping_add(1)) != ticket {
        return None;
    }
    if memory.compare_swap(memory.home(), LockWord::Last, 0, as_word(me)) != 0 {
        memory.store(me, LockWord::Serving, ticket.wrapping_add(1));
        return None;
    }
    Some(ticket)
}

/// Gives the lock to whoever is next; `ticket` is what [`lock`] or [`try_lock`] returned.
#[inline]
pub(crate) fn unlock<M: LockMemory>(memory: &M, ticket: u64) {
    let me = memory.my_pe();
    // Whoever has the lock next sees what was written under it.
    memory.quiet();
    let mut next = memory.load(me, LockWord::Next);
    if next != 0 || memory.compare_swap(memory.home(), LockWord::Last, as_word(me), 0) != as_word(me) {
        if next == 0 {
            // Somebody stands behind this PE and is about to say who.
            next = wait(memory, LockWord::Next, None, |next| next != 0);
        }
        // Before the place is given away: the next use of it finds `Next` at 0.
        memory.swap(me, LockWord::Next, 0);
        memory.store(as_pe(next), LockWord::Granted, 1);
    }
    memory.store(me, LockWord::Serving, ticket.wrapping_add(1));
}
