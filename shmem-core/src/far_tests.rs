//! A transport whose atomic operations do not mix with the processor's, to see that nothing mixes
//! them.

use std::mem::take;
use std::process::Command;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::context::Private;
use crate::prelude::*;
use crate::runtime;
use crate::system::error::Error;
use crate::system::os::System;
use crate::transport::Members;
use crate::transport::layout;
use crate::transport::node::traffic::Traffic;
use crate::transport::node::waits::WaitRecord;
use crate::transport::smp::SmpTransport;
use crate::transport::smp::segment::Segment;
use crate::transport::{
    Amo, Contexts, Ctx, Endpoint, Facts, HeapAccess, Meeting, Meetings, Run, Transport, Width,
};

/// What the heap of a PE has; the atomic operations of the transport find as much again after it.
const HEAP: usize = 16 << 20;
/// The PEs: this one, one whose heap loads and stores reach, and one whose heap they do not reach.
const ME: usize = 0;
const NEAR: usize = 1;
const FAR: usize = 2;

/// What was asked of the transport: the operation, the number of its context, and the PE.
type Log = Arc<Mutex<Vec<(&'static str, Ctx, usize)>>>;

/// One PE of three, of which the other two stand still. What its atomic operations find lies apart
/// from what loads and stores find.
struct FarTransport {
    inner: SmpTransport,
    /// The numbers of this PE, the near one and the far one.
    numbers: [usize; 3],
    log: Log,
    /// How many messages, and bytes in them, went to and came from the runtime's own part of the
    /// heaps.
    own: Arc<[AtomicUsize; 2]>,
}

impl FarTransport {
    /// Notes an operation on the program's part of a heap.
    fn note(&self, what: &'static str, ctx: Ctx, pe: usize, offset: usize) {
        if offset >= layout::END {
            self.log.lock().unwrap().push((what, ctx, pe));
        }
    }

    /// Which of the three heaps is that of `pe`. Of the runtime's part of a heap it is this PE's: the others
    /// say what it says, and so agree with it.
    fn owner(&self, pe: usize, offset: usize) -> usize {
        if offset < layout::END {
            return ME;
        }
        self.numbers.iter().position(|&number| number == pe).expect("one of the three")
    }

    /// Counts a message of the runtime's own.
    fn count(&self, offset: usize, len: usize) {
        if offset < layout::END {
            self.own[0].fetch_add(1, Ordering::Relaxed);
            self.own[1].fetch_add(len, Ordering::Relaxed);
        }
    }
}

/// A meeting to which the others have come.
struct TheyAreThere;

impl Meeting for TheyAreThere {
    fn sync(&self) {}
    fn barrier(&self) {}
    fn arrive(&self) -> u32 {
        0
    }
    fn wait(&self, _: u32) {}
    fn exchange_pair(&self, _: [u64; 2]) -> Option<[u64; 2]> {
        None
    }
    fn broadcasts(&self, _: usize) -> bool {
        false
    }
    fn broadcast(&self, _: usize, _: &mut [u8]) {
        unreachable!("it takes none");
    }
    fn is_directly_addressable(&self) -> bool {
        true
    }
}

// SAFETY: it passes on to a transport with larger heaps, which keeps the promises of the trait.
unsafe impl Transport for FarTransport {
    unsafe fn put(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        self.note("put", ctx, pe, offset);
        self.count(offset, len);
        // SAFETY: the caller's promises, also of the others below.
        unsafe { self.inner.put(ctx, self.owner(pe, offset), offset, src, len) }
    }
    unsafe fn get(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        self.note("get", ctx, pe, offset);
        self.count(offset, len);
        // SAFETY: as above.
        unsafe { self.inner.get(ctx, self.owner(pe, offset), offset, dst, len) }
    }
    unsafe fn put_nbi(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        self.note("put_nbi", ctx, pe, offset);
        // SAFETY: as above.
        unsafe { self.inner.put_nbi(ctx, self.owner(pe, offset), offset, src, len) }
    }
    unsafe fn get_nbi(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        self.note("get_nbi", ctx, pe, offset);
        // SAFETY: as above.
        unsafe { self.inner.get_nbi(ctx, self.owner(pe, offset), offset, dst, len) }
    }
    unsafe fn iput(
        &self,
        ctx: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        src: *const u8,
        src_stride: usize,
        elem: usize,
    ) {
        self.note("iput", ctx, pe, offset);
        // SAFETY: as above.
        unsafe { self.inner.iput(ctx, self.owner(pe, offset), offset, run, src, src_stride, elem) }
    }
    unsafe fn iget(
        &self,
        ctx: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        dst: *mut u8,
        dst_stride: usize,
        elem: usize,
    ) {
        self.note("iget", ctx, pe, offset);
        // SAFETY: as above.
        unsafe { self.inner.iget(ctx, self.owner(pe, offset), offset, run, dst, dst_stride, elem) }
    }
    unsafe fn amo(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        self.note("amo", ctx, pe, offset);
        // SAFETY: as above; after each heap there is as much again.
        unsafe { self.inner.amo(ctx, self.owner(pe, offset), HEAP + offset, width, op) }
    }
    unsafe fn update(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
        assert_ne!(op, Amo::Fetch);
        self.note("update", ctx, pe, offset);
        // SAFETY: as in `amo`.
        unsafe { self.inner.update(ctx, self.owner(pe, offset), HEAP + offset, width, op) }
    }
    fn fence(&self, ctx: Ctx) {
        self.log.lock().unwrap().push(("fence", ctx, ME));
    }
    fn quiet(&self, ctx: Ctx) {
        self.log.lock().unwrap().push(("quiet", ctx, ME));
    }
    fn pe_quiet(&self, ctx: Ctx, pes: &[usize]) {
        self.log.lock().unwrap().extend(pes.iter().map(|&pe| ("pe_quiet", ctx, pe)));
    }
}

// SAFETY: it passes on to a transport that keeps the promises of the trait; the heap that it does
// not answer for is promised nothing.
unsafe impl HeapAccess for FarTransport {
    fn peer(&self, pe: usize) -> Option<*mut u8> {
        let heap = self.numbers.iter().position(|&number| number == pe)?;
        self.inner.peer(heap).filter(|_| heap != FAR)
    }
    fn peers(&self) -> Vec<usize> {
        let mut pes = vec![self.numbers[ME], self.numbers[NEAR]];
        pes.sort_unstable();
        pes
    }
    fn refuse_transfers(&self) {
        self.inner.refuse_transfers();
    }
    fn close(&self) -> Result<NonNull<u8>, Error> {
        self.inner.close()
    }
    fn open(&self) -> Result<(), Error> {
        self.inner.open()
    }
    unsafe fn map_over(&self, address: NonNull<u8>, offset: usize, len: usize) -> Result<(), Error> {
        // SAFETY: the caller's promises.
        unsafe { self.inner.map_over(address, offset, len) }
    }
}

impl Contexts for FarTransport {
    fn create(&self) -> Result<Ctx, Error> {
        self.log.lock().unwrap().push(("create", MADE, ME));
        Ok(MADE)
    }
    fn destroy(&self, ctx: Ctx) {
        self.log.lock().unwrap().push(("destroy", ctx, ME));
    }
}

impl Meetings for FarTransport {
    fn meeting(&self, _: usize, _: &Members, _: usize, _: u64) -> Box<dyn Meeting> {
        Box::new(TheyAreThere)
    }
    fn sync_all(&self) {}
    fn barrier_all(&self) {}
    fn sync_phase(&self) {}
    fn sync_end(&self) {}
    fn revoke_end(&self) {}
    fn is_deserted(&self) -> bool {
        false
    }
    fn has_returned_alone(&self, _: usize) -> bool {
        false
    }
    fn wait_record(&self) -> &WaitRecord {
        self.inner.wait_record()
    }
    fn traffic(&self) -> &Traffic {
        self.inner.traffic()
    }
    fn acts_alone(&self) -> bool {
        self.inner.acts_alone()
    }
    fn progress(&self) -> bool {
        self.log.lock().unwrap().push(("progress", Ctx::DEFAULT, ME));
        true
    }
}

/// The context that the transport makes.
const MADE: Ctx = Ctx::for_tests(7);

/// What loads and stores find in the cells; what the transport finds is 0 at first.
const LAID: u64 = 77;

#[symmetric]
static CELL: Atomic<u64> = Atomic::new(LAID);
#[symmetric]
static CELLS: [Atomic<u32>; 6] = [Atomic::new(LAID as u32); 6];
#[symmetric]
static REAL: Atomic<f64> = Atomic::new(0.5);
#[symmetric]
static LOCK: Lock = Lock::new();
#[symmetric]
static PLAIN: [u64; 8] = [0; 8];

/// Runs the test `name` of this module in a process of its own, as a process joins one job.
fn run(name: &str) {
    run_case(name, 0);
}

/// The same, with this number of a case in its variable.
fn run_case(name: &str, case: usize) {
    let module = module_path!().split_once("::").expect("a module of this crate").1;
    let output = Command::new(std::env::current_exe().unwrap())
        .args([&format!("{module}::{name}"), "--exact", "--nocapture"])
        .env("SHMEM_TEST_APART", case.to_string())
        // The other PEs do not answer.
        .env("SHMEM_CHECK", "0")
        .env_remove("SHMEM_DIRECT")
        .env_remove("SHMEM_STATS")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{name}:\n{said}{errors}");
}

/// Joins the job of three, in the process that is for it; `None` elsewhere.
fn join() -> Option<(World, Log)> {
    join_counted().map(|(world, log, _)| (world, log))
}

/// The same, with the messages and bytes of the runtime's own.
fn join_counted() -> Option<(World, Log, Arc<[AtomicUsize; 2]>)> {
    join_as([ME, NEAR, FAR], 3)
}

/// The same, where this PE, the near one and the far one have these numbers among `n_pes`.
fn join_as(numbers: [usize; 3], n_pes: usize) -> Option<(World, Log, Arc<[AtomicUsize; 2]>)> {
    std::env::var_os("SHMEM_TEST_APART")?;
    let job = Segment::create(System::ALL[0], 3, 2 * HEAP).unwrap();
    let log = Log::default();
    let fd = job.fd().try_clone_to_owned().unwrap();
    let segment = Segment::attach(System::ALL[0], fd, ME, 3, 2 * HEAP).unwrap();
    let own = Arc::default();
    let inner = SmpTransport::new(segment, ME);
    let transport = FarTransport { inner, numbers, log: Arc::clone(&log), own: Arc::clone(&own) };
    // Each PE has the half of a heap that the runtime knows of.
    let inner = transport.inner.facts();
    let facts = Facts {
        my_pe: numbers[ME],
        n_pes,
        heap_size: HEAP,
        direct_atomics: false,
        oversubscribed: false,
        ..inner
    };
    let world = runtime::start(Endpoint::new(facts, transport)).unwrap();
    log.lock().unwrap().clear();
    Some((World::new(world), log, own))
}

/// What loads find in `CELL` of `pe`.
fn loaded(pe: usize) -> u64 {
    // SAFETY: the static is inside of each heap, and this thread alone accesses it.
    unsafe {
        let heap = runtime::get().endpoint().heaps.peer(pe).expect("a heap that loads reach");
        heap.add(local!(&CELL).region().offset).cast::<u64>().read()
    }
}

#[test]
fn cells_are_reached_by_the_transport_alone() {
    run("cells_apart");
}

/// The test above, in its process.
#[test]
fn cells_apart() {
    let Some((world, log)) = join() else { return };
    let asked = || take(&mut *log.lock().unwrap()).into_iter().map(|(what, ..)| what).collect::<Vec<_>>();
    for pe in [ME, NEAR, FAR] {
        // This PE finds its own cells changed at once.
        let update = if pe == ME { "amo" } else { "update" };
        let cell = remote!(&CELL[pe]);
        assert_eq!(cell.as_ptr(), None);
        assert_eq!((cell.get(), asked()), (0, vec!["amo"]));
        remote!(CELL[pe] = 5);
        remote!(CELL[pe] += 7);
        remote!(CELL[pe] -= 2);
        remote!(CELL[pe] |= 16);
        remote!(CELL[pe] &= !2);
        remote!(CELL[pe] ^= 1);
        cell.put(cell.get() + 1);
        assert_eq!(asked(), [vec![update; 6], vec!["amo", update]].concat());
        assert_eq!(remote!(CELL[pe]), ((10 | 16) & !2 ^ 1) + 1);
        cell.add(4);
        cell.sub(3);
        cell.and(30);
        cell.or(1);
        cell.xor(2);
        cell.fill(40);
        assert_eq!(asked(), [vec!["amo"], vec![update; 6]].concat());
        assert_eq!(cell.fetch_add(2), 40);
        assert_eq!(cell.fetch_sub(1), 42);
        assert_eq!(cell.fetch_or(4), 41);
        assert_eq!(cell.fetch_and(15), 45);
        assert_eq!(cell.fetch_xor(1), 13);
        assert_eq!(cell.swap(8), 12);
        assert_eq!(cell.compare_exchange(8, 9), Ok(8));
        assert_eq!(asked(), ["amo"; 7]);

        let mut seen = [0; 3];
        remote!(CELLS[pe, ..] = 3);
        remote!(CELLS[pe, 0..6;2] = [1, 2, 4]);
        assert_eq!(asked(), [update; 9]);
        remote!(CELLS[pe, 0..3] => &mut seen);
        assert_eq!((seen, remote!(CELLS[pe, 3..])), ([1, 3, 2], [3, 4, 3]));
        assert_eq!(asked(), ["amo"; 6]);
        remote!(REAL[pe] = 2.5);
        assert_eq!((remote!(&REAL[pe]).swap(1.5), remote!(REAL[pe])), (2.5, 1.5));
        asked();

        let (mut was, mut two) = (0, [0; 2]);
        world.nbi(|s| {
            s.fetch_add(cell, 1, &mut was);
            s.add(cell, 1);
            s.set(cell, 20);
            s.put(remote!(&CELLS[pe, 0..2]), &[8, 9]);
            s.get(remote!(&CELLS[pe, 0..2]), &mut two);
        });
        assert_eq!((was, two), (9, [8, 9]));
        assert_eq!(asked(), ["amo", update, update, update, update, "amo", "amo", "quiet"]);
        remote!(&PLAIN[pe, 1]).put_signal(pe as u64, cell, SignalOp::Add(2));
        let put = if pe == FAR { &["put"][..] } else { &[] };
        assert_eq!(asked(), [put, &["fence", update]].concat());
        assert_eq!((remote!(CELL[pe]), remote!(PLAIN[pe, 1])), (22, pe as u64));
        asked();
        if pe != FAR {
            // As it was laid out, or not: the other PEs have never run.
            assert_eq!(loaded(pe), if pe == ME { LAID } else { 0 });
            assert!(remote!(&PLAIN[pe, 0]).as_ptr().is_some());
        }
    }

    local!(CELL = 1);
    local!(CELL += 1);
    assert_eq!((local!(CELL), asked()), (2, vec!["amo"; 3]));
    drop(LOCK.lock());
    assert!(LOCK.try_lock().is_some());
    let locked = asked();
    assert!(locked.len() > 6 && locked.iter().all(|&what| what == "amo" || what == "quiet"), "{locked:?}");
    // A PE waits for its own cells by loads, and for those of others by the transport; what finds
    // nothing drives the transport.
    assert!(poll!(CELL == LAID));
    assert_eq!(wait!(CELL != 0), LAID);
    assert_eq!(asked(), [""; 0]);
    assert!(!poll!(CELL == 2));
    assert_eq!(poll!(any CELLS[..] == 2), None);
    assert_eq!(asked(), ["progress"; 2]);
    // A wait lasts as long as the transport needs to be driven.
    let heap = runtime::get().endpoint().heaps.peer(ME).expect("a heap that loads reach").expose_provenance();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while log.lock().unwrap().len() < 100 {
                std::thread::yield_now();
            }
            let cell = std::ptr::with_exposed_provenance_mut::<u64>(heap + local!(&CELL).region().offset);
            // SAFETY: the static is inside of the heap, and looked at by atomic loads.
            unsafe { AtomicU64::from_ptr(cell) }.store(3, Ordering::Release);
        });
        assert_eq!(wait!(CELL == 3), 3);
    });
    let driven = asked();
    assert!(driven.len() >= 100 && driven.iter().all(|&what| what == "progress"), "{driven:?}");
    assert!(remote!(&CELL[NEAR]).test(Comparison::Eq, 22));
    assert_eq!(asked(), ["amo"]);
    assert_eq!(loaded(ME), 3);

    let array = world.symmetric_array::<Atomic<i64>, 1>([3], Atomic::new(-1)).unwrap();
    asked();
    remote!(array[NEAR, 1] += 2);
    assert_eq!((remote!(array[NEAR, 1]), asked()), (2, vec!["update", "amo"]));
}

