//! What a wrong selection is told: the message names the object, its extents, the PE and the selection.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::model::Axis;

thread_local! {
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Keeps panics that [`panics`] waits for out of the output.
pub(crate) fn expect_panics_quietly() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !EXPECTED.get() {
                before(info);
            }
        }));
    });
}

/// The message with which `act` panics.
#[track_caller]
pub(crate) fn panics(what: &str, act: impl FnOnce()) -> String {
    EXPECTED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(act));
    EXPECTED.set(false);
    match result {
        Ok(()) => panic!("{what}: no panic"),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(_) => panic!("{what}: panicked with something else than a formatted message"),
        },
    }
}

/// Checks that `act` panics with a message about a selection out of bounds.
pub(crate) fn out_of_bounds(
    what: &str,
    name: &str,
    extents: &[usize],
    pe: usize,
    axes: &[Axis],
    act: impl FnOnce(),
) {
    let message = panics(what, act);
    let extents: Vec<String> = extents.iter().map(ToString::to_string).collect();
    let mut parts = vec![
        format!("`{name}"),
        format!("]` on PE {pe} is out of bounds: "),
        format!("with extents [{}]", extents.join(", ")),
    ];
    for axis in axes {
        // An inclusive end is shown as the one behind it, and a step of 1 not at all.
        let numbers = axis.numbers();
        if !axis.is_inclusive() && !numbers.contains(&1) {
            parts.extend(numbers.iter().map(ToString::to_string));
        }
    }
    for part in parts {
        assert!(message.contains(&part), "{what}: {part:?} is not in the message: {message}");
    }
}

/// Checks that `act` panics with a message about a source or a buffer of a wrong length.
pub(crate) fn wrong_length(what: &str, whose: &str, len: usize, selected: usize, act: impl FnOnce()) {
    let message = panics(what, act);
    assert!(message.starts_with(whose), "{what}: {message}");
    assert!(message.contains(&format!(" has {len} elements, and the selection of ")), "{what}: {message}");
    assert!(message.ends_with(&format!(" has {selected}")), "{what}: {message}");
}
