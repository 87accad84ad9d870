//! The queue on threads that stand for PEs: the lock is had in the order of joining the queue, and
//! no word is left set.
//!
//! Each update of a word that decides an order is recorded in the same step, so the orders are
//! compared exactly, whatever the threads do.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::queue::{LockMemory, LockWord, lock, try_lock, unlock};

const WORDS: usize = LockWord::Serving as usize + 1;

/// The copies of all PEs, and what happened to them.
struct Shared {
    copies: Vec<[AtomicU64; WORDS]>,
    home: usize,
    /// The PEs in the order in which they took the place of `Last`.
    joined: Mutex<Vec<usize>>,
    /// Of each PE, its threads in the order of their tickets.
    drawn: Mutex<HashMap<usize, Vec<usize>>>,
}

/// The words of a lock for one thread of a PE.
struct TestMemory<'a> {
    shared: &'a Shared,
    pe: usize,
    thread: usize,
}

impl Shared {
    fn new(n_pes: usize, home: usize) -> Shared {
        Shared {
            copies: (0..n_pes).map(|_| [const { AtomicU64::new(0) }; WORDS]).collect(),
            home,
            joined: Mutex::default(),
            drawn: Mutex::default(),
        }
    }

    fn word(&self, pe: usize, word: LockWord) -> &AtomicU64 {
        assert!(word != LockWord::Last || pe == self.home, "`Last` counts on the home PE only");
        &self.copies[pe][word as usize]
    }
}

impl TestMemory<'_> {
    /// Performs `drawn` on the ticket, and records this thread if it took a number. Returns what
    /// was there.
    fn draw(&self, drawn: impl FnOnce(&AtomicU64) -> (u64, bool)) -> u64 {
        let mut order = self.shared.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, took) = drawn(self.shared.word(self.pe, LockWord::Ticket));
        if took {
            order.entry(self.pe).or_default().push(self.thread);
        }
        before
    }

    /// Performs `joined` on `Last`, and records this PE if it joined the queue. Returns what was
    /// there.
    fn join(&self, joined: impl FnOnce(&AtomicU64) -> (u64, bool)) -> u64 {
        let mut order = self.shared.joined.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, took) = joined(self.shared.word(self.shared.home, LockWord::Last));
        if took {
            order.push(self.pe);
        }
        before
    }
}

impl LockMemory for TestMemory<'_> {
    fn my_pe(&self) -> usize {
        self.pe
    }

    fn home(&self) -> usize {
        self.shared.home
    }

    fn load(&self, pe: usize, word: LockWord) -> u64 {
        assert_eq!(pe, self.pe, "a PE looks at its own words only");
        self.shared.word(pe, word).load(Ordering::Acquire)
    }

    fn store(&self, pe: usize, word: LockWord, value: u64) {
        self.shared.word(pe, word).store(value, Ordering::Release);
    }

    fn swap(&self, pe: usize, word: LockWord, value: u64) -> u64 {
        if word == LockWord::Last {
            return self.join(|last| (last.swap(value, Ordering::AcqRel), true));
        }
        self.shared.word(pe, word).swap(value, Ordering::AcqRel)
    }

    fn compare_swap(&self, pe: usize, word: LockWord, expected: u64, new: u64) -> u64 {
        let swap = |cell: &AtomicU64| match cell.compare_exchange(
            expected,
            new,
            Ordering::AcqRel,
            Ordering::Acquire,
        ) {
            Ok(before) => (before, true),
            Err(before) => (before, false),
        };
        match word {
            LockWord::Ticket => self.draw(swap),
            LockWord::Last if new != 0 => self.join(swap),
            _ => swap(self.shared.word(pe, word)).0,
        }
    }

    fn add(&self, pe: usize, word: LockWord, value: u64) -> u64 {
        assert_eq!((pe, word), (self.pe, LockWord::Ticket));
        self.draw(|ticket| (ticket.fetch_add(value, Ordering::AcqRel), true))
    }

    fn quiet(&self) {}

    fn pauses(&self, _: Option<usize>) -> impl FnMut() {
        thread::yield_now
    }
}

