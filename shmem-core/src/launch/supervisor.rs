//! The parent of a job: starts the PEs, waits for all of them, and ends the job as soon as one of them fails.
//!
//! One thread and one `poll` serve all PEs. A PE holds one end of a socket, its life-line, and the supervisor
//! the other: that end reports "closed" when the process is gone, whatever ended it. Only the supervisor's own
//! children are ever waited for, one by one, so that several jobs can run in one process, as tests do.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::system::error::Error;
use crate::system::os::System;
use crate::transport::smp::segment::Segment;

use super::job::{self, Job};
use super::output::{Output, take_the_rest};
use super::report::{Evidence, report};
use crate::system::status::State;

/// How often the supervisor looks at what no descriptor tells: a PE whose life-line is held open by a process
/// that it forked, and a PE that has recorded its failure but does not manage to exit.
const TICK: Duration = Duration::from_millis(250);
/// The same while a life-line is closed and its process not yet reaped: it is about to be.
const SHORT_TICK: Duration = Duration::from_millis(1);
/// How long a PE that has recorded its failure may take to exit, on a machine that may have other things to do: what it has printed is
/// written out then, and its exit status is that of the job.
const TO_EXIT: Duration = Duration::from_secs(10);
/// Descriptors that the process needs beside those of the PEs.
const SPARE_FDS: u64 = 64;

/// The job to run.
pub(super) struct Plan<'a> {
    /// How many PEs.
    pub(super) npes: usize,
    /// Bytes of symmetric heap on each PE.
    pub(super) heap: usize,
    /// The form of the system layer.
    pub(super) system: System,
    /// Whether to say what the job is made of.
    pub(super) debug: bool,
    /// The test to run; a program's job has none.
    pub(super) test: Option<Test<'a>>,
}

/// What a job that runs a test knows beside.
#[derive(Clone, Copy)]
pub(super) struct Test<'a> {
    /// The name that the test harness knows the test by.
    pub(super) name: &'a str,
    /// How long it may take.
    pub(super) limit: Duration,
}

impl<'a> Test<'a> {
    /// What a copy of the test harness is asked for, so that it runs this test and adds little to what it prints.
    pub(super) fn arguments(&self) -> [&'a str; 7] {
        let name = self.name;
        [
            name,
            "--exact",
            "--include-ignored",
            "--nocapture",
            "--quiet",
            // On the first thread of the process, alone.
            "--test-threads=1",
            "--color=never",
        ]
    }

    /// What is said of a test that has not ended in time.
    pub(super) fn late(&self) -> String {
        let limit = self.limit.as_secs();
        format!("the test did not end within {limit} s (SHMEM_TEST_TIMEOUT sets the limit)")
    }
}

/// Why a job failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// The report.
    pub(super) text: String,
    /// The exit status that it calls for; never 0.
    pub(super) status: u8,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { text: error.to_string(), status: 1 }
    }
}

/// Runs a job to its end. No PE is left when this returns or unwinds.
pub(super) fn run(plan: &Plan<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    // Of each PE its life-line, and in a test its two streams.
    let per_pe = if plan.test.is_some() { 3 } else { 1 };
    let room = Reservation::new(plan.npes, plan.npes * per_pe)?;
    let segment = Segment::create(plan.system, plan.npes, plan.heap)?;
    if plan.debug {
        eprintln!("shmem: {}", describe(plan, &segment));
    }
    let mut crew = Crew { plan, room, segment, pes: Vec::with_capacity(plan.npes) };
    crew.start()?;
    crew.watch(started)
}

/// What the job is made of.
fn describe(plan: &Plan<'_>, segment: &Segment) -> String {
    format!(
        "{} PEs on {} cores, {} bytes of symmetric heap each, system layer {}, huge pages {}",
        plan.npes,
        segment.cores(),
        plan.heap,
        plan.system.name(),
        if segment.huge_pages() {
            "granted by the system's setting"
        } else {
            "not granted by the system's setting"
        },
    )
}

/// The PEs of one job, in order. Dropping it ends those that are left.
struct Crew<'a> {
    plan: &'a Plan<'a>,
    room: Reservation,
    segment: Segment,
    pes: Vec<Pe>,
}

/// One PE, as its supervisor sees it.
struct Pe {
    child: Child,
    /// The supervisor's end of the life-line, until the other end is closed.
    lifeline: Option<UnixStream>,
    /// What came through the life-line: why the PE could not join the job.
    said: Vec<u8>,
    /// The streams that are still open, if they are captured.
    outputs: Vec<Output>,
    /// Whether the process has been reaped.
    gone: bool,
    /// How it ended; `None` when somebody else has taken its status.
    end: Option<ExitStatus>,
    /// Whether the supervisor has killed it.
    killed: bool,
    /// When a tick first found that it has recorded a failure.
    failing: Option<Instant>,
}

