//! This process as a PE: its record, which the others can read, and the ways in which it ends the
//! job.

use std::any::Any;

use once_cell::sync::OnceCell;

use super::error::Error;
use super::once;
use super::status::{PeStatus, State};

/// The exit status of a PE that panicked, which is that of any Rust program.
pub(crate) const PANICKED: u8 = 101;

/// The record of the PE that this process is.
static STATUS: OnceCell<&'static PeStatus> = OnceCell::new();

/// Ends the process because of a panic that nobody may catch, as one that reaches the top of the PE
/// does. For the thread that panics, once the panic hook has run; `payload` is what the panic said,
/// where it is at hand.
pub(crate) fn end_by_panic(payload: Option<&(dyn Any + Send)>) -> ! {
    if let Some(status) = STATUS.get() {
        if status.text().is_empty() {
            // `resume_unwind` calls no panic hook.
            let words = payload.map_or("a panic without words", message);
            status.set_text(&format!("an unknown place: {words}"));
        }
        status.set(State::Panicked);
    }
    std::process::exit(i32::from(PANICKED))
}

/// Ends the process because the job cannot go on, for this `reason`.
pub(crate) fn stop(reason: &str) -> ! {
    if let Some(status) = STATUS.get() {
        status.set_text(reason);
        status.set(State::Stopped);
    }
    std::process::exit(1)
}

/// Ends the whole job with `code`: on this machine the supervisor ends the other PEs when it sees
/// that this one is gone, over a C library this process does it at its exit.
pub(crate) fn end_job(code: u8) -> ! {
    if let Some(status) = STATUS.get() {
        status.set_text(&code.to_string());
        status.set(State::Exited);
    }
    // Flushes standard output, and does not wait for a thread that holds it.
    std::process::exit(i32::from(code))
}

/// Makes this process a PE: `join` returns what it has of the job, and its record. Once in a
/// process, whichever threads ask.
pub(crate) fn become_pe<T>(
    join: impl FnOnce() -> Result<(T, &'static PeStatus), Error>,
) -> Result<(T, &'static PeStatus), Error> {
    let mut joined = None;
    let status = once::join(&STATUS, || {
        let (part, status) = join()?;
        joined = Some(part);
        Ok(status)
    })?;
    Ok((joined.expect("this call has joined"), status))
}

/// What a panic said, if it said it in words.
pub(crate) fn message(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "a value that is not a text"
    }
}
