//! Signals at a launcher that are meant for the PEs: who has started the launcher asks them by these.
//!
//! A signal of the terminal comes to the PEs by itself. So what the system sends is not passed on.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::system::handlers;

/// They change nothing in a process that does not take them.
const SIGNALS: [c_int; 2] = [libc::SIGURG, libc::SIGWINCH];

/// Which of them have come since they were asked for last.
static CAME: [AtomicBool; SIGNALS.len()] = [const { AtomicBool::new(false) }; SIGNALS.len()];

/// The signals are taken as long as this lives.
pub(super) struct Forwarding(Vec<(c_int, libc::sigaction)>);

impl Forwarding {
    pub(super) fn begin() -> Forwarding {
        let taken = SIGNALS.into_iter().filter_map(|signal| {
            let before = handlers::current(signal)?;
            // Without SA_RESTART: the signal ends the `poll` of the loop that watches the job.
            // SAFETY: the handler reads what it is given, stores to an atomic, and does nothing else.
            unsafe { handlers::install(signal, note, 0) }.then_some((signal, before))
        });
        Forwarding(taken.collect())
    }

    /// The signals that have come since the last call.
    pub(super) fn came() -> impl Iterator<Item = c_int> {
        let came = |(_, came): &(c_int, &AtomicBool)| came.swap(false, Ordering::Relaxed);
        SIGNALS.into_iter().zip(&CAME).filter(came).map(|(signal, _)| signal)
    }
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        for (signal, before) in &self.0 {
            handlers::restore(*signal, before);
        }
    }
}

extern "C" fn note(signal: c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes what it knows of the signal.
    let is_of_a_process = unsafe { info.as_ref() }.is_some_and(|info| info.si_code <= 0);
    if is_of_a_process && let Some(at) = SIGNALS.iter().position(|known| *known == signal) {
        CAME[at].store(true, Ordering::Relaxed);
    }
}
