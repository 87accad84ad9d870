//! What each operation of the protocol is in Lamellar.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::yield_now;
use std::time::Instant;

use lamellar::array::prelude::*;
use lamellar::memregion::prelude::*;

/// What the memory that is worked on is aligned to.
const PAGE: usize = 4096;
/// The bytes that one PE has room for, for what it sends as for what it receives.
const ROOM: usize = 4 << 20;
/// The doubles that a reduction may have.
const DOUBLES: usize = (8 << 20) / 8;

/// The cells of each PE: the last signal that came, and a value.
const SIGNAL: usize = 0;
const VALUE: usize = 1;

/// A PE and the memory that it works on.
pub(crate) struct Work {
    me: usize,
    pes: usize,
    /// What others write to and read from.
    bytes: SharedMemoryRegion<u8>,
    /// Where the first page of `bytes` begins, on each PE.
    pages: Vec<usize>,
    /// What collective operations leave.
    landing: SharedMemoryRegion<u8>,
    /// What this PE sends, and receives of what it asks for; Lamellar takes it from its own regions
    /// only.
    private: OneSidedMemoryRegion<u8>,
    cells: SharedMemoryRegion<u64>,
    /// The last signal that there was.
    signal: u64,
    /// One counter on each PE.
    counters: AtomicArray<u64>,
    /// What the counter of PE 1 is to be, by what PE 0 has done.
    count: u64,
    /// The addends of each PE, all of them 1.
    addends: GlobalLockArray<f64>,
    sums: OneSidedMemoryRegion<f64>,
    /// The last, as all of the above is to be dropped before.
    world: LamellarWorld,
}

impl Work {
    pub(crate) fn new(world: LamellarWorld) -> Work {
        let (me, pes) = (world.my_pe(), world.num_pes());
        let bytes = world.alloc_shared_mem_region::<u8>(ROOM + PAGE).block();
        let landing = world.alloc_shared_mem_region::<u8>(ROOM).block();
        let private = world.alloc_one_sided_mem_region::<u8>(ROOM + PAGE);
        let cells = world.alloc_shared_mem_region::<u64>(2).block();
        let counters = AtomicArray::new(&world, pes, Distribution::Block).block();
        let addends = GlobalLockArray::new(&world, pes * DOUBLES, Distribution::Block).block();
        let sums = world.alloc_one_sided_mem_region::<f64>(DOUBLES);

        addends.collective_write_local_data().block().iter_mut().for_each(|addend| *addend = 1.0);
        // SAFETY: each PE writes what is its own, and nobody looks at it before the barriers.
        let (pages, private) = unsafe {
            bytes.as_mut_slice().fill(1);
            landing.as_mut_slice().fill(2);
            private.as_mut_slice().fill(3);
            sums.as_mut_slice().fill(4.0);
            let first_page = |memory: &[u8]| memory.as_ptr().align_offset(PAGE);
            cells.as_mut_slice()[VALUE] = first_page(bytes.as_slice()) as u64;
            world.barrier();
            let pages = (0..pes).map(|pe| cells.get(pe, VALUE).block() as usize).collect();
            let first = first_page(private.as_slice());
            (pages, private.sub_region(first..first + ROOM))
        };
        world.barrier();
        Work {
            me,
            pes,
            bytes,
            pages,
            landing,
            private,
            cells,
            signal: 0,
            counters,
            count: 0,
            addends,
            sums,
            world,
        }
    }

    /// The nanoseconds that the repeats took by the clock of PE 0, and 0 on the others; nothing
    /// where Lamellar has no such operation, or there is no room.
    pub(crate) fn run(
        &mut self,
        operation: &str,
        bytes: usize,
        stride: usize,
        repeats: usize,
    ) -> Option<u128> {
        // One element has no stride, and other works than these have none.
        let strided = stride > 1 && (bytes > 8 || !matches!(operation, "put" | "get"));
        let of_a_word = matches!(operation, "p" | "g" | "fetch_add" | "add" | "compare_swap");
        let alone =
            matches!(operation, "p" | "g" | "put" | "get" | "put_nbi" | "fetch_add" | "add" | "compare_swap");
        if strided || of_a_word && bytes != 8 || self.pes == 1 && (alone || operation == "ping_pong") {
            return None;
        }
        if alone {
            return match bytes {
                ..=ROOM if self.me == 0 => self.alone(operation, bytes, repeats),
                ..=ROOM => Some(0),
                _ => None,
            };
        }
        let nanoseconds = match operation {
            "ping_pong" if bytes <= ROOM => self.ping_pong(bytes, repeats),
            "barrier" | "sync" => self.together(repeats, || self.world.barrier()),
            "broadcast" if bytes <= ROOM => self.broadcast(bytes, repeats),
            "fcollect" if bytes * self.pes <= ROOM => self.fcollect(bytes, repeats),
            "reduce" if bytes >= 8 && bytes / 8 <= DOUBLES => self.reduce(bytes / 8, repeats),
            _ => return None,
        };
        Some(if self.me == 0 { nanoseconds } else { 0 })
    }

