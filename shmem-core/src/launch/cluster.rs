//! One PE over the C library, which a launcher has started.
//!
//! Nobody watches this process who knows what a PE is. So what the [supervisor](super::supervisor) does for the PEs of one machine,
//! the PE does for itself when its process exits, in whatever way it does: it says why it failed, in the same words, and ends the
//! job, which would hang otherwise. What kills a process without an exit, the launcher notices.

use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitCode, ExitStatus};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::World;
use crate::env::Env;
use crate::error::Error;
use crate::transport::openshmem;
use crate::transport::smp::phase::is_only_thread;
use crate::transport::Transport as _;

use super::choice::{CLAIMED, LAUNCHED, Launched, Launcher};
use super::report::{Evidence, report};
use super::starter::{LINE_BREAK, library};
use super::status::{PeStatus, State};
use super::{Outcome, heap_size, pe};

/// The heap of each PE when nobody says otherwise. Unlike on one machine it is not merely address space: a library may pin it for its
/// network card, or fill it with pages at start, and a host has as many of them as PEs.
pub(super) const DEFAULT_HEAP: usize = 256 << 20;
/// How long the other PEs leave the word to PE 0 when a job cannot start: what stops one mostly stops all, and when the first process
/// has gone the launcher ends the others.
const AFTER_YOU: Duration = Duration::from_secs(1);

/// Whether this process has joined a job as a PE.
static JOINED: AtomicBool = AtomicBool::new(false);
/// Whether the job has ended for this process, or is being ended by it.
static OVER: AtomicBool = AtomicBool::new(false);
/// The PE that this process is.
static SELF: OnceLock<Myself> = OnceLock::new();

/// What is needed to report the end of this PE.
struct Myself {
    pe: usize,
    npes: usize,
    status: &'static PeStatus,
    test: Option<String>,
    /// Whether this library has started the launcher, and reads what the PEs report.
    is_read: bool,
    /// The number of the process: a copy of it that `fork` makes is no PE.
    process: u32,
}

/// What a process is to run as a PE.
pub(super) struct Task<'a> {
    /// What the environment says.
    pub(super) env: &'a Env,
    /// The heap that the attribute asks for.
    pub(super) heap: Option<&'a str>,
    /// The transport and the reason for it.
    pub(super) why: &'a str,
    /// The launcher that started this process.
    pub(super) launcher: &'a Launcher,
    /// What this library told the launcher, if it started it.
    pub(super) launched: Option<&'a Launched>,
}