#[test]
fn operations_belong_to_their_contexts() {
    run("contexts_apart");
}

/// The test above, in its process.
#[test]
fn contexts_apart() {
    let Some((world, log)) = join() else { return };
    let asked = || take(&mut *log.lock().unwrap());
    let default = Ctx::DEFAULT;
    let ctx = world.team().context(Private).unwrap();
    remote!(ctx; PLAIN[FAR, 0] = 5);
    remote!(ctx; PLAIN[FAR, 0..8;2] = [5; 4]);
    assert_eq!(remote!(ctx; PLAIN[FAR, 1..3]), [0, 5]);
    assert_eq!(remote!(ctx; PLAIN[FAR, 1..4;2]), [0, 0]);
    remote!(ctx; CELL[NEAR] += 1);
    remote!(ctx; &CELL[NEAR]).fetch_add(1);
    assert_eq!(remote!(PLAIN[FAR, 0]), 5);
    ctx.fence();
    ctx.quiet();
    ctx.pe_quiet(&[FAR, NEAR]);
    world.fence();
    world.quiet();
    world.pe_quiet(&[NEAR]);
    let on = |what, pe| (what, MADE, pe);
    let expected = [
        on("create", ME),
        on("put", FAR),
        on("iput", FAR),
        on("get", FAR),
        on("iget", FAR),
        on("update", NEAR),
        on("amo", NEAR),
        ("get", default, FAR),
        on("fence", ME),
        on("quiet", ME),
        on("pe_quiet", FAR),
        on("pe_quiet", NEAR),
        ("fence", default, ME),
        ("quiet", default, ME),
        ("pe_quiet", default, NEAR),
    ];
    assert_eq!(asked(), expected);

    // A scope lets what is contiguous overlap, on its own context.
    let (mut one, mut row, mut column, mut other) = (0, [0; 8], [0; 4], [0; 2]);
    ctx.nbi(|s| {
        s.put(remote!(ctx; &PLAIN[FAR, 2]), &6);
        s.put(remote!(ctx; &PLAIN[FAR, 3..5]), &[7, 8]);
        s.put(remote!(ctx; &PLAIN[FAR, 5..]), &9);
        s.get(remote!(ctx; &PLAIN[FAR, 2]), &mut one);
        s.get(remote!(ctx; &PLAIN[FAR, ..]), &mut row);
        s.get(remote!(ctx; &PLAIN[FAR, 1..8;2]), &mut column);
        s.put_signal(remote!(ctx; &PLAIN[FAR, 0..2]), &[3, 4], remote!(&CELL[FAR]), SignalOp::Set(1));
        s.put(remote!(&PLAIN[FAR, 0..2]), &[3, 4]);
        s.get(remote!(&PLAIN[FAR, 0..2]), &mut other);
    });
    assert_eq!((one, row, column, other), (6, [5, 0, 6, 7, 8, 9, 9, 9], [0, 7, 9, 9], [3, 4]));
    let expected = [
        on("put_nbi", FAR),
        on("put_nbi", FAR),
        on("iput", FAR),
        on("get_nbi", FAR),
        on("get_nbi", FAR),
        on("iget", FAR),
        on("put_nbi", FAR),
        on("fence", ME),
        on("update", FAR),
        ("put", default, FAR),
        ("get", default, FAR),
        on("quiet", ME),
    ];
    assert_eq!(asked(), expected);
    world.nbi(|s| s.get(remote!(&PLAIN[FAR, 0..2]), &mut other));
    assert_eq!(asked(), [("get_nbi", default, FAR), ("quiet", default, ME)]);

    // A phase begins when all contexts are complete.
    world.local_phase(|_| {});
    assert_eq!(asked(), [("quiet", default, ME), on("quiet", ME)]);
    drop(ctx);
    world.local_phase(|_| {});
    assert_eq!(asked(), [on("destroy", ME), ("quiet", default, ME)]);
}

