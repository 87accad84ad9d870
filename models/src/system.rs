//! The part of the operating system, for the included files, with the names of `shmem-core`.

#[path = "os.rs"]
pub(crate) mod os;
#[path = "sync.rs"]
pub(crate) mod sync;

/// Small numbers, so that the bounds are soon reached.
pub(crate) mod tuning {
    pub(crate) mod eager {
        pub(crate) const BROADCAST_CELLS: usize = 1;
        pub(crate) const BROADCAST_CELLS_OVERSUBSCRIBED: usize = crate::system::sync::CELLS / 2;
        pub(crate) const CELLS_AHEAD: u64 = 1;
    }
}
