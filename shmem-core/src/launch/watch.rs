//! The one loop that watches a job: it reads the output of the processes, reaps them, ends the job
//! when it fails or is late, and reports why.
//!
//! The [supervisor](super::supervisor) watches the PEs of this machine, the `starter` the launcher
//! of a C library. Both are [`JobProcesses`]. One thread and one `poll` serve all processes of a job.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};

use super::supervisor::{Failure, Test};

/// How long to wait for a process that has closed its descriptors, and is about to end.
const SHORT_TICK: Duration = Duration::from_millis(1);

/// The processes of a job that this process has started. An implementation stops them when it is
/// dropped.
pub(super) trait JobProcesses {
    /// How often [`look`](JobProcesses::look) checks what no descriptor shows.
    const TICK: Duration;
    /// Names a descriptor.
    type Source: Copy;
    /// How the job has ended.
    type End;

    /// Reaps processes that have ended; `None` while the job goes on. `ticking` is true once in
    /// each [`TICK`](JobProcesses::TICK).
    fn look(&mut self, ticking: bool) -> Option<Self::End>;
    /// Whether a process is about to end, which no descriptor will show.
    fn is_closing(&self) -> bool;
    /// The descriptors to poll.
    fn sources(&self) -> Vec<(Self::Source, PollFd<'_>)>;
    /// Reads from a source that has something, or has been closed. If it removes the source, the
    /// names of those before it in [`sources`](JobProcesses::sources) stay valid.
    fn hear(&mut self, source: Self::Source);
    /// Ends the remaining processes, and passes on the output of all.
    fn stop(&mut self);
    /// The processes that have not ended, for the report of a test that is late.
    fn unfinished(&self) -> String;
    /// The result of a job with this end, after it is stopped.
    fn verdict(&self, end: Self::End) -> Result<(), Failure>;
    /// Adds the processes' reports to `text`.
    fn with_reports(&self, text: String) -> String {
        text
    }
}

/// Watches `job`, which began at `started`, to its end or to the limit of `test`. No process of it
/// is left then.
pub(super) fn run<J: JobProcesses>(
    mut job: J,
    test: Option<Test<'_>>,
    started: Instant,
) -> Result<(), Failure> {
    let deadline = test.map(|test| started + test.limit);
    if let Some(end) = watch(&mut job, deadline) {
        job.stop();
        return job.verdict(end);
    }
    let late = test.map(|test| test.late()).unwrap_or_default();
    let text = format!("{late}; {}", job.unfinished());
    job.stop();
    Err(Failure { text: job.with_reports(text), status: 1 })
}

/// Polls until the job has ended; `None` if it has not by `deadline`.
pub(super) fn watch<J: JobProcesses>(job: &mut J, deadline: Option<Instant>) -> Option<J::End> {
    let mut next_tick = Instant::now() + J::TICK;
    loop {
        let now = Instant::now();
        let ticking = now >= next_tick;
        if ticking {
            next_tick = now + J::TICK;
        }
        if let Some(end) = job.look(ticking) {
            return Some(end);
        }
        if deadline.is_some_and(|deadline| now >= deadline) {
            return None;
        }
        let until = deadline.map_or(next_tick, |deadline| deadline.min(next_tick));
        let patience = until.saturating_duration_since(now);
        listen(job, if job.is_closing() { patience.min(SHORT_TICK) } else { patience });
    }
}

/// Sleeps until a source has data, at most for `patience`.
fn listen<J: JobProcesses>(job: &mut J, patience: Duration) {
    let (sources, mut fds): (Vec<_>, Vec<_>) = job.sources().into_iter().unzip();
    let patience = Timespec::try_from(patience).ok();
    // Interrupted, or out of kernel memory: the caller calls again.
    if poll(&mut fds, patience.as_ref()).unwrap_or(0) == 0 {
        return;
    }
    let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
    // From the back: removing a source leaves the names of those before it as they are.
    for (source, _) in sources.into_iter().zip(ready).rev().filter(|(_, ready)| *ready) {
        job.hear(source);
    }
}
