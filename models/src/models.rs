// The models. Each set of algorithms includes them: `super` is the real one, or a mutant. The first
// argument is the preemption bound.

use std::cell::{Cell, RefCell};
use std::ptr;

use loom::cell::UnsafeCell;
use loom::thread;

use super::barrier::{Barrier, BarrierMemory, TeamMeeting};
use super::counter::Counter;
use super::phase_change::PhaseMeeting;
use super::queue::{self, LockMemory, LockWord};
use super::segment::Segment;
use crate::system::os::Kernel;
use crate::system::sync::{AtomicU64, Ordering};
use crate::transport::Meeting;
use crate::transport::Members;
use crate::{done, explore, nothing, run};

/// Cells that loom watches: `data[time][pe]` is written by `pe` before a meeting, and read by all
/// after it.
struct Data(Vec<Vec<UnsafeCell<u32>>>);

impl Data {
    fn new(times: usize, n_pes: usize) -> Data {
        Data((0..times).map(|_| (0..n_pes).map(|_| UnsafeCell::new(0)).collect()).collect())
    }

    fn write(&self, time: usize, pe: usize) {
        // SAFETY: loom panics when another access is not ordered with this one.
        self.0[time][pe].with_mut(|cell| unsafe { *cell += 1 });
    }

    /// Checks that each PE has come to `time`, and that its writes before are visible.
    fn read(&self, time: usize) {
        for cell in &self.0[time] {
            // SAFETY: as above.
            assert_eq!(cell.with(|cell| unsafe { *cell }), 1, "a meeting was passed before all had come");
        }
    }
}

/// One writer of a counter and one waiter, which waits for each of `times`.
pub(crate) fn counter(bound: Option<usize>, times: u32) {
    explore(bound, move || {
        let memory = (Kernel::new(), Counter::default(), Data::new(times as usize, 1));
        run(
            2,
            memory,
            nothing,
            move |pe, (kernel, counter, data), ()| {
                let system = kernel.system();
                for time in 0..times {
                    if pe == 0 {
                        data.write(time as usize, 0);
                        counter.advance_and_wake(system);
                    } else {
                        counter.wait_for(system, time + 1, true, |_| {});
                        data.read(time as usize);
                    }
                }
            },
            done,
        );
    });
}

/// `visits` of the job's barrier, on one counter where there are fewer `cores` than PEs.
pub(crate) fn barrier(bound: Option<usize>, n_pes: usize, cores: usize, visits: usize) {
    explore(bound, move || {
        run(
            n_pes,
            (Segment::new(n_pes, cores), Data::new(visits, n_pes)),
            nothing,
            move |pe, (segment, data), ()| {
                let barrier = Barrier::new(segment, pe);
                for visit in 0..visits {
                    data.write(visit, pe);
                    if visit % 2 == 0 {
                        barrier.sync();
                    } else {
                        // The same synchronisation, in two halves.
                        let visit = barrier.arrive();
                        barrier.wait(visit);
                    }
                    data.read(visit);
                }
            },
            done,
        );
    });
}

fn team(segment: &'static Segment, pe: usize) -> TeamMeeting<Segment> {
    TeamMeeting::new(segment, 0, &Members::Strided { start: 0, stride: 1, len: segment.n_pes() }, pe, None)
}

/// Performs exchange `number` and checks the result.
fn exchange(meeting: &TeamMeeting<Segment>, pe: usize, number: u64) {
    let pair = |pe: usize| [number, 100 * number + pe as u64];
    assert_eq!(meeting.exchange_pair(pair(pe)), Some(pair(1 - pe)), "exchange {number}");
}

/// The message of broadcast `number`.
fn message(number: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|byte| (10 * (number + 1) + byte) as u8).collect()
}

/// PE `root` sends a message to all, and each PE receives exactly this message.
///
/// A message of one word goes as a word on every second PE, in turns, and as bytes on the others.
fn broadcast(meeting: &TeamMeeting<Segment>, pe: usize, root: usize, number: usize, bytes: usize) {
    if bytes == size_of::<u64>() && (pe + number).is_multiple_of(2) {
        let message = u64::from_ne_bytes(message(number, bytes).try_into().expect("8 bytes"));
        let [from, to] = [if pe == root { message } else { 0 }, 0].map(|word| [AtomicU64::new(word)]);
        assert!(meeting.broadcast_words(root, &from, Some(&to)));
        assert_eq!(to[0].load(Ordering::Relaxed), message, "broadcast {number} is wrong");
        return;
    }
    let mut words = if pe == root { message(number, bytes) } else { vec![0; bytes] };
    assert!(meeting.broadcasts(bytes));
    meeting.broadcast(root, &mut words);
    assert_eq!(words, message(number, bytes), "broadcast {number} is wrong");
}

