//! A disk of little room, in memory. Only the superuser can have one.

use std::ffi::CString;
use std::path::Path;
use std::thread;

use rustix::io;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change, mount_remount};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Calls `act` with the folder of a new disk, which only the thread of the call and the processes
/// that it starts see. It is gone with the last of them.
///
/// # Errors
///
/// When this user cannot mount a disk.
fn with_disk<R: Send>(act: impl FnOnce(&Path) -> R + Send) -> io::Result<R> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    // A thread of its own: it sees other mounts than the rest of the process for as long as it lives.
    let run = || {
        // SAFETY: the flag concerns mounts, and the folder that the thread is in. Descriptors stay
        // shared.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS)? };
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        mount("tmpfs", folder.path(), "tmpfs", MountFlags::empty(), None)?;
        Ok(act(folder.path()))
    };
    thread::scope(|scope| scope.spawn(run).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

/// Whether this user can have such a disk.
pub(crate) fn is_possible() -> bool {
    with_disk(|_| ()).is_ok()
}

/// Calls `act` with the folder of a small disk, if this user can have one.
pub(crate) fn on_small_disk(act: impl FnOnce(&Path) + Send) {
    match with_disk(act) {
        Ok(()) => {}
        Err(errno) => eprintln!("this user cannot mount a disk: {errno}; not tested"),
    }
}

/// Sets how much fits on the disk: `size=64k`, `nr_inodes=7`.
pub(crate) fn resize(disk: &Path, options: &str) {
    let options = CString::new(options).expect("options have no zeros");
    mount_remount(disk, MountFlags::empty(), options).expect("the disk is ours");
}
