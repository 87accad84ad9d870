//! Loom's part for the `sync` of `shmem-core`.

pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// One look stands for many: a look changes nothing, and what comes after it does not depend on how many there were.
pub(crate) fn look_for_a_while(spin: bool, found: impl Fn() -> bool) -> bool {
    spin && found()
}
