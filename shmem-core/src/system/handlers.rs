//! Handlers of the system's signals: installing one, and the one of SIGABRT.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::process;

/// What the system calls when a signal arrives.
pub(crate) type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// The current handler of `signal`.
pub(crate) fn current(signal: c_int) -> Option<libc::sigaction> {
    // SAFETY: `sigaction` is plain data for which zeros are valid; the call gets a valid pointer,
    // and changes nothing else.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        (libc::sigaction(signal, ptr::null(), &mut now) == 0).then_some(now)
    }
}

/// Installs `handler` for `signal`, with `flags` as `sigaction` has them. Returns whether it could.
///
/// # Safety
///
/// `handler` does only what a signal handler may do.
pub(crate) unsafe fn install(signal: c_int, handler: Handler, flags: c_int) -> bool {
    // SAFETY: `sigaction` is plain data for which zeros are valid; the call gets a valid pointer.
    // `handler` has the signature that SA_SIGINFO requires, and the caller promises the rest.
    unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = handler as usize;
        ours.sa_flags = flags | libc::SA_SIGINFO;
        libc::sigaction(signal, &ours, ptr::null_mut()) == 0
    }
}

/// Brings back the handler `before` of `signal`. Async-signal-safe.
pub(crate) fn restore(signal: c_int, before: &libc::sigaction) {
    // SAFETY: the call gets a valid pointer. Values of this type come from `current`: the handler was
    // installed by somebody who promises what `install` asks for.
    unsafe { libc::sigaction(signal, before, ptr::null_mut()) };
}

/// The handler of SIGABRT before ours; null until ours is installed. Never freed.
static BEFORE_ABORT: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// From now on, an abort that comes of no panic is not reported with the text of a panic that the
/// program has caught. Once per process; later calls do nothing.
pub(crate) fn tell_aborts_from_panics() {
    let Some(before) = current(libc::SIGABRT) else { return };
    let before = Box::into_raw(Box::new(before));
    if BEFORE_ABORT.compare_exchange(ptr::null_mut(), before, Ordering::AcqRel, Ordering::Acquire).is_err() {
        // SAFETY: made by `into_raw` above, and not published.
        drop(unsafe { Box::from_raw(before) });
        return;
    }
    // SAFETY: see the handler.
    unsafe { install(libc::SIGABRT, on_abort, libc::SA_ONSTACK) };
}

/// Async-signal-safe: it reads the count of panics of this thread, stores to atomics, and calls
/// `sigaction` and `raise`.
extern "C" fn on_abort(signal: c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // A panic that aborts is not over: the thread is in it.
    if !std::thread::panicking() {
        process::forget_text();
    }
    // SAFETY: published before this handler was installed, and never freed.
    restore(signal, unsafe { &*BEFORE_ABORT.load(Ordering::Acquire) });
    // SAFETY: the signal arrives again when this handler has returned, at the handler before.
    unsafe { libc::raise(signal) };
}
