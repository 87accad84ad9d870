//! Loom's part for the `sync` of `shmem-core`.

pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// So few that they are soon used up, and enough for something that takes two.
pub(crate) const CELLS: usize = 4;
/// So that a few bytes take two cells.
pub(crate) const CELL_WORDS: usize = 1;

/// A hint, which changes nothing.
pub(crate) fn prepare_to_write<T>(_: &T) {}

/// One look stands for many: a look changes nothing, and what comes after it does not depend on how
/// many there were.
pub(crate) fn look_for_a_while(spin: bool, found: impl Fn() -> bool) -> bool {
    spin && found()
}

/// Loom's types do not say so.
pub(crate) trait Shareable {}
impl<T> Shareable for T {}

/// Without an end.
pub(crate) struct Nap;

impl Nap {
    pub(crate) fn new() -> Nap {
        Nap
    }
}
