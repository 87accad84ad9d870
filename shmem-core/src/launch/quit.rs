//! `Ctrl-\` at a running job: SIGQUIT, which the supervisor takes as a question.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the signal has come since [`Listening::was_asked`] was called last.
static ASKED: AtomicBool = AtomicBool::new(false);

/// SIGQUIT asks this process as long as this lives; afterwards it ends the process again.
pub(super) struct Listening(libc::sigaction);

impl Listening {
    /// Takes SIGQUIT, unless the program handles it or was started with the signal ignored.
    pub(super) fn new() -> Option<Listening> {
        // SAFETY: `sigaction` is plain data for which zeros are valid, and the calls get valid
        // pointers. `note` has the signature that a handler without SA_SIGINFO has, and stores to an
        // atomic and nothing else.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGQUIT, ptr::null(), &mut before) != 0
                || before.sa_sigaction != libc::SIG_DFL
            {
                return None;
            }
            let mut ours: libc::sigaction = std::mem::zeroed();
            ours.sa_sigaction = note as extern "C" fn(c_int) as usize;
            // Without SA_RESTART: the signal ends the `poll` of the loop that watches the job.
            (libc::sigaction(libc::SIGQUIT, &ours, ptr::null_mut()) == 0).then_some(Listening(before))
        }
    }

    /// Whether the signal has come since the last call.
    pub(super) fn was_asked() -> bool {
        ASKED.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // SAFETY: `self.0` is what `sigaction` returned.
        unsafe { libc::sigaction(libc::SIGQUIT, &self.0, ptr::null_mut()) };
    }
}

extern "C" fn note(_signal: c_int) {
    ASKED.store(true, Ordering::Relaxed);
}

/// Has this process ignore SIGQUIT. For use between fork and exec: the terminal sends the signal to
/// all processes of the job, and a PE takes it only once it has joined.
pub(super) fn ignore() {
    // SAFETY: a system call that changes the handling of one signal in this process.
    unsafe { libc::signal(libc::SIGQUIT, libc::SIG_IGN) };
}
