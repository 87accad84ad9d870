//! The words by which PEs say that they wait, and by which the supervisor learns that they wait in
//! vain.
//!
//! # Records
//!
//! A PE writes a record of its wait, and others read it as a whole or not at all. The PE makes the
//! sequence number odd before it writes, and even afterwards. A reader that finds the same even number
//! before and after has read what belongs together. One thread of a PE writes at a time.
//!
//! # Questions
//!
//! The supervisor decides whether a wait can still end, and for that it has to know that a PE has
//! looked *after* all others had begun to wait. So it asks: it [writes](WaitWords::ask) a number. A PE
//! that waits [reads](WaitWords::asked) the number *before* it looks, and if the look was in vain, it
//! [answers](WaitWords::answer) with that number. Everything that came before the question, on any PE
//! whose record the supervisor had read, is seen by that look:
//!
//! * what the PE stored before it began to wait comes before it wrote the record (release);
//! * the supervisor read the record (acquire) before it asked (release);
//! * the PE that answers read the question (acquire) before it looked.
//!
//! The supervisor reads the answers first, and then whether each PE is [still](verdict) in the wait
//! that it was in before the question: what a PE has written down before it answered (release) is seen
//! after the answer was read (acquire). In the other order, a PE could leave its wait in between,
//! change what another PE waits for, and answer from its next wait.
//!
//! The package `models` runs this file under a model checker.

use crate::system::sync::{AtomicU32, Ordering, fence};

/// The words of one PE. Zeros are their first state: it has never waited, and was never asked.
#[derive(Default)]
#[repr(C)]
pub(crate) struct WaitWords {
    /// Odd while the record is written.
    sequence: AtomicU32,
    /// Counts the waits that were written down.
    wait: AtomicU32,
    is_live: AtomicU32,
    asked: AtomicU32,
    answered: AtomicU32,
}

impl WaitWords {
    /// Changes the record. One thread at a time.
    pub(crate) fn write<T>(&self, change: impl FnOnce() -> T) -> T {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence.wrapping_add(1), Ordering::Relaxed);
        // A reader that reads one of the following stores finds the sequence odd, or later.
        fence(Ordering::Release);
        let result = change();
        self.sequence.store(sequence.wrapping_add(2), Ordering::Release);
        result
    }

    /// Reads the record; `None` while it changes, and when nothing was ever written.
    pub(crate) fn read<T>(&self, read: impl FnOnce() -> T) -> Option<T> {
        let before = self.sequence.load(Ordering::Acquire);
        if before == 0 || !before.is_multiple_of(2) {
            return None;
        }
        let result = read();
        fence(Ordering::Acquire);
        (self.sequence.load(Ordering::Relaxed) == before).then_some(result)
    }

    /// Whether nothing was ever written.
    pub(crate) fn is_unused(&self) -> bool {
        self.sequence.load(Ordering::Relaxed) == 0
    }

    /// The PE waits, and `describe` writes down for what. Returns the number of the wait, which is not
    /// 0.
    pub(crate) fn begin(&self, describe: impl FnOnce()) -> u32 {
        self.write(|| {
            let wait = self.wait.load(Ordering::Relaxed).wrapping_add(1).max(1);
            self.wait.store(wait, Ordering::Relaxed);
            self.is_live.store(1, Ordering::Relaxed);
            describe();
            wait
        })
    }

    /// The wait is over, before its PE goes on. Another wait of the PE may have the record; `describe`
    /// is called if none has.
    pub(crate) fn end(&self, wait: u32, describe: impl FnOnce()) {
        self.write(|| {
            if self.wait() == wait {
                describe();
                self.is_live.store(0, Ordering::Relaxed);
            }
        });
    }

    /// The number of the last wait.
    pub(crate) fn wait(&self) -> u32 {
        self.wait.load(Ordering::Relaxed)
    }

    /// Whether the PE is in it.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live.load(Ordering::Relaxed) != 0
    }

    /// Asks, with a number that is not that of an earlier question.
    pub(crate) fn ask(&self, question: u32) {
        self.asked.store(question, Ordering::Release);
    }

    /// The last question. To be read before the look that answers it.
    pub(crate) fn asked(&self) -> u32 {
        self.asked.load(Ordering::Acquire)
    }

    /// Answers: a look that began after the `question` was read was in vain.
    pub(crate) fn answer(&self, question: u32) {
        self.answered.store(question, Ordering::Release);
    }

    /// The last question that was answered.
    pub(crate) fn answered(&self) -> u32 {
        self.answered.load(Ordering::Acquire)
    }
}

/// What is known of PEs that were asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Not all have answered.
    Open,
    /// One has left its wait.
    Moved,
    /// They wait in vain.
    InVain,
}

/// The verdict on PEs that were asked: `answered` tells whether all have answered, and `still`
/// whether each is in the wait in which it was before the question.
pub(crate) fn verdict(answered: impl FnOnce() -> bool, still: impl FnOnce() -> bool) -> Verdict {
    let answered = answered();
    match (still(), answered) {
        (false, _) => Verdict::Moved,
        (true, false) => Verdict::Open,
        (true, true) => Verdict::InVain,
    }
}
