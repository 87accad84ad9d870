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
use std::fmt;
use std::panic::{self, AssertUnwindSafe, Location, PanicHookInfo, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Barrier, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::worker;

/// The most threads of a block, as on a GPU.
pub const MAX_THREADS: usize = 1024;
/// The most bytes of shared memory of a block that a GPU gives without being asked.
pub const MAX_SHARED: usize = 48 << 10;

/// How many threads of a block are a warp.
pub const WARP: usize = 32;

/// The threads that do something together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadScope {
    /// One alone.
    Thread,
    /// Those of a block.
    Block,
    /// 32 threads of a block: from a multiple of 32 on.
    Warp,
}

impl ThreadScope {
    /// The number of a thread's group among those of its block.
    fn group(self, thread: usize) -> usize {
        match self {
            ThreadScope::Thread => unreachable!("a thread waits for no other"),
            ThreadScope::Block => 0,
            ThreadScope::Warp => 1 + thread / WARP,
        }
    }
}

impl fmt::Display for ThreadScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ThreadScope::Thread => "thread",
            ThreadScope::Block => "block",
            ThreadScope::Warp => "warp",
        })
    }
}

/// What threads do together, in numbers that must be the same for all of them.
pub type JointTask = Vec<u64>;

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
    /// Where that thread has asked for shared memory.
    static PIECES: RefCell<Vec<&'static Location<'static>>> = const { RefCell::new(Vec::new()) };
    /// The message of the panic of that thread.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The statement of the kernel that this thread does for all of its scope.
    static STATEMENT: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
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
    // What a statement does stands elsewhere in this library.
    let text = match STATEMENT.get().or(info.location()) {
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
    /// All threads of the block, and then each warp.
    groups: Vec<Group>,
    /// The pieces of shared memory.
    shared: Vec<(PieceName, Arc<[AtomicU64]>)>,
    shared_bytes: usize,
    /// Who has made the last collective call of each team, in this block and in those before it.
    claims: Vec<TeamClaim>,
    failure: Option<ThreadFailure>,
}

/// A collective call of PEs. NVSHMEM makes one call of a team at a time, so the calls that a launch
/// makes are those of one block, and a barrier of the block is between those of different threads.
#[derive(Clone, Copy)]
struct TeamClaim {
    team: usize,
    block: usize,
    /// How many barriers of the block came before it.
    barriers: u64,
    /// The threads that have made it.
    threads: (ThreadScope, usize),
    at: &'static Location<'static>,
}

/// Which piece of shared memory it is: threads that take different ways agree about it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PieceName {
    at: &'static Location<'static>,
    /// How often the thread was there before.
    again: usize,
}

/// Threads that wait for each other.
#[derive(Default)]
struct Group {
    /// Threads that have not returned.
    running: usize,
    /// Threads at the barrier, and where they are.
    waiting: usize,
    at: Option<&'static Location<'static>>,
    /// How often the barrier has opened.
    opened: u64,
    /// What the threads at the barrier do together.
    task: Option<JointTask>,
    /// How many threads there are.
    threads: usize,
}

impl Group {
    fn of(threads: usize) -> Group {
        Group { running: threads, threads, ..Group::default() }
    }

    /// Opens the barrier if nobody is missing; says whether it did. A thread that has returned is not
    /// waited for.
    fn open_if_complete(&mut self) -> bool {
        let is_complete = self.waiting > 0 && self.waiting == self.running;
        if is_complete {
            self.waiting = 0;
            self.at = None;
            self.opened += 1;
        }
        is_complete
    }
}

impl BlockState {
    fn of(threads: usize) -> BlockState {
        let warps = (0..threads.div_ceil(WARP)).map(|warp| Group::of(WARP.min(threads - warp * WARP)));
        BlockState {
            groups: [Group::of(threads)].into_iter().chain(warps).collect(),
            ..BlockState::default()
        }
    }
}

