//! The tests are in `tests/ui.rs`. Here is what they share with the wrong programs of the book.

/// Makes `trybuild` compile dependencies and programs with the same flags. By itself it gives the
/// programs alone the width of messages, so that cargo would compile each dependency twice.
///
/// # Safety
///
/// No other thread reads or writes the environment meanwhile.
pub unsafe fn give_all_crates_the_same_flags() {
    let flags = ["--cfg", "trybuild", "--verbose", "-A", "dead_code", "--diagnostic-width=140"];
    // SAFETY: the caller's promise. Cargo takes this variable before the flags that `trybuild` gives it.
    unsafe { std::env::set_var("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")) };
}
