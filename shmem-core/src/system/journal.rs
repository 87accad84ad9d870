//! What each PE has done, written down in shared memory for the supervisor to read: in a run that
//! looks for races, and in one that is traced. Over a C library, the process that starts the launcher
//! stands for the supervisor.
//!
//! Each PE has a ring of entries, which it writes and the supervisor reads. A PE that finds its ring
//! full waits for the supervisor. The search for races has *queues* besides, which all PEs share, and
//! which give the order of atomic operations. A trace has the [sums](super::ledger) of each PE. What
//! is not used takes no memory.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use rustix::mm::{MapFlags, ProtFlags};

use super::ledger::{Ledger, PairTraffic};
use super::os::System;

/// One entry of a journal, or a part of one.
pub(crate) type Entry = [u64; 8];

/// How many entries a ring holds.
const ENTRIES: usize = 1 << 11;
/// How many entries the supervisor reads before it says so. Each time a cache line moves from one
/// processor to another.
const READ_AT_ONCE: u64 = 64;
/// A PE that finds its ring full waits for this much room, and leaves its processor to the supervisor.
const ROOM: u64 = ENTRIES as u64 / 4;
/// How many queues there are.
pub(crate) const QUEUES: usize = 1 << 10;

/// The ring of a PE. Zeros are an empty one.
#[repr(C, align(128))]
struct JournalRing {
    /// How many entries the PE has written. By itself in a cache line, as is `read`.
    written: Aligned,
    /// How many entries the supervisor has read.
    read: Aligned,
    entries: [[AtomicU64; 8]; ENTRIES],
}

#[repr(C, align(128))]
struct Aligned(AtomicU64);

/// A queue. One operation of its cells happens at a time.
#[repr(C, align(64))]
pub(crate) struct Queue {
    /// 1 while an operation is under way.
    taken: AtomicU32,
    /// How many operations have changed a cell.
    writes: AtomicU64,
    /// The number of the next turn.
    turns: AtomicU64,
}

#[repr(C)]
struct JournalHeader {
    queues: [Queue; QUEUES],
}

/// The journals of a job, mapped into this process.
pub(crate) struct Journals {
    fd: OwnedFd,
    base: NonNull<u8>,
    n_pes: usize,
    /// By PE, what this process knows of the ring.
    known: Box<[KnownEnds]>,
}

/// What a process knows of a ring: the counts of the other side at its last look, and its own.
#[derive(Default)]
struct KnownEnds {
    written: AtomicU64,
    read: AtomicU64,
}

// SAFETY: the memory stays mapped as long as the value lives, and consists of atomics, which any
// thread may use.
unsafe impl Send for Journals {}
// SAFETY: as above.
unsafe impl Sync for Journals {}

impl Journals {
    /// Where the sums lie, after the rings.
    fn ledgers_at(n_pes: usize) -> usize {
        size_of::<JournalHeader>() + n_pes * size_of::<JournalRing>()
    }

    /// Where the matrix of what has moved lies, after the sums.
    fn moved_at(n_pes: usize) -> usize {
        Journals::ledgers_at(n_pes) + n_pes * size_of::<Ledger>()
    }

    fn size(n_pes: usize) -> usize {
        Journals::moved_at(n_pes) + n_pes * n_pes * size_of::<PairTraffic>()
    }

    /// Makes the journals of a job.
    pub(crate) fn create(system: System, n_pes: usize) -> io::Result<Journals> {
        let fd = system.create_memory()?;
        rustix::fs::ftruncate(&fd, Journals::size(n_pes) as u64)?;
        system.fix_size(&fd)?;
        Journals::map(fd, n_pes)
    }

    /// Maps the journals of the job that this process was started for.
    pub(crate) fn attach(fd: OwnedFd, n_pes: usize) -> io::Result<Journals> {
        // An access past the end of a file is a bus error.
        if rustix::fs::fstat(&fd)?.st_size != Journals::size(n_pes) as i64 {
            return Err(io::Error::other("the journals that were handed down are those of another job"));
        }
        Journals::map(fd, n_pes)
    }

