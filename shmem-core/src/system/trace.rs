//! Where a PE is that computes.
//!
//! The supervisor asks by a signal, SIGQUIT. The handler forks: the *copy* of the process unwinds
//! its stack, finds the source lines, writes them to the shared memory of the job, and ends. The PE
//! itself goes on at once, and executes nothing in the handler but a few stores and one system call.
//!
//! So nothing that the copy does can harm the PE. Finding source lines allocates memory and takes
//! locks. If the signal has interrupted the PE while it held such a lock, the copy waits for ever;
//! the supervisor ends it, and may ask again. If the stack cannot be unwound, the copy ends by a
//! fault. No other means has all of this: a debugger need not be installed, `ptrace` is often
//! forbidden, and unwinding in another process takes half a debugger.
//!
//! The copy is a child of the supervisor, and not of the PE (`CLONE_PARENT`). So the program gets no
//! SIGCHLD, and its own waiting for children is not disturbed.
//!
//! The terminal sends SIGQUIT to all processes of a job when the user presses `Ctrl-\`. A PE that
//! was not asked ignores it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::shared_text::SharedText;
use super::told::{AskedCells, Counted, Frame, Told};

/// How many ranges of cells a PE is asked about at once.
pub(crate) const CELLS: usize = 4;
/// Bytes of the answer.
const TEXT: usize = 2048 - size_of::<[CellWords; CELLS]>() - 8 * 4;

/// Cells that a PE is asked about; of length 0 where there are none.
#[repr(C)]
struct CellWords {
    pe: AtomicU64,
    offset: AtomicU64,
    len: AtomicU64,
}

/// What the supervisor has asked, and the answer. Zeros are the first state.
#[repr(C, align(128))]
pub(crate) struct TraceRecord {
    /// What is asked beside it: the cells, and whether a backtrace is wanted.
    cells: [CellWords; CELLS],
    wants_frames: AtomicU32,
    /// The number of the question; 0 when it was taken.
    asked: AtomicU32,
    /// The process that answers; 0 while there is none.
    copy: AtomicU32,
    /// The question that was answered.
    answered: AtomicU32,
    /// The thread that has joined the job; 0 before. In a test it is not the first of its process.
    thread: AtomicU32,
    /// Its process; 0 before.
    process: AtomicU32,
    text: SharedText<TEXT>,
}

/// Tells the last collective call that the calling thread has begun.
pub(crate) type LastCall = fn() -> Option<String>;
/// Tells what this PE has counted. It runs in the copy, where a lock that another thread had is held
/// for ever.
pub(crate) type TellCounted = fn(&[AskedCells]) -> Option<Counted>;

/// What tells the counts, in a run that counts.
static COUNTED: OnceLock<TellCounted> = OnceLock::new();

/// From now on, `tell` answers what this PE has counted.
pub(crate) fn tell_counted_by(tell: TellCounted) {
    COUNTED.get_or_init(|| tell);
}

impl TraceRecord {
    /// Asks, for a backtrace too or not, and about `cells`, at most [`CELLS`]. The PE gets the signal
    /// next.
    pub(crate) fn ask(&self, question: u32, wants_frames: bool, cells: &[AskedCells]) {
        self.copy.store(0, Ordering::Relaxed);
        self.wants_frames.store(wants_frames.into(), Ordering::Relaxed);
        let cells = cells.iter().map(|cells| (cells.pe, cells.offset, cells.len));
        for (words, (pe, offset, len)) in self.cells.iter().zip(cells.chain(std::iter::repeat((0, 0, 0)))) {
            words.pe.store(pe as u64, Ordering::Relaxed);
            words.offset.store(offset as u64, Ordering::Relaxed);
            words.len.store(len as u64, Ordering::Relaxed);
        }
        self.asked.store(question, Ordering::Release);
    }

    /// Takes the last question back.
    pub(crate) fn take_back(&self) {
        self.copy.store(0, Ordering::Relaxed);
        self.asked.store(0, Ordering::Release);
    }