/// Each PE in `roots` broadcasts a message of `bytes`, and its earlier writes are visible after it.
/// If there are more messages than cells, the cells are used again.
pub(crate) fn broadcasts(
    bound: Option<usize>,
    n_pes: usize,
    cores: usize,
    roots: &'static [usize],
    bytes: usize,
) {
    explore(bound, move || {
        run(
            n_pes,
            (Segment::with_a_team(n_pes, cores), Data::new(roots.len(), 1)),
            |pe, (segment, _)| team(segment, pe),
            move |pe, (_, data), meeting| {
                for (number, &root) in roots.iter().enumerate() {
                    if pe == root {
                        data.write(number, 0);
                    }
                    broadcast(&meeting, pe, root, number, bytes);
                    data.read(number);
                }
            },
            done,
        );
    });
}

/// `times` exchanges between two PEs. A PE that is one exchange ahead must not overwrite words that
/// the other still reads.
pub(crate) fn exchanges(bound: Option<usize>, times: u64) {
    explore(bound, move || {
        run(
            2,
            Segment::with_a_team(2, 8),
            |pe, segment| team(segment, pe),
            move |pe, _, meeting| {
                for number in 1..=times {
                    exchange(&meeting, pe, number);
                }
            },
            done,
        );
    });
}

/// Two teams of the same two PEs use one slot, one after the other, between barriers of the world.
pub(crate) fn slot(bound: Option<usize>) {
    explore(bound, move || {
        run(
            2,
            (Segment::with_a_team(2, 8), Data::new(2, 2)),
            // The first team exists before any PE runs, as after a barrier.
            |pe, (segment, _)| team(segment, pe),
            move |pe, (segment, data), mut meeting| {
                let world = Barrier::new(segment, pe);
                for time in 0..2 {
                    data.write(time, pe);
                    meeting.sync();
                    data.read(time);
                    exchange(&meeting, pe, time as u64 + 1);
                    broadcast(&meeting, pe, 0, time, 1);
                    if time == 0 {
                        meeting = team(segment, pe);
                        world.sync();
                    }
                }
            },
            done,
        );
    });
}

fn change(segment: &'static Segment, pe: usize) -> PhaseMeeting {
    let n_pes = segment.n_pes();
    PhaseMeeting::new(
        segment.phases(),
        segment.system(),
        n_pes,
        segment.is_oversubscribed(),
        segment.changes(pe),
    )
}

/// `times` changes of phase: the k-th of one PE meets the k-th of every other.
pub(crate) fn changes(bound: Option<usize>, n_pes: usize, times: usize) {
    explore(bound, move || {
        run(
            n_pes,
            (Segment::new(n_pes, 1), Data::new(times, n_pes)),
            nothing,
            move |pe, (segment, data), ()| {
                let changes = change(segment, pe);
                for time in 0..times {
                    data.write(time, pe);
                    changes.sync(|_, _| {});
                    data.read(time);
                }
            },
            done,
        );
    });
}

/// The copies of a lock on all PEs, and a log of its use.
struct Lock {
    home: usize,
    /// For each PE, in the order of [`LockWord`].
    words: Vec<[AtomicU64; 5]>,
    /// Counts turns. Only the holder of the lock may access it.
    data: UnsafeCell<u64>,
    /// The PEs that joined, in the order of the updates of `Last`. The log is complete at any time,
    /// because loom switches threads only at its own operations.
    came: RefCell<Vec<usize>>,
    /// The PEs that had the lock, each with its ticket.
    had: RefCell<Vec<(usize, u64)>>,
    kernel: Kernel,
}

impl Lock {
    fn new(n_pes: usize, home: usize) -> Lock {
        Lock {
            home,
            words: (0..n_pes).map(|_| Default::default()).collect(),
            data: UnsafeCell::new(0),
            came: RefCell::default(),
            had: RefCell::default(),
            kernel: Kernel::new(),
        }
    }
}

/// The lock as one thread of a PE sees it.
struct Access {
    lock: &'static Lock,
    pe: usize,
    may_wait: bool,
    /// Whether a pause sleeps until the word that was read last changes. Otherwise, with more than
    /// one waiter, loom would try all orders of unsuccessful reads, and they are endless. With one
    /// waiter, a pause is a yield.
    sleeps: bool,
    seen: Cell<(LockWord, u64)>,
}

impl Access {
    fn word(&self, pe: usize, word: LockWord) -> &AtomicU64 {
        &self.lock.words[pe][word as usize]
    }

    fn new(lock: &'static Lock, pe: usize, may_wait: bool, sleeps: bool) -> Access {
        Access { lock, pe, may_wait, sleeps, seen: Cell::new((LockWord::Last, 0)) }
    }

    fn sleep(&self) {
        let (word, value) = self.seen.get();
        let word = self.word(self.pe, word);
        let still = || word.load(Ordering::Relaxed) == value;
        self.lock.kernel.system().sleep_at(ptr::from_ref(word) as usize, still);
    }

