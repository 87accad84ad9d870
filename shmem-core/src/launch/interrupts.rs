//! SIGINT, SIGTERM and SIGHUP at the supervisor of a job that is traced, or that a launcher carries: the
//! job ends, its trace is completed, what the launcher leaves is removed, and then the signal ends this
//! process as it would have done at once.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::system::handlers;

const SIGNALS: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The first of the signals that came; 0 before.
static CAME: AtomicI32 = AtomicI32::new(0);

/// The signals are held back as long as this lives, unless the program handles them, or was started
/// with them ignored.
pub(super) struct Interrupts(Vec<(c_int, libc::sigaction)>);

impl Interrupts {
    pub(super) fn hold() -> Interrupts {
        let held = SIGNALS.into_iter().filter_map(|signal| {
            let before = handlers::current(signal).filter(|before| before.sa_sigaction == libc::SIG_DFL)?;
            // Without SA_RESTART: the signal ends the `poll` of the loop that watches the job.
            // SAFETY: the handler stores to an atomic and does nothing else.
            unsafe { handlers::install(signal, note, 0) }.then_some((signal, before))
        });
        Interrupts(held.collect())
    }

    /// The signal that came, if one did.
    pub(super) fn came() -> Option<c_int> {
        Some(CAME.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        for (signal, before) in &self.0 {
            handlers::restore(*signal, before);
        }
        if let Some(signal) = Interrupts::came() {
            // SAFETY: a system call; the handler is the system's again, which ends this process.
            unsafe { libc::raise(signal) };
        }
    }
}

extern "C" fn note(signal: c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let _ = CAME.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
}
