//! Tests of the transport with threads as PEs: each has a mapping of its own, as a process has.

use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::mm::{MapFlags, ProtFlags};

use super::*;
use crate::system::os::System;
use crate::system::proc;
use crate::system::status::PeState;
use crate::transport::node::fault::Mapped;

const COUNTS: [usize; 5] = [1, 2, 3, 4, 7];

/// Runs `body` as each PE of a job, on a thread of its own, for each form of the system layer.
fn spmd(n_pes: usize, heap_size: usize, body: impl Fn(&SmpTransport) + Sync) {
    for system in System::ALL {
        let job = Segment::create(*system, n_pes, heap_size).unwrap();
        std::thread::scope(|scope| {
            for pe in 0..n_pes {
                let (job, body) = (&job, &body);
                scope.spawn(move || {
                    let fd = job.fd().try_clone_to_owned().unwrap();
                    let segment = Segment::attach(*system, fd, pe, n_pes, heap_size).unwrap();
                    body(&SmpTransport::new(segment, pe));
                });
            }
        });
    }
}

/// The threads of PEs that are about to wait, so that another PE can see them asleep. Use a new
/// value for each wait.
#[derive(Default)]
struct Waiters([AtomicI32; 7]);

impl Waiters {
    /// Records that PE `pe` will do nothing on this thread but wait.
    fn enter(&self, pe: usize) {
        #[cfg(target_os = "linux")]
        self.0[pe].store(rustix::thread::gettid().as_raw_nonzero().get(), Ordering::Relaxed);
        #[cfg(not(target_os = "linux"))]
        self.0[pe].store(1, Ordering::Relaxed);
    }

