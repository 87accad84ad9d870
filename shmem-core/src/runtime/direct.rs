//! The table of peers whose symmetric heap is directly addressable.
//!
//! Every operation on a symmetric object starts here, and most need no more than this: one load,
//! one comparison with null, and the address is known. The comparison does four jobs at once. It
//! refuses a PE that does not exist, an operation before the job is joined, and one while remote
//! access is not allowed; and it selects the operations that must go through the transport. In all
//! these cases the entry is null. The cold path finds out which case it is.
//!
//! There are two tables: one for plain elements, and one for atomic cells. They differ where a
//! transport's atomic operations may not be mixed with the processor's: cells are then reached
//! through the transport alone.
//!
//! The tables are in a static, not behind pointers, and nothing else is read: a put of one word is a
//! handful of instructions, and each load counts (`cargo bench -p benches`).
//!
//! Only the entries of PEs that are directly addressable are ever written, so a PE keeps nothing of the
//! others here. The tables end at a PE that only jobs over a C library have. A directly addressable PE
//! with a higher number is in a short list, which the cold path of plain elements searches. Its cells are
//! reached through the transport.

use std::fmt;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};

use super::observe;
use crate::system::place;
use crate::transport::Endpoint;
use crate::transport::closed;
use crate::transport::word::{self, is_null};

/// PEs from this number on are not in the tables. The system commits no memory for the unused part of
/// them.
pub(crate) const LISTED: usize = 1 << 16;
/// The size in bytes of one PE's entries.
#[cfg(all(feature = "bench", feature = "openshmem"))]
pub(crate) const ENTRIES: usize = size_of_val(&PEERS.elements[0]) + size_of_val(&PEERS.cells[0]);
/// What every operation reads. It is one static, so that the compiler keeps one address in a register over a loop, and
/// each part is one load from there. The elements come first: without optimisation, another place is one more instruction.
static PEERS: Peers = Peers {
    elements: [const { AtomicPtr::new(ptr::null_mut()) }; LISTED + 1],
    accessible: AtomicUsize::new(0),
    me: AtomicUsize::new(0),
    n_pes: AtomicUsize::new(0),
    cells: [const { AtomicPtr::new(ptr::null_mut()) }; LISTED + 1],
};

#[repr(C)]
struct Peers {
    /// The start of each PE's heap, or null. The last entry is always null, and stands for all PEs that are not listed.
    elements: Table,
    /// PEs below this number may be accessed without a word: all PEs of the job, or none outside of a
    /// job, in a local phase, and in a run that takes down every access. Where some are beyond the tables, those
    /// that the tables have.
    accessible: AtomicUsize,
    /// The number of this PE.
    me: AtomicUsize,
    /// How many PEs the job has; 0 where there is none: before it is joined, and after it is left.
    n_pes: AtomicUsize,
    /// As `elements`, for atomic cells. All entries are null where the processor's atomic operations may not be mixed with the
    /// transport's.
    cells: Table,
}

type Table = [AtomicPtr<u8>; LISTED + 1];

/// The PEs that are directly addressable, from the first job of this process on.
static NEAR: OnceLock<NearPes> = OnceLock::new();
/// Whether the tables are used at all; see [`open`].
static LOADS_AND_STORES: AtomicBool = AtomicBool::new(false);

/// The PEs that are directly addressable.
struct NearPes {
    /// The numbers of all of them.
    pes: Box<[usize]>,
    /// Those that are not in the tables, in ascending order, with the start of the heap of each, or null.
    beyond: Box<[(usize, AtomicPtr<u8>)]>,
}

impl NearPes {
    fn of(endpoint: &Endpoint) -> NearPes {
        let pes = endpoint.heaps.peers();
        let beyond = pes.iter().filter(|&&pe| pe >= LISTED);
        NearPes { beyond: beyond.map(|&pe| (pe, AtomicPtr::default())).collect(), pes: pes.into() }
    }

