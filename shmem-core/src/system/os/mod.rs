//! What is asked of the operating system: shared memory, sleeping, and dying with one's parent.
//!
//! Linux has a better answer to each of these than POSIX. The two answers stand side by side in
//! [`linux`] and [`portable`], and a setting chooses: so the portable form, which is the only one
//! elsewhere, is tested on Linux too.
//!
//! | need | Linux | portable |
//! |---|---|---|
//! | memory without a name | `memfd_create` | `shm_open`, unlinked at once |
//! | sleep until a word changes | `futex` | look again after a pause that grows to 1 ms |
//! | end when the parent ends | `PR_SET_PDEATHSIG` | a thread that watches the life-line pipe, and ends PEs that are stopped |

#[cfg(target_os = "linux")]
mod linux;
mod portable;

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
#[cfg(feature = "openshmem")]
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Pid;

use crate::system::env;
use crate::system::error::Error;
use crate::system::sync::Nap;

/// Waits as [`System::sleep_while`] does, for at most the given duration, in a process that has
/// joined a job of a C library, and drives the library meanwhile. The transport over the library
/// sets it.
#[cfg(feature = "openshmem")]
pub(crate) static LIBRARY_WAIT: OnceLock<fn(&AtomicU32, u32, Duration) -> bool> = OnceLock::new();

/// The environment variable that chooses.
const VARIABLE: &str = "SHMEM_SYSTEM";

/// Which form of the operating system's services is used. All PEs of a job and its supervisor use
/// the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// What Linux alone has.
    #[cfg(target_os = "linux")]
    Linux,
    /// What every Unix has.
    Portable,
    /// The memory is that of a C library, which has to be driven by those who wait.
    #[cfg(feature = "openshmem")]
    Library,
}

