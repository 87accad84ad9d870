//! Whether symmetric memory is closed to this PE, and how a call or an access is refused while it
//! is.
//!
//! It is closed in a [local phase](crate::phase), from before all PEs enter until after all have
//! left. Meanwhile the table of peers (`direct`) has no address in it, and the transports refuse
//! every transfer.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::system::process::end_by_panic;

/// Whether this PE is in a local phase, or about to enter one.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Records that this PE is in a local phase, or has left it.
pub(crate) fn set_closed(closed: bool) {
    CLOSED.store(closed, Ordering::Relaxed);
}

/// Whether this PE is in a local phase.
pub(crate) fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Refuses `what`, a call that uses symmetric memory, in a local phase.
///
/// # Panics
///
/// In a local phase; the panic ends the job.
#[track_caller]
pub(crate) fn refuse_call(what: &str) {
    if is_closed() {
        end(format_args!(
            "{what} was called inside a local phase, where a PE may use only slices of its own copies; call \
             it before or after `local_phase`"
        ));
    }
}

/// As [`refuse_call`], for the call of this name. A function of its own, so that callers have no
/// code that formats.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn refuse_named(what: &str) {
    refuse_call(&format!("`{what}`"));
}

/// Refuses an access to `object`.
#[cold]
#[track_caller]
pub(crate) fn refuse_access(object: &dyn fmt::Display) -> ! {
    end(format_args!(
        "{object} was accessed by `remote!` or `local!` inside a local phase; use `as_slice` or `as_mut_slice` for this PE's copy, and \
         move data between PEs before or after `local_phase`"
    ))
}

/// Refuses a transfer: one that began before the phase did, or that no earlier check has refused.
#[cold]
pub(crate) fn refuse_transfer() -> ! {
    end(format_args!(
        "a thread of this PE was in an access to symmetric memory when the PE entered a local phase: join or pause the threads that \
         use remote! or local! before local_phase"
    ))
}

/// Panics and ends the job, even if something would catch the panic: a phase cannot go on without
/// this PE, and a panic on another thread must not go unseen.
#[cold]
#[track_caller]
pub(crate) fn end(message: fmt::Arguments<'_>) -> ! {
    struct Ends;
    impl Drop for Ends {
        fn drop(&mut self) {
            end_by_panic(None);
        }
    }
    let _ends = Ends; // dropped when the panic unwinds, which is after the panic hook
    panic!("{message}")
}
