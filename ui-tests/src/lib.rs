//! The tests are in `tests/ui.rs`.
