//! One PE: joins the job, runs the user's function, and records how that ended.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use crate::World;
use crate::runtime;
use crate::system::error::Error;
use crate::system::process::{PANICKED, become_pe, message};
use crate::system::status::{PeState, PeStatus, TEXT};
use crate::transport::Endpoint;
use crate::transport::smp::SmpTransport;
use crate::transport::smp::segment::Segment;

use super::Outcome;
use super::job::{Descriptors, Job};

/// Runs `body` as one PE of `job`, on this machine. Returns the exit status for the process to end
/// with at once.
pub(super) fn run(job: &Job, descriptors: Descriptors, body: impl FnOnce(&World) -> Outcome) -> ExitCode {
    let Descriptors { memory, lifeline } = descriptors;
    let joined = become_pe(|| {
        bind_lives(&lifeline, job)?;
        let transport =
            SmpTransport::new(Segment::attach(job.system, memory, job.pe, job.npes, job.heap)?, job.pe);
        let status = transport.segment().status(job.pe);
        Ok((transport, status))
    });
    let (transport, status) = match joined {
        Ok(joined) => joined,
        Err(error) => {
            // There is no shared memory to leave the reason in. The supervisor reads it here and
            // reports it once for all PEs; if the write fails, the supervisor is gone, and so is
            // the job.
            let _ = (&lifeline).write_all(error.to_string().as_bytes());
            return ExitCode::FAILURE;
        }
    };
    drop(lifeline); // its copy lasts as long as the process
    run_as_pe(transport.endpoint(), status, body)
}

/// Runs `body` as the PE whose endpoint is `endpoint`, and records in `status` how it ended.
/// Returns the exit status for the process to end with at once; the record is [`PeState::Finished`]
/// when all PEs have succeeded.
pub(super) fn run_as_pe(
    endpoint: Endpoint,
    status: &'static PeStatus,
    body: impl FnOnce(&World) -> Outcome,
) -> ExitCode {
    record_panics(status);

    let (pe, npes) = (endpoint.facts.my_pe, endpoint.facts.n_pes);
    let ended = panic::catch_unwind(AssertUnwindSafe(|| {
        let world = match runtime::start(endpoint) {
            Ok(runtime) => World::new(runtime),
            Err(error) => {
                status.set_text(&error.to_string());
                status.set(PeState::NoStart);
                return ExitCode::FAILURE;
            }
        };
        status.set(PeState::Running);
        let outcome = body(&world);
        if outcome.code == ExitCode::SUCCESS && outcome.failure.is_none() {
            // Collective: no PE leaves while another PE may still use its memory, or wait for it.
            status.advance(PeState::Leaving);
            runtime::finish();
            status.advance(PeState::Finished);
            return ExitCode::SUCCESS;
        }
        let text = outcome.failure.unwrap_or_default();
        if text.len() > TEXT {
            // The record, and with it the report, holds only the beginning of the text.
            eprintln!("shmem: PE {pe} of {npes} returned an error: {text}");
        }
        status.set_text(&text);
        status.set(PeState::Failed);
        outcome.code
    }));
    ended.unwrap_or_else(|payload| {
        if status.text().is_empty() {
            // The hook has recorded no text: `resume_unwind` calls no panic hook.
            status.set_text(&format!("an unknown place: {}", message(payload.as_ref())));
        }
        status.set(PeState::Panicked);
        // Dropping the payload would run the user's code once more, which may panic again.
        std::mem::forget(payload);
        ExitCode::from(PANICKED)
    })
}

/// Ends this process when the supervisor ends. The supervisor in turn notices the end of this
/// process by the closing of the life-line, of which this process keeps a copy open until then.
fn bind_lives(lifeline: &UnixStream, job: &Job) -> Result<(), Error> {
    let copy = lifeline.try_clone().map_err(|source: io::Error| Error::System {
        what: String::from("cannot copy the descriptor of the life-line"),
        source,
    })?;
    job.system.die_with_parent(job.parent, copy.into())
}

/// Records the place and message of every panic, before the program's own hook runs: most panics
/// reach the top of the PE, or abort it.
fn record_panics(status: &'static PeStatus) {
    let before = panic::take_hook();
    // Two threads can panic at once; their texts must not be mixed.
    let one_at_a_time = Mutex::new(());
    panic::set_hook(Box::new(move |info| {
        {
            let _guard = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
            status.set_text(&describe(info));
        }
        before(info);
    }));
}

/// `src/main.rs:3:5: the message`.
fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = message(info.payload());
    match info.location() {
        Some(place) => format!("{place}: {message}"),
        None => message.to_owned(),
    }
}