    /// Those that are in the tables, with their entries.
    fn listed(&self) -> impl Iterator<Item = (usize, &AtomicPtr<u8>, &AtomicPtr<u8>)> {
        let listed = self.pes.iter().filter(|&&pe| pe < LISTED);
        listed.map(|&pe| (pe, &PEERS.elements[pe], &PEERS.cells[pe]))
    }
}

/// What the table would hold of PE `pe`, which is not in it: the start of its heap, or null.
#[cold]
#[inline(never)]
fn beyond(pe: usize) -> *mut u8 {
    let find = |near: &'static NearPes| {
        let found = near.beyond.binary_search_by_key(&pe, |(pe, _)| *pe).ok()?;
        Some(near.beyond[found].1.load(Ordering::Relaxed))
    };
    NEAR.get().and_then(find).unwrap_or(ptr::null_mut())
}

/// Opens the tables: from here on remote access is allowed.
///
/// `loads_and_stores` is false to send every operation through the transport, which is how the
/// tests cover that path. So does every run in which operations are [observed](super::observe).
pub(crate) fn open(endpoint: &Endpoint, loads_and_stores: bool) {
    PEERS.me.store(endpoint.facts.my_pe, Ordering::Relaxed);
    // Release: a thread that sees in `assert_in_a_job` that there is a job also sees this PE's
    // number.
    PEERS.n_pes.store(endpoint.facts.n_pes, Ordering::Release);
    LOADS_AND_STORES.store(loads_and_stores, Ordering::Relaxed);
    fill_in(endpoint);
    allow_access();
    check_for_observers();
}

/// All PEs may be accessed.
fn allow_access() {
    // Those that are not in the tables are then looked for beyond them.
    let listed = if NEAR.get().is_some_and(|near| !near.beyond.is_empty()) { LISTED } else { usize::MAX };
    PEERS
        .accessible
        .store(if observe::wants_operations() { 0 } else { n_pes().min(listed) }, Ordering::Relaxed);
}

fn fill_in(endpoint: &Endpoint) {
    if LOADS_AND_STORES.load(Ordering::Relaxed) && !observe::wants_operations() {
        let near = NEAR.get_or_init(|| NearPes::of(endpoint));
        let heap = |pe| endpoint.heaps.peer(pe).unwrap_or(ptr::null_mut());
        for (pe, plain, cells) in near.listed() {
            plain.store(heap(pe), Ordering::Relaxed);
            if endpoint.facts.direct_atomics {
                cells.store(heap(pe), Ordering::Relaxed);
            }
        }
        for (pe, plain) in &near.beyond {
            plain.store(heap(*pe), Ordering::Relaxed);
        }
    }
}

/// Closes the tables for a local phase: from here on every access is refused.
///
/// It does not revoke an address that a thread has read before; see [`phase`](crate::phase).
pub(crate) fn close() {
    closed::set_closed(true);
    empty();
}

/// Closes the tables after a job: from here on every access is refused, as before the job.
pub(crate) fn close_job() {
    // First: a thread that finds an empty entry then finds the reason too.
    PEERS.n_pes.store(0, Ordering::Relaxed);
    empty();
}

/// Empties all entries, with what was stored before as the reason.
fn empty() {
    PEERS.accessible.store(0, Ordering::Release);
    let Some(near) = NEAR.get() else { return };
    let listed = near.listed().flat_map(|(_, plain, cells)| [plain, cells]);
    for entry in listed.chain(near.beyond.iter().map(|(_, plain)| plain)) {
        // Release: a thread that takes the cold path because it read this null also sees that
        // nothing is accessible, and why.
        entry.store(ptr::null_mut(), Ordering::Release);
    }
}

/// Opens the tables again, after a local phase.
pub(crate) fn reopen(endpoint: &Endpoint) {
    fill_in(endpoint);
    closed::set_closed(false);
    allow_access();
    check_for_observers();
}

