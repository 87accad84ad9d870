//! One PE: joins a job, runs the user's function, leaves, and records how that ended. Another face
//! than the Rust language makes the same two calls itself.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{self, ThreadId};
use std::time::Duration;

use rustix::fs::{FileType, fstat};

use crate::World;
use crate::runtime::{self, Runtime, races, recorder};
use crate::system::env::Env;
use crate::system::error::Error;
use crate::system::handlers;
use crate::system::journal::Journals;
use crate::system::process::{PANICKED, become_pe, message, record_panic};
use crate::system::status::{PeState, PeStatus, TEXT};
use crate::system::trace;
use crate::transport::node::deadlock;
use crate::transport::smp::SmpTransport;
use crate::transport::smp::segment::Segment;
use crate::transport::{Endpoint, Facts};

use super::Outcome;
use super::choice::{self, Origin};
use super::debugger::wait_for_debugger;
use super::job::{Descriptors, Job};

/// How long a PE waits for another of its threads that holds standard output.
const TO_WRITE_OUT: Duration = Duration::from_secs(1);

/// The place that this process has left in a job, for [`Joined::again`].
static LEFT: Mutex<Option<Joined>> = Mutex::new(None);

/// This process as a PE of a job that it has joined. Dropping it does not leave the job.
pub(crate) struct Joined {
    runtime: &'static Runtime,
    status: &'static PeStatus,
}

impl Joined {
    /// Joins `job`, on this machine, for which this process was started. Collective.
    ///
    /// # Errors
    ///
    /// The supervisor has got the reason then, and reports it when this process has ended.
    pub(super) fn of_job(job: &Job, descriptors: Descriptors) -> Result<Joined, Error> {
        let Descriptors { memory, lifeline, journals, recording } = descriptors;
        let joined = become_pe(|| {
            job.system.end_with_others(memory.as_fd(), job.pe, job.npes);
            bind_lives(&lifeline, job)?;
            let segment = Segment::attach(job.system, memory, job.pe, job.npes, job.heap)?;
            // That has closed a descriptor.
            job.system.end_with_others(segment.fd(), job.pe, job.npes);
            if segment.status(job.pe).state() != PeState::Starting {
                // A script has started both.
                let reason = format!("another process has been PE {} of this job before", job.pe);
                return Err(Error::Job { reason });
            }
            if job.debugged {
                wait_for_debugger(segment.status(job.pe));
            }
            let attach = |journals| {
                Journals::attach(journals, job.npes).map_err(|source| Error::System {
                    what: "cannot map the journals of the job".to_owned(),
                    source,
                })
            };
            if let Some(journals) = journals {
                races::write_to(attach(journals)?, job.pe);
            }
            if let Some(journals) = recording {
                recorder::write_to(attach(journals)?, job.pe, Env::read()?.drawn_slices());
            }
            let transport = SmpTransport::new(segment, job.pe);
            let status = transport.segment().status(job.pe);
            trace::answer_questions(transport.segment().trace(job.pe), deadlock::last_call);
            Ok((transport, status))
        });
        let (transport, status) = joined.inspect_err(|error| {
            // There is no shared memory to leave the reason in. The supervisor reads it here and
            // reports it once for all PEs; if the write fails, the supervisor is gone, and so is
            // the job.
            let _ = (&lifeline).write_all(error.to_string().as_bytes());
        })?;
        drop(lifeline); // its copy lasts as long as the process
        let joined = Joined::over(transport.endpoint(), status)?;
        // A launcher sets some for programs that read them. They are not meant for what this PE starts.
        if Origin::has_signs() {
            choice::claim();
        }
        Ok(joined)
    }

    /// Joins the job whose endpoint is `endpoint`, as the PE whose record is `status`. Collective.
    ///
    /// # Errors
    ///
    /// The record has the reason then.
    pub(super) fn over(endpoint: Endpoint, status: &'static PeStatus) -> Result<Joined, Error> {
        record_panics(status);
        handlers::tell_aborts_from_panics();
        let runtime = runtime::start(endpoint).inspect_err(|error| {
            status.set_text(&error.to_string());
            status.set(PeState::NoStart);
        })?;
        status.set(PeState::Running);
        Ok(Joined { runtime, status })
    }

    /// Joins another job of the same PEs, if this process has left one. Collective.
    pub(super) fn again() -> Option<Joined> {
        let member = LEFT.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        member.status.advance(PeState::Starting);
        runtime::restart(member.runtime);
        member.status.advance(PeState::Running);
        Some(member)
    }

