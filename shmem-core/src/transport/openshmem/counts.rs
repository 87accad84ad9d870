//! How many messages this process has sent to PEs on other hosts for this crate itself, and how often it has
//! waited for transfers, for tests.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::JOB;

/// Those that were sent when the process joined the job, to PEs on its own host too.
pub(super) static OF_START: AtomicUsize = AtomicUsize::new(0);
/// All others.
pub(super) static MESSAGES: AtomicUsize = AtomicUsize::new(0);
/// How often the library was asked to complete what was begun without a context.
pub(super) static COMPLETIONS: AtomicUsize = AtomicUsize::new(0);

/// How many were sent after the start.
pub(crate) fn messages() -> usize {
    MESSAGES.load(Ordering::Relaxed)
}

/// How many were sent at the start.
pub(crate) fn messages_of_start() -> usize {
    OF_START.load(Ordering::Relaxed)
}

/// How often this process has waited for all transfers.
pub(crate) fn completions() -> usize {
    COMPLETIONS.load(Ordering::Relaxed)
}

/// The host of a PE; 0 where no library has started the job.
pub(crate) fn host(pe: usize) -> usize {
    JOB.get().map_or(0, |job| job.hosts.host(pe))
}
