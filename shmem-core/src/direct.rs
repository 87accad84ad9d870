//! The table of peers whose symmetric heap this process can load from and store to.
//!
//! Every operation on a symmetric object starts here, and for most of them it is all there is: one load, one comparison
//! with null, and the address is known. The comparison does four jobs at once. It refuses a PE that does not exist; it
//! refuses everything before the job is joined and while remote access is not allowed; and it sends what must go
//! through the transport there: in all these cases the entry is null. Which of them it was is worked out on the cold
//! path.
//!
//! The table is a static, not behind a pointer, and nothing else is looked at: a put of one word is a handful of instructions, and
//! each load counts (`cargo bench -p benches`).

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::symmetric::ObjectInfo;
use crate::transport::Transport;

/// PEs from this number on are reached through the transport. What is not used of the table is not even committed.
const LISTED: usize = 1 << 16;
/// The start of each PE's heap, or null. The last entry is always null, and stands for all PEs that are not listed.
static PEERS: [AtomicPtr<u8>; LISTED + 1] = [const { AtomicPtr::new(ptr::null_mut()) }; LISTED + 1];
/// The number of this PE.
static ME: AtomicUsize = AtomicUsize::new(0);
/// How many PEs the job has; 0 before it is joined.
static N_PES: AtomicUsize = AtomicUsize::new(0);

/// Opens the table: from here on remote access is allowed.
///
/// `loads_and_stores` is false to send every operation through the transport, which is how that path is tested.
pub(crate) fn open(transport: &dyn Transport, loads_and_stores: bool) {
    ME.store(transport.my_pe(), Ordering::Relaxed);
    N_PES.store(transport.n_pes(), Ordering::Relaxed);
    if loads_and_stores {
        for (pe, entry) in PEERS.iter().take(LISTED).enumerate().take(transport.n_pes()) {
            entry.store(transport.peer(pe).unwrap_or(ptr::null_mut()), Ordering::Relaxed);
        }
    }
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
    // A minimum rather than a comparison: there is no branch to take, and a loop computes it once.
    let entry = &PEERS[pe.min(LISTED)];
    // Written once, before the user's function runs; threads that read it were started after that, so a relaxed load sees it.
    let listed = entry.load(Ordering::Relaxed);
    if listed.is_null() { unlisted(pe, object) } else { listed }
}

/// Why there is no address for `pe`: no such PE, no job yet, or the transport is the way.
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
