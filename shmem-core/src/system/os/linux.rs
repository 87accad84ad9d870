//! The services that Linux alone has.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use rustix::fs::{MemfdFlags, SealFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use rustix::thread::futex;

pub(super) fn create_memory() -> io::Result<OwnedFd> {
    Ok(rustix::fs::memfd_create("shmem", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?)
}

pub(super) fn fix_size(memory: &OwnedFd) -> io::Result<()> {
    Ok(rustix::fs::fcntl_add_seals(memory, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?)
}

pub(super) fn huge_pages() -> bool {
    // The file lists the settings and puts the one in force in brackets. `advise` is enough,
    // because the segment asks for huge pages by `madvise`.
    std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/shmem_enabled").is_ok_and(|text| {
        ["[always]", "[within_size]", "[advise]", "[force]"].iter().any(|word| text.contains(word))
    })
}

pub(super) fn sleep_while(word: &AtomicU32, value: u32, nap: Duration) -> bool {
    // Without the flag PRIVATE, because the sleepers are in other processes. Any error but the time
    // limit (the word has changed, a signal came) means that the caller should look again.
    let nap = Timespec { tv_sec: nap.as_secs().cast_signed(), tv_nsec: nap.subsec_nanos().into() };
    futex::wait(word, futex::Flags::empty(), value, Some(&nap)) != Err(Errno::TIMEDOUT)
}

pub(super) fn wake_all(word: &AtomicU32) {
    // The kernel takes the count as a signed number. No error is possible on a word that is mapped.
    let _ = futex::wake(word, futex::Flags::empty(), i32::MAX as u32);
}

pub(super) fn die_with_supervisor(supervisor: Pid, lifeline: OwnedFd) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() != Some(supervisor) {
        // The parent is another process, such as a shell, whose end says nothing. Or the supervisor
        // had ended before the line above: then no signal comes, but its end of the life-line is
        // closed.
        rustix::process::set_parent_process_death_signal(None)?;
        die_at_hang_up(&lifeline)?;
    }
    // Left open: the supervisor waits until the kernel closes it at the end of the process.
    let _ = lifeline.into_raw_fd();
    Ok(())
}

/// Has the system send SIGKILL to this process when the other end of `lifeline` is closed. No data
/// ever comes from there.
fn die_at_hang_up(lifeline: &OwnedFd) -> io::Result<()> {
    /// `F_SETSIG` of `fcntl`: the signal for events of the descriptor.
    const SET_SIGNAL: c_int = 10;
    let fd = lifeline.as_raw_fd();
    // SAFETY: the descriptor is open, and each of these commands takes a number.
    let refused = unsafe {
        libc::fcntl(fd, SET_SIGNAL, libc::SIGKILL) < 0
            || libc::fcntl(fd, libc::F_SETOWN, libc::getpid()) < 0
            || libc::fcntl(fd, libc::F_SETFL, libc::fcntl(fd, libc::F_GETFL) | libc::O_ASYNC) < 0
    };
    if refused {
        return Err(io::Error::last_os_error());
    }
    if super::is_hung_up(lifeline, Duration::ZERO) {
        super::orphaned();
    }
    Ok(())
}