    /// The thread that is to get the signal.
    pub(crate) fn thread(&self) -> Option<i32> {
        i32::try_from(self.thread.load(Ordering::Acquire)).ok().filter(|thread| *thread > 0)
    }

    /// The process of the PE, once it has joined the job.
    pub(crate) fn process(&self) -> Option<u32> {
        Some(self.process.load(Ordering::Acquire)).filter(|process| *process != 0)
    }

    /// The process that answers the last question, once there is one.
    pub(crate) fn copy(&self) -> Option<i32> {
        i32::try_from(self.copy.load(Ordering::Acquire)).ok().filter(|process| *process > 0)
    }

    /// The answer to this question.
    pub(crate) fn answer(&self, question: u32) -> Option<Told> {
        (self.answered.load(Ordering::Acquire) == question).then(|| Told::decode(&self.text.get()))
    }

    /// The cells that were asked for.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    fn asked_cells(&self) -> Vec<AskedCells> {
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed) as usize;
        let cells = self.cells.iter().map(|words| AskedCells {
            pe: load(&words.pe),
            offset: load(&words.offset),
            len: load(&words.len),
        });
        cells.take_while(|cells| cells.len > 0).collect()
    }

    /// Answers the `question`.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    fn tell(&self, question: u32, told: &Told) {
        self.text.set(&told.encode(TEXT));
        self.answered.store(question, Ordering::Release);
    }
}

/// The lines of the program in the text of a backtrace: without those of the standard library and
/// of this crate, and without what is around the function that is marked `#[shmem::main]`.
fn frames(backtrace: &str) -> Vec<Frame> {
    let mut all: Vec<Frame> = Vec::new();
    for line in backtrace.lines().map(str::trim) {
        if let Some(place) = line.strip_prefix("at ") {
            if let Some(last) = all.last_mut() {
                // Without the column.
                let place = place.rsplit_once(':').map_or(place, |(line, _)| line);
                last.place = place.strip_prefix("./").unwrap_or(place).to_owned();
            }
        } else {
            // The frames are numbered. What was inlined into one has its number, which is not
            // repeated.
            let numbered = line.split_once(": ");
            let function = match numbered {
                Some((number, function)) if number.bytes().all(|byte| byte.is_ascii_digit()) => function,
                _ => line,
            };
            all.push(Frame { place: String::new(), function: function.to_owned() });
        }
    }
    // The innermost are those of the handler.
    let begin = all.iter().rposition(|frame| frame.function.contains("system::trace::"));
    let begin = begin.map_or(0, |at| at + 1);
    let inner = &all[begin..];
    let end = inner.iter().position(|frame| frame.function.contains("shmem::launch::"));
    let inner = &inner[..end.unwrap_or(inner.len())];
    // Some names of functions that were inlined have no path, so the files of this library count too.
    let trace = all.iter().find_map(|frame| frame.place.split_once("system/trace.rs"));
    let library = trace.map(|(folder, _)| folder).filter(|folder| !folder.is_empty());
    let is_of_library = |frame: &Frame| library.is_some_and(|folder| frame.place.starts_with(folder));
    // That of C is the program's. In Rust, the system's own comes before what the launcher calls.
    let is_main = |frame: &Frame| frame.function == "main" && end.is_none();
    let is_own = |frame: &&Frame| is_main(frame) || is_own(frame) && !is_of_library(frame);
    let mut own: Vec<Frame> = inner.iter().filter(is_own).cloned().collect();
    if end.is_some() && own.len() > 1 {
        // What the attribute has put around the function.
        own.pop_if(|frame| frame.function.ends_with("{{closure}}"));
    }
    if own.iter().any(|frame| !frame.place.is_empty()) {
        // Functions of C that have no debug information.
        own.retain(|frame| !frame.place.is_empty() || frame.function.contains("::"));
    }
    own
}

