//! Kernels of the host back end: blocks of threads that run a function of Rust.
//!
//! The blocks of a launch run one after the other, and a GPU promises no more. The threads of a block
//! run in turn in the thread of the stream, unless the kernel needs them together: where it has a
//! barrier, shared memory or a wait, each is a thread of the system.
//!
//! A panic in a thread of a kernel is no panic of the program. [`takes`] is asked by the hook for
//! panics, and keeps message and place for the failure of the launch.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, Location, PanicHookInfo, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Barrier, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The most threads of a block, as on a GPU.
pub const MAX_THREADS: usize = 1024;
/// The most bytes of shared memory of a block that a GPU gives without being asked.
pub const MAX_SHARED: usize = 48 << 10;

/// How many blocks of how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchGrid {
    /// The number of blocks.
    pub blocks: usize,
    /// The number of threads of each.
    pub threads: usize,
}

impl LaunchGrid {
    /// Says what is wrong with it.
    ///
    /// # Errors
    ///
    /// When it has no threads, or more than a GPU runs.
    pub fn check(self) -> Result<(), String> {
        let LaunchGrid { blocks, threads } = self;
        if blocks == 0 || threads == 0 {
            return Err(format!("a grid of {blocks} blocks of {threads} threads has no threads"));
        }
        if threads > MAX_THREADS {
            return Err(format!(
                "a block of {threads} threads is too large: a GPU runs {MAX_THREADS} at most, so launch more blocks"
            ));
        }
        if blocks > i32::MAX as usize {
            return Err(format!("a grid of {blocks} blocks is too large: a GPU runs {} at most", i32::MAX));
        }
        Ok(())
    }
}

/// The first failure of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadFailure {
    /// The number of its block.
    pub block: usize,
    /// The number of the thread in its block.
    pub thread: usize,
    /// What has happened, and where.
    pub text: String,
}

/// Where the calling thread stands in a launch.
#[derive(Clone, Copy, Debug)]
pub struct ThreadPlace {
    /// The number of the block.
    pub block: usize,
    /// The number of the thread in its block.
    pub thread: usize,
    /// The launch.
    pub grid: LaunchGrid,
}