impl System {
    /// Every form that this machine has, the preferred one first.
    pub(crate) const ALL: &'static [System] = &[
        #[cfg(target_os = "linux")]
        System::Linux,
        System::Portable,
    ];

    /// What `SHMEM_SYSTEM` asks for; the best that the machine has when it is not set.
    pub(crate) fn from_env() -> Result<System, Error> {
        match env::set(VARIABLE) {
            None => Ok(System::ALL[0]),
            Some(value) => System::parse(&value.to_string_lossy()),
        }
    }

    /// The value of `SHMEM_SYSTEM`, understood.
    fn parse(value: &str) -> Result<System, Error> {
        System::from_name(value).ok_or_else(|| Error::Environment {
            variable: VARIABLE,
            value: value.to_owned(),
            expected: format!(
                "on this machine it may be {}; leave it unset for the best choice",
                System::ALL.iter().map(|system| system.name()).collect::<Vec<_>>().join(" or ")
            ),
        })
    }

    /// The form that [`name`](System::name) gives this name.
    pub(crate) fn from_name(name: &str) -> Option<System> {
        System::ALL.iter().copied().find(|system| system.name() == name)
    }

    /// The name that `SHMEM_SYSTEM` takes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            #[cfg(target_os = "linux")]
            System::Linux => "linux",
            System::Portable => "portable",
            #[cfg(feature = "openshmem")]
            System::Library => "library",
        }
    }

    /// An empty memory object that no path names, close-on-exec.
    pub(crate) fn create_memory(self) -> io::Result<OwnedFd> {
        match self {
            #[cfg(target_os = "linux")]
            System::Linux => linux::create_memory(),
            System::Portable => portable::create_memory(),
            #[cfg(feature = "openshmem")]
            System::Library => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Fixes the size of such an object for good, where the system can. A program can open the
    /// object by safe code (`/proc/self/fd`), and if it shortened the file, all PEs would lose
    /// memory.
    pub(crate) fn fix_size(self, memory: &OwnedFd) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            System::Linux => linux::fix_size(memory),
            System::Portable => Ok(()),
            #[cfg(feature = "openshmem")]
            System::Library => Ok(()),
        }
    }

    /// Whether shared memory made here can consist of huge pages on this machine.
    pub(crate) fn huge_pages(self) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            System::Linux => linux::huge_pages(),
            System::Portable => false,
            #[cfg(feature = "openshmem")]
            System::Library => false,
        }
    }

    /// Sleeps while `word`, in shared memory, holds `value`. Returns false if the next `nap` is
    /// over before the word changes. May return early; takes no processor time.
    ///
    /// Whoever changes the word calls [`wake_all`](System::wake_all) afterwards, if a process may
    /// be sleeping.
    pub(crate) fn sleep_while(self, word: &AtomicU32, value: u32, nap: &mut Nap) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            System::Linux => linux::sleep_while(word, value, nap.take()),
            System::Portable => portable::sleep_while(word, value, nap.take()),
            #[cfg(feature = "openshmem")]
            System::Library => match LIBRARY_WAIT.get() {
                Some(wait) => wait(word, value, nap.take()),
                None => portable::sleep_while(word, value, nap.take()),
            },
        }
    }

    /// Wakes every process that sleeps on `word`.
    pub(crate) fn wake_all(self, word: &AtomicU32) {
        match self {
            #[cfg(target_os = "linux")]
            System::Linux => linux::wake_all(word),
            System::Portable => {} // the sleepers look again after each pause
            #[cfg(feature = "openshmem")]
            System::Library => {}
        }
    }

    /// Makes this process end when the thread that has forked it ends, where the system has that. For
    /// use between fork and exec: the setting lasts over the exec of a file that gives no rights.
    pub(crate) fn die_with_parent(self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self == System::Linux {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        }
        Ok(())
    }

    /// Makes this process end when `supervisor` ends for any reason: the process that started it, or
    /// that started the process which did.
    ///
    /// `lifeline` is this process's end of a pipe (or socket pair) to the supervisor. It stays open
    /// until this process ends, and programs that this process starts do not inherit it. So the
    /// supervisor learns from the other end that this process has ended.
    ///
    /// Call it once, early. On Linux a child of the supervisor ends with the *thread* that started
    /// it, so the supervisor starts PEs from a thread that lives as long as they do.
    pub(crate) fn die_with_supervisor(self, supervisor: Pid, lifeline: OwnedFd) -> Result<(), Error> {
        let refused = |what: &str| {
            let what = what.to_owned();
            move |source| Error::System { what, source }
        };
        rustix::io::fcntl_setfd(&lifeline, rustix::io::FdFlags::CLOEXEC)
            .map_err(io::Error::from)
            .map_err(refused("the life-line to the supervisor is not open"))?;
        match self {
            #[cfg(target_os = "linux")]
            System::Linux => linux::die_with_supervisor(supervisor, lifeline),
            System::Portable => portable::die_with_supervisor(supervisor, lifeline),
            // The launcher ends the PEs.
            #[cfg(feature = "openshmem")]
            System::Library => Ok(()),
        }
        .map_err(refused("cannot arrange to end when the supervisor ends"))
    }

    /// As [`end_with_others`](System::end_with_others), for the time before this process is a PE. For use
    /// between fork and exec.
    pub(crate) fn end_with_others_at_start(self, memory: BorrowedFd<'_>, pe: usize, n_pes: usize) {
        if self == System::Portable {
            portable::mark_start(memory, pe, n_pes);
        }
    }

    /// Lets the other PEs of a job end this one when the supervisor ends, if this one is stopped then
    /// and cannot do so itself; and this one the others. `memory` is the memory object. Call it again
    /// when a descriptor of that was closed.
    pub(crate) fn end_with_others(self, memory: BorrowedFd<'_>, pe: usize, n_pes: usize) {
        match self {
            // The system ends it.
            #[cfg(target_os = "linux")]
            System::Linux => {}
            System::Portable => portable::mark(memory, pe, n_pes),
            #[cfg(feature = "openshmem")]
            System::Library => {}
        }
    }
}