    /// The state of this process in its job.
    #[inline]
    pub(crate) fn runtime(&self) -> &'static Runtime {
        self.runtime
    }

    /// Leaves the job: completes all operations, waits for all PEs, and closes symmetric memory to
    /// this process, which can join again. Collective.
    pub(crate) fn leave(self) {
        self.finish();
        runtime::close();
        *LEFT.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }

    /// Waits for all PEs, so that no PE ends while another one may still use its memory, or wait
    /// for it. Records that this one has finished. Collective.
    ///
    /// Symmetric memory stays open: this is for a process that ends next, whose destructors and
    /// other threads may still use it.
    fn finish(&self) {
        self.status.advance(PeState::Leaving);
        runtime::finish();
        #[cfg(feature = "gpu")]
        crate::gpu::finish();
        self.status.advance(PeState::Finished);
    }

    /// Ends the user's function with `outcome`: leaves the job after a success, and else records
    /// why this PE ends it. Returns the exit status for the process to end with at once.
    fn end(&self, outcome: Outcome) -> ExitCode {
        if outcome.code == ExitCode::SUCCESS && outcome.failure.is_none() {
            if let Err(error) = write_out() {
                self.status.set_text(&format!("its standard output cannot be written: {error}"));
                self.status.set(PeState::Stopped);
                return ExitCode::FAILURE;
            }
            self.finish();
            return ExitCode::SUCCESS;
        }
        let text = outcome.failure.unwrap_or_default();
        if text.len() > TEXT {
            let Facts { my_pe, n_pes, .. } = self.runtime.endpoint().facts;
            // The record, and with it the report, holds only the beginning of the text.
            let _ = writeln!(io::stderr(), "shmem: PE {my_pe} of {n_pes} returned an error: {text}");
        }
        self.status.set_text(&text);
        self.status.set(PeState::Failed);
        outcome.code
    }
}

/// Runs `body` as the PE that `join` makes of this process, and records how it ended. Returns the
/// exit status for the process to end with at once; the record is [`PeState::Finished`] when all PEs
/// have succeeded.
pub(super) fn run(
    join: impl FnOnce() -> Result<Joined, Error>,
    body: impl FnOnce(&World) -> Outcome,
) -> ExitCode {
    let ended = panic::catch_unwind(AssertUnwindSafe(|| match join() {
        Ok(member) => member.end(body(&World::new(member.runtime()))),
        Err(_) => ExitCode::FAILURE, // reported, or recorded
    }));
    ended.unwrap_or_else(|payload| {
        record_panic(Some(payload.as_ref()));
        // Dropping the payload would run the user's code once more, which may panic again.
        std::mem::forget(payload);
        ExitCode::from(PANICKED)
    })
}

/// Writes to the disk what this PE has printed, if it prints to a file: at the exit of the process,
/// nobody would be told that the last of it is lost.
fn write_out() -> io::Result<()> {
    let is_file = fstat(io::stdout()).is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_file());
    if !is_file {
        return Ok(());
    }
    // Another thread may hold the stream for ever. An exit does not wait for it, and so no end of a
    // job does.
    let (sender, receiver) = mpsc::channel();
    let flush = move || sender.send(io::stdout().flush());
    let Ok(thread) = thread::Builder::new().spawn(flush) else { return Ok(()) };
    let Ok(written) = receiver.recv_timeout(TO_WRITE_OUT) else { return Ok(()) };
    // So that this PE has one thread again, if it had.
    let _ = thread.join();
    written
}

/// Ends this process when the supervisor ends. The supervisor in turn notices the end of this
/// process by the closing of the life-line, of which this process keeps a copy open until then.
fn bind_lives(lifeline: &UnixStream, job: &Job) -> Result<(), Error> {
    let copy = lifeline.try_clone().map_err(|source: io::Error| Error::System {
        what: String::from("cannot copy the descriptor of the life-line"),
        source,
    })?;
    job.system.die_with_supervisor(job.supervisor, copy.into())
}

/// Records the place and message of every panic, before the program's own hook runs: most panics
/// reach the top of the PE, or abort it.
fn record_panics(status: &'static PeStatus) {
    let before = panic::take_hook();
    // The last one, by its thread. Two threads can panic at once; their texts must not be mixed.
    let last: Mutex<Option<(ThreadId, String)>> = Mutex::new(None);
    panic::set_hook(Box::new(move |info| {
        {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            let (thread, mut text) = (thread::current().id(), describe(info));
            if let Some((other, reason)) = last.take()
                && other != thread
                && passes_on(info)
            {
                text = format!("{reason}; then at {text}");
            }
            status.set_text(&text);
            *last = Some((thread, text));
        }
        // A failure of a stream, which the program is told by the next `synchronize`. What must end the
        // job ends it with the text above.
        #[cfg(feature = "gpu")]
        if shmem_gpu::kernel::takes(info) || shmem_gpu::worker::place().is_some() {
            return;
        }
        before(info);
    }));
}

/// Whether this is the panic of a thread that has joined one that had panicked: its text says nothing of
/// the reason.
fn passes_on(info: &PanicHookInfo<'_>) -> bool {
    let message = message(info.payload());
    // `std::thread::scope` says the first; the result of a `join`, unwrapped, ends with the second.
    message == "a scoped thread panicked" || message.ends_with("Any { .. }")
}

/// `src/main.rs:3:5: the message`.
fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = message(info.payload());
    match info.location() {
        Some(place) => format!("{place}: {message}"),
        None => message.to_owned(),
    }
}