    fn map(fd: OwnedFd, n_pes: usize) -> io::Result<Journals> {
        let flags = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address that the system chooses.
        let base = unsafe {
            rustix::mm::mmap(std::ptr::null_mut(), Journals::size(n_pes), flags, MapFlags::SHARED, &fd, 0)?
        };
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Journals { fd, base, n_pes, known: (0..n_pes).map(|_| KnownEnds::default()).collect() })
    }

    /// How many PEs the job has.
    pub(crate) fn n_pes(&self) -> usize {
        self.n_pes
    }

    /// The memory object, which PEs inherit.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// A queue. Cells that share one are only slower.
    pub(crate) fn queue(&self, number: u32) -> &Queue {
        // SAFETY: the header is at the start of the mapping, aligned to a page, and made of atomics,
        // for which all bytes are values.
        let header = unsafe { self.base.cast::<JournalHeader>().as_ref() };
        &header.queues[number as usize % QUEUES]
    }

    fn ring(&self, pe: usize) -> &JournalRing {
        assert!(pe < self.n_pes);
        const { assert!(size_of::<JournalHeader>().is_multiple_of(align_of::<JournalRing>())) };
        // SAFETY: by `size`, the ring lies in the mapping; it is aligned, and made of atomics.
        unsafe { self.base.byte_add(size_of::<JournalHeader>()).cast::<JournalRing>().add(pe).as_ref() }
    }

    /// The sums of a PE.
    pub(crate) fn ledger(&self, pe: usize) -> &Ledger {
        assert!(pe < self.n_pes);
        const { assert!(size_of::<JournalRing>().is_multiple_of(align_of::<Ledger>())) };
        // SAFETY: by `size`, it lies in the mapping; it is aligned as the rings are, and made of
        // atomics.
        unsafe { self.base.byte_add(Journals::ledgers_at(self.n_pes)).cast::<Ledger>().add(pe).as_ref() }
    }

    /// What has moved by operations of PE `from` on PE `to`.
    pub(crate) fn moved(&self, from: usize, to: usize) -> &PairTraffic {
        assert!(from < self.n_pes && to < self.n_pes);
        let at = Journals::moved_at(self.n_pes);
        // SAFETY: by `size`, it lies in the mapping; it is aligned as the sums are, and made of
        // atomics.
        unsafe { self.base.byte_add(at).cast::<PairTraffic>().add(from * self.n_pes + to).as_ref() }
    }

    /// Adds entries to the journal of `pe`, which is this process, and which one thread at a time
    /// writes. Calls `idle` again and again while there is no room.
    pub(crate) fn write(&self, pe: usize, entries: &[Entry], idle: impl Fn()) {
        let (ring, known) = (self.ring(pe), &self.known[pe]);
        for entry in entries {
            let at = known.written.load(Ordering::Relaxed);
            if at - known.read.load(Ordering::Relaxed) == ENTRIES as u64 {
                let mut wanted = 1;
                loop {
                    let read = ring.read.0.load(Ordering::Acquire);
                    known.read.store(read, Ordering::Relaxed);
                    if at + wanted <= read + ENTRIES as u64 {
                        break;
                    }
                    wanted = ROOM;
                    idle();
                    std::thread::sleep(Duration::from_micros(50));
                }
            }
            for (slot, word) in ring.entries[at as usize % ENTRIES].iter().zip(entry) {
                slot.store(*word, Ordering::Relaxed);
            }
            known.written.store(at + 1, Ordering::Relaxed);
            ring.written.0.store(at + 1, Ordering::Release);
        }
    }

    /// The next entry of the journal of `pe`, if there is one. For the supervisor, in which one thread
    /// reads.
    pub(crate) fn read(&self, pe: usize) -> Option<Entry> {
        let (ring, known) = (self.ring(pe), &self.known[pe]);
        let at = known.read.load(Ordering::Relaxed);
        if at == known.written.load(Ordering::Relaxed) {
            let written = ring.written.0.load(Ordering::Acquire);
            if at == written {
                ring.read.0.store(at, Ordering::Release);
                return None;
            }
            known.written.store(written, Ordering::Relaxed);
        }
        let entry = ring.entries[at as usize % ENTRIES].each_ref().map(|word| word.load(Ordering::Relaxed));
        known.read.store(at + 1, Ordering::Relaxed);
        if (at + 1).is_multiple_of(READ_AT_ONCE) {
            ring.read.0.store(at + 1, Ordering::Release);
        }
        Some(entry)
    }
}