/// Whether a frame is of the program, and not of a library that each program has.
fn is_own(Frame { place, function }: &Frame) -> bool {
    let name = function.trim_start_matches(['<', '&']);
    // A short wait yields through rustix.
    let libraries = [
        "std::",
        "core::",
        "alloc::",
        "shmem::",
        "shmem_c::",
        "pshmem_",
        "libshmem_",
        "rustix::",
        "__",
        "unknown>",
    ];
    let is_library = libraries.iter().any(|library| name.starts_with(library))
        || ["main", "_start"].contains(&name)
        || place.contains("/rustc/")
        || place.contains("/rustix-")
        || place.contains("/sysdeps/");
    !is_library
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod handler {
    use std::ffi::c_int;
    use std::ptr;
    use std::sync::atomic::{AtomicPtr, Ordering};

    use super::{COUNTED, LastCall, Told, TraceRecord, frames};
    use crate::system::handlers;

    /// This PE's record. Never freed.
    static RECORD: AtomicPtr<TraceRecord> = AtomicPtr::new(ptr::null_mut());

    /// What tells the last collective call of the calling thread; null before.
    static LAST_CALL: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

    /// Answers the supervisor's questions about the calling thread from now on, unless the program
    /// handles SIGQUIT itself.
    pub(crate) fn answer_questions(record: &'static TraceRecord, last_call: LastCall) {
        LAST_CALL.store(last_call as *mut (), Ordering::Relaxed);
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        record.thread.store(thread.cast_unsigned(), Ordering::Release);
        record.process.store(std::process::id(), Ordering::Release);
        RECORD.store(ptr::from_ref(record).cast_mut(), Ordering::Release);
        let is_free = |now: libc::sigaction| [libc::SIG_DFL, libc::SIG_IGN].contains(&now.sa_sigaction);
        if handlers::current(libc::SIGQUIT).is_some_and(is_free) {
            // System calls of the program go on. Not on the alternative stack, which is too small
            // for the copy: it needs what a stack overflow alone has not.
            // SAFETY: see the handler's comment.
            unsafe { handlers::install(libc::SIGQUIT, take, libc::SA_RESTART) };
        }
    }

    /// Async-signal-safe: it accesses atomics in memory that is never freed, makes one system call,
    /// and preserves `errno`.
    extern "C" fn take(_: c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: null, or a reference that is good for ever.
        let Some(record) = (unsafe { RECORD.load(Ordering::Acquire).as_ref() }) else { return };
        let question = record.asked.swap(0, Ordering::AcqRel);
        if question == 0 {
            return;
        }
        // SAFETY: the calling thread has a place for its `errno`.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: as above.
        let before = unsafe { *errno };
        // SAFETY: without CLONE_VM it is a fork: the copy has a copy of the memory, and its stack
        // goes on where it is. On these processors all arguments but the flags are zero in any
        // order.
        let copy = unsafe { libc::syscall(libc::SYS_clone, libc::CLONE_PARENT, 0, 0, 0, 0) };
        if copy == 0 {
            tell(record, question);
        }
        record.copy.store(u32::try_from(copy).unwrap_or(0), Ordering::Release);
        // SAFETY: as above.
        unsafe { *errno = before };
    }

    /// In the copy, which has this thread alone: what it does wrong ends it, or stops it.
    fn tell(record: &TraceRecord, question: u32) -> ! {
        // SAFETY: system calls that change this process alone, which ends in this function.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // A fault here leaves no core file, and is reported by no handler of the program.
            libc::prctl(libc::PR_SET_DUMPABLE, 0);
            for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT] {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        // SAFETY: stored before the handler was installed, from a function of this type.
        let last_call: LastCall = unsafe { std::mem::transmute(LAST_CALL.load(Ordering::Relaxed)) };
        let frames = match record.wants_frames.load(Ordering::Relaxed) {
            0 => Vec::new(),
            _ => frames(&std::backtrace::Backtrace::force_capture().to_string()),
        };
        let counted = COUNTED.get().and_then(|tell| tell(&record.asked_cells()));
        record.tell(question, &Told { frames, last_call: last_call(), counted });
        // SAFETY: `_exit` has no precondition. `exit` would run what the program has registered.
        unsafe { libc::_exit(0) }
    }
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
pub(crate) use handler::answer_questions;

/// Elsewhere nobody asks.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
)))]
pub(crate) fn answer_questions(record: &'static TraceRecord, _last_call: LastCall) {
    record.process.store(std::process::id(), Ordering::Release);
    let _ = frames;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_program_are_found() {
        let text = "\
   0: std::backtrace::Backtrace::create
             at /rustc/0/library/std/src/backtrace.rs:331:13
   1: shmem::system::trace::handler::tell
             at /home/u/.cargo/registry/src/x/shmem-core-0.1.0/src/system/trace.rs:150:9
   2: <unknown>
      reaches_own_cells
             at /home/u/.cargo/registry/src/x/shmem-core-0.1.0/src/runtime/direct.rs:150:9
      statx
             at io/../sysdeps/unix/sysv/linux/statx.c:28:10
   3: heat::relax
             at ./src/relax.rs:7:13
      heat::step
             at ./src/main.rs:49:9
   4: <core::ops::Range<usize> as core::iter::Iterator>::for_each
             at /rustc/0/library/core/src/iter/range.rs:1:1
   5: heat::main::inner
             at ./src/main.rs:61:5
      heat::main::{{closure}}
             at ./src/main.rs:55:1
   6: shmem::launch::pe::run
             at /home/u/.cargo/registry/src/x/shmem-core-0.1.0/src/launch/pe.rs:150:9
   7: heat::main
             at ./src/main.rs:55:1
";
        let found: Vec<_> =
            frames(text).into_iter().map(|Frame { place, function }| (place, function)).collect();
        let expected = [
            ("src/relax.rs:7", "heat::relax"),
            ("src/main.rs:49", "heat::step"),
            ("src/main.rs:61", "heat::main::inner"),
        ];
        assert_eq!(found, expected.map(|(place, function)| (place.to_owned(), function.to_owned())));
    }

    #[test]
    fn the_lines_of_a_program_in_c_are_found() {
        let text = "\
   0: shmem::system::trace::handler::tell
   1: <unknown>
   2: shmem::runtime::backoff::Backoff::pause
   3: shmem_c::wait::until
   4: pshmem_long_wait_until
             at /home/u/target/release/build/out/entries.rs:9:1
   5: receive
             at ./src/ring.c:7:5
   6: main
             at ./src/ring.c:19:3
   7: __libc_start_call_main
             at ./csu/../sysdeps/nptl/libc_start_call_main.h:58:16
   8: _start
";
        let found: Vec<_> =
            frames(text).into_iter().map(|Frame { place, function }| (place, function)).collect();
        let expected = [("src/ring.c:7", "receive"), ("src/ring.c:19", "main")];
        assert_eq!(found, expected.map(|(place, function)| (place.to_owned(), function.to_owned())));
    }

    #[test]
    fn an_answer_is_that_to_the_last_question() {
        // SAFETY: made of atomic integers, for which zeros are values.
        let record: Box<TraceRecord> = unsafe { Box::new(std::mem::zeroed()) };
        let cells = [AskedCells { pe: 2, offset: 4096, len: 8 }; 2];
        record.ask(3, true, &cells);
        assert_eq!(record.asked_cells(), cells);
        let told = Told { last_call: Some("sum at a.rs:3".to_owned()), ..Told::default() };
        record.tell(3, &told);
        assert_eq!(record.answer(2), None);
        assert_eq!(record.answer(3), Some(told));
        record.ask(4, false, &[]);
        assert_eq!(record.asked_cells(), []);
    }
}
