//! Loom's part for the `sync` of `shmem-core`.

pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// Few, so that they are soon used up, but enough for an operation that takes two.
pub(crate) const CELLS: usize = 4;
/// So that a few bytes take two cells.
pub(crate) const CELL_WORDS: usize = 1;

/// A hint, which changes nothing.
pub(crate) fn prepare_to_write<T>(_: &T, _: usize) {}

/// As [`prepare_to_write`].
pub(crate) fn prepare_to_read<T>(_: &T, _: usize) {}

/// One read stands for many: a read changes nothing, and later steps do not depend on the number of
/// reads.
pub(crate) fn look_for_a_while(spin: bool, found: impl Fn() -> bool) -> bool {
    spin && found()
}

/// Loom's types do not implement it.
pub(crate) trait Shareable {}
impl<T> Shareable for T {}

/// Without a time limit.
pub(crate) struct Nap;

impl Nap {
    pub(crate) fn new() -> Nap {
        Nap
    }
}