/// What of a PE a descriptor belongs to.
#[derive(Clone, Copy)]
enum Source {
    Lifeline,
    Output(usize),
}

impl Crew<'_> {
    /// Starts all PEs.
    fn start(&mut self) -> Result<(), Error> {
        let program = program()?;
        let object = job::object(self.segment.fd())
            .map_err(|errno| system("cannot inspect the job's memory", errno.into()))?;
        for pe in 0..self.plan.npes {
            self.spawn(pe, &program, object).map_err(|source| {
                let limit =
                    getrlimit(Resource::Nproc).current.filter(|_| source.kind() == io::ErrorKind::WouldBlock);
                let why = match limit {
                    Some(limit) => format!(
                        "this user may have {limit} processes and threads at a time; end some, raise the limit (ulimit -u), or \
                         set SHMEM_NPES to fewer"
                    ),
                    None => "fewer can be had with SHMEM_NPES".to_owned(),
                };
                system(&format!("cannot start PE {pe} of {}: {why}", self.plan.npes), source)
            })?;
        }
        Ok(())
    }

    /// Starts one PE: a copy of this process's program with the same arguments, or a copy of the test harness
    /// that runs one test.
    fn spawn(&mut self, pe: usize, program: &PathBuf, object: (u64, u64)) -> io::Result<()> {
        let Plan { npes, heap, system, test, debug: _ } = *self.plan;
        // Both ends are close-on-exec: no other process that is spawned meanwhile keeps them.
        let (ours, theirs) = UnixStream::pair()?;
        let memory = self.segment.fd().as_raw_fd();
        let job = Job {
            pe,
            npes,
            heap,
            memory,
            object,
            lifeline: theirs.as_raw_fd(),
            parent: rustix::process::getpid(),
            system,
            test: test.map(|test| test.name.to_owned()),
        };

        let mut command = Command::new(program);
        let mut args = std::env::args_os();
        command.arg0(args.next().unwrap_or_else(|| OsString::from(program)));
        command.env(job::VARIABLE, job.encode());
        match test {
            None => {
                command.args(args);
                // What is typed goes to PE 0; the others would fight for it.
                command.stdin(if pe == 0 { Stdio::inherit() } else { Stdio::null() });
            }
            Some(test) => {
                command.args(test.arguments());
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            }
        }
        let inherited = [memory, job.lifeline];
        let former_limit = self.room.former;
        // SAFETY: between fork and exec the closure makes system calls and nothing else: it allocates nothing
        // and takes no lock, so the state in which other threads of the parent were copied does not matter.
        unsafe {
            command.pre_exec(move || {
                for fd in inherited {
                    // This process only: in the parent both stay close-on-exec.
                    keep_over_exec(fd)?;
                }
                if let Some(limit) = former_limit {
                    setrlimit(Resource::Nofile, limit)?;
                }
                Ok(())
            });
        }
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().map(|pipe| Output::stdout(pe, pipe));
        let stderr = child.stderr.take().map(|pipe| Output::stderr(pe, pipe));
        self.pes.push(Pe {
            child,
            lifeline: Some(ours),
            said: Vec::new(),
            outputs: stdout.into_iter().chain(stderr).collect(),
            gone: false,
            end: None,
            killed: false,
            failing: None,
        });
        Ok(())
    }

    /// Waits until every PE has finished, or one has failed, or the time is up.
    fn watch(&mut self, started: Instant) -> Result<(), Failure> {
        let deadline = self.plan.test.map(|test| started + test.limit);
        let mut next_tick = Instant::now() + TICK;
        loop {
            let now = Instant::now();
            let ticking = now >= next_tick;
            if ticking {
                next_tick = now + TICK;
            }
            if let Some(first) = self.look(ticking) {
                return self.end(first);
            }
            if self.pes.iter().all(|pe| pe.gone) {
                self.pass_on_the_rest();
                return Ok(());
            }
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Err(self.end_late());
            }
            let closing = self.pes.iter().any(|pe| !pe.gone && pe.lifeline.is_none());
            let until = deadline.map_or(next_tick, |deadline| deadline.min(next_tick));
            let patience = until.saturating_duration_since(now);
            self.listen(if closing { patience.min(SHORT_TICK) } else { patience });
        }
    }

    /// Reaps who is gone, and answers with the first PE that has failed. Looks only at those whose life-line
    /// is closed, or at all on a tick.
    fn look(&mut self, ticking: bool) -> Option<usize> {
        for rank in 0..self.pes.len() {
            let pe = &mut self.pes[rank];
            if pe.gone || !(ticking || pe.lifeline.is_none()) {
                continue;
            }
            match pe.child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => pe.reaped(Some(status)),
                // Somebody has reaped our child, or SIGCHLD is ignored: it is gone all the same.
                Err(_) => pe.reaped(None),
            }
            if pe.gone {
                if self.evidence(rank).fault(self.test_name()).is_some() {
                    return Some(rank);
                }
            } else if ticking && self.segment.status(rank).state().is_failure() {
                // Exiting can take for ever: a destructor may wait for another PE.
                if self.pes[rank].failing.get_or_insert_with(Instant::now).elapsed() >= TO_EXIT {
                    return Some(rank);
                }
            }
        }
        None
    }

    /// Sleeps until a PE prints, speaks or goes, at most for `patience`.
    fn listen(&mut self, patience: Duration) {
        let mut sources = Vec::new();
        let mut fds = Vec::new();
        for (rank, pe) in self.pes.iter().enumerate() {
            if let Some(lifeline) = &pe.lifeline {
                sources.push((rank, Source::Lifeline));
                fds.push(PollFd::new(lifeline, PollFlags::IN));
            }
            for (which, output) in pe.outputs.iter().enumerate() {
                sources.push((rank, Source::Output(which)));
                fds.push(PollFd::new(output, PollFlags::IN));
            }
        }
        let patience = Timespec::try_from(patience).ok();
        // Interrupted, or out of kernel memory: the caller comes back, and looks again.
        let ready = poll(&mut fds, patience.as_ref()).unwrap_or(0);
        if ready == 0 {
            return;
        }
        let events: Vec<PollFlags> = fds.iter().map(PollFd::revents).collect();
        // From the back, so that closing one output leaves the numbers of the others of this PE as they are.
        for ((rank, source), events) in sources.into_iter().zip(events).rev() {
            if events.is_empty() {
                continue;
            }
            let pe = &mut self.pes[rank];
            match source {
                Source::Lifeline => pe.hear(),
                Source::Output(which) => {
                    if pe.outputs[which].pass_on() == 0 {
                        pe.outputs.remove(which);
                    }
                }
            }
        }
    }

    /// Passes on what the pipes still hold, once all PEs are gone.
    fn pass_on_the_rest(&mut self) {
        for mut output in self.pes.iter_mut().flat_map(|pe| pe.outputs.drain(..)) {
            take_the_rest(&mut output, Output::pass_on);
        }
    }

    /// Ends the job because PE `first` has failed, and says why; or because a PE wants it to end.
    fn end(&mut self, first: usize) -> Result<(), Failure> {
        self.kill();
        self.pass_on_the_rest();
        // The PE that failed first, then those that failed before they could be stopped.
        let others = (0..self.pes.len()).filter(|rank| *rank != first);
        let faults: Vec<_> = std::iter::once(first)
            .chain(others)
            .filter_map(|rank| Some((rank, self.evidence(rank).fault(self.test_name())?)))
            .collect();
        match report(self.plan.npes, &faults) {
            Some((_, 0)) => Ok(()),
            Some((text, status)) => Err(Failure { text, status }),
            None => Err(Failure { text: format!("PE {first} of {} failed", self.plan.npes), status: 1 }),
        }
    }

    /// Ends a test that takes too long.
    fn end_late(&mut self) -> Failure {
        let late = self.plan.test.map(|test| test.late()).unwrap_or_default();
        let mut waiting = Vec::new();
        for (rank, _) in self.pes.iter().enumerate().filter(|(_, pe)| !pe.gone) {
            let doing = match self.segment.status(rank).state() {
                State::Starting => " (has not joined)",
                State::Leaving => " (has returned, and waits for the others)",
                State::Finished => " (has finished, does not exit)",
                _ => "",
            };
            waiting.push(format!("{rank}{doing}"));
        }
        self.kill();
        self.pass_on_the_rest();
        let text =
            format!("{late}; of {} PEs these were still running: {}", self.plan.npes, waiting.join(", "));
        Failure { text, status: 1 }
    }

    /// Kills and reaps every PE that is left.
    fn kill(&mut self) {
        for pe in self.pes.iter_mut().filter(|pe| !pe.gone) {
            pe.killed = true;
            // It may be gone already, which is what we want.
            let _ = pe.child.kill();
        }
        for pe in self.pes.iter_mut().filter(|pe| !pe.gone) {
            let end = pe.child.wait().ok();
            // What it said before it died.
            pe.hear_the_rest();
            pe.reaped(end);
        }
    }

    fn evidence(&self, rank: usize) -> Evidence {
        let pe = &self.pes[rank];
        let status = self.segment.status(rank);
        Evidence {
            state: status.state(),
            text: status.text(),
            said: String::from_utf8_lossy(&pe.said).into_owned(),
            end: pe.end,
            killed: pe.killed,
        }
    }

    fn test_name(&self) -> Option<&str> {
        self.plan.test.map(|test| test.name)
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Pe {
    /// Reads what came through the life-line, and notices its end.
    fn hear(&mut self) {
        let Some(lifeline) = &mut self.lifeline else {
            return;
        };
        let mut chunk = [0; 4096];
        match lifeline.read(&mut chunk) {
            Ok(0) => self.lifeline = None,
            Ok(len) => self.said.extend_from_slice(&chunk[..len]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.lifeline = None,
        }
    }

    /// Reads what came through the life-line of a process that is gone.
    fn hear_the_rest(&mut self) {
        if let Some(lifeline) = &self.lifeline {
            // A fork of the PE may still hold the other end.
            let _ = lifeline.set_nonblocking(true);
        }
        while self.lifeline.is_some() {
            self.hear();
        }
    }

    fn reaped(&mut self, end: Option<ExitStatus>) {
        self.hear_the_rest();
        self.gone = true;
        self.end = end;
    }
}

/// The program of this process, to be started again.
///
/// The path is used where it still leads to the same file, so that tools show the program's name; the file may
/// have been replaced by a new build since, and then the system's link to the running one is taken.
pub(super) fn program() -> Result<PathBuf, Error> {
    let running = PathBuf::from("/proc/self/exe");
    let path =
        std::env::current_exe().map_err(|source| system("cannot find the program to start again", source))?;
    let file = |path: &PathBuf| File::open(path)?.metadata().map(|found| (found.dev(), found.ino()));
    match (file(&path), file(&running)) {
        (Ok(found), Ok(wanted)) if found != wanted => Ok(running),
        (Err(_), Ok(_)) => Ok(running),
        _ => Ok(path),
    }
}

/// What all jobs of this process hold: tests run several at once.
struct Held {
    descriptors: usize,
    /// The limit before it was raised, if it had to be. The PEs are given it back.
    former: Option<Rlimit>,
}

static HELD: Mutex<Held> = Mutex::new(Held { descriptors: 0, former: None });

/// The descriptors that one job needs, until it is dropped.
struct Reservation {
    descriptors: usize,
    former: Option<Rlimit>,
}

impl Reservation {
    /// Makes room for the descriptors of a job of `npes` PEs, raising the limit as far as that is allowed.
    fn new(npes: usize, descriptors: usize) -> Result<Reservation, Error> {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = getrlimit(Resource::Nofile);
        let wanted = (held.descriptors + descriptors) as u64 + SPARE_FDS;
        if let Some(current) = limit.current.filter(|current| *current < wanted) {
            let refused = |errno: Errno| {
                let what = format!(
                    "a job of {npes} PEs needs about {wanted} open files, and the limit is {current}; raise it \
                     (ulimit -n {wanted}) or set SHMEM_NPES to fewer"
                );
                system(&what, errno.into())
            };
            if limit.maximum.is_some_and(|maximum| maximum < wanted) {
                return Err(refused(Errno::MFILE));
            }
            let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
            setrlimit(Resource::Nofile, raised).map_err(refused)?;
            held.former.get_or_insert(limit);
        }
        held.descriptors += descriptors;
        Ok(Reservation { descriptors, former: held.former })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        HELD.lock().unwrap_or_else(PoisonError::into_inner).descriptors -= self.descriptors;
    }
}

/// Lets this process keep `fd` when it becomes another program. For use between fork and exec.
fn keep_over_exec(fd: RawFd) -> io::Result<()> {
    // SAFETY: the descriptors that come here are the segment's and the life-line's, open in the parent while it
    // spawns, and thus open in its copy.
    let fd = unsafe { BorrowedFd::borrow_raw(fd) };
    Ok(fcntl_setfd(fd.as_fd(), FdFlags::empty())?)
}

pub(super) fn system(what: &str, source: io::Error) -> Error {
    Error::System { what: what.to_owned(), source }
}
