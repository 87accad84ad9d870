//! The operating system's part, for the included files: under the names that it has in `shmem-core`.

#[path = "os.rs"]
pub(crate) mod os;
#[path = "sync.rs"]
pub(crate) mod sync;
