//! How many threads of a PE may call the library, whether this process has more than one, and whether
//! the others sleep.
//!
//! # Threads that sleep until they are woken
//!
//! A thread that waits for a private futex without a time limit goes on only when a thread of the same
//! process wakes it, or when a signal handler runs. So if all threads of a process but one wait so at
//! the same instant, that one is the only thread that can act, until it wakes another. This is how the
//! thread of a test harness waits for its test, and how the threads of a pool wait for work.
//!
//! The system tells of one thread at a time, and between two readings one thread could wake the next
//! and fall asleep. So each is read twice, all of them once before any of them the second time. A
//! thread has slept from the first reading to the second if it was asleep in both, and if the system
//! has not counted, from before the first to after the second, that it left a processor to wait. Then
//! all have slept at the instant between the two rounds. The list of threads is read again at that
//! instant, so a thread that was started meanwhile is noticed too.

use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::place::Shown;
use super::proc::Status;

/// The thread of this library that does nothing but end the process; 0 where there is none.
static ENDS_THE_PROCESS: AtomicU32 = AtomicU32::new(0);

/// Declares that the calling thread touches no symmetric memory, reads no environment, starts no
/// thread, wakes none, and lives as long as the process: all that it ever does is to end that. So it is
/// no thread that could act.
pub(crate) fn only_ends_the_process() {
    #[cfg(target_os = "linux")]
    ENDS_THE_PROCESS.store(own_number(), Ordering::Relaxed);
}

/// The number that the system has for the calling thread.
#[cfg(target_os = "linux")]
fn own_number() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()
}

/// Whether a thread is that which only ends the process. The system gives its number to no other
/// thread, as it lives as long as the process.
fn is_no_actor(thread: u32) -> bool {
    thread == ENDS_THE_PROCESS.load(Ordering::Relaxed)
}

/// How many threads of a PE may call the library: the result of
/// [`World::thread_level`](crate::World::thread_level).
///
/// Each level allows what those before it allow. A program declares its own by
/// [`#[shmem::main(threads = single)]`](macro@crate::main).
///
/// ```
/// use shmem::prelude::*;
/// use shmem::ThreadLevel;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     if world.thread_level() == ThreadLevel::Multiple {
///         std::thread::scope(|threads| {
///             threads.spawn(|| assert!(shmem::my_pe() < 2));
///         });
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadLevel {
    /// A PE has one thread.
    #[doc(alias = "SHMEM_THREAD_SINGLE")]
    Single,
    /// A PE has many threads, and the main one calls.
    #[doc(alias = "SHMEM_THREAD_FUNNELED")]
    Funneled,
    /// Any thread calls, one at a time.
    #[doc(alias = "SHMEM_THREAD_SERIALIZED")]
    Serialized,
    /// Any threads call at any time.
    #[doc(alias = "SHMEM_THREAD_MULTIPLE")]
    Multiple,
}

impl ThreadLevel {
    /// The level as `#[shmem::main]` has it.
    fn word(self) -> &'static str {
        match self {
            ThreadLevel::Single => "single",
            ThreadLevel::Funneled => "funneled",
            ThreadLevel::Serialized => "serialized",
            ThreadLevel::Multiple => "multiple",
        }
    }
}

/// What the program declares: the level, and where it does so.
static DECLARED: OnceLock<(ThreadLevel, &'static Location<'static>)> = OnceLock::new();
/// Whether that level is one at which one thread calls.
static ONE_CALLS: AtomicBool = AtomicBool::new(false);
thread_local! {
    /// Whether this is that thread.
    static CALLS: Cell<bool> = const { Cell::new(false) };
}

/// The calling thread is about to run a program that declares this level at this place.
pub(crate) fn declare(level: ThreadLevel, place: &'static Location<'static>) {
    // One function of a process is marked.
    let _ = DECLARED.set((level, place));
    CALLS.set(true);
    ONE_CALLS.store(level < ThreadLevel::Serialized, Ordering::Relaxed);
}

/// The level that the program declares.
pub(crate) fn declared() -> ThreadLevel {
    DECLARED.get().map_or(ThreadLevel::Multiple, |(level, _)| *level)
}

/// Whether the program declares that one thread calls.
#[inline(always)]
pub(crate) fn one_calls() -> bool {
    ONE_CALLS.load(Ordering::Relaxed)
}