/// Runs `body` as one PE over the C library. Returns the exit status for the process to end with at once.
pub(super) fn run(task: &Task<'_>, body: impl FnOnce(&World) -> Outcome) -> ExitCode {
    match join(task) {
        Ok((transport, status)) => {
            let code = pe::run_as_pe(Box::new(transport), status, body);
            if status.state() == State::Finished {
                // What comes now is none of the job's business; the record goes with the library's memory.
                OVER.store(true, Ordering::Release);
                openshmem::finalize();
            }
            code
        }
        Err(error) => {
            if task.launcher.rank.is_some_and(|rank| rank > 0) {
                std::thread::sleep(AFTER_YOU);
            }
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Joins the job of the launcher.
fn join(task: &Task<'_>) -> Result<(openshmem::OpenshmemTransport, &'static PeStatus), Error> {
    let Task { env, heap, why, launcher, launched } = *task;
    let heap = heap_size(env, heap, DEFAULT_HEAP)?;
    if JOINED.swap(true, Ordering::Relaxed) {
        return Err(Error::Job(String::from(
            "a process joins one job: the function that is marked #[shmem::main] was called again",
        )));
    }
    claim();
    let transport = openshmem::init(heap)?;
    let (pe, npes) = (transport.my_pe(), transport.n_pes());
    if let Some(error) = mismatch(launcher, npes) {
        // The library runs, alone in each process, and is not left by a mere exit.
        if launcher.rank.is_some_and(|rank| rank > 0) {
            std::thread::sleep(AFTER_YOU);
        }
        say(&error);
        openshmem::global_exit(1);
    }
    let status = openshmem::status();
    let test = launched.and_then(|launched| launched.test.clone());
    let myself = Myself { pe, npes, status, test, is_read: launched.is_some(), process: std::process::id() };
    let _ = SELF.set(myself); // a process joins once
    watch_the_exit();
    if pe == 0 {
        if launched.is_none() {
            eprint!("{}", env.announcement(why));
        }
        if env.debug {
            say(&format!("{npes} PEs over {}, {heap} bytes of symmetric heap each", library()));
        }
    }
    Ok((transport, status))
}

/// Leaves word in the environment for what this process starts, which is no PE: the launcher's variables are taken.
fn claim() {
    // With other threads it would be unsound, and is not done. Then a program of this library that this process starts has to be
    // told SHMEM_TRANSPORT=smp.
    if is_only_thread() {
        // SAFETY: the environment may be changed while no other thread reads it, and there is no other thread: only this one could
        // start one.
        unsafe {
            std::env::set_var(CLAIMED, std::process::id().to_string());
            std::env::remove_var(LAUNCHED);
        }
    }
}

/// What is wrong when the launcher has started another number of processes than the library knows of.
fn mismatch(launcher: &Launcher, npes: usize) -> Option<String> {
    let (variable, size) = launcher.size?;
    // A step of Slurm may have one task for each host, a daemon of another launcher.
    if size == npes || (variable.starts_with("SLURM_") && npes > 1) {
        return None;
    }
    let library = library();
    Some(format!(
        "the launcher has started {size} processes ({variable}={size}), and the C library knows of {npes}: this program is linked with \
         {library}, and was started by the launcher of something else; start it with that library's own launcher, such as its oshrun, \
         or srun with the --mpi that it speaks (srun --mpi=list)"
    ))
}

/// Prints a line in one piece: the launcher mixes what the PEs write.
fn say(text: &str) {
    // Nobody is left to be told when this fails.
    let _ = io::stderr().write_all(format!("shmem: {text}\n").as_bytes());
}

/// Has [`left`] called when this process exits.
fn watch_the_exit() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::{c_int, c_void};
        unsafe extern "C" {
            fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        }
        extern "C" fn with_status(status: c_int, _: *mut c_void) {
            left(Some(ExitStatus::from_raw((status & 0xff) << 8)));
        }
        // SAFETY: the function has the signature that glibc calls, it is part of the program and stays, and it does not unwind.
        let refused = unsafe { on_exit(with_status, std::ptr::null_mut()) };
        debug_assert_eq!(refused, 0, "glibc keeps 32 handlers without memory of their own");
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    {
        // Here an exit handler is not told the status: where the PE itself has not said how it failed, the job's status is 1.
        extern "C" fn without_status() {
            left(None);
        }
        // SAFETY: the function has the signature that is called, it is part of the program and stays, and it does not unwind.
        let _ = unsafe { libc::atexit(without_status) };
    }
}

/// This process exits, with the status `end`. If the PE has not finished, says why, and ends the job. Does not unwind.
fn left(end: Option<ExitStatus>) {
    let Some(Myself { pe, npes, status, test, is_read, process }) = SELF.get() else {
        return;
    };
    // A copy of the process that `fork` made has the handler, too. And ending the job calls it again.
    if *process != std::process::id() || OVER.swap(true, Ordering::AcqRel) {
        return;
    }
    let evidence =
        Evidence { state: status.state(), text: status.text(), said: String::new(), end, killed: false };
    let fault = evidence.fault(test.as_deref()).map(|fault| (*pe, fault));
    // Whoever exits with the record of one that has finished has not left the library; that has no name yet, and is no success.
    let (text, code) = report(*npes, fault.as_slice()).unwrap_or((format!("PE {pe} of {npes} left early"), 1));
    if code != 0 {
        // Whoever reads the reports takes them by the line, and puts the text together again.
        say(&if *is_read { text.replace('\n', LINE_BREAK) } else { text });
    }
    openshmem::global_exit(code)
}