    /// Waits until each of the other `n_pes` is asleep; `false` where one is not within a minute.
    fn are_seen_asleep(&self, me: usize, n_pes: usize) -> bool {
        let start = Instant::now();
        (0..n_pes).filter(|pe| *pe != me).all(|pe| {
            while !is_asleep(self.0[pe].load(Ordering::Relaxed)) {
                if start.elapsed() > Duration::from_secs(60) {
                    return false;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            true
        })
    }
}

/// Whether a thread of this process sleeps.
#[cfg(target_os = "linux")]
fn is_asleep(thread: i32) -> bool {
    proc::stat(format_args!("self/task/{thread}")).is_some_and(|words| words[0] == "S")
}

/// Elsewhere this is not known, so the test leaves time for it.
#[cfg(not(target_os = "linux"))]
fn is_asleep(thread: i32) -> bool {
    std::thread::sleep(Duration::from_millis(20));
    thread != 0
}

/// Every PE writes a value of each visit to its right neighbour, and after a barrier finds the
/// value of its left neighbour.
fn neighbours(n_pes: usize, visits: u64) {
    spmd(n_pes, 4096, |pe| {
        let (me, right, left) =
            (pe.facts().my_pe, (pe.facts().my_pe + 1) % n_pes, (pe.facts().my_pe + n_pes - 1) % n_pes);
        let mine = pe.peer(me).unwrap().cast::<u64>();
        for visit in 0..visits {
            let value = visit * 1000 + me as u64;
            // SAFETY: 8 bytes at the start of a heap of 4096; the barriers keep reader and writer
            // apart.
            unsafe {
                pe.put(Ctx::DEFAULT, right, 0, (&raw const value).cast(), 8);
                pe.sync_all();
                assert_eq!(mine.read_volatile(), visit * 1000 + left as u64);
                pe.sync_all();
            }
        }
    });
}

#[test]
fn a_barrier_orders_what_was_put() {
    for n_pes in COUNTS {
        neighbours(n_pes, 100);
    }
}

#[test]
fn a_barrier_of_many_more_pes_than_cores() {
    neighbours(256, 5);
}

#[test]
fn both_forms_of_the_barrier_let_nobody_through_early() {
    for n_pes in [2, 3, 4, 5, 7, 8, 33] {
        for cores in [1, 2, 64] {
            for system in System::ALL {
                let job = Segment::create(*system, n_pes, 4096).unwrap();
                job.set_cores(cores);
                let here = AtomicUsize::new(0);
                std::thread::scope(|scope| {
                    for pe in 0..n_pes {
                        let (job, here) = (&job, &here);
                        scope.spawn(move || {
                            let fd = job.fd().try_clone_to_owned().unwrap();
                            let pe =
                                SmpTransport::new(Segment::attach(*system, fd, pe, n_pes, 4096).unwrap(), pe);
                            for visit in 1..30 {
                                here.fetch_add(1, Ordering::Relaxed);
                                pe.sync_all();
                                assert!(
                                    here.load(Ordering::Relaxed) >= visit * n_pes,
                                    "{system:?} {n_pes} {cores}"
                                );
                            }
                        });
                    }
                });
            }
        }
    }
}

#[test]
fn a_late_pe_wakes_the_sleepers() {
    for n_pes in [2, 3, 7] {
        let waiters = <[Waiters; 3]>::default();
        spmd(n_pes, 4096, |pe| {
            for (late, waiters) in waiters.iter().enumerate().take(n_pes) {
                let me = pe.facts().my_pe;
                let asleep = me != late || waiters.are_seen_asleep(me, n_pes);
                waiters.enter(me);
                pe.sync_all();
                assert!(asleep, "{n_pes} PEs: those who wait do not sleep");
            }
        });
    }
}

#[test]
fn the_counters_of_a_barrier_wrap_around() {
    for n_pes in [2, 3, 7] {
        let prepared = std::sync::Barrier::new(n_pes);
        spmd(n_pes, 4096, |pe| {
            pe.barrier.near_wrap_around();
            prepared.wait();
            for _ in 0..200 {
                pe.sync_all();
            }
        });
    }
}

/// The place of `pe` in a team of all PEs.
fn meeting(pe: &SmpTransport) -> TeamMeeting<Segment> {
    let members = Members::Strided { start: 0, stride: 1, len: pe.facts().n_pes };
    TeamMeeting::new(pe.segment(), layout::slot(1), &members, pe.facts().my_pe, None)
}

/// Each PE broadcasts in turn, with all lengths, with and without a meeting of another kind in
/// between; twice, in two teams of one slot.
fn conversations(n_pes: usize, cores: Option<u32>, wraps: bool) {
    let prepared = std::sync::Barrier::new(n_pes);
    spmd(n_pes, layout::END, |pe| {
        if let Some(cores) = cores {
            pe.segment().set_cores(cores);
            prepared.wait();
        }
        let mut said = 0;
        for team in 0..2 {
            let meeting = meeting(pe);
            if wraps && team == 0 {
                meeting.near_wrap_around();
            }
            prepared.wait();
            for number in 0..350_usize {
                // Where each PE has a core, cells take fewer bytes.
                let lens = if meeting.broadcasts(489) { 490 } else { 250 };
                let (speaker, len) = ((number / 25) % n_pes, number * 7 % lens);
                let bytes =
                    |of: usize| -> Vec<u8> { (0..len).map(|i| (number + of * 31 + i) as u8).collect() };
                let mut got = bytes(pe.facts().my_pe);
                if meeting.broadcasts(len) {
                    meeting.broadcast(speaker, &mut got);
                    assert!(got == bytes(speaker), "{n_pes} PEs, number {number} of team {team}");
                    said += 1;
                }
                if number % 90 == 0 {
                    meeting.sync();
                }
            }
            meeting.sync();
        }
        assert!(said >= 650, "{said}");
    });
}

#[test]
fn what_a_pe_says_is_heard_by_all() {
    for n_pes in COUNTS {
        conversations(n_pes, None, false);
    }
    // Forms of the barrier, and lengths.
    conversations(4, Some(64), false);
    conversations(4, Some(1), false);
}

#[test]
fn the_counters_of_cells_wrap_around() {
    for n_pes in [2, 3, 7] {
        conversations(n_pes, None, true);
    }
}

#[test]
fn who_speaks_waits_for_nobody_and_a_late_one_wakes_the_sleepers() {
    for n_pes in [2, 3, 7] {
        let waiters = Waiters::default();
        let prepared = std::sync::Barrier::new(n_pes);
        spmd(n_pes, layout::END, |pe| {
            let (meeting, me) = (meeting(pe), pe.facts().my_pe);
            prepared.wait();
            if me == 1 {
                // The root need not wait: no other member has come yet.
                meeting.broadcast(1, &mut [1]);
            }
            prepared.wait();
            let mut got = [me as u8];
            if me != 1 {
                meeting.broadcast(1, &mut got);
                assert_eq!(got, [1]);
            }
            let asleep = me != 0 || waiters.are_seen_asleep(me, n_pes);
            waiters.enter(me);
            let mut got = [me as u8 + 7];
            meeting.broadcast(0, &mut got);
            assert_eq!(got, [7]);
            assert!(asleep, "{n_pes} PEs: those who wait do not sleep");
        });
    }
}

/// Counts how often the waiting PE wakes up.
#[test]
#[cfg(target_os = "linux")]
fn a_waiting_pe_leaves_its_core() {
    let sleeps = |thread: i32| -> u64 {
        let status = proc::Status::of(format_args!("self/task/{thread}")).unwrap();
        status.field("voluntary_ctxt_switches").unwrap().parse().unwrap()
    };
    let waiters = Waiters::default();
    spmd(2, 4096, |pe| {
        pe.sync_all();
        if pe.facts().my_pe == 1 {
            waiters.enter(1);
            return pe.sync_all();
        }
        let again = waiters.are_seen_asleep(0, 2).then(|| {
            let waiter = waiters.0[1].load(Ordering::Relaxed);
            let (start, before) = (Instant::now(), sleeps(waiter));
            std::thread::sleep(Duration::from_millis(200));
            let again = sleeps(waiter) - before;
            // Each of its naps is 20 ms or more.
            (again, start.elapsed().as_millis() as u64 / 20 + 1)
        });
        pe.sync_all();
        let once = pe.segment().system() == System::Linux;
        assert!(
            again.is_some_and(|(again, most)| !once || again <= most),
            "it went to sleep again {again:?} times"
        );
    });
}

#[test]
fn puts_and_gets_move_exactly_their_bytes() {
    let heap = 64 << 10;
    spmd(3, heap, |pe| {
        if pe.facts().my_pe == 0 {
            let source: Vec<u8> = (0..heap).map(|i| (i * 7 + i / 256) as u8).collect();
            for len in (0..300).chain([1000, 2047, 2048, 2049, 4096, 5000, 16384, 16385, 20000, 40000]) {
                for offset in [0, 1, 3, 8, 15, 4095] {
                    // SAFETY: offset + len + 1 < 64 KiB; only this PE accesses these heaps.
                    unsafe {
                        std::ptr::write_bytes(pe.peer(1).unwrap(), 0xEE, heap);
                        pe.put(Ctx::DEFAULT, 1, offset, source[5..].as_ptr(), len);
                        let there = std::slice::from_raw_parts(pe.peer(1).unwrap(), heap);
                        assert_eq!(there[offset..][..len], source[5..][..len], "put {len} at {offset}");
                        assert!(there[..offset].iter().chain(&there[offset + len..]).all(|b| *b == 0xEE));
                        let mut back = vec![0xDD; len + 2];
                        pe.get(Ctx::DEFAULT, 1, offset, back[1..].as_mut_ptr(), len);
                        assert_eq!(back[1..][..len], source[5..][..len], "get {len} at {offset}");
                        assert!(back[0] == 0xDD && back[len + 1] == 0xDD);
                    }
                }
            }
        }
        pe.sync_all();
    });
}

#[test]
fn large_copies_are_whole() {
    let len = (12 << 20) + 4321; // streamed
    spmd(2, 32 << 20, |pe| {
        if pe.facts().my_pe == 0 {
            let source: Vec<u8> = (0..len).map(|i| (i ^ (i >> 9)) as u8).collect();
            let mut back = vec![0; len];
            // SAFETY: 77 + len < 32 MiB; only this PE accesses the heap.
            unsafe {
                pe.put(Ctx::DEFAULT, 1, 77, source.as_ptr(), len);
                pe.get(Ctx::DEFAULT, 1, 77, back.as_mut_ptr(), len);
            }
            assert!(source == back);
        }
        pe.sync_all();
    });
}

#[test]
fn strided_transfers_move_every_element() {
    spmd(2, 1 << 20, |pe| {
        if pe.facts().my_pe == 0 {
            let source: Vec<u8> = (0..20_000).map(|i| (i * 13 + i / 256) as u8).collect();
            for elem in [1, 2, 3, 4, 5, 8, 12, 16, 24, 40] {
                for (stride, src_stride) in
                    [(elem, elem), (2 * elem, elem), (elem + 1, elem), (3 * elem, 2 * elem), (elem, 0)]
                {
                    for offset in [0, 1, 64] {
                        let run = Run { count: 100, stride };
                        // The private side of a get has its own stride, as that of a put has.
                        let back_stride = src_stride.max(elem);
                        let mut back = vec![0xDD; 100 * back_stride];
                        // SAFETY: all elements lie in the first 64 KiB of the heap, which only this
                        // PE accesses.
                        unsafe {
                            std::ptr::write_bytes(pe.peer(1).unwrap(), 0xEE, 1 << 16);
                            pe.iput(Ctx::DEFAULT, 1, offset, run, source.as_ptr(), src_stride, elem);
                            let there = std::slice::from_raw_parts(pe.peer(1).unwrap(), 1 << 16);
                            for i in 0..100 {
                                let element = &there[offset + i * stride..];
                                assert_eq!(
                                    element[..elem],
                                    source[i * src_stride..][..elem],
                                    "{elem} {stride} {src_stride}"
                                );
                                assert!(i == 99 || element[elem..stride].iter().all(|byte| *byte == 0xEE));
                            }
                            pe.iget(Ctx::DEFAULT, 1, offset, run, back.as_mut_ptr(), back_stride, elem);
                        }
                        for (i, element) in back.chunks_exact(back_stride).enumerate() {
                            assert_eq!(element[..elem], source[i * src_stride..][..elem]);
                            assert!(element[elem..].iter().all(|byte| *byte == 0xDD));
                        }
                    }
                }
            }
            // SAFETY: nothing is accessed.
            unsafe { pe.iput(Ctx::DEFAULT, 1, 0, Run { count: 0, stride: 8 }, source.as_ptr(), 8, 8) };
        }
        pe.sync_all();
    });
}

#[test]
fn atomics_do_not_lose_updates() {
    for n_pes in COUNTS {
        spmd(n_pes, 4096, |pe| {
            for _ in 0..1000 {
                // SAFETY: aligned cells at 0 and 8 of PE 0, accessed by atomics alone.
                unsafe {
                    pe.amo(Ctx::DEFAULT, 0, 0, Width::W8, Amo::Add(1));
                    pe.amo(Ctx::DEFAULT, 0, 8, Width::W4, Amo::Add(u64::from(u32::MAX))); // minus one
                }
            }
            pe.sync_all();
            // SAFETY: as above.
            unsafe {
                assert_eq!(pe.amo(Ctx::DEFAULT, 0, 0, Width::W8, Amo::Fetch), 1000 * n_pes as u64);
                assert_eq!(
                    pe.amo(Ctx::DEFAULT, 0, 8, Width::W4, Amo::Fetch),
                    u64::from((1000 * n_pes as u32).wrapping_neg())
                );
            }
        });
    }
}

#[test]
fn every_atomic_operation_does_what_it_says() {
    spmd(1, 4096, |pe| {
        for (width, all) in [(Width::W4, u64::from(u32::MAX)), (Width::W8, u64::MAX)] {
            // SAFETY: an aligned cell that no other thread accesses.
            let amo = |op| unsafe { pe.amo(Ctx::DEFAULT, 0, 16, width, op) };
            amo(Amo::Set(all));
            assert_eq!(amo(Amo::Add(3)), all);
            assert_eq!(amo(Amo::Swap(0b1100)), 2);
            assert_eq!(amo(Amo::And(0b1010)), 0b1100);
            assert_eq!(amo(Amo::Or(0b0001)), 0b1000);
            assert_eq!(amo(Amo::Xor(0b1111)), 0b1001);
            assert_eq!(amo(Amo::CompareSwap { expected: 7, new: 1 }), 0b0110);
            assert_eq!(amo(Amo::CompareSwap { expected: 6, new: all }), 0b0110);
            assert_eq!(amo(Amo::Fetch), all);
            amo(Amo::Set(0));
        }
    });
}

#[test]
fn heaps_are_aligned_and_apart() {
    // All heaps start at a page or 2 MiB, a PE's own heap at the largest power of two in it.
    for (heap_size, own, align) in [
        (1, 4096, 4096),
        (100_000, 64 << 10, 4096),
        (5 << 20, 4 << 20, 2 << 20),
        (3 << 30, 2 << 30, 2 << 20),
        (3 << 40, 1 << 40, 2 << 20),
    ] {
        spmd(3, heap_size, |pe| {
            assert_eq!(pe.facts().heap_align, own);
            assert_eq!(pe.peer(pe.facts().my_pe).unwrap() as usize % own, 0);
            assert_eq!(pe.segment().second_view(pe.facts().my_pe).unwrap().addr().get() % own, 0);
            for other in 0..3 {
                let heap = pe.peer(other).unwrap() as usize;
                assert_eq!(heap % align, 0);
                assert!(other == 0 || heap - pe.peer(other - 1).unwrap() as usize >= heap_size);
                assert_eq!(pe.segment().locate(heap + heap_size - 1), Some((other, heap_size - 1)));
            }
        });
    }
}

#[test]
fn a_huge_heap_costs_nothing_until_it_is_touched() {
    spmd(4, 256 << 30, |pe| {
        let last = pe.facts().heap_size - 8;
        // SAFETY: the last word of the heap, accessed by atomics alone.
        unsafe {
            pe.amo(
                Ctx::DEFAULT,
                (pe.facts().my_pe + 1) % 4,
                last,
                Width::W8,
                Amo::Set(pe.facts().my_pe as u64),
            );
            pe.sync_all();
            assert_eq!(
                pe.amo(Ctx::DEFAULT, pe.facts().my_pe, last, Width::W8, Amo::Fetch),
                (pe.facts().my_pe as u64 + 3) % 4
            );
        }
    });
}

#[test]
fn a_heap_that_does_not_fit_names_the_variable() {
    for system in System::ALL {
        for heap_size in [usize::MAX, usize::MAX / 4, 1 << 62] {
            let message = Segment::create(*system, 4, heap_size).err().expect("does not fit").to_string();
            assert!(message.contains("SHMEM_SYMMETRIC_SIZE"), "{message}");
        }
        // The file can be this large, the address space cannot.
        let job = Segment::create(*system, 4, 100 << 40).unwrap();
        let fd = job.fd().try_clone_to_owned().unwrap();
        let message = Segment::attach(*system, fd, 0, 4, 100 << 40).err().expect("does not fit").to_string();
        assert!(message.contains("SHMEM_SYMMETRIC_SIZE"), "{message}");
    }
}

#[test]
fn foreign_memory_is_refused() {
    let system = System::ALL[0];
    let job = Segment::create(system, 2, 8192).unwrap();
    let fd = || job.fd().try_clone_to_owned().unwrap();
    assert!(matches!(Segment::attach(system, fd(), 0, 3, 8192), Err(Error::Job { .. })));
    assert!(matches!(Segment::attach(system, fd(), 0, 2, 8191), Err(Error::Job { .. })));
    assert!(Segment::attach(system, fd(), 0, 2, 8192).is_ok());
}

#[test]
fn the_supervisor_reads_what_a_pe_left() {
    let system = System::ALL[0];
    let job = Segment::create(system, 2, 4096).unwrap();
    let pe = Segment::attach(system, job.fd().try_clone_to_owned().unwrap(), 0, 2, 4096).unwrap();
    pe.status(1).set_text("why");
    pe.status(1).set(PeState::Panicked);
    drop(pe);
    assert_eq!((job.status(1).state(), job.status(1).text().as_str()), (PeState::Panicked, "why"));
    assert_eq!(job.status(0).state(), PeState::Starting);
}

/// The test below runs this in a process of its own; without the variable it does nothing.
#[test]
fn touch_memory_that_is_not_there() {
    let Ok(system) = std::env::var("SHMEM_TEST_BUS_ERROR") else {
        return;
    };
    let system = System::from_name(&system).unwrap();
    let job = Segment::create(system, 2, 1 << 20).unwrap();
    let pe = SmpTransport::new(
        Segment::attach(system, job.fd().try_clone_to_owned().unwrap(), 0, 2, 1 << 20).unwrap(),
        1,
    );
    // Past the end of an object the system has no page, as when it has run out of them. The job's
    // own object cannot be cut, so an empty one replaces a page of it.
    let empty = system.create_memory().unwrap();
    let page = rustix::param::page_size();
    let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED | MapFlags::FIXED);
    // SAFETY: a page inside the heap of PE 1, which only this test accesses; and an update there.
    unsafe {
        let place = pe.peer(1).unwrap().add(page);
        rustix::mm::mmap(place.cast(), page, access, flags, &empty, 0).unwrap();
        pe.amo(Ctx::DEFAULT, 1, page, Width::W8, Amo::Set(1));
    }
    unreachable!("the page was there");
}

#[test]
fn a_page_that_cannot_be_had_is_explained() {
    for system in System::ALL {
        let name = concat!(module_path!(), "::touch_memory_that_is_not_there");
        let (_crate, name) = name.split_once("::").unwrap();
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env("SHMEM_TEST_BUS_ERROR", system.name())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        let page = rustix::param::page_size();
        let report = format!("shmem: PE 1: out of memory at byte {page} of the symmetric heap of PE 1: ");
        assert!(text.contains(&report) && text.contains("/dev/shm"), "{text}");
        assert_eq!(output.status.code(), Some(128 + libc::SIGBUS));
    }
}