/// Refuses a call of another thread, where the program declares that [one calls](one_calls). `call` is the
/// call, and its place.
///
/// # Panics
///
/// When this is another thread.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn assert_may_call(call: &dyn fmt::Display) {
    let (level, place) = DECLARED.get().expect("the program declares it");
    assert!(
        CALLS.get(),
        "a thread that does not run the function marked #[shmem::main] is in {call}: that needs the thread level \
         `serialized`, or `multiple` if other threads call at the same time, and the program declares `threads = {}` at {}; \
         declare that level, or let the other thread send the work to the one that runs the function",
        level.word(),
        Shown(place)
    )
}

/// Whether the calling thread is the only one of this process that could ever act; false where the
/// system does not report it.
///
/// True stays true until the calling thread starts another one.
pub(crate) fn is_only_thread() -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    // One entry for each thread that has not ended, the caller's among them.
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return false;
    };
    let mut found = 0;
    for thread in threads {
        let Ok(thread) = thread else { return false };
        let number = thread.file_name().to_str().and_then(|name| name.parse().ok());
        found += usize::from(!number.is_some_and(is_no_actor));
    }
    found == 1
}

/// The most threads whose sleep is examined: each takes some readings of files of the system.
const EXAMINED: usize = 64;

/// Whether the calling thread is the only one of this process that can act: every other one, if there
/// are any, sleeps until a thread of this process wakes it. False where the system does not report
/// it, and where there are many threads.
///
/// True stays true until the calling thread wakes another one or starts one, unless a signal handler
/// does.
pub(crate) fn is_only_awake_thread() -> bool {
    let Some(others) = other_threads().filter(|others| others.len() <= EXAMINED) else { return false };
    let mut counts = Vec::with_capacity(others.len());
    for thread in &others {
        // The order matters: see the top.
        let Some(count) = switches(*thread) else { return false };
        if !sleeps_until_woken(*thread) {
            return false;
        }
        counts.push(count);
    }
    if !others.is_empty() && other_threads().as_ref() != Some(&others) {
        return false;
    }
    let has_slept =
        |(thread, count): (&u32, &u64)| sleeps_until_woken(*thread) && switches(*thread) == Some(*count);
    others.iter().zip(&counts).all(has_slept)
}

/// The threads of this process without the caller, in order.
#[cfg(target_os = "linux")]
fn other_threads() -> Option<Vec<u32>> {
    let own = own_number();
    let mut others = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let thread = thread.ok()?.file_name().to_str()?.parse().ok()?;
        if thread != own && !is_no_actor(thread) {
            others.push(thread);
        }
    }
    others.sort_unstable();
    Some(others)
}

#[cfg(not(target_os = "linux"))]
fn other_threads() -> Option<Vec<u32>> {
    None
}

/// How often this thread has left a processor because it had to wait.
fn switches(thread: u32) -> Option<u64> {
    let status = Status::of(format_args!("self/task/{thread}"))?;
    status.field("voluntary_ctxt_switches")?.parse().ok()
}

/// Whether a thread of this process waits for a private futex without a time limit, and has left its
/// processor.
#[cfg(target_os = "linux")]
fn sleeps_until_woken(thread: u32) -> bool {
    let call = std::fs::read_to_string(format!("/proc/self/task/{thread}/syscall"));
    call.is_ok_and(|call| is_endless_wait(&call))
}

#[cfg(not(target_os = "linux"))]
fn sleeps_until_woken(_thread: u32) -> bool {
    false
}