    /// What PE 0 does alone, to PE 1.
    fn alone(&mut self, operation: &str, bytes: usize, repeats: usize) -> Option<u128> {
        let page = self.pages[1];
        let private = self.private.sub_region(..bytes);
        // SAFETY: PE 1 does nothing meanwhile, and nobody else has a hand in this memory.
        let nanoseconds = unsafe {
            match operation {
                "p" => timed(repeats, |i| self.cells.put_blocking(1, VALUE, i as u64)),
                "g" => {
                    let mut sum = 0;
                    let nanoseconds = timed(repeats, |_| sum += self.cells.get(1, VALUE).block());
                    black_box(sum);
                    nanoseconds
                }
                "put" => timed(repeats, |_| self.bytes.put_buffer(1, page, &private).block()),
                "put_nbi" => {
                    let start = Instant::now();
                    for _ in 0..repeats {
                        self.bytes.put_buffer_unmanaged(1, page, &private);
                    }
                    self.bytes.wait_all();
                    start.elapsed().as_nanos()
                }
                "get" => timed(repeats, |_| {
                    let buffer = LamellarBuffer::from_one_sided_memory_region(private.clone());
                    self.bytes.get_into_buffer(1, page, buffer).block();
                }),
                "fetch_add" => {
                    let mut sum = 0;
                    let nanoseconds = timed(repeats, |_| sum += self.counters.blocking_fetch_add(1, 1));
                    black_box(sum);
                    nanoseconds
                }
                "add" => {
                    let start = Instant::now();
                    for _ in 0..repeats {
                        self.counters.add_unmanaged(1, 1);
                    }
                    self.counters.wait_all();
                    start.elapsed().as_nanos()
                }
                "compare_swap" => timed(repeats, |i| {
                    let old = self.count + i as u64;
                    let found = self.counters.blocking_compare_exchange(1, old, old + 1);
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
        self.me > 0 || self.pes == 1 || self.counters.blocking_load(1) == self.count
    }

    /// Repeats that all PEs do, from a barrier on.
    fn together(&self, repeats: usize, mut once: impl FnMut()) -> u128 {
        self.world.barrier();
        timed(repeats, |_| once())
    }

    /// Bytes and then a signal from PE 0 to PE 1, and back. Lamellar has no signals, and no call
    /// that waits for memory.
    fn ping_pong(&mut self, bytes: usize, repeats: usize) -> u128 {
        self.world.barrier();
        if self.me > 1 {
            return 0;
        }
        let other = 1 - self.me;
        let page = self.pages[other];
        let private = self.private.sub_region(..bytes);
        // SAFETY: the cell is there as long as this PE, and aligned; and the other PE writes to it
        // what is loaded below, a word at a time.
        let arrived = unsafe { AtomicU64::from_ptr(self.cells.as_mut_slice().as_mut_ptr().add(SIGNAL)) };
        let send = |signal| {
            // SAFETY: the other PE looks at the bytes only after the signal, and each put into
            // shared memory is over when it returns, with a fence.
            unsafe {
                self.bytes.put_buffer_unmanaged(other, page, &private);
                self.cells.put_unmanaged(other, SIGNAL, signal);
            }
        };
        let receive = |signal| {
            let mut looks = 0;
            while arrived.load(Ordering::Acquire) != signal {
                looks += 1;
                // The other may need the core.
                if looks % 100 == 0 { yield_now() } else { spin_loop() }
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

    /// The sums of so many addends of each PE, to all.
    fn reduce(&self, addends: usize, repeats: usize) -> u128 {
        let sums = self.sums.sub_region(..addends);
        let mut mine = self.addends.collective_write_local_data().block();
        let nanoseconds = self.together(repeats, || {
            renew(&mut mine[..addends]);
            // SAFETY: nobody has a hand in these sums but this PE, and it not while the call lasts.
            let buffer = unsafe { LamellarBuffer::from_one_sided_memory_region(sums.clone()) };
            mine.sum_all_into_buffer(0, addends, buffer).block();
            // SAFETY: as above.
            look(unsafe { sums.as_slice() });
        });
        // SAFETY: as above.
        let sums = unsafe { sums.as_slice() };
        assert!(repeats == 0 || sums.iter().all(|&sum| sum == self.pes as f64), "each addend is 1");
        nanoseconds
    }

    /// Renews the bytes that this PE gives.
    fn renew(&self, at: usize, bytes: usize) {
        // SAFETY: this PE's own, and no byte gets another value.
        renew(unsafe { &mut self.bytes.as_mut_slice()[at..at + bytes] });
    }

    fn broadcast(&self, bytes: usize, repeats: usize) -> u128 {
        let landing = self.landing.sub_region(..bytes);
        self.together(repeats, || {
            let from = if self.me == 0 {
                self.renew(self.pages[0], bytes);
                RootSrcOrLamellarBuffer::Root(self.pages[0])
            } else {
                RootSrcOrLamellarBuffer::NotRoot(landing.clone().into(), 0)
            };
            // SAFETY: no byte gets another value while the repeats last.
            unsafe { self.bytes.broadcast_from_pe_into_buffer(from, bytes).block() };
            // SAFETY: this PE's own.
            look(unsafe { landing.as_slice() });
        })
    }

    fn fcollect(&self, bytes: usize, repeats: usize) -> u128 {
        let page = self.pages[self.me];
        let landing = self.landing.sub_region(..bytes * self.pes);
        self.together(repeats, || {
            self.renew(page, bytes);
            // SAFETY: no byte gets another value while the repeats last.
            unsafe { self.bytes.gather_all_into_buffer(page, bytes, landing.clone().into()).block() };
            // SAFETY: this PE's own.
            look(unsafe { landing.as_slice() });
        })
    }
}

/// Reads an element of each cache line of what has come.
fn look<T: Copy>(came: &[T]) {
    came.iter().step_by(64 / size_of::<T>()).for_each(|element| _ = black_box(*element));
}

/// Writes an element of each cache line of what is given, as it was.
fn renew<T: Copy>(given: &mut [T]) {
    given.iter_mut().step_by(64 / size_of::<T>()).for_each(|element| *element = black_box(*element));
}

/// The nanoseconds that `repeats` calls take, one after the other.
fn timed(repeats: usize, mut once: impl FnMut(usize)) -> u128 {
    let start = Instant::now();
    for i in 0..repeats {
        once(i);
    }
    start.elapsed().as_nanos()
}