/// A text as entries. The first is `head` with the length of the text in word 3; those after it have
/// the bytes.
pub(crate) fn text_entries(head: Entry, text: &str) -> Vec<Entry> {
    let mut first = head;
    first[3] = text.len() as u64;
    let mut entries = vec![first];
    for chunk in text.as_bytes().chunks(size_of::<Entry>()) {
        let mut bytes = [0; size_of::<Entry>()];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[8 * at + byte]));
        entries.push(std::array::from_fn(word));
    }
    entries
}

/// The text of which `first` is the first entry; `next` gives those after it, which are there, or soon
/// come. `None` if they do not: a PE that was killed writes no end.
pub(crate) fn read_text(first: &Entry, mut next: impl FnMut() -> Option<Entry>) -> Option<String> {
    let len = first[3] as usize;
    let mut bytes = Vec::new();
    let mut patience = 1_000_000_u32;
    while bytes.len() < len {
        match next() {
            Some(entry) => bytes.extend(entry.iter().flat_map(|word| word.to_le_bytes())),
            None => {
                patience = patience.checked_sub(1)?;
                std::thread::yield_now();
            }
        }
    }
    bytes.truncate(len);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

impl Drop for Journals {
    fn drop(&mut self) {
        // SAFETY: what `map` has mapped; the borrows of it have ended.
        let _ = unsafe { rustix::mm::munmap(self.base.as_ptr().cast(), Journals::size(self.n_pes)) };
    }
}

impl Queue {
    /// Does `operate`, an operation of a cell of this queue, while no other is under way. Calls `idle`
    /// again and again before.
    pub(crate) fn alone<R>(&self, idle: impl Fn(), operate: impl FnOnce(&Queue) -> R) -> R {
        struct Taken<'a>(&'a AtomicU32);
        impl Drop for Taken<'_> {
            fn drop(&mut self) {
                self.0.store(0, Ordering::Release);
            }
        }
        while self.taken.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            idle();
            std::thread::yield_now();
        }
        let _taken = Taken(&self.taken);
        operate(self)
    }

    /// The next turn. For an operation [alone](Queue::alone).
    pub(crate) fn turn(&self, writes: bool) -> u64 {
        if writes {
            self.writes.store(self.writes.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        let turn = self.turns.load(Ordering::Relaxed);
        self.turns.store(turn + 1, Ordering::Relaxed);
        turn
    }

    /// How many operations have changed a cell.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_in_order() {
        for system in System::ALL {
            let journals = Journals::create(*system, 2).unwrap();
            let fd = journals.fd().try_clone_to_owned().unwrap();
            let theirs = Journals::attach(fd, 2).unwrap();
            let count = 3 * ENTRIES as u64;
            std::thread::scope(|scope| {
                scope.spawn(|| (0..count).for_each(|number| theirs.write(1, &[[number; 8]], || ())));
                for number in 0..count {
                    let entry = std::iter::repeat_with(|| journals.read(1)).find_map(|entry| {
                        if entry.is_none() {
                            std::thread::yield_now();
                        }
                        entry
                    });
                    assert_eq!(entry, Some([number; 8]));
                }
            });
            assert_eq!((journals.read(0), journals.read(1)), (None, None));
            assert!(Journals::attach(journals.fd().try_clone_to_owned().unwrap(), 3).is_err());
        }
    }

    #[test]
    fn a_queue_gives_each_turn_once() {
        let journals = Journals::create(System::ALL[0], 1).unwrap();
        let turns = || {
            (0..1000).map(|_| journals.queue(7).alone(|| (), |queue| queue.turn(true))).collect::<Vec<_>>()
        };
        let mut all = std::thread::scope(|scope| {
            let other = scope.spawn(turns);
            let mut all = turns();
            all.extend(other.join().unwrap());
            all
        });
        all.sort_unstable();
        assert!(all.into_iter().eq(0..2000));
        assert_eq!(journals.queue(7).writes(), 2000);
    }
}
