//! One PE over the C library, which a launcher has started.
//!
//! No process watches this one that knows what a PE is. So the PE does for itself what the
//! [supervisor](super::supervisor) does for the PEs of one machine. When its process exits, in any
//! way, it reports why it failed, in the same words, and ends the job, which would hang otherwise.
//! If a process is killed without an exit, the launcher notices.

use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::runtime::{races, recorder};
use crate::system::env::{self, Env};
use crate::system::error::Error;
use crate::system::memory;
use crate::system::process::become_pe;
use crate::transport::Endpoint;
use crate::transport::openshmem;

use super::choice::{DetectedLauncher, Launched, claim};
use super::heap_size;
use super::host_watch;
use super::names::JobName;
use super::pe::Joined;
use super::records::{self, FoundJournals};
use super::report::{Evidence, report};
use super::starter::{LINE_BREAK, is_own, library};
use crate::system::status::{PeState, PeStatus};

/// The default heap of each PE. Unlike on one machine it is not merely address space: a library may
/// pin it for its network card, or fill it with pages at start, and a host needs the memory for
/// each of its PEs.
pub(super) const DEFAULT_HEAP: usize = 256 << 20;
/// How long the other PEs wait for PE 0 to report first when a job cannot start. A failure of one
/// PE is mostly a failure of all, and when the first process has exited, the launcher ends the
/// others.
const AFTER_YOU: Duration = Duration::from_secs(1);

/// Whether the job has ended for this process, or this process is ending it.
static OVER: AtomicBool = AtomicBool::new(false);
/// This process as a PE.
static SELF: OnceLock<Myself> = OnceLock::new();

/// The data for a report of this PE's end.
struct Myself {
    pe: usize,
    npes: usize,
    status: &'static PeStatus,
    test: Option<String>,
    /// Whether this library has started the launcher, and so reads the PEs' reports.
    is_read: bool,
    /// The number of the process: a copy that `fork` makes is no PE.
    process: u32,
}

/// The parameters of a process that is to be a PE.
pub(super) struct Task<'a> {
    /// The variables of the environment.
    pub(super) env: &'a Env,
    /// The heap size from the attribute.
    pub(super) heap: Option<&'a str>,
    /// The transport and the reason for it.
    pub(super) why: &'a str,
    /// The launcher that started this process.
    pub(super) launcher: &'a DetectedLauncher,
    /// The job description, if this library started the launcher.
    pub(super) launched: Option<&'a Launched>,
    /// Whether the attribute of the test has `races`.
    pub(super) races: bool,
}

/// Joins the job of the launcher that started this process, over the C library. Collective.
///
/// The process leaves the library when it exits, in `left`: until then there may be values whose
/// destructors use it, and the process may join another job of the same PEs.
///
/// # Errors
///
/// When the process is a PE and its job cannot begin; the record has the reason then. If it cannot
/// become a PE, it reports why and ends.
pub(super) fn join(task: &Task<'_>) -> Result<Joined, Error> {
    match become_pe(|| enter(task)) {
        Ok((endpoint, status)) => Joined::over(endpoint, status),
        Err(error) => {
            if task.launcher.rank.is_some_and(|rank| rank > 0) {
                std::thread::sleep(AFTER_YOU);
            }
            say(&could_not_join(task, &error));
            // If the library runs already, a mere exit would not leave it.
            openshmem::global_exit(1)
        }
    }
}

/// The report of a process that could not become a PE.
fn could_not_join(task: &Task<'_>, error: &Error) -> String {
    let npes = task.launched.map(|launched| launched.npes).or(task.launcher.size.map(|(_, size)| size));
    match (task.launcher.rank, npes) {
        (Some(pe), Some(npes)) => format!("PE {pe} of {npes} could not join the job: {error}"),
        _ => format!("could not join the job: {error}"),
    }
}

