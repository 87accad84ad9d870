//! The threads of this process, and which of them are inside of the library.
//!
//! Before a local phase, no operation of this PE may still be under way: an operation that another
//! thread has begun, and that the library carries out later, would write into the slices of another
//! PE. So each thread marks when it enters the library and when it leaves, by plain stores, and the
//! thread that closes the heaps waits for the threads that are inside.
//!
//! A thread that enters first sets its mark, and then reads whether the heaps are closed. The
//! thread that closes them first records this, and then reads the marks. If both execute a full
//! fence between the two steps, at least one of them sees the other's store. On entry, a fence
//! would cost as much as a transfer. So only the closing thread executes one, for all threads of
//! the process (`membarrier`).
//!
//! The same holds for every call of the library when the job ends: a thread that the program has
//! left running must leave the library before it is finalised, and must not enter it again.

use std::cell::Cell;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering, compiler_fence, fence};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::short::WAY;
use crate::system::proc;

/// How many times a thread has entered the library without leaving it yet. Never freed: when a
/// thread ends, its mark passes to a new one.
#[repr(align(128))]
struct Mark {
    inside: AtomicU32,
    taken: AtomicBool,
}

impl Mark {
    /// Counts one more entry of the thread that owns the mark, which alone writes it.
    #[inline(always)]
    fn go_in(&self) {
        self.inside.store(self.inside.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// A word apart from those that each transfer reads.
#[repr(align(128))]
struct Issued(AtomicBool);

/// All marks that there are.
static MARKS: Mutex<Vec<&'static Mark>> = Mutex::new(Vec::new());
/// Whether the thread that closes the heaps executes the fence for all other threads.
static FENCED_FOR: AtomicBool = AtomicBool::new(false);
/// Whether a thread has begun a transfer, on another way than the short one, since the thread that joined the
/// job has completed all.
static ISSUED: Issued = Issued(AtomicBool::new(false));
/// Whether the program calls the library itself.
static IS_CALLED_DIRECTLY: AtomicBool = AtomicBool::new(false);
/// Which calls are refused: one of the following constants.
static REFUSED: AtomicU8 = AtomicU8::new(NOTHING);

const NOTHING: u8 = 0;
/// Transfers, in a local phase.
const TRANSFERS: u8 = 1;
/// Every call, when the job is over.
const ALL: u8 = 2;

// The mark of the thread that joined the job, on the short way.

/// In no transfer, and in none since it has completed all.
const COMPLETE: u8 = 0;
/// In a transfer.
const INSIDE: u8 = 1;
/// In no transfer now.
const OUTSIDE: u8 = 2;

/// Returns the mark of a thread when the thread ends.
struct Lease(&'static Mark);

impl Drop for Lease {
    fn drop(&mut self) {
        MARK.set(ptr::null());
        self.0.taken.store(false, Ordering::Release);
    }
}

thread_local! {
    static MARK: Cell<*const Mark> = const { Cell::new(ptr::null()) };
    static LEASE: Cell<Option<Lease>> = const { Cell::new(None) };
    /// Whether this thread has ended the job for this process.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// A number that no other living thread has; 0 where it takes long to find one.
#[inline(always)]
fn this_thread() -> usize {
    // Not the address of a thread-local variable: the compiler saves all registers around the
    // access, as around a call.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    {
        let pointer: usize;
        // SAFETY: the first word of a thread's control block is the block's own address, by which
        // all thread-local variables are found. It never changes.
        unsafe {
            std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(pure, readonly, nostack, preserves_flags));
        }
        pointer
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    0
}

/// Whether this is the thread that joined the job. It may be, and not be known.
#[inline(always)]
pub(super) fn is_known_as_main() -> bool {
    let number = this_thread();
    number != 0 && number == WAY.main.load(Ordering::Relaxed)
}

/// A transfer was begun on another way than the short one. To be called when it has begun: a thread that
/// completes all later completes it too.
pub(super) fn has_issued() {
    ISSUED.0.store(true, Ordering::Release);
}

/// The program can call the library itself from now on, which is not seen here.
pub(super) fn is_called_directly() {
    IS_CALLED_DIRECTLY.store(true, Ordering::Release);
}

/// The calling thread is about to complete all that was begun without a context.
pub(super) fn completes_all() {
    // Another thread may not complete it for this one: this one could go on before that is done.
    if is_known_as_main() {
        WAY.mark.store(COMPLETE, Ordering::Release);
        // Not a plain store: the library could miss the transfer of a thread whose word the store replaces later. A swap
        // takes as long as a small transfer, and mostly no other thread has begun one.
        if ISSUED.0.load(Ordering::Relaxed) {
            ISSUED.0.swap(false, Ordering::SeqCst);
        }
    }
}

/// Whether a transfer that the program has begun before may be under way. Signals of this crate's own may be in
/// any case: who waits for them sees them.
pub(super) fn may_be_under_way() -> bool {
    !is_known_as_main()
        || WAY.mark.load(Ordering::Relaxed) != COMPLETE
        || ISSUED.0.load(Ordering::Acquire)
        || IS_CALLED_DIRECTLY.load(Ordering::Acquire)
}

/// Marks that the calling thread is inside of the library, until it is dropped.
pub(super) struct InLibrary(&'static Mark);

/// As [`InLibrary`], for the thread that joined the job.
pub(super) struct MainInLibrary(());

impl MainInLibrary {
    /// Marks the calling thread, which is in no transfer, if it is the thread that joined the job
    /// and the [way is free](free_the_way). It takes only a few instructions, because a transfer of
    /// the library takes as little as 20 ns.
    #[inline(always)]
    pub(super) fn mark_if_free() -> Option<MainInLibrary> {
        if this_thread() != WAY.main.load(Ordering::Relaxed) {
            return None;
        }
        WAY.mark.store(INSIDE, Ordering::Relaxed);
        let inside = MainInLibrary(());
        // A thread that stops the way executes the fence for this thread too; where it cannot, the
        // way is never free.
        compiler_fence(Ordering::SeqCst);
        WAY.free.load(Ordering::Relaxed).then_some(inside)
    }
}

impl Drop for MainInLibrary {
    #[inline(always)]
    fn drop(&mut self) {
        WAY.mark.store(OUTSIDE, Ordering::Release);
    }
}

/// The thread that joined the job is in a call that is no transfer, until this is dropped. The mark is then as before.
pub(super) struct MainCall(u8);

impl MainCall {
    /// As [`MainInLibrary::mark_if_free`].
    #[inline(always)]
    pub(super) fn begin_if_free() -> Option<MainCall> {
        if !is_known_as_main() {
            return None;
        }
        // Only this thread changes it.
        let call = MainCall(WAY.mark.load(Ordering::Relaxed));
        mem::forget(MainInLibrary::mark_if_free()?);
        Some(call)
    }
}

impl Drop for MainCall {
    #[inline(always)]
    fn drop(&mut self) {
        WAY.mark.store(self.0, Ordering::Release);
    }
}

impl InLibrary {
    /// Enters a transfer. A local phase begins when all threads have left their transfers. A thread
    /// that enters one later ends the process.
    #[inline(always)]
    pub(super) fn transfer() -> InLibrary {
        let inside = InLibrary::mark();
        let refused = REFUSED.load(Ordering::Relaxed);
        if refused != NOTHING {
            drop(inside);
            refuse(refused);
        }
        inside
    }

    /// Enters a call that is no transfer; `None` when the job is over, and the call is no longer
    /// needed.
    #[inline(always)]
    pub(super) fn call() -> Option<InLibrary> {
        let inside = InLibrary::mark();
        (REFUSED.load(Ordering::Relaxed) != ALL).then_some(inside)
    }

    /// As [`call`](InLibrary::call), for a call that cannot be left out.
    pub(super) fn needed_call() -> InLibrary {
        InLibrary::call().unwrap_or_else(|| the_job_is_over())
    }

    /// Marks the calling thread.
    fn mark() -> InLibrary {
        // SAFETY: null, or one of the marks, which are never freed.
        let mark = unsafe { MARK.get().as_ref() }.unwrap_or_else(|| take());
        mark.go_in();
        if FENCED_FOR.load(Ordering::Relaxed) {
            compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
        InLibrary(mark)
    }
}

#[cold]
fn refuse(refused: u8) -> ! {
    if refused == ALL {
        the_job_is_over();
    }
    crate::transport::closed::refuse_transfer()
}

/// Stops a thread that calls the library after the job: the function that is marked
/// `#[shmem::main]` has returned on all PEs, and this process is about to end.
///
/// # Panics
///
/// On the thread that ends the process, which must not wait: it runs the program's destructors.
#[cold]
fn the_job_is_over() -> ! {
    assert!(
        !ENDS.get(),
        "a destructor accessed symmetric memory of other PEs after the end of the job: do it before the \
         function that is marked #[shmem::main] returns"
    );
    loop {
        thread::park();
    }
}

impl Drop for InLibrary {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.inside.store(self.0.inside.load(Ordering::Relaxed) - 1, Ordering::Release);
    }
}

/// A mark for the calling thread.
#[cold]
fn take() -> &'static Mark {
    let mut marks = MARKS.lock().unwrap_or_else(PoisonError::into_inner);
    let free = marks.iter().find(|mark| !mark.taken.load(Ordering::Acquire)).copied();
    let mark = free.unwrap_or_else(|| {
        let mark: &'static Mark =
            Box::leak(Box::new(Mark { inside: AtomicU32::new(0), taken: AtomicBool::new(true) }));
        marks.push(mark);
        mark
    });
    mark.taken.store(true, Ordering::Relaxed);
    drop(marks);
    MARK.set(mark);
    // A thread that is ending can no longer return its mark: the mark is lost, and stays unmarked.
    let _ = LEASE.try_with(|lease| lease.set(Some(Lease(mark))));
    mark
}

/// To be called once, before the first transfer, by the thread that joins the job.
pub(super) fn prepare() {
    WAY.main.store(this_thread(), Ordering::Relaxed);
    FENCED_FOR.store(register(), Ordering::Relaxed);
}

/// Frees the short way, when the heaps are open and this thread need not wait for others. It stays closed
/// where `membarrier` is missing or threads cannot be told apart.
pub(super) fn free_the_way() {
    let free = FENCED_FOR.load(Ordering::Relaxed)
        && WAY.main.load(Ordering::Relaxed) != 0
        && REFUSED.load(Ordering::Relaxed) == NOTHING;
    WAY.free.store(free, Ordering::Relaxed);
}

/// Reverts [`free_the_way`], for threads that enter after [`wait_until_outside`].
pub(super) fn stop_the_way() {
    WAY.free.store(false, Ordering::Relaxed);
}

/// Refuses transfers, or allows them again. Threads that are inside already may stay inside.
pub(super) fn refuse_transfers(refused: bool) {
    let (before, after) = if refused { (NOTHING, TRANSFERS) } else { (TRANSFERS, NOTHING) };
    // A job that is over stays over.
    let _ = REFUSED.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
    stop_the_way();
}

/// Refuses all calls from now on, and waits until all threads have left the library.
pub(super) fn end() {
    ENDS.set(true);
    REFUSED.store(ALL, Ordering::Relaxed);
    stop_the_way();
    wait_until_outside();
}

/// Whether the library accepts no more calls.
pub(super) fn is_over() -> bool {
    REFUSED.load(Ordering::Relaxed) == ALL
}

/// Waits until all threads that may have missed what the caller stored before have left the
/// library.
pub(super) fn wait_until_outside() {
    fence(Ordering::SeqCst);
    if FENCED_FOR.load(Ordering::Relaxed) {
        barrier_of_all_threads();
    }
    let marks = MARKS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let is_main_inside = || WAY.mark.load(Ordering::Acquire) == INSIDE;
    while this_thread() != WAY.main.load(Ordering::Relaxed) && is_main_inside() {
        thread::yield_now();
    }
    for mark in marks {
        while !ptr::eq(mark, MARK.get()) && mark.inside.load(Ordering::Acquire) != 0 {
            thread::yield_now();
        }
    }
}

#[cfg(target_os = "linux")]
fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: the call takes a command and no flags, and changes no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

#[cfg(target_os = "linux")]
fn register() -> bool {
    membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
}

#[cfg(target_os = "linux")]
fn barrier_of_all_threads() {
    assert!(
        membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED),
        "membarrier was registered at the start, and fails now: {}",
        std::io::Error::last_os_error()
    );
}

#[cfg(not(target_os = "linux"))]
fn register() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn barrier_of_all_threads() {}

/// The threads of this process: the number and the start time of each, because the system reuses
/// numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Threads(Vec<(u64, u64)>);

impl Threads {
    /// All threads except the caller's; `None` where the system does not list them.
    pub(super) fn beside_the_caller() -> Option<Threads> {
        let mut threads = Threads::now()?;
        threads.0.retain(|thread| thread.0 != caller());
        Some(threads)
    }

    fn now() -> Option<Threads> {
        let mut threads = Vec::new();
        for task in std::fs::read_dir("/proc/self/task").ok()? {
            let name = task.ok()?.file_name();
            // A thread that ends meanwhile has no file, and is left out.
            let Some(words) = proc::stat(format_args!("self/task/{}", name.to_str()?)) else {
                continue;
            };
            // The start time is the 20th word.
            let start = words.get(19)?.parse().ok()?;
            threads.push((name.to_str()?.parse().ok()?, start));
        }
        Some(Threads(threads))
    }

    /// Whether the calling thread is the only thread that is not in this list, and not the thread `own`.
    ///
    /// True stays true until the calling thread starts another one; the library's own threads start
    /// none that run the program's code.
    pub(super) fn and_the_caller_alone(&self, own: u64) -> bool {
        let me = caller();
        Threads::now().is_some_and(|now| {
            now.0.iter().all(|thread| thread.0 == me || thread.0 == own || self.0.contains(thread))
        })
    }
}

/// The number of the calling thread.
fn caller() -> u64 {
    rustix::thread::gettid().as_raw_nonzero().get() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_thread_inside_is_waited_for() {
        prepare();
        let (entered, wait) = mpsc::channel();
        let left = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let _inside = InLibrary::mark();
                entered.send(()).unwrap();
                thread::sleep(std::time::Duration::from_millis(30));
                left.store(true, Ordering::Relaxed);
            });
            wait.recv().unwrap();
            wait_until_outside();
            assert!(left.load(Ordering::Relaxed));
        });
    }

    #[test]
    fn the_mark_of_a_thread_is_used_again() {
        let of_a_thread = || {
            thread::spawn(|| {
                drop(InLibrary::mark());
                MARK.get() as usize
            })
            .join()
            .unwrap()
        };
        let first = of_a_thread();
        // Other tests take marks too, so it may need several attempts.
        assert!((0..100).any(|_| of_a_thread() == first));
    }

    #[test]
    fn a_new_thread_is_not_among_the_old_ones() {
        let (hold, held) = mpsc::channel::<()>();
        let before = Threads::beside_the_caller().expect("Linux tells");
        thread::scope(|scope| {
            scope.spawn(move || held.recv());
            while before.and_the_caller_alone(0) {
                thread::yield_now();
            }
            drop(hold);
        });
    }

    #[test]
    fn the_thread_that_has_looked_is_one_for_the_others() {
        let before = Threads::beside_the_caller().expect("Linux tells");
        assert!(before.0.iter().all(|thread| thread.0 != caller()));
        thread::scope(|scope| {
            scope.spawn(|| assert!(!before.and_the_caller_alone(0)));
        });
    }
}