thread_local! {
    /// The thread of a kernel that this thread runs.
    static PLACE: Cell<Option<ThreadPlace>> = const { Cell::new(None) };
    /// The block of that thread, where its threads run together.
    static BLOCK: RefCell<Option<Arc<Block>>> = const { RefCell::new(None) };
    /// How many pieces of shared memory that thread has asked for.
    static PIECES: Cell<usize> = const { Cell::new(0) };
    /// The message of the panic of that thread.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Where the calling thread stands; `None` outside of kernels.
#[must_use]
pub fn place() -> Option<ThreadPlace> {
    PLACE.get()
}

/// Keeps message and place of a panic, if it is one of a kernel.
pub fn takes(info: &PanicHookInfo<'_>) -> bool {
    if PLACE.get().is_none() {
        return false;
    }
    let message = message(info.payload());
    let text = match info.location() {
        Some(at) => format!("{message}, at {at}"),
        None => message.to_owned(),
    };
    PANIC.set(Some(text));
    true
}

/// The message of a panic.
fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// What a thread unwinds with whose block has failed elsewhere.
struct Abandoned;

/// A block whose threads run together.
struct Block {
    state: Mutex<BlockState>,
    changed: Condvar,
}

#[derive(Default)]
struct BlockState {
    /// Threads that have not returned.
    running: usize,
    /// Threads at the barrier, and where they are.
    waiting: usize,
    at: Option<&'static Location<'static>>,
    /// How often the barrier has opened.
    opened: u64,
    /// The pieces of shared memory, in the order of the kernel.
    shared: Vec<Arc<[AtomicU64]>>,
    shared_bytes: usize,
    failure: Option<ThreadFailure>,
}

impl Block {
    fn lock(&self) -> MutexGuard<'_, BlockState> {
        // Nothing panics that holds it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the barrier if nobody is missing. A thread that has returned is not waited for.
    fn open_if_complete(&self, state: &mut BlockState) {
        if state.waiting > 0 && state.waiting == state.running {
            state.waiting = 0;
            state.at = None;
            state.opened += 1;
            self.changed.notify_all();
        }
    }

    fn barrier(&self, at: &'static Location<'static>) {
        let mut state = self.lock();
        if let Some(other) = state.at
            && other != at
        {
            drop(state);
            panic!(
                "the threads of the block are at two barriers, here and at {other}: all threads come to the same barrier"
            );
        }
        state.at = Some(at);
        state.waiting += 1;
        let opened = state.opened;
        self.open_if_complete(&mut state);
        while state.opened == opened {
            if state.failure.is_some() {
                drop(state);
                panic::resume_unwind(Box::new(Abandoned));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The piece of shared memory number `piece`, of `len` elements of `size` bytes. All are zeros.
    fn shared(&self, piece: usize, len: usize, size: usize) -> Result<Arc<[AtomicU64]>, String> {
        let mut state = self.lock();
        if let Some(there) = state.shared.get(piece) {
            return Ok(Arc::clone(there));
        }
        state.shared_bytes += len * size;
        if state.shared_bytes > MAX_SHARED {
            return Err(format!(
                "the block has {} bytes of shared memory: a GPU gives {MAX_SHARED} at most",
                state.shared_bytes
            ));
        }
        let made: Arc<[AtomicU64]> = (0..len).map(|_| AtomicU64::new(0)).collect();
        state.shared.push(Arc::clone(&made));
        Ok(made)
    }

    /// A thread has returned, or failed.
    fn leave(&self, threads: usize, failure: Option<ThreadFailure>) {
        let mut state = self.lock();
        state.running -= 1;
        if let Some(failure) = failure {
            state.failure.get_or_insert(failure);
            self.changed.notify_all();
        }
        self.open_if_complete(&mut state);
        if state.running == 0 && state.failure.is_none() {
            // For the next block.
            *state = BlockState { running: threads, ..BlockState::default() };
        }
    }
}

/// Waits until all threads of the block are here.
///
/// # Panics
///
/// When others are at another barrier.
#[track_caller]
pub fn barrier() {
    let block = BLOCK.with_borrow(Clone::clone);
    block.expect("a kernel with a barrier runs its threads together").barrier(Location::caller());
}

/// Shared memory of the block: `len` elements of `size` bytes, each in a word of its own. The n-th
/// call of each thread returns the same memory.
///
/// # Panics
///
/// When the block has more than [`MAX_SHARED`].
#[must_use]
#[track_caller]
pub fn shared(len: usize, size: usize) -> Arc<[AtomicU64]> {
    let block = BLOCK.with_borrow(Clone::clone);
    let piece = PIECES.replace(PIECES.get() + 1);
    let block = block.expect("a kernel with shared memory runs its threads together");
    match block.shared(piece, len, size) {
        Ok(memory) => memory,
        Err(reason) => panic!("{reason}"),
    }
}

/// Runs one thread of a kernel.
fn run_thread(place: ThreadPlace, body: &(dyn Fn() + Sync)) -> Result<(), Option<ThreadFailure>> {
    PLACE.set(Some(place));
    PIECES.set(0);
    PANIC.set(None);
    // What it leaves in disorder is its own, and that of the memory that it wrote.
    let result = catch_unwind(AssertUnwindSafe(body));
    PLACE.set(None);
    let Err(payload) = result else { return Ok(()) };
    if payload.is::<Abandoned>() {
        return Err(None);
    }
    // Where the program has a hook of its own, the place is not known.
    let text = PANIC.take().unwrap_or_else(|| message(payload.as_ref()).to_owned());
    // Dropping the payload would run code of the program, which may panic again.
    std::mem::forget(payload);
    Err(Some(ThreadFailure { block: place.block, thread: place.thread, text }))
}

/// Runs `body` in each thread of each block. `together` says that the threads of a block need each
/// other.
///
/// # Errors
///
/// The first failure of a thread: then the others end at the next barrier, and no other block begins.
pub fn run(grid: LaunchGrid, together: bool, body: &(dyn Fn() + Sync)) -> Result<(), ThreadFailure> {
    if together {
        return run_together(grid, body);
    }
    for block in 0..grid.blocks {
        for thread in 0..grid.threads {
            let result = run_thread(ThreadPlace { block, thread, grid }, body);
            result.map_err(|failure| failure.expect("no thread waits for another"))?;
        }
    }
    Ok(())
}

fn run_together(grid: LaunchGrid, body: &(dyn Fn() + Sync)) -> Result<(), ThreadFailure> {
    let LaunchGrid { blocks, threads } = grid;
    let first = BlockState { running: threads, ..BlockState::default() };
    let state = Arc::new(Block { state: Mutex::new(first), changed: Condvar::new() });
    // Between two blocks all threads meet, also those that have failed.
    let gate = Barrier::new(threads);
    let (start, has_started) = (Mutex::new(None), Condvar::new());
    let begin = |all: bool| {
        *start.lock().unwrap_or_else(PoisonError::into_inner) = Some(all);
        has_started.notify_all();
    };
    let work = |thread: usize| {
        let mut may = start.lock().unwrap_or_else(PoisonError::into_inner);
        while may.is_none() {
            may = has_started.wait(may).unwrap_or_else(PoisonError::into_inner);
        }
        if *may == Some(false) {
            return;
        }
        drop(may);
        BLOCK.set(Some(Arc::clone(&state)));
        for block in 0..blocks {
            let result = run_thread(ThreadPlace { block, thread, grid }, body);
            state.leave(threads, result.err().flatten());
            gate.wait();
            // A thread that is ahead may have failed in the next block already: there it is not alone.
            if state.lock().failure.as_ref().is_some_and(|failure| failure.block == block) {
                break;
            }
        }
        BLOCK.set(None);
    };
    let work = &work;
    let started = thread::scope(|scope| {
        for thread in 0..threads {
            let named = thread::Builder::new().name(format!("kernel {thread}"));
            if let Err(source) = named.spawn_scoped(scope, move || work(thread)) {
                begin(false);
                return Err(ThreadFailure {
                    block: 0,
                    thread,
                    text: format!("the system starts no thread for it: {source}"),
                });
            }
        }
        begin(true);
        Ok(())
    });
    started?;
    let failure = state.lock().failure.take();
    failure.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn count(grid: LaunchGrid, together: bool) -> usize {
        let sum = AtomicUsize::new(0);
        let body = || {
            let ThreadPlace { block, thread, .. } = place().unwrap();
            sum.fetch_add(1 + block * 100 + thread, Ordering::Relaxed);
        };
        run(grid, together, &body).unwrap();
        sum.into_inner()
    }

    #[test]
    fn each_thread_runs_once() {
        let grid = LaunchGrid { blocks: 3, threads: 5 };
        let expected = (0..3).flat_map(|block| (0..5).map(move |thread| 1 + block * 100 + thread)).sum();
        assert_eq!(count(grid, false), expected);
        assert_eq!(count(grid, true), expected);
        assert!(place().is_none());
    }

    /// Each thread reads what the next one wrote before the barrier; the next block finds zeros.
    #[test]
    fn threads_meet_and_share() {
        let (right, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let body = || {
            let ThreadPlace { thread, grid, .. } = place().unwrap();
            let memory = shared(grid.threads, 8);
            for round in 0..20_u64 {
                let before = memory[thread].swap(round + 1, Ordering::Relaxed);
                barrier();
                let next = memory[(thread + 1) % grid.threads].load(Ordering::Relaxed);
                let as_expected = before == round && next == round + 1;
                if as_expected { &right } else { &wrong }.fetch_add(1, Ordering::Relaxed);
                barrier();
            }
        };
        run(LaunchGrid { blocks: 3, threads: 7 }, true, &body).unwrap();
        assert_eq!((right.into_inner(), wrong.into_inner()), (3 * 7 * 20, 0));
    }

    /// Nobody waits for a thread that has returned or failed.
    #[test]
    fn a_failure_ends_the_launch() {
        let begun = AtomicUsize::new(0);
        let body = || {
            let ThreadPlace { block, thread, .. } = place().unwrap();
            begun.fetch_add(1, Ordering::Relaxed);
            if thread == 0 {
                return;
            }
            barrier();
            assert!(!(block == 1 && thread == 2), "no luck");
            barrier();
        };
        let failure = run(LaunchGrid { blocks: 5, threads: 4 }, true, &body).unwrap_err();
        assert_eq!((failure.block, failure.thread, failure.text.as_str()), (1, 2, "no luck"));
        assert_eq!(begun.into_inner(), 8);
    }

    #[test]
    #[allow(clippy::if_same_then_else, reason = "they stand in different lines")]
    fn two_barriers_are_not_one() {
        let body = || {
            if place().unwrap().thread == 0 {
                barrier();
            } else {
                barrier();
            }
        };
        let failure = run(LaunchGrid { blocks: 1, threads: 2 }, true, &body).unwrap_err();
        assert!(failure.text.contains("the threads of the block are at two barriers"), "{}", failure.text);
    }

    #[test]
    fn shared_memory_has_an_end() {
        let failure = run(LaunchGrid { blocks: 1, threads: 1 }, true, &|| {
            let _ = (shared(6000, 8), shared(200, 8));
        });
        assert!(failure.unwrap_err().text.starts_with("the block has 49600 bytes of shared memory"));
        for (blocks, threads, text) in
            [(0, 1, "has no threads"), (1, 0, "has no threads"), (1, 1025, "too large")]
        {
            assert!(LaunchGrid { blocks, threads }.check().unwrap_err().contains(text));
        }
        assert_eq!(LaunchGrid { blocks: 7, threads: 1024 }.check(), Ok(()));
    }
}
