//! This process as a PE: its record, which the others can read, and the ways in which it ends the
//! job.

use std::any::Any;

use once_cell::sync::OnceCell;

use super::error::Error;
use super::once;
use super::status::{PeState, PeStatus, TEXT};

/// The exit status of a PE that panicked, which is that of any Rust program.
pub(crate) const PANICKED: u8 = 101;

/// The record of this PE.
static STATUS: OnceCell<&'static PeStatus> = OnceCell::new();

/// Ends the process because of a panic that must not be caught, in the same way as a panic that
/// reaches the top of the PE. For the thread that panics, after the panic hook has run; `payload`
/// is the panic's payload, where it is available.
pub(crate) fn end_by_panic(payload: Option<&(dyn Any + Send)>) -> ! {
    record_panic(payload);
    std::process::exit(i32::from(PANICKED))
}

/// Records that this PE has panicked, if it has a record. The panic hook has recorded why.
pub(crate) fn record_panic(payload: Option<&(dyn Any + Send)>) {
    if let Some(status) = STATUS.get() {
        // `resume_unwind` calls no panic hook, so the text is another panic's, or there is none.
        let (text, words) = (status.text(), payload.map(message));
        let is_cut = text.len() + char::MAX.len_utf8() > TEXT;
        if text.is_empty() || words.is_some_and(|words| !is_cut && !text.ends_with(words)) {
            let words = words.unwrap_or("a panic without a message");
            status.set_text(&format!("an unknown place: {words}"));
        }
        status.set(PeState::Panicked);
    }
}

/// Says whether the last line on the terminal is a passing one of this PE.
pub(crate) fn set_shows_line(shows: bool) {
    if let Some(status) = STATUS.get() {
        status.set_shows_line(shows);
    }
}

/// The last text of this PE was that of a panic which is over. For signal handlers too.
pub(super) fn forget_text() {
    if let Some(status) = STATUS.get() {
        status.set_text("");
    }
}

/// Ends the process because its wait can never end, for this `reason`: the report also says what
/// the other PEs do.
pub(crate) fn stop_stuck(reason: &str) -> ! {
    stop_as(PeState::Stuck, reason)
}

/// Ends the process for this `reason`, which is not a panic: for a face whose callers do not know
/// what a panic is.
pub(crate) fn stop(reason: &str) -> ! {
    stop_as(PeState::Stopped, reason)
}

fn stop_as(state: PeState, reason: &str) -> ! {
    if let Some(status) = STATUS.get() {
        status.set_text(reason);
        status.set(state);
    }
    std::process::exit(1)
}

/// Ends the whole job with `code`. On this machine the supervisor ends the other PEs when it sees
/// that this one is gone; over a C library this process does it at its exit.
pub(crate) fn end_job(code: u8) -> ! {
    if let Some(status) = STATUS.get() {
        status.set_text(&code.to_string());
        status.set(PeState::Exited);
    }
    // Flushes standard output, and does not wait for a thread that holds it.
    std::process::exit(i32::from(code))
}

/// Makes this process a PE: `join` returns a value of the caller's, and the PE's record. Succeeds
/// once in a process, however many threads call it.
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

/// The message of a panic, if its payload is text.
pub(crate) fn message(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "a value that is not a string"
    }
}