/// Becomes a PE of the launcher's job.
fn enter(task: &Task<'_>) -> Result<(Endpoint, &'static PeStatus), Error> {
    let Task { env, heap, why, launcher, launched, races: is_asked } = *task;
    let heap = match launched {
        // `SHMEM_SYMMETRIC_SIZE` is then the library's size, which includes more than the heap.
        Some(launched) => launched.heap,
        None => heap_size(env, heap, DEFAULT_HEAP)?,
    };
    fits(heap, memory::available())?;
    // Read here, because `init` sets variables for the library's heap.
    let announcement = env.announcement(why) + &env::warnings(true) + &env.left_to_the_launcher();
    claim();
    let watch = launched.and_then(|launched| records::find(launched.records.as_deref()?, launched.npes));
    let journals = FoundJournals::find(launched);
    let transport = openshmem::init(heap, watch, journals.are_all)?;
    let without_journal = transport.first_without_journal();
    let records = launched.and_then(|_| transport.observe_host()).flatten();
    if let Some(thread) = records.and_then(|records| host_watch::begin(records, env.timeout)) {
        transport.leave_out(thread);
    }
    let endpoint = transport.endpoint();
    let (pe, npes) = (endpoint.facts.my_pe, endpoint.facts.n_pes);
    if without_journal.is_none() {
        if let Some(journals) = journals.races {
            races::write_to(journals, pe);
        }
        if let Some(journals) = journals.recording {
            recorder::write_to(journals, pe, env.drawn_slices());
        }
    }
    mismatch(launcher, npes)?;
    same_library(&library(), &openshmem::name())?;
    let status = openshmem::status();
    let test = launched.and_then(|launched| launched.test.clone());
    let name = match &test {
        Some(test) => JobName::of_test(test),
        None => JobName::of_program(Path::new(&std::env::args_os().next().unwrap_or_default())),
    };
    name.show(pe);
    let myself = Myself { pe, npes, status, test, is_read: launched.is_some(), process: std::process::id() };
    let _ = SELF.set(myself); // a process joins once
    watch_the_exit();
    if pe == 0 {
        if launched.is_none() {
            eprint!("{announcement}");
            if let Some(wanted) = env.npes.filter(|wanted| *wanted != npes) {
                say(&format!(
                    "SHMEM_NPES={wanted} is not used: the launcher has started {npes} PEs, and takes their number with -np or -n"
                ));
            }
        }
        // The launcher of this project's own C library watches the job.
        if let Some(asked) = variable("SHMEM_TIMEOUT").filter(|_| launched.is_none() && !is_own()) {
            say(&format!(
                "{asked} is not used: a launcher has started the PEs; run the program without it and with \
                 SHMEM_TRANSPORT=openshmem, so that it starts the launcher and watches the job"
            ));
        }
        if let Some(pe) = without_journal {
            let why = |what| why_without(what, launched, npes, pe);
            if env.races.form(is_asked).is_some() {
                let asked = variable("SHMEM_RACES");
                let asked = asked.unwrap_or_else(|| "`races` of the test's attribute".to_owned());
                say(&format!("{asked} is not used: {}", why("races are looked for")));
            }
            if let Some(asked) = variable("SHMEM_TRACE") {
                say(&format!("{asked} is not used: {}", why("a trace is written")));
            }
        }
        if env.debug {
            say(&format!("{npes} PEs over {}, {heap} bytes of symmetric heap each", openshmem::name()));
        }
    }
    Ok((endpoint, status))
}

/// A variable that is set, with its value.
fn variable(name: &str) -> Option<String> {
    env::set(name).map(|value| format!("{name}={}", value.to_string_lossy()))
}

/// Why this run does not do `what` needs the journals of all PEs: `pe` has not found its own.
fn why_without(what: &str, launched: Option<&Launched>, npes: usize, pe: usize) -> String {
    match launched {
        None => format!(
            "{what} where the program starts the launcher itself: start it without one, with SHMEM_TRANSPORT=openshmem \
             and SHMEM_NPES={npes}"
        ),
        Some(Launched { journals: None, recording: None, .. }) => {
            format!("over a C library, {what} on Linux")
        }
        Some(_) => format!(
            "over a C library, {what} where all PEs run on the host on which the program was started, and PE {pe} \
             does not"
        ),
    }
}

/// Fails if this host has less memory than one PE needs. A library would hang, or fill the host
/// with pages until nothing runs any more.
fn fits(heap: usize, available: usize) -> Result<(), Error> {
    if heap <= available {
        return Ok(());
    }
    Err(Error::Job {
        reason: format!(
            "each PE is to have {heap} bytes of symmetric heap, and this host has {available} left; over a \
             C library the whole heap is allocated at the start: set SHMEM_SYMMETRIC_SIZE to less"
        ),
    })
}

/// The error that the launcher has started another number of processes than the library knows of.
fn mismatch(launcher: &DetectedLauncher, npes: usize) -> Result<(), Error> {
    let Some((variable, size)) = launcher.size else { return Ok(()) };
    // A step of Slurm may have one task for each host, which is a daemon of another launcher.
    if size == npes || (variable.starts_with("SLURM_") && npes > 1) {
        return Ok(());
    }
    let library = library();
    Err(Error::Job {
        reason: format!(
            "the launcher has started {size} processes ({variable}={size}), and the C library knows of \
             {npes}: this program is linked with {library}, and another launcher started it; start it with \
             that library's own launcher, such as its oshrun, \
         or srun with the --mpi that it speaks (srun --mpi=list)"
        ),
    })
}