impl Block {
    fn lock(&self) -> MutexGuard<'_, BlockState> {
        // Nothing panics that holds it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the other threads of the scope at a barrier. `task` is what they do together there. For
    /// one thread the result is true: it does the task.
    #[track_caller]
    fn meet(&self, scope: ThreadScope, thread: usize, task: Option<JointTask>) -> bool {
        let (at, number) = (Location::caller(), scope.group(thread));
        let mut state = self.lock();
        let group = &mut state.groups[number];
        let wrong = match group.at {
            Some(other) if other != at => Some(format!(
                "the threads of the {scope} are at two barriers, here and at {other}: all threads come to the same barrier"
            )),
            Some(_) if group.task != task => Some(format!(
                "the threads of the {scope} do not agree: all of them give the same PE, the same elements and the same values"
            )),
            _ if task.is_some() && group.running < group.threads => Some(not_alone(scope)),
            _ => None,
        };
        if let Some(text) = wrong {
            drop(state);
            panic!("{text}");
        }
        let is_first = group.waiting == 0;
        (group.at, group.task) = (Some(at), task);
        group.waiting += 1;
        let opened = group.opened;
        if group.open_if_complete() {
            self.changed.notify_all();
        }
        while state.groups[number].opened == opened {
            if state.failure.is_some() {
                drop(state);
                abandon();
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        is_first
    }

    /// A piece of shared memory, of `len` elements of `size` bytes. All are zeros.
    fn shared(&self, name: PieceName, len: usize, size: usize) -> Result<Arc<[AtomicU64]>, String> {
        let mut state = self.lock();
        if let Some((_, there)) =
            state.shared.iter().find(|(known, there)| *known == name && there.len() == len)
        {
            return Ok(Arc::clone(there));
        }
        // A GPU has it once, wherever the kernel comes by again.
        if name.again == 0 {
            state.shared_bytes += len * size;
        }
        if state.shared_bytes > MAX_SHARED {
            return Err(format!(
                "the block has {} bytes of shared memory: a GPU gives {MAX_SHARED} at most",
                state.shared_bytes
            ));
        }
        let made: Arc<[AtomicU64]> = (0..len).map(|_| AtomicU64::new(0)).collect();
        state.shared.push((name, Arc::clone(&made)));
        Ok(made)
    }

    /// Notes that `scope` makes a collective call of `team` here.
    ///
    /// # Errors
    ///
    /// When other threads of the launch make calls of the team at the same time, or may do so on a
    /// GPU.
    fn claim(
        &self,
        team: usize,
        scope: ThreadScope,
        ThreadPlace { block, thread, .. }: ThreadPlace,
        at: &'static Location<'static>,
    ) -> Result<(), String> {
        let group = match scope {
            ThreadScope::Thread => thread,
            ThreadScope::Block | ThreadScope::Warp => scope.group(thread),
        };
        let mut state = self.lock();
        let barriers = state.groups[0].opened;
        let claim = TeamClaim { team, block, barriers, threads: (scope, group), at };
        match state.claims.iter_mut().find(|before| before.team == team) {
            None => state.claims.push(claim),
            Some(before) if before.block != block => {
                return Err(format!(
                    "block {} has made a collective call of the team in this launch, at {}: one block of a launch makes \
                     all calls of a team, as in `if block_index() == 0 {{ ... }}`",
                    before.block, before.at
                ));
            }
            Some(before) if before.barriers == barriers && before.threads != claim.threads => {
                return Err(format!(
                    "other threads of the block have made a collective call of the team, at {}, and NVSHMEM makes one at a \
                     time: write `block_barrier()` between the two, or let one thread make them",
                    before.at
                ));
            }
            Some(before) => *before = claim,
        }
        Ok(())
    }

    /// Thread number `thread` has returned, or failed.
    fn leave(&self, place: ThreadPlace, failure: Option<ThreadFailure>) {
        let ThreadPlace { block, thread, grid } = place;
        let mut state = self.lock();
        let mut failure = failure;
        for scope in [ThreadScope::Block, ThreadScope::Warp] {
            let group = &mut state.groups[scope.group(thread)];
            group.running -= 1;
            if group.waiting > 0 && group.task.is_some() {
                // The barrier stays closed: nothing is moved.
                failure.get_or_insert_with(|| ThreadFailure { block, thread, text: not_alone(scope) });
            } else if group.open_if_complete() {
                self.changed.notify_all();
            }
        }
        if let Some(failure) = failure {
            state.failure.get_or_insert(failure);
            self.changed.notify_all();
        }
        if state.groups[0].running == 0 && state.failure.is_none() {
            // For the next block.
            let claims = std::mem::take(&mut state.claims);
            *state = BlockState { claims, ..BlockState::of(grid.threads) };
        }
    }
}

/// Why a thread may not return before others do something together.
fn not_alone(scope: ThreadScope) -> String {
    format!(
        "a thread has returned before its {scope} moves elements together or makes a collective call: all threads of the \
         {scope} take part"
    )
}

/// Waits until all threads of the block are here.
///
/// # Panics
///
/// When others are at another barrier.
#[track_caller]
pub fn barrier() {
    this_block("a barrier").meet(ThreadScope::Block, thread_of_block(), None);
}

/// Does what all threads of a scope do together: each of them calls this with the same `task`, and one
/// of them runs `act`. No thread is past it before it is done.
///
/// # Panics
///
/// When the threads are elsewhere, or have another task, or one of them has returned.
#[track_caller]
pub fn together(scope: ThreadScope, task: JointTask, act: impl FnOnce()) {
    let statement = Location::caller();
    let act = || {
        STATEMENT.set(Some(statement));
        act();
        STATEMENT.set(None);
    };
    if scope == ThreadScope::Thread {
        return act();
    }
    let threads = PLACE.get().map_or(0, |place| place.grid.threads);
    assert!(
        scope != ThreadScope::Warp || threads < WARP || threads.is_multiple_of(WARP),
        "a block of {threads} threads has a warp of less than {WARP}: launch a multiple of {WARP} threads, or fewer than {WARP}"
    );
    let (block, thread) = (this_block("moves of a block"), thread_of_block());
    if block.meet(scope, thread, Some(task)) {
        act();
    }
    block.meet(scope, thread, None);
}

/// Makes a collective call of PEs, as [`together`]. `team` identifies the team in this process.
/// Reports about PEs that wait name the line of the kernel.
///
/// # Panics
///
/// As [`together`], and when other threads of the launch make calls of the team without a barrier
/// between.
#[track_caller]
pub fn collective(scope: ThreadScope, team: usize, task: JointTask, act: impl FnOnce()) {
    let at = Location::caller();
    together(scope, task, || {
        let (block, place) = (this_block("collective calls"), PLACE.get());
        let place = place.expect("a thread of a block has a place");
        if let Err(reason) = block.claim(team, scope, place, at) {
            panic!("{reason}");
        }
        worker::at(at, act);
    });
}

/// The block of the calling thread.
#[track_caller]
fn this_block(of: &str) -> Arc<Block> {
    let block = BLOCK.with_borrow(Clone::clone);
    block.unwrap_or_else(|| {
        panic!("a kernel with {of} was called outside of a launch, or runs its threads in turn")
    })
}

/// The number of the calling thread in its block.
fn thread_of_block() -> usize {
    PLACE.get().map_or(0, |place| place.thread)
}

/// Shared memory of the block: `len` elements of `size` bytes, each in a word of its own. All threads of
/// the block are here, as for a barrier: a GPU sets it to zero together.
///
/// # Panics
///
/// When others are at another barrier, and when the block has more than [`MAX_SHARED`].
#[must_use]
#[track_caller]
pub fn shared(len: usize, size: usize) -> Arc<[AtomicU64]> {
    let (block, at) = (this_block("shared memory"), Location::caller());
    let again = PIECES.with_borrow_mut(|pieces| {
        pieces.push(at);
        pieces.iter().filter(|known| **known == at).count() - 1
    });
    block.meet(ThreadScope::Block, thread_of_block(), None);
    match block.shared(PieceName { at, again }, len, size) {
        Ok(memory) => memory,
        Err(reason) => panic!("{reason}"),
    }
}

/// Whether another thread of the block has failed, so that nobody may wait for it.
#[must_use]
pub fn is_abandoned() -> bool {
    BLOCK.with_borrow(|block| block.as_ref().is_some_and(|block| block.lock().failure.is_some()))
}

/// Ends the thread, whose block has failed elsewhere.
pub fn abandon() -> ! {
    panic::resume_unwind(Box::new(Abandoned))
}

/// Runs one thread of a kernel.
fn run_thread(place: ThreadPlace, body: &(dyn Fn() + Sync)) -> Result<(), Option<ThreadFailure>> {
    PLACE.set(Some(place));
    PIECES.take();
    PANIC.set(None);
    STATEMENT.set(None);
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
    let state = Arc::new(Block { state: Mutex::new(BlockState::of(threads)), changed: Condvar::new() });
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
            let place = ThreadPlace { block, thread, grid };
            let result = run_thread(place, body);
            state.leave(place, result.err().flatten());
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

    /// One thread moves, the others wait for it, and the first mistake of one is that of all.
    #[test]
    fn groups_do_something_together() {
        let (moved, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
        for (scope, groups) in [(ThreadScope::Thread, 64), (ThreadScope::Warp, 2), (ThreadScope::Block, 1)] {
            let body = || {
                for round in 1..=5 {
                    together(scope, vec![round], || {
                        moved.fetch_add(1, Ordering::Relaxed);
                    });
                    barrier();
                    seen.fetch_max(moved.load(Ordering::Relaxed), Ordering::Relaxed);
                    barrier();
                }
            };
            run(LaunchGrid { blocks: 2, threads: 64 }, true, &body).unwrap();
            assert_eq!(
                (moved.swap(0, Ordering::Relaxed), seen.swap(0, Ordering::Relaxed)),
                (10 * groups, 10 * groups)
            );
        }
        let fails = |threads, body: &(dyn Fn(usize) + Sync)| {
            let body = || body(place().unwrap().thread);
            run(LaunchGrid { blocks: 1, threads }, true, &body).unwrap_err().text
        };
        let text = fails(3, &|thread| together(ThreadScope::Block, vec![thread as u64], || unreachable!()));
        assert!(text.contains("the threads of the block do not agree"), "{text}");
        let text = fails(64, &|thread| {
            if thread != 40 {
                together(ThreadScope::Warp, vec![], || assert!(thread < 32));
            }
        });
        assert!(text.contains("a thread has returned before its warp moves"), "{text}");
        let text = fails(33, &|_| together(ThreadScope::Warp, vec![], || unreachable!()));
        assert!(text.contains("a block of 33 threads has a warp of less than 32"), "{text}");
    }

    /// One group of threads makes the calls of a team, of one block, with a barrier to the next
    /// group.
    #[test]
    fn calls_of_a_team_do_not_meet() {
        let (made, line) = (AtomicUsize::new(0), line!() + 2);
        let call = |scope, team| {
            collective(scope, team, vec![1], || {
                made.fetch_add(1, Ordering::Relaxed);
            });
        };
        let run = |blocks, body: &(dyn Fn(ThreadPlace) + Sync)| {
            run(LaunchGrid { blocks, threads: 64 }, true, &|| body(place().unwrap()))
        };
        let good = run(2, &|ThreadPlace { block, thread, .. }| {
            // Another team in the other block.
            call(ThreadScope::Block, block);
            call(ThreadScope::Block, block);
            if thread == 9 {
                call(ThreadScope::Thread, block);
                call(ThreadScope::Thread, block);
            }
            barrier();
            if thread < 32 {
                call(ThreadScope::Warp, block);
            }
        });
        assert_eq!((good, made.load(Ordering::Relaxed)), (Ok(()), 2 * 5));
        let text = run(2, &|_| call(ThreadScope::Block, 7)).unwrap_err().text;
        assert!(
            text.contains("block 0 has made a collective call of the team in this launch, at "),
            "{text}"
        );
        let text = run(1, &|_| call(ThreadScope::Warp, 7)).unwrap_err().text;
        assert!(text.contains("write `block_barrier()` between the two"), "{text}");
        let at = format!(" of the team, at {}:{line}:13, and", file!());
        assert!(text.contains(&at), "no `{at}` in: {text}");
    }

    /// Two places are two pieces, in whichever order threads count them.
    #[test]
    fn shared_memory_is_that_of_its_place() {
        let body = || {
            let here = |n| shared(n, 8);
            let (first, second) = (here(4), shared(4, 8));
            first[0].store(1, Ordering::Relaxed);
            barrier();
            assert_eq!((first[0].load(Ordering::Relaxed), second[0].load(Ordering::Relaxed)), (1, 0));
            let again = here(4);
            assert_eq!(again[0].load(Ordering::Relaxed), 0);
        };
        run(LaunchGrid { blocks: 2, threads: 3 }, true, &body).unwrap();
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
