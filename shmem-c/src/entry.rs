//! The way into the library: a panic inside of an entry point ends the job, and never crosses into C.

use std::cell::{Cell, RefCell};
use std::panic;
use std::sync::Once;

use shmem::untyped;

use crate::{job, place};

thread_local! {
    /// The message of the last panic of this thread.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
    /// The routine that the program has called, where it is written in C and calls others.
    static OUTER: Cell<&'static str> = const { Cell::new("") };
}

/// Ends the job when it is dropped, which happens while a panic unwinds and at no other time.
struct Entry(&'static str);

impl Drop for Entry {
    #[cold]
    fn drop(&mut self) {
        let routine = Some(OUTER.get()).filter(|outer| !outer.is_empty()).unwrap_or(self.0);
        let at = place::shown_here().map_or_else(String::new, |place| format!(" at {place}"));
        let reason = format!("{routine}{at}: {}", MESSAGE.with_borrow(Clone::clone));
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

/// From now on this thread calls the library for `routine`; for itself where that is empty.
pub(crate) fn on_behalf_of(routine: &'static str) {
    OUTER.set(routine);
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
