//! How the supervisor describes the job to a PE: one environment variable and two inherited
//! descriptors.
//!
//! A constructor takes both before `main`, and gives the process its [name](super::names). At that time the environment is the one that the process
//! was started with, which no `set_var` has written to, and no code in the process owns a
//! descriptor yet. So a program cannot make itself believe that it is a PE, nor have a descriptor
//! of its own closed or mapped.
//!
//! The variable also reaches every program that a PE spawns, which is no PE. So a process believes
//! it only if it really holds the memory object which the variable describes. A PE closes that
//! descriptor as soon as it has mapped the memory (the copy that it keeps has another number, and
//! is closed on exec), so no process that it spawns inherits it. This needs no change of the
//! environment of a running process, which would be unsound as soon as a second thread exists.

use std::ffi::OsString;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::ffi::{c_char, c_int};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::Pid;

use crate::system::env;
use crate::system::error::Error;
use crate::system::os::System;

use super::choice::LAUNCHED;
use super::names;

/// The variable's name.
pub(super) const VARIABLE: &str = "SHMEM_SMP_JOB";

/// The result of looking at the variable and the descriptors.
enum Found {
    /// This process is no PE on this machine.
    Nothing,
    /// This process is a PE, and has not joined its job yet.
    Job(Job, Descriptors),
    /// This process is a PE, and has joined its job or tried to.
    Taken,
    /// The variable has a value that cannot be parsed.
    Nonsense(String),
}

/// Written by the constructor, before `main`.
static FOUND: Mutex<Found> = Mutex::new(Found::Nothing);

/// A function that runs before `main`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Constructor = extern "C" fn(c_int, *mut *mut c_char);
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
type Constructor = extern "C" fn();

