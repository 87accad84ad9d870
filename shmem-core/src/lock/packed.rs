//! A lock in 8 bytes: the words of the [queue](super::queue) side by side in one cell. For C, whose
//! lock is one `long`.
//!
//! Each word is changed by compare-and-swap of the whole cell. Of the cells of a lock only that of
//! its home is changed by PEs that do not know each other, so few of these are tried twice.

use std::panic::Location;

use super::pauses;
use super::queue::{self, LockMemory, LockWord};
use crate::runtime;
use crate::runtime::backoff::Awaited;
use crate::runtime::{direct, far};
use crate::system::place;
use crate::transport::{Amo, Ctx, Width, cell};

/// The lock of the cells at `offset` in the heaps of all PEs, and the place in the program that takes
/// it.
pub(crate) struct PackedLock {
    offset: usize,
    at: Option<&'static Location<'static>>,
}

/// Where a word lies in the cell: its lowest bit, and how many bits it has.
fn bits_of(word: LockWord) -> (u32, u32) {
    match word {
        LockWord::Last => (0, 16),
        LockWord::Next => (16, 16),
        LockWord::Granted => (32, 8),
        LockWord::Ticket => (40, 8),
        LockWord::Serving => (48, 8),
    }
}

/// A word of a cell.
fn read(cell: u64, word: LockWord) -> u64 {
    let (first, count) = bits_of(word);
    cell >> first & ((1 << count) - 1)
}

/// The cell with another value of a word; what has no room in the word is left out, so counts wrap.
fn written(cell: u64, word: LockWord, value: u64) -> u64 {
    let (first, count) = bits_of(word);
    let mask = ((1 << count) - 1) << first;
    cell & !mask | value << first & mask
}

impl PackedLock {
    /// The lock at `offset`, which lies in the heap, aligned to 8.
    pub(crate) fn at(offset: usize) -> PackedLock {
        PackedLock { offset, at: None }
    }

    /// Waits for the lock.
    pub(crate) fn lock(self, at: &'static Location<'static>) {
        queue::lock(&PackedLock { at: Some(at), ..self });
    }

    /// Takes the lock if it is free, and returns whether it was.
    pub(crate) fn try_lock(self, at: &'static Location<'static>) -> bool {
        queue::try_lock(&PackedLock { at: Some(at), ..self }).is_some()
    }

    /// Gives the lock to the next.
    ///
    /// # Panics
    ///
    /// When this PE does not have it.
    #[track_caller]
    pub(crate) fn unlock(self) {
        // The thread that has the lock is the one that is served.
        let cell = self.amo(direct::my_pe(), Amo::Fetch);
        let (ticket, drawn) = (read(cell, LockWord::Serving), read(cell, LockWord::Ticket));
        assert!(ticket != drawn, "this PE does not have the lock");
        queue::unlock(&self, ticket);
    }

    fn amo(&self, pe: usize, op: Amo) -> u64 {
        let (heap, offset, width) = (direct::cells(pe, &"the lock"), self.offset, Width::W8);
        // SAFETY: the cell is in the heap and aligned, as the makers of this lock have checked, and
        // is accessed by these atomic operations alone.
        unsafe {
            if heap.is_null() {
                far::amo(Ctx::DEFAULT, pe, offset, width, op)
            } else {
                cell::amo(heap.add(offset), width, op)
            }
        }
    }

    /// Changes a word of the cell of `pe` as `change` says of what is there, until nobody else changes
    /// the cell meanwhile. Returns what was there; a change to `None` changes nothing.
    fn change(&self, pe: usize, word: LockWord, change: impl Fn(u64) -> Option<u64>) -> u64 {
        let mut found = self.amo(pe, Amo::Fetch);
        loop {
            let before = read(found, word);
            let Some(value) = change(before) else { return before };
            let op = Amo::CompareSwap { expected: found, new: written(found, word, value) };
            match self.amo(pe, op) {
                same if same == found => return before,
                other => found = other,
            }
        }
    }
}

impl LockMemory for PackedLock {
    fn my_pe(&self) -> usize {
        direct::my_pe()
    }

    fn home(&self) -> usize {
        self.offset / size_of::<u64>() % direct::n_pes()
    }

    fn load(&self, pe: usize, word: LockWord) -> u64 {
        read(self.amo(pe, Amo::Fetch), word)
    }

    fn store(&self, pe: usize, word: LockWord, value: u64) {
        self.change(pe, word, |_| Some(value));
    }

    fn swap(&self, pe: usize, word: LockWord, value: u64) -> u64 {
        self.change(pe, word, |_| Some(value))
    }

    fn compare_swap(&self, pe: usize, word: LockWord, expected: u64, new: u64) -> u64 {
        self.change(pe, word, |before| (before == expected).then_some(new))
    }

    fn add(&self, pe: usize, word: LockWord, value: u64) -> u64 {
        self.change(pe, word, |before| Some(before.wrapping_add(value)))
    }

    fn quiet(&self) {
        runtime::get().transport().quiet(Ctx::DEFAULT);
    }

    fn pauses(&self, before: Option<usize>) -> impl FnMut() {
        pauses(self, self.at, before)
    }
}

impl Awaited for PackedLock {
    fn text(&self) -> String {
        let noted =
            place::noted_object(self.offset, size_of::<u64>(), 1).map(|name| format!("the lock {name}"));
        noted.unwrap_or_else(|| format!("the lock at offset {} of the heap", self.offset))
    }

    fn lock(&self) -> Option<usize> {
        Some(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_cell_do_not_touch() {
        let words = [LockWord::Last, LockWord::Next, LockWord::Granted, LockWord::Ticket, LockWord::Serving];
        for (i, &word) in words.iter().enumerate() {
            for cell in [0, u64::MAX] {
                let changed = written(cell, word, 5);
                assert_eq!(read(changed, word), 5);
                for (_, &other) in words.iter().enumerate().filter(|(k, _)| *k != i) {
                    assert_eq!(read(changed, other), read(cell, other), "{word:?}, {other:?}");
                }
            }
        }
        // The count of tickets wraps.
        assert_eq!(read(written(0, LockWord::Ticket, 256), LockWord::Ticket), 0);
    }
}
