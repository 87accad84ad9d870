//! The way into the library: a panic inside of an entry point ends the job, and never crosses into C.

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

use shmem::untyped;

use crate::job;

thread_local! {
    /// The message of the last panic of this thread.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Ends the job when it is dropped, which happens while a panic unwinds and at no other time.
struct Entry(&'static str);

impl Drop for Entry {
    #[cold]
    fn drop(&mut self) {
        let reason = format!("{}: {}", self.0, MESSAGE.with_borrow(Clone::clone));
        // Outside of a job, there may be no launcher to report it.
        if job::find().is_none() {
            eprintln!("shmem: {reason}");
        }
        untyped::stop(&reason);
    }
}

/// Runs the body of the entry point `routine`.
#[inline(always)]
pub(crate) fn enter<R>(routine: &'static str, body: impl FnOnce() -> R) -> R {
    let entry = Entry(routine);
    let result = body();
    std::mem::forget(entry);
    result
}

/// From now on the message of a panic is kept for [`Entry`], which reports it with the name of the
/// routine.
pub(crate) fn keep_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let payload = info.payload();
            let text = payload.downcast_ref::<&str>().copied();
            let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            let text = text.unwrap_or("a panic without a message");
            MESSAGE.with_borrow_mut(|message| text.clone_into(message));
        }));
    });
}
