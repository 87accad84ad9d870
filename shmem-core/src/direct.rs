//! The table of peers whose symmetric heap this process can load from and store to.
//!
//! Every operation on a symmetric object starts here, and for most of them it is all there is: one comparison, two
//! loads, and the address is known. The comparison with `limit` does three jobs at once. It refuses a PE that
//! does not exist; it refuses everything before the job is joined and while remote access is not allowed, because
//! `limit` is then 0; and it sends what must go through the transport there, because `limit` is then 0 as well.
//! Which of the three it was is worked out on the cold path.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::symmetric::ObjectInfo;
use crate::transport::Transport;

/// PEs below this number are looked up in `PEERS`.
static LIMIT: AtomicUsize = AtomicUsize::new(0);
/// The start of each PE's heap, or null where only the transport reaches it. Never freed.
static PEERS: AtomicPtr<*mut u8> = AtomicPtr::new(ptr::null_mut());
/// The number of this PE.
static ME: AtomicUsize = AtomicUsize::new(0);
/// How many PEs the job has; 0 before it is joined.
static N_PES: AtomicUsize = AtomicUsize::new(0);

/// Opens the table: from here on remote access is allowed.
///
/// `loads_and_stores` is false to send every operation through the transport, which is how that path is tested.
pub(crate) fn open(transport: &dyn Transport, loads_and_stores: bool) {
    let peers: Vec<*mut u8> =
        (0..transport.n_pes()).map(|pe| transport.peer(pe).unwrap_or(ptr::null_mut())).collect();
    let limit = if loads_and_stores { peers.len() } else { 0 };
    ME.store(transport.my_pe(), Ordering::Relaxed);
    N_PES.store(transport.n_pes(), Ordering::Relaxed);
    PEERS.store(Box::leak(peers.into_boxed_slice()).as_mut_ptr(), Ordering::Release);
    LIMIT.store(limit, Ordering::Release);
}

/// The number of this PE.
#[inline(always)]
pub(crate) fn my_pe() -> usize {
    ME.load(Ordering::Relaxed)
}

/// How many PEs the job has.
#[inline(always)]
pub(crate) fn n_pes() -> usize {
    N_PES.load(Ordering::Relaxed)
}

/// The start of the heap of `pe`, or null where it must be reached through the transport.
///
/// # Panics
///
/// When there is no such PE, or no job; the message names `object`.
#[inline(always)]
#[track_caller]
pub(crate) fn heap(pe: usize, object: &ObjectInfo) -> *mut u8 {
    if pe < LIMIT.load(Ordering::Relaxed) {
        // SAFETY: `open` stored a table of at least `LIMIT` entries before it stored `LIMIT`, both are written
        // once before the user's function runs, and the table is never freed. Threads that read it were started
        // after that, so relaxed loads see both.
        unsafe { *PEERS.load(Ordering::Relaxed).add(pe) }
    } else {
        unlisted(pe, object)
    }
}

/// Why `pe` is not below the limit: no such PE, no job yet, or the transport is the way.
#[cold]
#[inline(never)]
#[track_caller]
fn unlisted(pe: usize, object: &ObjectInfo) -> *mut u8 {
    let n_pes = n_pes();
    assert!(
        n_pes != 0,
        "{object} was accessed outside of a job: symmetric objects exist inside `#[shmem::main]` and `#[shmem::test]` \
         functions and what they call"
    );
    assert!(
        pe < n_pes,
        "there is no PE {pe}: the job has {n_pes} {} (0 to {}), and the access is to {object}",
        if n_pes == 1 { "PE" } else { "PEs" },
        n_pes - 1
    );
    ptr::null_mut()
}
