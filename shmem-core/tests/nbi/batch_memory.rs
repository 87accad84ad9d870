//! How many bytes a batch takes: as many, however many operations it has.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use shmem::prelude::*;

use crate::generator::Random;

/// Counts what is allocated, and the most that was at one time.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is one of the system's allocator, with the caller's promises.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

/// The most bytes that `body` has allocated at one time.
fn most_in(body: impl FnOnce()) -> usize {
    let before = LIVE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    body();
    MOST.load(Ordering::Relaxed) - before
}

/// What the book says a batch takes at most on each PE, beside its part of the heap.
const BOOK: usize = 4 << 20;

#[shmem::test(npes = [2, 4])]
fn a_batch_takes_no_more_for_more_operations(world: &World) {
    const CELLS: usize = 200_000;
    let n = world.n_pes();
    let (counts, data) =
        (world.zeros::<Atomic<u64>, 1>([CELLS]).unwrap(), world.zeros::<u64, 1>([CELLS]).unwrap());
    let mut values = vec![1; 300_000];
    let mut issue = |operations: usize| {
        let mut random = Random(operations as u64);
        most_in(|| {
            world.batch(|b| {
                for value in &mut values[..operations] {
                    let (pe, cell) = (random.below(n), random.below(CELLS));
                    remote!(b; counts[pe, cell]) += 1;
                    remote!(b; data[pe, cell] => value);
                    remote!(b; data[(pe + 1) % n, CELLS - 1]) = 0;
                }
            });
        })
    };
    let few = issue(30_000);
    let many = issue(300_000);
    assert!(few <= BOOK && many <= BOOK, "{few} and {many} bytes");
    assert!(values.iter().all(|&value| value == 0));
    let held = collective!(sum local!(counts[..]).iter().sum::<u64>());
    assert_eq!(held, 330_000 * n as u64);
}
