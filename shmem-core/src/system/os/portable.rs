//! The same services by means that every Unix has.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::Mode;
use rustix::process::Pid;
use rustix::shm;

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

pub(super) fn die_with_supervisor(supervisor: Pid, lifeline: OwnedFd) -> io::Result<()> {
    // Not every system reports a hang-up for every kind of pipe, so the parent's number is checked
    // too. A parent that is another process, such as a shell, may end earlier.
    let is_child = rustix::process::getppid() == Some(supervisor);
    let watch = move || {
        loop {
            let hung_up = super::is_hung_up(&lifeline, Duration::from_millis(250));
            if hung_up || (is_child && rustix::process::getppid() != Some(supervisor)) {
                super::orphaned();
            }
        }
    };
    std::thread::Builder::new().name("shmem life-line".into()).stack_size(64 * 1024).spawn(watch)?;
    Ok(())
}