/// Whether the other end of `lifeline` is closed; waits for it as long as `patience`.
fn is_hung_up(lifeline: &OwnedFd, patience: Duration) -> bool {
    // No event is requested, because hang-up and error are always reported, at either end of a
    // pipe.
    let mut fds = [PollFd::new(lifeline, PollFlags::empty())];
    let patience = Timespec::try_from(patience).ok();
    matches!(rustix::event::poll(&mut fds, patience.as_ref()), Ok(1..))
}

/// Ends this process, without a message, because its parent is gone.
fn orphaned() -> ! {
    // Not `exit`: what runs at exit may wait for threads that wait for PEs that are gone too.
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read};
    use std::os::fd::AsFd;
    use std::process::{Command, Stdio};
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    #[test]
    fn names_are_read_back_and_nonsense_is_refused() {
        for system in System::ALL {
            assert_eq!(System::parse(system.name()).unwrap(), *system);
        }
        let message = System::parse("windows").unwrap_err().to_string();
        assert!(message.contains("SHMEM_SYSTEM") && message.contains("portable"), "{message}");
    }

    #[test]
    fn memory_has_no_name_and_does_not_pass_exec() {
        for system in System::ALL {
            let fd = system.create_memory().unwrap();
            assert!(rustix::io::fcntl_getfd(&fd).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
            assert_eq!(rustix::fs::fstat(&fd).unwrap().st_nlink, 0, "{system:?}");
        }
    }

    #[test]
    fn a_sleeper_sees_the_change() {
        for system in System::ALL {
            let word = AtomicU32::new(7);
            system.sleep_while(&word, 8, &mut Nap::new()); // not the value: comes back at once
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while word.load(Ordering::Acquire) == 7 {
                        system.sleep_while(&word, 7, &mut Nap::new());
                    }
                });
                std::thread::sleep(Duration::from_millis(20));
                word.store(9, Ordering::Release);
                system.wake_all(&word);
            });
        }
    }

    /// What a process of the test below prints if it still runs after a minute.
    const OUTLIVED: &str = "it outlived the test";

    /// The parent and the child of the test below, each in a process of its own. Without the
    /// variable it does nothing.
    #[test]
    fn generations() {
        let Ok(role) = std::env::var("SHMEM_TEST_GENERATION") else { return };
        let (role, name) = role.split_once(' ').unwrap();
        let system = System::from_name(name).unwrap();
        if role == "parent" {
            // The pipe to the child's standard input is the life-line: held by both, written by
            // none.
            let child = itself(&format!("child {name}")).stdin(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_secs(60));
            drop(child);
        } else {
            let lifeline = io::stdin().as_fd().try_clone_to_owned().unwrap();
            system.die_with_supervisor(rustix::process::getppid().unwrap(), lifeline).unwrap();
            println!("child is ready");
            std::thread::sleep(Duration::from_secs(60));
        }
        println!("{OUTLIVED}");
    }

    fn itself(role: &str) -> Command {
        let name = concat!(module_path!(), "::generations").split_once("::").unwrap().1;
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([name, "--exact", "--nocapture"]).env("SHMEM_TEST_GENERATION", role);
        command
    }

    #[test]
    fn a_process_ends_with_its_parent() {
        for system in System::ALL {
            let role = format!("parent {}", system.name());
            let mut parent = itself(&role).stdout(Stdio::piped()).spawn().unwrap();
            let mut output = BufReader::new(parent.stdout.take().unwrap());
            let mut line = String::new();
            while !line.contains("child is ready") {
                line.clear();
                assert!(output.read_line(&mut line).unwrap() > 0, "the child did not start");
            }
            parent.kill().unwrap();
            parent.wait().unwrap();
            // The child has the same standard output, which ends when both processes have ended.
            output.read_to_string(&mut line).unwrap();
            assert!(!line.contains(OUTLIVED), "{system:?}: {line}");
        }
    }
}
