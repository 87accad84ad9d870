//! Explains the fatal signal when the system has no memory for a page of the heap, and when a
//! thread accesses the heaps in a local phase.
//!
//! The system commits the heap page by page, at first touch. Where it cannot commit a page, because
//! /dev/shm is full or a limit is reached, the touch raises SIGBUS, which by default kills the
//! process without a message. The handler here reports what happened and what to do, on standard
//! error and in the PE's status, and ends the process. A SIGBUS that has nothing to do with the
//! heap goes to the handler that was installed before.
//!
//! In a local phase the pages of all heaps are inaccessible where the process has several threads
//! (see [`phase`](super::phase)). A thread that was in an access to them raises SIGSEGV, which is
//! explained in the same way.

use std::ffi::c_int;
use std::fmt::Write;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::system::handlers;
use crate::system::status::{PeState, PeStatus};

/// The memory whose faults are explained. Signal handlers call these methods, so an implementation
/// reads only data that never moves, and takes no lock.
pub(in crate::transport) trait Mapped: Sync {
    /// Whether `address` lies in the job's memory.
    fn contains(&self, address: usize) -> bool;
    /// Whether `address` lies in a heap, in the view that a local phase closes.
    fn in_heaps(&self, address: usize) -> bool;
    /// The PE whose heap contains `address`, and the offset from the start of that heap.
    fn locate(&self, address: usize) -> Option<(usize, usize)>;
    /// The status of `pe`, this PE, which others can read.
    fn status(&self, pe: usize) -> &PeStatus;
    /// Ends the process, after the explanation of `signal`.
    fn end(&self, signal: c_int) -> !;
}

/// The data that the handlers need. Written once, before a handler is installed, and never freed.
struct HandlerData {
    memory: &'static dyn Mapped,
    pe: usize,
    /// The handler of SIGBUS before ours.
    before: libc::sigaction,
}

static WATCHED: AtomicPtr<HandlerData> = AtomicPtr::new(ptr::null_mut());
/// Whether the heaps are inaccessible. Some systems raise SIGBUS instead of SIGSEGV for that.
static PROTECTED: AtomicBool = AtomicBool::new(false);
/// The handler of SIGSEGV before ours; null until ours is installed. Never freed.
static BEFORE_SEGV: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// Installs the handler of SIGBUS for the heaps in `memory`, as PE `pe`. Once per process; later
/// calls do nothing.
pub(in crate::transport) fn explain_bus_errors(memory: &'static dyn Mapped, pe: usize) {
    // Without the handler the process still ends, but with a shorter message.
    let Some(before) = handlers::current(libc::SIGBUS) else { return };
    let watched = Box::into_raw(Box::new(HandlerData { memory, pe, before }));
    if WATCHED.compare_exchange(ptr::null_mut(), watched, Ordering::AcqRel, Ordering::Acquire).is_err() {
        // SAFETY: made by `into_raw` above, and not published.
        drop(unsafe { Box::from_raw(watched) });
        return;
    }
    // SAFETY: see the handler's comment.
    unsafe { handlers::install(libc::SIGBUS, handler, libc::SA_ONSTACK) };
}

/// Records whether the heaps are inaccessible. The first time that they are, it installs the
/// handler of SIGSEGV for good. It does so only then, because most programs have no local phase
/// with threads.
pub(in crate::transport) fn explain_phase_faults(protected: bool) {
    PROTECTED.store(protected, Ordering::Relaxed);
    if !protected
        || WATCHED.load(Ordering::Acquire).is_null()
        || !BEFORE_SEGV.load(Ordering::Acquire).is_null()
    {
        return;
    }
    let Some(before) = handlers::current(libc::SIGSEGV) else { return };
    let before = Box::into_raw(Box::new(before));
    if BEFORE_SEGV.compare_exchange(ptr::null_mut(), before, Ordering::AcqRel, Ordering::Acquire).is_err() {
        // SAFETY: made by `into_raw` above, and not published.
        drop(unsafe { Box::from_raw(before) });
        return;
    }
    // SAFETY: see the handler's comment.
    unsafe { handlers::install(libc::SIGSEGV, handler, libc::SA_ONSTACK) };
}

