//! The same services by means that every Unix has.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::Mode;
use rustix::process::{Pid, Signal, kill_process};
use rustix::shm;

use crate::system::threads;

pub(super) fn create_memory() -> io::Result<OwnedFd> {
    // The object needs a name for an instant. 64 random bits and EXCL make the name unique; a clash
    // only costs another try. If the process is killed in that instant, its number in the name
    // tells whose object is left. The name has at most 31 bytes, the limit of macOS.
    for _ in 0..64 {
        let name =
            format!("/shmem-{}-{:016x}", std::process::id(), RandomState::new().build_hasher().finish());
        let flags = shm::OFlags::RDWR | shm::OFlags::CREATE | shm::OFlags::EXCL;
        match shm::open(name.as_str(), flags, Mode::RUSR | Mode::WUSR) {
            Ok(fd) => {
                shm::unlink(name.as_str())?;
                return Ok(fd);
            }
            Err(rustix::io::Errno::EXIST) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name for shared memory was found"))
}

pub(super) fn sleep_while(word: &AtomicU32, value: u32, nap: Duration) -> bool {
    let start = Instant::now();
    let mut pause = Duration::from_micros(20);
    while word.load(Ordering::Acquire) == value {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(1));
        if start.elapsed() >= nap {
            return false;
        }
    }
    true
}

/// The descriptor of the memory object of the job, and its number of PEs; 0 before they are known.
static MEMORY: AtomicI32 = AtomicI32::new(-1);
static N_PES: AtomicUsize = AtomicUsize::new(0);

/// Marks byte `pe` of the memory object as that of this process, by a lock on records of files: the
/// system tells others the number of the process that has it, and takes it away when that process
/// ends. So a number is never that of another process which has got it since.
///
/// When the supervisor ends, a PE that is stopped does not notice. The others end it, if they find its
/// mark: see [`end_the_others`]. Where the system has no such locks on memory objects, it ends when it
/// goes on.
///
/// When this process closes any descriptor of the object, the system takes the mark away.
pub(super) fn mark(memory: BorrowedFd<'_>, pe: usize, n_pes: usize) {
    let lock = record_lock(pe);
    // SAFETY: the descriptor is open, and the command reads the description of a lock.
    let _ = unsafe { libc::fcntl(memory.as_raw_fd(), libc::F_SETLK, &raw const lock) };
    N_PES.store(n_pes, Ordering::Relaxed);
    MEMORY.store(memory.as_raw_fd(), Ordering::Release);
}

/// Marks this process as the one that was started as this PE, until it marks itself. A script may stand
/// between the two, which has its own mark then. The exec keeps a mark.
pub(super) fn mark_start(memory: BorrowedFd<'_>, pe: usize, n_pes: usize) {
    let lock = record_lock(n_pes + 1 + pe);
    // SAFETY: the descriptor is open, and the command reads the description of a lock.
    let _ = unsafe { libc::fcntl(memory.as_raw_fd(), libc::F_SETLK, &raw const lock) };
}

/// How long a PE waits for another one that ends all PEs.
const TO_BE_ENDED: Duration = Duration::from_secs(1);

/// Ends the other PEs of the job, whose supervisor has ended. One PE does so at a time: two that end
/// each other would leave the others.
fn end_the_others() {
    let start = Instant::now();
    let (memory, n_pes) = loop {
        let (memory, n_pes) = (MEMORY.load(Ordering::Acquire), N_PES.load(Ordering::Relaxed));
        let turn = record_lock(n_pes);
        // SAFETY: the command reads the description of a lock. A descriptor that was closed meanwhile is
        // refused, as one that never was.
        if unsafe { libc::fcntl(memory, libc::F_SETLK, &raw const turn) } == 0 {
            break (memory, n_pes);
        }
        let error = io::Error::last_os_error().raw_os_error();
        // One that has its turn ends this process, unless it is stopped. Of a process that has just
        // joined, the descriptor is another one in a moment.
        let may_succeed =
            error.is_some_and(|error| [libc::EAGAIN, libc::EACCES, libc::EBADF].contains(&error));
        if !may_succeed || start.elapsed() >= TO_BE_ENDED {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    for mark in (0..n_pes).chain(n_pes + 1..2 * n_pes + 1) {
        let mut lock = record_lock(mark);
        // SAFETY: the command writes to the description of a lock. It tells of locks of other
        // processes alone. A descriptor that was closed meanwhile has none.
        let result = unsafe { libc::fcntl(memory, libc::F_GETLK, &raw mut lock) };
        #[allow(clippy::unnecessary_cast)] // The types differ between systems.
        let has_mark = result == 0 && lock.l_type != libc::F_UNLCK as libc::c_short;
        // Of another namespace of processes, the number is 0 or negative.
        if let Some(other) = Some(lock.l_pid).filter(|pid| has_mark && *pid > 0).and_then(Pid::from_raw) {
            let _ = kill_process(other, Signal::KILL);
        }
    }
}

/// The description of a lock on a byte.
// The types of the fields and of the constants differ between systems.
#[allow(clippy::unnecessary_cast)]
fn record_lock(byte: usize) -> libc::flock {
    // SAFETY: the structure consists of integers, for which zeros are values.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = byte as libc::off_t;
    lock.l_len = 1;
    lock
}

pub(super) fn die_with_supervisor(supervisor: Pid, lifeline: OwnedFd) -> io::Result<()> {
    // Not every system reports a hang-up for every kind of pipe, so the parent's number is checked
    // too. A parent that is another process, such as a shell, may end earlier.
    let is_child = rustix::process::getppid() == Some(supervisor);
    let watch = move || {
        threads::only_ends_the_process();
        loop {
            let hung_up = super::is_hung_up(&lifeline, Duration::from_millis(250));
            if hung_up || (is_child && rustix::process::getppid() != Some(supervisor)) {
                end_the_others();
                super::orphaned();
            }
        }
    };
    std::thread::Builder::new().name("shmem life-line".into()).stack_size(64 * 1024).spawn(watch)?;
    Ok(())
}
