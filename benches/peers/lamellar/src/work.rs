//! What each operation of the protocol is in Lamellar.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Instant;

use lamellar::array::prelude::*;
use lamellar::memregion::prelude::*;

/// What the memory that is worked on is aligned to.
const PAGE: usize = 4096;
/// The bytes that one PE has room for, for what it sends as for what it receives.
const ROOM: usize = 4 << 20;

/// The cells of each PE: the last signal that came, and a value.
const SIGNAL: usize = 0;
const VALUE: usize = 1;

/// Why memory is there that Lamellar might not have here.
const OWN: &str = "a PE has memory of its own in each region";

/// A PE and the memory that it works on.
pub(crate) struct Work {
    me: usize,
    pes: usize,
    /// What others write to and read from.
    bytes: SharedMemoryRegion<u8>,
    /// Where the first page of `bytes` begins, on each PE: a region begins 8 bytes after a page.
    page: usize,
    /// What this PE sends, and receives of what it asks for; Lamellar takes it from nowhere but its own
    /// regions.
    private: OneSidedMemoryRegion<u8>,
    cells: SharedMemoryRegion<u64>,
    /// What the next value or signal is sent from, and received in.
    word: OneSidedMemoryRegion<u64>,
    /// The last signal that there was.
    signal: u64,
    /// One counter on each PE.
    counters: AtomicArray<u64>,
    /// What the counter of PE 1 is to be, by what PE 0 has done.
    count: u64,
    /// One addend on each PE.
    addends: ReadOnlyArray<f64>,
    /// The last, as all of the above is to be dropped before.
    world: LamellarWorld,
}

impl Work {
    pub(crate) fn new(world: LamellarWorld) -> Work {
        let (me, pes) = (world.my_pe(), world.num_pes());
        let bytes = world.alloc_shared_mem_region::<u8>(ROOM + PAGE).block();
        let private = world.alloc_one_sided_mem_region::<u8>(ROOM + PAGE);
        let cells = world.alloc_shared_mem_region::<u64>(2).block();
        let word = world.alloc_one_sided_mem_region::<u64>(1);
        let counters = AtomicArray::new(&world, pes, Distribution::Block).block();
        let addends = UnsafeArray::new(&world, pes, Distribution::Block).block();

        // SAFETY: each PE fills what is its own, and nobody looks at it before the barrier.
        let (page, private) = unsafe {
            bytes.as_mut_slice().expect(OWN).fill(1);
            private.as_mut_slice().expect(OWN).fill(2);
            cells.as_mut_slice().expect(OWN).fill(0);
            addends.local_as_mut_slice().fill(1.0);
            let first_page = |memory: &[u8]| memory.as_ptr().align_offset(PAGE);
            let first = first_page(private.as_slice().expect(OWN));
            (first_page(bytes.as_slice().expect(OWN)), private.sub_region(first..first + ROOM))
        };
        let addends = addends.into_read_only().block();
        world.barrier();
        Work { me, pes, bytes, page, private, cells, word, signal: 0, counters, count: 0, addends, world }
    }

    /// The nanoseconds that the repeats took by the clock of PE 0, and 0 on the others; nothing where
    /// Lamellar has no such operation, or there is no room.
    pub(crate) fn run(
        &mut self,
        operation: &str,
        bytes: usize,
        stride: usize,
        repeats: usize,
    ) -> Option<u128> {
        let strided = stride > 1 && bytes > 8;
        let alone =
            matches!(operation, "p" | "g" | "put" | "get" | "put_nbi" | "fetch_add" | "add" | "compare_swap");
        if strided || bytes > ROOM || self.pes == 1 && (alone || operation == "ping_pong") {
            return None;
        }
        if alone {
            return if self.me == 0 { self.alone(operation, bytes, repeats) } else { Some(0) };
        }
        let nanoseconds = match operation {
            "ping_pong" => self.ping_pong(bytes, repeats),
            "barrier" | "sync" => self.together(repeats, || self.world.barrier()),
            "broadcast" => self.broadcast(bytes, repeats),
            "fcollect" if bytes * self.pes <= ROOM => self.fcollect(bytes, repeats),
            "reduce" if bytes == 8 => self.reduce(repeats),
            _ => return None,
        };
        Some(if self.me == 0 { nanoseconds } else { 0 })
    }

