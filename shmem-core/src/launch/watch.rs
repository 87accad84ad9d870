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
    /// Whether a debugger is attached to a process, or one waits for it. No time passes for a test
    /// meanwhile.
    fn is_debugged(&self) -> bool {
        false
    }
    /// The processes that have not ended, for the report of a test that is late.
    fn unfinished(&mut self) -> String;
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

/// Polls until the job has ended; `None` if it has not by `deadline`, which is later by the time in
/// which the job is debugged.
pub(super) fn watch<J: JobProcesses>(job: &mut J, mut deadline: Option<Instant>) -> Option<J::End> {
    let mut next_tick = Instant::now() + J::TICK;
    let mut debugged = false;
    let mut looked = Instant::now();
    loop {
        let now = Instant::now();
        let ticking = now >= next_tick;
        if ticking {
            next_tick = now + J::TICK;
        }
        if let Some(end) = job.look(ticking) {
            return Some(end);
        }
        if let Some(limit) = deadline
            && (ticking || (now >= limit && !debugged))
        {
            debugged = job.is_debugged();
            deadline = Some(if debugged { limit + (now - looked) } else { limit });
            looked = now;
        }
        // While the job is debugged, the next tick moves the limit.
        let limit = deadline.filter(|_| !debugged);
        if limit.is_some_and(|limit| now >= limit) {
            return None;
        }
        let until = limit.map_or(next_tick, |limit| limit.min(next_tick));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A job that is debugged when it is looked at for the first times.
    struct Debugged {
        times: u32,
        looked: Cell<u32>,
        ends: bool,
    }

    impl JobProcesses for Debugged {
        const TICK: Duration = Duration::from_millis(1);
        type Source = ();
        type End = ();

        fn look(&mut self, _ticking: bool) -> Option<()> {
            (self.ends && self.looked.get() >= self.times).then_some(())
        }
        fn is_closing(&self) -> bool {
            false
        }
        fn sources(&self) -> Vec<((), PollFd<'_>)> {
            Vec::new()
        }
        fn hear(&mut self, (): ()) {}
        fn stop(&mut self) {}
        fn is_debugged(&self) -> bool {
            self.looked.set(self.looked.get() + 1);
            self.looked.get() <= self.times
        }
        fn unfinished(&mut self) -> String {
            String::new()
        }
        fn verdict(&self, (): ()) -> Result<(), Failure> {
            Ok(())
        }
    }

    #[test]
    fn no_time_passes_for_a_job_that_is_debugged() {
        for times in [0, 1, 20] {
            for ends in [true, false] {
                // The limit is over at the beginning.
                let mut job = Debugged { times, looked: Cell::new(0), ends };
                let end = watch(&mut job, Some(Instant::now()));
                assert_eq!(end.is_some(), ends, "{times}");
                assert!(job.looked.get() >= times, "{times}");
            }
        }
    }
}
