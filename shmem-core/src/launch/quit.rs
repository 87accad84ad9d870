//! `Ctrl-\` at a running job: SIGQUIT, which the supervisor takes as a question.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::system::handlers;

/// Whether the signal has come since [`Listening::was_asked`] was called last.
static ASKED: AtomicBool = AtomicBool::new(false);

/// SIGQUIT asks this process as long as this lives; afterwards it ends the process again.
pub(super) struct Listening(libc::sigaction);

impl Listening {
    /// Takes SIGQUIT, unless the program handles it or was started with the signal ignored.
    pub(super) fn new() -> Option<Listening> {
        let before =
            handlers::current(libc::SIGQUIT).filter(|before| before.sa_sigaction == libc::SIG_DFL)?;
        // Without SA_RESTART: the signal ends the `poll` of the loop that watches the job.
        // SAFETY: the handler stores to an atomic and does nothing else.
        unsafe { handlers::install(libc::SIGQUIT, note, 0) }.then_some(Listening(before))
    }

    /// Whether the signal has come since the last call.
    pub(super) fn was_asked() -> bool {
        ASKED.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        handlers::restore(libc::SIGQUIT, &self.0);
    }
}

extern "C" fn note(_: c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    ASKED.store(true, Ordering::Relaxed);
}

/// Has this process ignore SIGQUIT. For use between fork and exec: the terminal sends the signal to
/// all processes of the job, and a PE takes it only once it has joined.
pub(super) fn ignore() {
    // SAFETY: a system call that changes the handling of one signal in this process.
    unsafe { libc::signal(libc::SIGQUIT, libc::SIG_IGN) };
}
