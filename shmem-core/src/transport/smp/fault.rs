//! A clear last word when the system has no memory for a page of the heap.
//!
//! The heap is committed page by page, at first touch. Where the system cannot commit one, because
//! /dev/shm is full or a limit is reached, the touch raises SIGBUS, whose default is to die without
//! a word. The handler here says what happened and what to do, on standard error and in the PE's
//! status, and ends the process. A SIGBUS that has nothing to do with the heap goes to whoever
//! handled it before.

use std::ffi::c_int;
use std::fmt::Write;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::segment::Segment;
use crate::launch::status::State;

/// The process's status after a page could not be had: as if the signal had killed it.
const EXIT: c_int = 128 + libc::SIGBUS;

/// What the handler needs to know. Written once, before the handler is installed, and never freed.
struct Watched {
    segment: &'static Segment,
    pe: usize,
    before: libc::sigaction,
}

static WATCHED: AtomicPtr<Watched> = AtomicPtr::new(ptr::null_mut());

/// Installs the handler for the heaps of `segment`, as PE `pe`. Once per process; later calls do
/// nothing.
pub(crate) fn explain_bus_errors(segment: &'static Segment, pe: usize) {
    // SAFETY: `sigaction` is plain data for which zeros are valid; the calls get valid pointers.
    // `handler` has the signature that SA_SIGINFO asks for, and does only what a signal handler may
    // (see there).
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGBUS, ptr::null(), &mut before) != 0 {
            return; // without the handler the process still ends, only with less said
        }
        let watched = Box::into_raw(Box::new(Watched { segment, pe, before }));
        if WATCHED.compare_exchange(ptr::null_mut(), watched, Ordering::AcqRel, Ordering::Acquire).is_err() {
            drop(Box::from_raw(watched));
            return;
        }
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = handler as extern "C" fn(c_int, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        // On the alternative stack, where the standard library has set one up for the thread.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &ours, ptr::null_mut());
    }
}

/// Async-signal-safe: it reads memory that is never freed, formats numbers into its own stack,
/// stores to atomics, and calls `write`, `sigaction`, `raise` and `_exit`.
extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: published by `explain_bus_errors` before it installed this handler, and never freed.
    let watched = unsafe { &*WATCHED.load(Ordering::Acquire) };
    // SAFETY: the system passes a valid record; `si_addr` is the field of a SIGBUS.
    let (address, code) = unsafe { ((*info).si_addr() as usize, (*info).si_code) };

    // `si_code > 0`: the processor raised it, at that address. Otherwise a process sent it.
    if code > 0 && watched.segment.range().contains(&address) {
        let mut line = Line { bytes: [0; 400], len: 0 };
        match watched.segment.locate(address) {
            Some((pe, offset)) => {
                let _ = write!(line, "out of memory at byte {offset} of the symmetric heap of PE {pe}");
            }
            None => line.push("out of memory in the job's control area"),
        }
        line.push(
            ": the system has no page to back it. Use less symmetric memory or fewer PEs (SHMEM_NPES), ",
        );
        line.push("or give the job more: free memory, raise its memory limit, or enlarge /dev/shm");
        let reason = line.len;
        let mut report = Line { bytes: [0; 400], len: 0 };
        let _ = write!(report, "shmem: PE {}: ", watched.pe);
        report.push(line.text(reason));
        report.push("\n");
        // SAFETY: the bytes are initialised. What cannot be written cannot be helped.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, report.bytes.as_ptr().cast(), report.len) };
        let status = watched.segment.status(watched.pe);
        status.set_text(line.text(reason));
        status.set(State::Stopped);
        // SAFETY: `_exit` has no precondition; `exit` would run code that may need what is missing.
        unsafe { libc::_exit(EXIT) };
    }

    // Not ours. With the earlier action back in place the access is repeated on return, and meets
    // it; a signal that was sent is sent again. SAFETY: `before` is what `sigaction` returned.
    unsafe {
        libc::sigaction(signal, &watched.before, ptr::null_mut());
        if code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Text of bounded length on the stack; what does not fit is cut off.
struct Line {
    bytes: [u8; 400],
    len: usize,
}

impl Line {
    fn push(&mut self, text: &str) {
        for byte in text.bytes().take(self.bytes.len() - self.len) {
            self.bytes[self.len] = byte;
            self.len += 1;
        }
    }

    fn text(&self, len: usize) -> &str {
        // All that is ever pushed is ASCII.
        std::str::from_utf8(&self.bytes[..len]).unwrap_or("out of memory")
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push(text);
        Ok(())
    }
}