/// Fails if the running library is not of the kind that the program was built with: their constants
/// and types differ.
fn same_library(built: &str, runs: &str) -> Result<(), Error> {
    // After the name a library may give its version, which may differ.
    let kind = |name: &str| {
        name.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().trim_end().to_owned()
    };
    if kind(built) == kind(runs) {
        return Ok(());
    }
    Err(Error::Job {
        reason: format!(
            "this program was built with the header of {built}, and runs with the library {runs}: load the same library as at the build \
         (LD_LIBRARY_PATH, modules), or build the program again"
        ),
    })
}

/// Prints a line in one piece, because the launcher mixes the output of the PEs.
fn say(text: &str) {
    // A failure cannot be reported anywhere.
    let _ = io::stderr().write_all(format!("shmem: {text}\n").as_bytes());
}

/// Registers [`left`] to be called when this process exits.
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
        // SAFETY: the function has the signature that glibc calls, it is part of the program and
        // stays, and it does not unwind.
        let refused = unsafe { on_exit(with_status, std::ptr::null_mut()) };
        debug_assert_eq!(refused, 0, "glibc keeps 32 handlers without memory of their own");
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    {
        // Here an exit handler does not get the status: where the PE itself has not recorded how it
        // failed, the job's status is 1.
        extern "C" fn without_status() {
            left(None);
        }
        // SAFETY: the function has the signature that is called, it is part of the program and
        // stays, and it does not unwind.
        let _ = unsafe { libc::atexit(without_status) };
    }
}

/// Called when this process exits, with the status `end`. If the PE has finished, leaves the
/// library; else reports why, and ends the job. Does not unwind.
fn left(end: Option<ExitStatus>) {
    let Some(Myself { pe, npes, status, test, is_read, process }) = SELF.get() else {
        return;
    };
    if *process != std::process::id() {
        // This is a copy that `fork` has made. The library's own exit handlers would wait for ever
        // in it, and the job does not concern it.
        if let Some(code) = end.and_then(|end| end.code()) {
            // SAFETY: flushes the streams of C, as an exit does, and ends the process.
            unsafe {
                libc::fflush(std::ptr::null_mut());
                libc::_exit(code);
            }
        }
        return;
    }
    // Ending the job calls this handler again.
    if OVER.swap(true, Ordering::AcqRel) {
        return;
    }
    if status.state() == PeState::Finished && end.is_none_or(|end| end.success()) {
        host_watch::stop();
        return openshmem::finalize();
    }
    let evidence = Evidence {
        state: status.state(),
        text: status.text(),
        said: String::new(),
        core: String::new(),
        end,
        killed: false,
        missed: false,
    };
    let fault = evidence.fault(test.as_deref()).map(|fault| (*pe, fault));
    // A process whose state is `Finished`, but which exits with a failure, has not left the
    // library. `report` finds no fault for it, and it is not a success.
    let (text, code) =
        report(*npes, fault.as_slice()).unwrap_or((format!("PE {pe} of {npes} exited early"), 1));
    if code != 0 {
        // The reader of the reports reads line by line, and restores the line breaks.
        say(&if *is_read { text.replace('\n', LINE_BREAK) } else { text });
    }
    openshmem::global_exit(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_of_processes_is_named() {
        let started = |size| DetectedLauncher { variable: "PMI_RANK", rank: Some(0), size };
        assert!(mismatch(&started(None), 1).is_ok());
        assert!(mismatch(&started(Some(("PMI_SIZE", 4))), 4).is_ok());
        // One daemon of the launcher for each of two hosts.
        assert!(mismatch(&started(Some(("SLURM_STEP_NUM_TASKS", 2))), 8).is_ok());
        for (variable, size, npes) in [("PMI_SIZE", 4, 1), ("PMI_SIZE", 4, 2), ("SLURM_STEP_NUM_TASKS", 4, 1)]
        {
            let error = mismatch(&started(Some((variable, size))), npes).unwrap_err().to_string();
            let expected =
                format!("has started 4 processes ({variable}=4), and the C library knows of {npes}: ");
            assert!(error.contains(&expected) && error.contains(&library()), "{error}");
        }
    }

    #[test]
    fn a_heap_fits_or_is_named() {
        assert!(fits(4096, 4096).is_ok() && fits(1 << 60, usize::MAX).is_ok());
        let error = fits(4097, 4096).unwrap_err().to_string();
        assert!(error.contains("4097 bytes of symmetric heap, and this host has 4096 left"), "{error}");
    }

    #[test]
    fn another_library_is_named() {
        assert!(same_library("http://www.open-mpi.org/", "http://www.open-mpi.org/").is_ok());
        assert!(same_library("Some OpenSHMEM 1.5.2", "Some OpenSHMEM 1.6").is_ok());
        let error = same_library("Some OpenSHMEM 1.5", "Another 1.5").unwrap_err().to_string();
        assert!(
            error.contains("the header of Some OpenSHMEM 1.5, and runs with the library Another 1.5"),
            "{error}"
        );
    }
}