#[test]
fn allocations_say_the_same_however_many_arrays_there_are() {
    run("allocations_counted");
}

/// The test above, in its process.
#[test]
fn allocations_counted() {
    let Some((world, _, own)) = join_counted() else { return };
    let said = |call: &dyn Fn()| {
        let before = own.each_ref().map(|count| count.load(Ordering::Relaxed));
        call();
        let after = own.each_ref().map(|count| count.load(Ordering::Relaxed));
        [after[0] - before[0], after[1] - before[1]]
    };
    let mut arrays = Vec::new();
    let mut counts = Vec::new();
    for live in [0, 100, 20_000] {
        while arrays.len() < live {
            arrays.push(world.zeros::<u8, 1>([1]).unwrap());
        }
        // The first is said to be released in the second, and the second in the last.
        counts.push([
            said(&|| drop(world.zeros::<u64, 1>([100]).unwrap())),
            said(&|| drop(world.zeros::<u64, 1>([100]).unwrap())),
            said(&|| world.reclaim().unwrap()),
        ]);
    }
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[0], counts[2]);
    assert!(counts[0].iter().all(|&[messages, _]| messages > 0));
    // Nor does it matter how many are dropped at once.
    drop(arrays);
    assert_eq!(said(&|| world.reclaim().unwrap()), counts[0][2]);
}