    fn changed(&self, pe: usize, word: LockWord) {
        // No PE waits for the other two words.
        if self.sleeps && matches!(word, LockWord::Next | LockWord::Granted | LockWord::Serving) {
            self.lock.kernel.system().wake_at(ptr::from_ref(self.word(pe, word)) as usize);
        }
    }

    fn comes(&self, pe: usize, word: LockWord, value: u64) {
        if word == LockWord::Last && value != 0 {
            assert_eq!((pe, value), (self.lock.home, self.pe as u64 + 1));
            self.lock.came.borrow_mut().push(self.pe);
        }
    }
}

impl LockMemory for Access {
    fn my_pe(&self) -> usize {
        self.pe
    }

    fn home(&self) -> usize {
        self.lock.home
    }

    fn load(&self, pe: usize, word: LockWord) -> u64 {
        assert_eq!(pe, self.pe, "a PE looks at words of its own only");
        let value = self.word(pe, word).load(Ordering::Acquire);
        self.seen.set((word, value));
        value
    }

    fn store(&self, pe: usize, word: LockWord, value: u64) {
        self.word(pe, word).store(value, Ordering::Release);
        self.changed(pe, word);
    }

    fn swap(&self, pe: usize, word: LockWord, value: u64) -> u64 {
        let before = self.word(pe, word).swap(value, Ordering::AcqRel);
        self.comes(pe, word, value);
        self.changed(pe, word);
        before
    }

    fn compare_swap(&self, pe: usize, word: LockWord, expected: u64, new: u64) -> u64 {
        let word_of = self.word(pe, word);
        match word_of.compare_exchange(expected, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(before) => {
                self.comes(pe, word, new);
                self.changed(pe, word);
                before
            }
            Err(before) => before,
        }
    }

    fn add(&self, pe: usize, word: LockWord, value: u64) -> u64 {
        let before = self.word(pe, word).fetch_add(value, Ordering::AcqRel);
        self.changed(pe, word);
        before
    }

    fn quiet(&self) {}

    fn pauses(&self, _: Option<usize>) -> impl FnMut() {
        assert!(self.may_wait, "an attempt waits");
        || if self.sleeps { self.sleep() } else { thread::yield_now() }
    }
}

/// Threads of the PEs named, with a turn for each letter: `L` takes the lock, `T` tries to.
pub(crate) fn lock(
    bound: Option<usize>,
    n_pes: usize,
    home: usize,
    threads: &'static [(usize, &'static str)],
) {
    explore(bound, move || {
        run(
            threads.len(),
            Lock::new(n_pes, home),
            nothing,
            move |thread, lock, ()| {
                let (pe, turns) = threads[thread];
                for turn in turns.chars() {
                    let mut access = Access::new(lock, pe, turn == 'L', threads.len() > 2);
                    let ticket = match turn {
                        'L' => Some(queue::lock(&access)),
                        _ => queue::try_lock(&access),
                    };
                    if let Some(ticket) = ticket {
                        // SAFETY: loom panics when another access is not ordered with this one.
                        lock.data.with_mut(|data| unsafe { *data += 1 });
                        lock.had.borrow_mut().push((pe, ticket));
                        // A PE that releases the lock may wait for one that has just joined.
                        access.may_wait = true;
                        queue::unlock(&access, ticket);
                    }
                }
            },
            |lock| {
                let had = lock.had.borrow();
                // SAFETY: as above.
                assert_eq!(lock.data.with(|data| unsafe { *data }), had.len() as u64);
                let must: usize = threads.iter().map(|(_, turns)| turns.matches('L').count()).sum();
                assert!(had.len() >= must);
                assert_eq!(
                    had.iter().map(|(pe, _)| *pe).collect::<Vec<_>>(),
                    *lock.came.borrow(),
                    "out of order"
                );
                for (pe, words) in lock.words.iter().enumerate() {
                    let [last, next, granted, ticket, serving] =
                        words.each_ref().map(|word| word.load(Ordering::Acquire));
                    assert_eq!([last, next, granted], [0; 3], "a word is left on PE {pe}");
                    assert_eq!(ticket, serving, "a number is left to call on PE {pe}");
                    let tickets = had.iter().filter(|(of, _)| *of == pe).map(|(_, ticket)| *ticket);
                    assert!(tickets.is_sorted(), "threads of PE {pe} are out of order");
                }
            },
        );
    });
}

/// If no other PE joins, every attempt succeeds.
pub(crate) fn lock_alone() {
    explore(None, || {
        run(
            1,
            Lock::new(2, 1),
            nothing,
            |pe, lock, ()| {
                for number in 0..3 {
                    let access = Access::new(lock, pe, false, false);
                    assert_eq!(queue::try_lock(&access), Some(number));
                    assert_eq!(queue::try_lock(&access), None);
                    queue::unlock(&access, number);
                }
            },
            done,
        );
    });
}