/// Async-signal-safe: it reads memory that is never freed, formats numbers into its own stack,
/// stores to atomics, and calls `write`, `sigaction`, `raise` and `_exit`.
extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: published by `explain_bus_errors` before any handler was installed, and never freed.
    let watched = unsafe { &*WATCHED.load(Ordering::Acquire) };
    // SAFETY: the system passes a valid record; `si_addr` is the field of a SIGBUS and of a
    // SIGSEGV.
    let (address, code) = unsafe { ((*info).si_addr() as usize, (*info).si_code) };

    // `code > 0`: the processor raised it, at that address. Otherwise a process sent it.
    let mut line = BoundedText { bytes: [0; 400], len: 0 };
    let by_phase = signal == libc::SIGSEGV || PROTECTED.load(Ordering::Relaxed);
    if code > 0 && by_phase && watched.memory.in_heaps(address) {
        // Only a local phase makes the heaps inaccessible. The phase may be over by now, so that a
        // retry would succeed; the access is a mistake all the same.
        let _ = write!(line, "a thread of PE {} was in an access to symmetric memory", watched.pe);
        if let Some((pe, _)) = watched.memory.locate(address) {
            let _ = write!(line, " of PE {pe}");
        }
        line.push(" when PE ");
        let _ = write!(line, "{}", watched.pe);
        line.push(
            " entered a local phase: join or pause the threads that use remote! or local! before local_phase",
        );
        stop(watched, &line, signal);
    }

    if code > 0 && signal == libc::SIGBUS && watched.memory.contains(address) {
        match watched.memory.locate(address) {
            Some((pe, offset)) => {
                let _ = write!(line, "out of memory at byte {offset} of the symmetric heap of PE {pe}");
            }
            None => line.push("out of memory in the job's control area"),
        }
        line.push(
            ": the system has no page to back it. Use less symmetric memory or fewer PEs (SHMEM_NPES), ",
        );
        line.push("or give the job more: free memory, raise its memory limit, or enlarge /dev/shm");
        stop(watched, &line, signal);
    }
    // This signal is not ours. With the earlier handler back in place, the access is repeated on
    // return and reaches that handler; a signal that a process sent is sent again.
    let before = if signal == libc::SIGSEGV {
        // SAFETY: published before this handler was installed for the signal, and never freed.
        unsafe { &*BEFORE_SEGV.load(Ordering::Acquire) }
    } else {
        &watched.before
    };
    handlers::restore(signal, before);
    if code <= 0 {
        // SAFETY: it arrives at the handler before, once this one has returned.
        unsafe { libc::raise(signal) };
    }
}

/// Reports the reason on standard error and in the PE's status, and ends the process, as if the
/// signal had killed it.
fn stop(watched: &HandlerData, reason: &BoundedText, signal: c_int) -> ! {
    let mut report = BoundedText { bytes: [0; 400], len: 0 };
    let _ = write!(report, "shmem: PE {}: ", watched.pe);
    report.push(reason.text(reason.len));
    report.push("\n");
    // SAFETY: the bytes are initialised. A failed write cannot be reported anywhere.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, report.bytes.as_ptr().cast(), report.len) };
    let status = watched.memory.status(watched.pe);
    status.set_text(reason.text(reason.len));
    status.set(PeState::Stopped);
    watched.memory.end(signal)
}

/// Text of bounded length on the stack; what does not fit is cut off.
struct BoundedText {
    bytes: [u8; 400],
    len: usize,
}

impl BoundedText {
    fn push(&mut self, text: &str) {
        for byte in text.bytes().take(self.bytes.len() - self.len) {
            self.bytes[self.len] = byte;
            self.len += 1;
        }
    }

    fn text(&self, len: usize) -> &str {
        // Only ASCII is ever pushed.
        std::str::from_utf8(&self.bytes[..len]).unwrap_or("out of memory")
    }
}

impl Write for BoundedText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push(text);
        Ok(())
    }
}