/// The numbers of this PE, the near one and the far one, in the tables and beyond them.
const NUMBERS: [[usize; 3]; 4] =
    [[70_000, 999_999, 12], [65_535, 65_536, 65_537], [800_000, 0, 900_000], [5, 999_998, 123_456]];

#[test]
#[cfg_attr(not(feature = "openshmem"), ignore = "only a job over a C library has so many PEs")]
fn pes_with_high_numbers_are_reached_by_loads_and_stores() {
    for case in 0..NUMBERS.len() {
        run_case("pes_with_high_numbers", case);
    }
}

/// The test above, in its processes.
#[test]
fn pes_with_high_numbers() {
    const N_PES: usize = 1_000_000;
    let Some(case) = std::env::var("SHMEM_TEST_APART").ok() else { return };
    let numbers = NUMBERS[case.parse::<usize>().unwrap()];
    let (world, log, _) = join_as(numbers, N_PES).unwrap();
    let asked = || take(&mut *log.lock().unwrap()).into_iter().map(|(what, ..)| what).collect::<Vec<_>>();
    let [me, near, far] = numbers;
    assert_eq!((world.my_pe(), world.n_pes()), (me, N_PES));
    for pe in [me, near] {
        remote!(PLAIN[pe, 0..3] = [1, 2, pe as u64]);
        remote!(PLAIN[pe, 4] = 7);
        assert_eq!((remote!(PLAIN[pe, 2]), remote!(PLAIN[pe, 4])), (pe as u64, 7));
        assert!(remote!(&PLAIN[pe, 0]).as_ptr().is_some());
    }
    assert_eq!(asked(), [""; 0]);
    remote!(PLAIN[far, 4] = 9);
    assert_eq!((remote!(PLAIN[far, 4]), asked()), (9, vec!["put", "get"]));
    assert_eq!((remote!(PLAIN[near, 4]), remote!(&PLAIN[far, 0]).as_ptr()), (7, None));
    let panic = std::panic::catch_unwind(|| remote!(PLAIN[N_PES, 0])).expect_err("no such PE");
    let text = panic.downcast_ref::<String>().expect("a text");
    assert!(text.contains("there is no PE 1000000: the job has 1000000 PEs (0 to 999999)"), "{text}");
    // The entries are emptied for a phase, and filled in again.
    world.local_phase(|_| ());
    asked();
    remote!(PLAIN[near, 5] = 3);
    assert_eq!((remote!(PLAIN[near, 5]), asked()), (3, vec![]));
}