/// Whether a system call, as the system prints it, is a wait for a private futex without a time
/// limit: its number in decimal, then its arguments.
#[cfg(target_os = "linux")]
fn is_endless_wait(call: &str) -> bool {
    let mut words = call.split_whitespace();
    if words.next().and_then(|number| number.parse().ok()) != Some(libc::SYS_futex) {
        // Among these is `running`.
        return false;
    }
    let argument = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
    let arguments: Option<Vec<u64>> = words.take(4).map(argument).collect();
    let Some(&[_address, operation, _value, time_limit]) = arguments.as_deref() else { return false };
    let command = operation & !((libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) as u64);
    let waits = [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET].map(|command| command as u64).contains(&command);
    waits && operation & libc::FUTEX_PRIVATE_FLAG as u64 != 0 && time_limit == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn waits_that_a_thread_must_end() {
        let futex = libc::SYS_futex;
        for (call, endless) in [
            (format!("{futex} 0x7f0c 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd 0x7f16\n"), true),
            (format!("{futex} 0x7f0c 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f16\n"), true),
            // Until a time.
            (format!("{futex} 0x7f0c 0x189 0x0 0x7ffe 0x0 0xffffffff 0x7ffd 0x7f16\n"), false),
            // Another process may wake it.
            (format!("{futex} 0x7f0c 0x109 0x0 0x0 0x0 0xffffffff 0x7ffd 0x7f16\n"), false),
            // It wakes.
            (format!("{futex} 0x7f0c 0x81 0x1 0x0 0x0 0x0 0x7ffd 0x7f16\n"), false),
            ("running\n".to_owned(), false),
            ("-1 0x7ffd 0x7f16\n".to_owned(), false),
            (format!("{} 0x3 0x7f0c 0x0 0x0 0x0 0x0 0x7ffd 0x7f16\n", libc::SYS_read), false),
            (format!("{futex} 0x7f0c 0x189\n"), false),
            (String::new(), false),
        ] {
            assert_eq!(is_endless_wait(&call), endless, "{call:?}");
        }
    }

    /// Runs the test `name` of this module in a process that has no other test beside it.
    #[cfg(target_os = "linux")]
    fn apart(name: &str) -> bool {
        if std::env::var_os("SHMEM_TEST_APART").is_some() {
            return true;
        }
        let module = module_path!().split_once("::").expect("a module of this crate").1;
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([&format!("{module}::{name}"), "--exact", "--nocapture", "--test-threads=1"])
            .env("SHMEM_TEST_APART", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        false
    }

    /// Until the threads that have been started wait.
    #[cfg(target_os = "linux")]
    fn until_others_sleep() {
        while !is_only_awake_thread() {
            std::thread::yield_now();
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn threads_that_wait_for_this_one_cannot_act() {
        use std::sync::{Barrier, Condvar, Mutex, mpsc};

        if !apart("threads_that_wait_for_this_one_cannot_act") {
            return;
        }
        // The thread of the harness waits for this test.
        assert!(!is_only_thread());
        until_others_sleep();
        let (sender, receiver) = mpsc::channel::<()>();
        let (mutex, condition, barrier) = (Mutex::new(false), Condvar::new(), Barrier::new(2));
        std::thread::scope(|scope| {
            scope.spawn(move || receiver.recv());
            scope.spawn(|| {
                let mut go = mutex.lock().unwrap();
                while !*go {
                    go = condition.wait(go).unwrap();
                }
            });
            scope.spawn(|| barrier.wait());
            until_others_sleep();
            drop(sender);
            *mutex.lock().unwrap() = true;
            condition.notify_all();
            barrier.wait();
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn threads_that_may_act_are_noticed() {
        use std::io::Read as _;
        use std::sync::mpsc;

        if !apart("threads_that_may_act_are_noticed") {
            return;
        }
        // Two threads of which one is always awake, though each sleeps most of the time.
        let (to_one, of_two) = mpsc::channel::<bool>();
        let (to_two, of_one) = mpsc::channel::<bool>();
        let last = to_one.clone();
        let one = std::thread::spawn(move || {
            while of_two.recv().unwrap_or(false) {
                let _ = to_two.send(true);
            }
        });
        let two = std::thread::spawn(move || {
            while of_one.recv().unwrap_or(false) {
                let _ = to_one.send(true);
            }
        });
        last.send(true).unwrap();
        for _ in 0..1000 {
            assert!(!is_only_awake_thread());
        }
        last.send(false).unwrap();
        one.join().unwrap();
        two.join().unwrap();
        // One that waits for another process, and one that waits for a time.
        let (mut reader, writer) = std::io::pipe().unwrap();
        let (sender, receiver) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || reader.read(&mut [0]).unwrap());
            for _ in 0..100 {
                assert!(!is_only_awake_thread());
                std::thread::yield_now();
            }
            drop(writer);
        });
        std::thread::scope(|scope| {
            scope.spawn(move || receiver.recv_timeout(std::time::Duration::from_secs(3600)));
            for _ in 0..100 {
                assert!(!is_only_awake_thread());
                std::thread::yield_now();
            }
            drop(sender);
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_only_ends_the_process_does_not_count() {
        if !apart("a_thread_that_only_ends_the_process_does_not_count") {
            return;
        }
        let count = || other_threads().expect("the threads are known").len();
        let before = count();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            sender.send(()).unwrap();
            std::thread::sleep(std::time::Duration::from_secs(3600));
        });
        receiver.recv().unwrap();
        assert_eq!(count(), before + 1);
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            only_ends_the_process();
            sender.send(()).unwrap();
            std::thread::sleep(std::time::Duration::from_secs(3600));
        });
        receiver.recv().unwrap();
        assert_eq!(count(), before + 1);
    }

    #[test]
    fn a_second_thread_is_noticed() {
        // The test harness may have threads of its own or not; with the thread below there are at
        // least two.
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || receiver.recv());
            assert!(!is_only_thread());
            drop(sender);
        });
    }
}