    /// What PE 0 does alone, to PE 1. A put into shared memory is over when it returns, so there is no quiet.
    fn alone(&mut self, operation: &str, bytes: usize, repeats: usize) -> Option<u128> {
        let page = self.page;
        let private = self.private.sub_region(..bytes);
        // SAFETY: PE 1 does nothing meanwhile, and nobody else has a hand in this memory.
        let nanoseconds = unsafe {
            let word = self.word.as_mut_ptr().expect(OWN);
            match operation {
                "p" => timed(repeats, |i| {
                    word.write(i as u64);
                    self.cells.blocking_put(1, VALUE, &self.word);
                }),
                "g" => {
                    let mut sum = 0;
                    let nanoseconds = timed(repeats, |_| {
                        self.cells.blocking_get(1, VALUE, &self.word);
                        sum += word.read();
                    });
                    black_box(sum);
                    nanoseconds
                }
                "put" => timed(repeats, |_| self.bytes.blocking_put(1, page, &private)),
                "put_nbi" => timed(repeats, |_| self.bytes.put(1, page, &private)),
                "get" => timed(repeats, |_| self.bytes.blocking_get(1, page, &private)),
                "fetch_add" => {
                    let mut sum = 0;
                    let nanoseconds = timed(repeats, |_| sum += self.counters.fetch_add(1, 1).block());
                    black_box(sum);
                    nanoseconds
                }
                "add" => {
                    let start = Instant::now();
                    for _ in 0..repeats {
                        // The task goes on without its handle, and all are waited for below.
                        drop(self.counters.add(1, 1).spawn());
                    }
                    self.counters.wait_all();
                    start.elapsed().as_nanos()
                }
                "compare_swap" => timed(repeats, |i| {
                    let old = self.count + i as u64;
                    let found = self.counters.compare_exchange(1, old, old + 1).block();
                    assert_eq!(found, Ok(old), "nobody else changes it");
                }),
                _ => return None,
            }
        };
        if matches!(operation, "fetch_add" | "add" | "compare_swap") {
            self.count += repeats as u64;
        }
        Some(nanoseconds)
    }

    /// Whether all that was to be counted has been.
    pub(crate) fn counted(&self) -> bool {
        self.me > 0 || self.pes == 1 || self.counters.load(1).block() == self.count
    }

    /// Repeats that all PEs do, from a barrier on.
    fn together(&self, repeats: usize, mut once: impl FnMut()) -> u128 {
        self.world.barrier();
        timed(repeats, |_| once())
    }

    /// Bytes and then a signal from PE 0 to PE 1, and back. Lamellar has no signals, and no call that waits
    /// for memory.
    fn ping_pong(&mut self, bytes: usize, repeats: usize) -> u128 {
        self.world.barrier();
        if self.me > 1 {
            return 0;
        }
        let other = 1 - self.me;
        let private = self.private.sub_region(..bytes);
        // SAFETY: the cell is there as long as this PE, and aligned; and the other PE writes to it what is
        // loaded below, a word at a time.
        let arrived = unsafe { AtomicU64::from_ptr(self.cells.as_mut_ptr().expect(OWN).add(SIGNAL)) };
        let send = |signal| {
            // SAFETY: the other PE looks at the bytes only after the signal.
            unsafe {
                self.bytes.put(other, self.page, &private);
                self.word.as_mut_ptr().expect(OWN).write(signal);
                fence(Ordering::Release);
                self.cells.put(other, SIGNAL, &self.word);
            }
        };
        let receive = |signal| {
            while arrived.load(Ordering::Acquire) != signal {
                spin_loop();
            }
        };
        let first = self.signal + 1;
        self.signal += repeats as u64;
        timed(repeats, |i| {
            let signal = first + i as u64;
            if self.me == 0 {
                send(signal);
                receive(signal);
            } else {
                receive(signal);
                send(signal);
            }
        })
    }

    /// The sum of one addend of each PE, to all: what Lamellar has of reductions is the sum of an array, to
    /// its caller.
    fn reduce(&self, repeats: usize) -> u128 {
        self.together(repeats, || {
            let sum = self.addends.sum().block();
            assert_eq!(sum, Some(self.pes as f64), "each PE has a 1");
        })
    }

    /// From PE 0 to all, by the put to all that Lamellar has, and a barrier, for the others to know.
    fn broadcast(&self, bytes: usize, repeats: usize) -> u128 {
        let private = self.private.sub_region(..bytes);
        self.together(repeats, || {
            if self.me == 0 {
                // SAFETY: nobody looks at these bytes while the repeats last.
                unsafe { self.bytes.put_all(self.page, &private) };
            }
            self.world.barrier();
        })
    }

    /// From each PE to all, likewise.
    fn fcollect(&self, bytes: usize, repeats: usize) -> u128 {
        let private = self.private.sub_region(..bytes);
        self.together(repeats, || {
            // SAFETY: nobody looks at these bytes while the repeats last, and each PE writes to a place of
            // its own.
            unsafe { self.bytes.put_all(self.page + self.me * bytes, &private) };
            self.world.barrier();
        })
    }
}

/// The nanoseconds that `repeats` calls take, one after the other.
fn timed(repeats: usize, mut once: impl FnMut(usize)) -> u128 {
    let start = Instant::now();
    for i in 0..repeats {
        once(i);
    }
    start.elapsed().as_nanos()
}
