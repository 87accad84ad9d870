//! The operating system's part, for the included files: under the names that it has in
//! `shmem-core`.

#[path = "os.rs"]
pub(crate) mod os;
#[path = "sync.rs"]
pub(crate) mod sync;

/// Small numbers, so that what they bound is soon reached.
pub(crate) mod tuning {
    pub(crate) mod eager {
        pub(crate) const BROADCAST_CELLS: usize = 1;
        pub(crate) const BROADCAST_CELLS_OVERSUBSCRIBED: usize = crate::system::sync::CELLS / 2;
    }
}