/// Runs [`look`] before `main`.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: Constructor = before_main;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
extern "C" fn before_main(count: c_int, arguments: *mut *mut c_char) {
    if let Some(argument) = look() {
        // SAFETY: glibc calls constructors with what it calls `main` with, before there is a second
        // thread.
        unsafe { names::restore(argument, count, arguments) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
extern "C" fn before_main() {
    look();
}

/// Finds out whether this process was started as a PE, and names it then. Returns the argument 0
/// that the program is to see, if it is not the one that the process was started with.
fn look() -> Option<OsString> {
    env::is_launched(env::set(LAUNCHED).is_some());
    let value = env::set(VARIABLE)?;
    // The C library over which the program is to run may be this one, in another copy, which is the PE
    // then.
    if cfg!(feature = "openshmem") && env::wants_openshmem() {
        return None;
    }
    let value = value.to_string_lossy();
    let (found, argument) = match Job::decode(&value) {
        Some(job) => match job.claim() {
            Some(descriptors) => {
                let argument = names::take(job.pe);
                (Found::Job(job, descriptors), argument)
            }
            None => (Found::Nothing, None),
        },
        None => (Found::Nonsense(value.into_owned()), None),
    };
    *FOUND.lock().unwrap_or_else(PoisonError::into_inner) = found;
    argument
}

/// The description of a job as one PE gets it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Job {
    /// The number of the PE.
    pub(super) pe: usize,
    /// The number of PEs in the job.
    pub(super) npes: usize,
    /// Bytes of symmetric heap on each PE.
    pub(super) heap: usize,
    /// The descriptor of the memory object.
    pub(super) memory: RawFd,
    /// The device and the inode of that object, as `fstat` returns them.
    pub(super) object: (u64, u64),
    /// The PE's end of its life-line, a socket whose other end the supervisor holds. When one side
    /// ends, the socket closes, and the other side notices.
    pub(super) lifeline: RawFd,
    /// The supervisor's process.
    pub(super) supervisor: Pid,
    /// The form of the system layer in this job; the same on all PEs.
    pub(super) system: System,
    /// Whether the PE waits for a debugger before it joins.
    pub(super) debugged: bool,
    /// The descriptor of the journals, in a run that looks for races.
    pub(super) journals: Option<RawFd>,
    /// The descriptor of the journals of a run that is traced.
    pub(super) recording: Option<RawFd>,
    /// The test that the PE runs; a program's job has none.
    pub(super) test: Option<String>,
}

/// The descriptors of a [`Job`], owned.
pub(super) struct Descriptors {
    /// The memory object.
    pub(super) memory: OwnedFd,
    /// The PE's end of its life-line.
    pub(super) lifeline: UnixStream,
    pub(super) journals: Option<OwnedFd>,
    pub(super) recording: Option<OwnedFd>,
}

impl Job {
    /// Whether this process was started as a PE on this machine.
    pub(super) fn is_there() -> bool {
        !matches!(*FOUND.lock().unwrap_or_else(PoisonError::into_inner), Found::Nothing)
    }

    /// The job of which this process was started as a PE, if any. Only the first call can find it.
    pub(super) fn found() -> Result<Option<(Job, Descriptors)>, Error> {
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        match &*found {
            Found::Nothing => return Ok(None),
            Found::Nonsense(value) => {
                return Err(Error::Environment {
                    variable: VARIABLE,
                    value: value.clone(),
                    expected: String::from("it is set by this library for the PEs that it starts; unset it"),
                });
            }
            Found::Job(..) | Found::Taken => {}
        }
        match std::mem::replace(&mut *found, Found::Taken) {
            Found::Job(job, descriptors) => Ok(Some((job, descriptors))),
            // Without this check the process would take itself for a supervisor, and start more
            // PEs, which would do the same.
            _ => Err(Error::Job {
                reason: String::from(
                    "a process joins only one job: the function that is marked #[shmem::main] was called a \
                     second time",
                ),
            }),
        }
    }

    /// Takes the descriptors that the job names, if this process has really inherited them. Runs
    /// before `main`.
    fn claim(&self) -> Option<Descriptors> {
        // Numbers up to 2 are the standard streams.
        if self.memory <= 2 || self.lifeline <= 2 || self.memory == self.lifeline {
            return None;
        }
        // SAFETY: the borrow lives for this `fstat` alone. If no descriptor has the number, `fstat`
        // returns EBADF.
        let memory = unsafe { BorrowedFd::borrow_raw(self.memory) };
        if object(memory).ok()? != self.object {
            return None;
        }
        // SAFETY: this process holds the job's memory object under the number that the supervisor
        // chose, and so is the PE that it spawned:
        // * an unrelated process does not hold the object, whatever its environment contains;
        // * a process that a PE spawns does not hold it either, as the PE closes this descriptor
        //   once it has mapped the memory, and this one, its copy and the life-line are
        //   close-on-exec from the next lines on.
        // The supervisor left both descriptors to this process, in which no code owns one before
        // `main`, and the constructor claims once.
        let (memory, lifeline) =
            unsafe { (OwnedFd::from_raw_fd(self.memory), OwnedFd::from_raw_fd(self.lifeline)) };
        fcntl_setfd(&memory, FdFlags::CLOEXEC).ok()?;
        fcntl_setfd(&lifeline, FdFlags::CLOEXEC).ok()?;
        // SAFETY: as above; the supervisor that left the other two left these with them.
        let [journals, recording] = [self.journals, self.recording]
            .map(|left| left.map(|journals| unsafe { OwnedFd::from_raw_fd(journals) }));
        for journals in [&journals, &recording].into_iter().flatten() {
            fcntl_setfd(journals, FdFlags::CLOEXEC).ok()?;
        }
        Some(Descriptors { memory, lifeline: UnixStream::from(lifeline), journals, recording })
    }

    /// The variable's value.
    pub(super) fn encode(&self) -> String {
        let Job { pe, npes, heap, memory, object, lifeline, supervisor, system, debugged, .. } = self;
        let (supervisor, system) = (supervisor.as_raw_nonzero(), system.name());
        let (journals, recording) = (self.journals.unwrap_or(0), self.recording.unwrap_or(0));
        // The test's name comes last, because it may contain any character.
        let test = self.test.as_deref().map(|name| format!(",test={name}")).unwrap_or_default();
        format!(
            "pe={pe},npes={npes},heap={heap},memory={memory},object={}:{},lifeline={lifeline},supervisor={supervisor},\
             system={system},debugged={debugged},journals={journals},recording={recording}{test}",
            object.0, object.1
        )
    }

    /// The job that a value of the variable describes.
    fn decode(value: &str) -> Option<Job> {
        let mut rest = value;
        let mut field = |name: &str| {
            let (mine, others) = rest.split_once(',').unwrap_or((rest, ""));
            let text = mine.strip_prefix(name)?.strip_prefix('=')?;
            rest = others;
            Some(text)
        };
        let job = Job {
            pe: field("pe")?.parse().ok()?,
            npes: field("npes")?.parse().ok()?,
            heap: field("heap")?.parse().ok()?,
            memory: field("memory")?.parse().ok()?,
            object: {
                let (device, inode) = field("object")?.split_once(':')?;
                (device.parse().ok()?, inode.parse().ok()?)
            },
            lifeline: field("lifeline")?.parse().ok()?,
            supervisor: field("supervisor")?.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw)?,
            system: System::from_name(field("system")?)?,
            debugged: field("debugged")?.parse().ok()?,
            journals: Some(field("journals")?.parse().ok()?).filter(|fd| *fd > 2),
            recording: Some(field("recording")?.parse().ok()?).filter(|fd| *fd > 2),
            test: None,
        };
        match rest {
            "" => Some(job),
            _ => Some(Job { test: Some(rest.strip_prefix("test=")?.to_owned()), ..job }),
        }
    }
}

/// The device and the inode of what `fd` refers to: no other object has the same pair while this
/// one lives.
pub(super) fn object(fd: impl AsFd) -> rustix::io::Result<(u64, u64)> {
    let stat = rustix::fs::fstat(fd)?;
    // The types differ between systems. A conversion that loses a sign loses it on both sides.
    #[allow(clippy::unnecessary_cast)]
    Ok((stat.st_dev as u64, stat.st_ino as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::IntoRawFd;

    fn example() -> Job {
        Job {
            pe: 2,
            npes: 4,
            heap: 1 << 32,
            memory: 3,
            object: (1, 4711),
            lifeline: 5,
            supervisor: rustix::process::getpid(),
            system: System::Portable,
            debugged: false,
            journals: None,
            recording: None,
            test: None,
        }
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let program = example();
        assert_eq!(Job::decode(&program.encode()), Some(program));
        let test = Job {
            test: Some(String::from("a::b, c=d")),
            system: System::ALL[0],
            debugged: true,
            journals: Some(9),
            recording: Some(10),
            ..example()
        };
        assert_eq!(Job::decode(&test.encode()), Some(test));
    }

    #[test]
    fn nonsense_is_no_job() {
        let good = example().encode();
        for cut in 0..good.len() - "0".len() {
            assert_eq!(Job::decode(&good[..cut]), None, "{:?}", &good[..cut]);
        }
        for bad in ["1", "pe=x", &good.replace("pe=2", "pe=-2"), &format!("{good},more=1")] {
            assert_eq!(Job::decode(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn only_the_holder_of_the_object_is_a_pe() {
        // Two files: one stands for the memory of this job, the other for an unrelated object under
        // the same number.
        let mine = File::open("/dev/null").unwrap();
        let lifeline = File::open("/dev/null").unwrap();
        let other = File::open("/dev/zero").unwrap();
        let truth = object(&mine).unwrap();
        let job =
            Job { memory: mine.into_raw_fd(), lifeline: lifeline.into_raw_fd(), object: truth, ..example() };

        let wrong = Job { object: object(&other).unwrap(), ..job.clone() };
        assert!(wrong.claim().is_none());
        let closed = Job { memory: RawFd::MAX, ..job.clone() };
        assert!(closed.claim().is_none());
        assert!(job.claim().is_some());
    }
}