/// Every thread takes the lock `turns` times, every third time by trying. Returns how many turns
/// there were.
fn compete(n_pes: usize, threads: usize, home: usize, turns: usize) -> usize {
    let shared = Shared::new(n_pes, home);
    // What the lock protects: who had it. The mutex is never contended, or the lock let two in.
    let holders: Mutex<Vec<(usize, usize)>> = Mutex::default();
    let failed = AtomicU64::new(0);
    thread::scope(|scope| {
        for pe in 0..n_pes {
            for thread in 0..threads {
                let (shared, holders, failed) = (&shared, &holders, &failed);
                scope.spawn(move || {
                    let memory = TestMemory { shared, pe, thread };
                    for turn in 0..turns {
                        let taken = if turn % 3 == 2 { try_lock(&memory) } else { Some(lock(&memory)) };
                        let Some(ticket) = taken else {
                            failed.fetch_add(1, Ordering::Relaxed);
                            continue;
                        };
                        {
                            let mut holders = holders.try_lock().expect("one at a time has the lock");
                            holders.push((pe, thread));
                            if turn % 5 == 0 {
                                thread::yield_now();
                            }
                        }
                        unlock(&memory, ticket);
                    }
                });
            }
        }
    });
    let holders = holders.into_inner().expect("no thread failed");
    let failed = failed.into_inner() as usize;
    assert_eq!(holders.len() + failed, n_pes * threads * turns, "every turn was had, or failed at once");
    let pes: Vec<usize> = holders.iter().map(|&(pe, _)| pe).collect();
    assert_eq!(pes, shared.joined.into_inner().expect("no thread failed"), "PEs, in the order of joining");
    if failed == 0 || threads == 1 {
        let drawn = shared.drawn.into_inner().expect("no thread failed");
        for (pe, order) in drawn {
            let mine = holders.iter().filter(|&&(holder, _)| holder == pe);
            let threads: Vec<usize> = mine.map(|&(_, thread)| thread).collect();
            // A try that failed after its ticket had no turn.
            assert!(threads.len() <= order.len() && (failed > 0 || threads == order), "threads of PE {pe}");
        }
    }
    for (pe, words) in shared.copies.iter().enumerate() {
        let [last, next, granted, ticket, serving] = words.each_ref().map(|w| w.load(Ordering::Relaxed));
        assert_eq!((last, next, granted), (0, 0, 0), "left on PE {pe}");
        assert_eq!(ticket, serving, "numbers of PE {pe}");
    }
    holders.len()
}

#[test]
fn one_alone_never_waits_and_never_fails() {
    assert_eq!(compete(1, 1, 0, 100), 100);
}

#[test]
fn pes_have_the_lock_in_the_order_of_joining() {
    for n_pes in [2, 3, 7] {
        for home in [0, n_pes - 1] {
            // Two of three turns wait, so they are had for certain.
            assert!(compete(n_pes, 1, home, 100) >= n_pes * 67);
        }
    }
}

#[test]
fn threads_of_a_pe_share_its_place() {
    for n_pes in [1, 2, 3] {
        assert!(compete(n_pes, 3, 0, 100) >= n_pes * 3 * 67);
    }
}

/// Threads that only wait have the lock in the order of their numbers.
#[test]
fn threads_have_the_lock_in_the_order_of_their_numbers() {
    // The first two turns are waits.
    for n_pes in [1, 2, 3] {
        for _ in 0..100 {
            assert_eq!(compete(n_pes, 4, n_pes - 1, 2), n_pes * 4 * 2);
        }
    }
}

#[test]
fn a_try_fails_while_somebody_has_the_lock_and_leaves_nothing() {
    let shared = Shared::new(2, 1);
    let memory = |pe, thread| TestMemory { shared: &shared, pe, thread };
    let ticket = lock(&memory(0, 0));
    for _ in 0..3 {
        assert_eq!(try_lock(&memory(0, 1)), None);
        assert_eq!(try_lock(&memory(1, 0)), None);
    }
    unlock(&memory(0, 0), ticket);
    let ticket = try_lock(&memory(1, 0)).expect("the lock is free");
    assert_eq!(try_lock(&memory(0, 0)), None);
    unlock(&memory(1, 0), ticket);
    let ticket = try_lock(&memory(0, 1)).expect("the lock is free");
    unlock(&memory(0, 1), ticket);
}