/// Sends every operation through the transport from now on, and takes it down before.
#[cfg(feature = "tracing")]
pub(crate) fn observe() {
    empty();
    #[cfg(feature = "openshmem")]
    crate::transport::openshmem::close_the_short_way();
}

/// A subscriber may have come while the tables were filled in.
fn check_for_observers() {
    #[cfg(feature = "tracing")]
    {
        fence(Ordering::SeqCst); // with that of the subscriber
        if observe::wants_operations() {
            observe();
        }
    }
}

/// The number of this PE.
#[inline(always)]
pub(crate) fn my_pe() -> usize {
    word::load_usize(&PEERS.me)
}

/// How many PEs the job has.
#[inline(always)]
pub(crate) fn n_pes() -> usize {
    word::load_usize(&PEERS.n_pes)
}

/// So many PEs and their numbers, for a message: `4 PEs (0 to 3)`.
pub(crate) fn pes_of(n_pes: usize) -> String {
    match n_pes {
        0 => "no PE".to_owned(),
        1 => "1 PE (number 0)".to_owned(),
        _ => format!("{n_pes} PEs (0 to {})", n_pes - 1),
    }
}

/// Refuses a PE that the job does not have.
///
/// # Panics
///
/// When there is no such PE; the message names `object`.
#[inline]
#[track_caller]
pub(crate) fn assert_pe(pe: usize, object: &dyn fmt::Display) {
    if pe >= n_pes() {
        no_such_pe(pe, object);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_such_pe(pe: usize, object: &dyn fmt::Display) -> ! {
    panic!("there is no PE {pe}: the job has {}, and the access is to {object}", pes_of(n_pes()))
}

/// Whether there is a job. If so, what was written before it began is seen.
#[inline]
pub(crate) fn is_in_a_job() -> bool {
    PEERS.n_pes.load(Ordering::Acquire) != 0
}

/// Refuses a query that has no answer outside of a job.
#[inline]
#[track_caller]
pub(crate) fn assert_in_a_job(asked: &str) {
    assert!(
        PEERS.n_pes.load(Ordering::Acquire) != 0,
        "`shmem::{asked}()` was called outside of a job: PEs have numbers inside `#[shmem::main]` and `#[shmem::test]` functions and \
         what they call"
    );
}

/// Refuses a use of a global static outside of a job, where it is not divided.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn not_divided(object: &dyn fmt::Display) -> ! {
    panic!(
        "{object} was used outside of a job: it is divided over the PEs of a job, inside `#[shmem::main]` and \
         `#[shmem::test]` functions and what they call"
    )
}

/// Refuses a use of `object` outside of a job, and in a local phase.
///
/// # Panics
///
/// In these two cases; the message names `object`.
#[inline(always)]
#[track_caller]
pub(crate) fn assert_accessible(object: &dyn fmt::Display) {
    if PEERS.accessible.load(Ordering::Relaxed) == 0 {
        refuse_or_take_down(my_pe(), object);
    }
}

/// The start of the heap of `pe`, or null where it must be reached through the transport.
///
/// # Panics
///
/// When there is no such PE, or no job; the message names `object`.
#[inline(always)]
#[track_caller]
pub(crate) fn heap(pe: usize, object: &dyn fmt::Display) -> *mut u8 {
    let listed = look_up(&PEERS.elements, pe);
    if is_null(listed) {
        cold();
        let beyond = check(pe, object);
        // Only a job over a C library has so many PEs.
        if cfg!(feature = "openshmem") {
            return beyond;
        }
    }
    listed
}

/// The start of the heap of `pe` where loads and stores reach it now and it is in the table; null where
/// not, for whatever reason, and where there is no such PE.
#[inline(always)]
pub(crate) fn reached(pe: usize) -> *mut u8 {
    look_up(&PEERS.elements, pe)
}

/// As [`reached`], of a PE that may not be in the table too.
#[inline]
pub(crate) fn addressed(pe: usize) -> *mut u8 {
    if pe < LISTED { look_up(&PEERS.elements, pe) } else { beyond(pe) }
}

/// The start of the heap of `pe`, or null where its atomic cells must be reached through the
/// transport.
///
/// # Panics
///
/// As [`heap`].
#[inline(always)]
#[track_caller]
pub(crate) fn cells(pe: usize, object: &dyn fmt::Display) -> *mut u8 {
    let listed = look_up(&PEERS.cells, pe);
    if is_null(listed) {
        check(pe, object);
    }
    listed
}

/// As [`cells`], for a waiter that only reads: a PE reads its own cells with loads wherever loads
/// reach them. That mixes with any atomic operation, and a C library's own waits do the same.
///
/// # Panics
///
/// As [`heap`].
#[inline(always)]
#[track_caller]
pub(crate) fn watched(pe: usize, object: &dyn fmt::Display) -> *mut u8 {
    let listed = look_up(&PEERS.cells, pe);
    if listed.is_null() { watched_here(pe, object) } else { listed }
}

#[cold]
#[inline(never)]
#[track_caller]
fn watched_here(pe: usize, object: &dyn fmt::Display) -> *mut u8 {
    let found = if pe == my_pe() { heap(pe, object) } else { cells(pe, object) };
    observe::looks();
    found
}

/// Whether the plain elements of a PE are reached by loads and stores.
#[inline]
pub(crate) fn is_addressable(pe: usize) -> bool {
    !addressed(pe).is_null()
}

/// Whether this PE's own atomic cells are reached by loads and stores.
#[inline]
pub(crate) fn reaches_own_cells() -> bool {
    !look_up(&PEERS.cells, my_pe()).is_null()
}

#[inline(always)]
fn look_up(table: &Table, pe: usize) -> *mut u8 {
    // A minimum instead of a comparison: it needs no branch, and a loop computes it once.
    let entry = if pe < LISTED { pe } else { LISTED };
    // The entry is written before the user's function runs; threads that read it were started after
    // that, so a relaxed load sees it. A local phase writes it too, but does not rely on other
    // threads seeing that (see `phase`).
    word::load_entry(table, entry)
}

/// Marks the path that calls it as rare for the optimiser. Without the mark, a loop of puts jumps
/// around the code for the transport, which costs a third of its time. (`std::hint::cold_path`
/// needs a newer compiler.)
#[cold]
#[inline]
fn cold() {}

/// Checks that `pe`, whose entry is null, is to be reached through the transport, and returns null.
/// Returns the start of its heap where it is [beyond] the table.
///
/// # Panics
///
/// When it may not be accessed; see [`refuse_or_take_down`].
#[inline(always)]
#[track_caller]
fn check(pe: usize, object: &dyn fmt::Display) -> *mut u8 {
    fence(Ordering::Acquire); // with the store of the null in `close`
    if pe >= PEERS.accessible.load(Ordering::Relaxed) {
        return refuse_or_take_down(pe, object);
    }
    ptr::null_mut()
}

/// Panics with the reason why `pe` is not accessible: no job yet, a local phase, or no such PE.
/// Returns if it is accessible: in a run that takes down every access, where a local phase ended
/// meanwhile, and where the PE is [beyond] the table.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse_or_take_down(pe: usize, object: &dyn fmt::Display) -> *mut u8 {
    let n_pes = n_pes();
    assert!(
        n_pes != 0,
        "{object} was accessed outside of a job: symmetric objects exist inside `#[shmem::main]` and `#[shmem::test]` \
         functions and what they call"
    );
    fence(Ordering::Acquire); // with `close`
    if closed::is_closed() {
        closed::refuse_access(object);
    }
    assert_pe(pe, object);
    observe::access(object, place::caller());
    beyond(pe)
}
