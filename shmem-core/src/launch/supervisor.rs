//! The parent of a job: starts the PEs, [watches](super::watch) them, and ends the job when one of
//! them fails.
//!
//! A socket, the life-line, joins each PE to the supervisor. The supervisor's end reports "closed"
//! when the process has ended, whatever ended it. The supervisor waits for its own children alone,
//! one by one: several jobs can run in one process, as they do in tests.

use std::ffi::c_int;
use std::fmt;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, setrlimit};

use crate::system::env::Env;
use crate::system::error::Error;
use crate::system::os::System;
use crate::system::status::PeState;
use crate::transport::node::waits;
use crate::transport::smp::segment::Segment;

use super::bind::{Processors, bind};
use super::core_file;
use super::debugger::{Debuggers, is_traced};
use super::forward::Forwarding;
use super::inspect::Processes;
use super::interrupts::Interrupts;
use super::job::{self, Job};
use super::names::JobName;
use super::observer::{About, Observer};
use super::output::{Labelled, Output, Printing, Streams, Unprinted};
use super::program::Program;
use super::quit;
use super::races::{self, RACED, Search};
use super::report::{Evidence, Fault, report};
use super::table::table;
use super::timeline::Recording;
use super::watch::{self, JobProcesses};

/// How long a PE that has recorded its failure may take to exit. While it exits it writes out what
/// it has printed, and its exit status is that of the job. A machine with other work to do may need
/// this long.
const TO_EXIT: Duration = Duration::from_secs(10);
/// How long the supervisor waits to be told of the end of a process that a debugger traces.
const TO_BE_TOLD: Duration = Duration::from_secs(2);
/// Descriptors that the process needs in addition to those of the PEs.
const SPARE_FDS: u64 = 64;

/// The job to run.
pub(super) struct Plan<'a> {
    /// What each PE runs.
    pub(super) program: Program,
    /// How many PEs.
    pub(super) npes: usize,
    /// Bytes of symmetric heap on each PE.
    pub(super) heap: usize,
    /// The form of the system layer.
    pub(super) system: System,
    /// The variables of the environment.
    pub(super) env: &'a Env,
    /// The test to run; a program's job has none.
    pub(super) test: Option<Test<'a>>,
}

/// The test that a job runs.
#[derive(Clone, Copy)]
pub(super) struct Test<'a> {
    /// The name that the test harness knows the test by.
    pub(super) name: &'a str,
    /// How long it may take.
    pub(super) limit: Duration,
    /// Whether its attribute has `races`.
    pub(super) races: bool,
}

impl Plan<'_> {
    /// The name of the job.
    fn job_name(&self) -> JobName {
        self.test.map_or_else(|| self.program.job_name(), |test| JobName::of_test(test.name))
    }

    /// What those are told who ask about the job.
    fn about(&self, started: Instant) -> About {
        About {
            name: self.test.map_or_else(|| self.program.name(), |test| test.name.to_owned()),
            is_test: self.test.is_some(),
            npes: self.npes,
            transport: "smp",
            program: self.program.file().to_string(),
            started,
        }
    }
}

impl<'a> Test<'a> {
    /// The arguments that make a copy of the test harness run this test alone and print little
    /// else.
    pub(super) fn arguments(&self) -> [&'a str; 7] {
        let name = self.name;
        [
            name,
            "--exact",
            "--include-ignored",
            "--nocapture",
            "--quiet",
            // No other test beside it. The harness's own thread sleeps until the test has ended.
            "--test-threads=1",
            "--color=never",
        ]
    }

    /// The report of a test that has not ended in time.
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

/// Runs a job to its end. No process that it has started is left when this returns or unwinds. A PE
/// that such a process has started ends by its life-line.
pub(super) fn run(plan: &Plan<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    let job = plan.job_name();
    let printing = match plan.test {
        None => Printing::of_program(&plan.env.output, job.clone(), plan.npes)?,
        Some(_) => Printing::Harness,
    };
    let processors = match plan.test {
        // Several tests run at once, and would all use the same processors.
        None if plan.env.bind => Some(Processors::of_this_process()?),
        _ => None,
    };
    let debuggers = match &plan.env.debugger {
        Some(wish) => Debuggers::of(wish, plan.npes, plan.test.is_some())?,
        None => None,
    };
    // The life-line of each PE, and what it prints.
    let room = Reservation::new(plan.npes, plan.npes * (1 + printing.descriptors()))?;
    let segment = Segment::create(plan.system, plan.npes, plan.heap)?;
    if plan.env.debug {
        eprintln!("shmem: {}", describe(plan, &segment));
    }
    let pes = Vec::with_capacity(plan.npes);
    let races = plan.env.races.form(plan.test.is_some_and(|test| test.races));
    let races = races.map(|form| Search::begin(plan.system, plan.npes, form)).transpose()?;
    let About { name, is_test, .. } = plan.about(started);
    let Env { trace, trace_slices, .. } = plan.env;
    let recording = trace
        .as_ref()
        .map(|wish| Recording::begin(plan.system, plan.npes, wish, *trace_slices, (&name, is_test)))
        .transpose()?;
    // Whoever interrupts a job wants its trace all the same.
    let interrupts = recording.as_ref().filter(|_| plan.test.is_none()).map(|_| Interrupts::hold());
    let mut crew = Crew {
        races,
        recording,
        plan,
        job,
        room,
        segment,
        printing,
        processors,
        debuggers,
        pes,
        missed: None,
        observer: Observer::new(plan.about(started), plan.env, true),
        stopped_by: None,
        table: String::new(),
        unprinted: None,
        raced: None,
    };
    if plan.env.info && plan.test.is_none() {
        eprint!("{}", crew.choices());
    }
    crew.start()?;
    let done = watch::run(crew, plan.test, started);
    // Ends this process, if it was interrupted.
    drop(interrupts);
    done
}

/// Describes the job, for SHMEM_DEBUG.
fn describe(plan: &Plan<'_>, segment: &Segment) -> String {
    format!(
        "{} PEs on {} cores, {} bytes of symmetric heap each, system layer {}, huge pages {}",
        plan.npes,
        segment.cores(),
        plan.heap,
        plan.system.name(),
        if segment.huge_pages() {
            "allowed by the system's setting"
        } else {
            "not allowed by the system's setting"
        },
    )
}

/// The PEs of one job, in order. Dropping it ends those that still run.
struct Crew<'a> {
    plan: &'a Plan<'a>,
    races: Option<Search>,
    recording: Option<Recording>,
    job: JobName,
    room: Reservation,
    segment: Segment,
    printing: Printing,
    processors: Option<Processors>,
    debuggers: Option<Debuggers>,
    pes: Vec<PeProcess>,
    /// The PE that has ended while another one waits for it in the next job.
    missed: Option<usize>,
    observer: Observer,
    /// Why the supervisor ends the job, though no PE has failed.
    stopped_by: Option<Failure>,
    /// What the PEs did when one of them found that it can never go on.
    table: String,
    /// The first output of a PE that the supervisor could not pass on, and why.
    unprinted: Option<Unprinted>,
    /// The races that were found by the end.
    raced: Option<Failure>,
}

/// How a job has ended.
pub(super) enum JobEnd {
    /// All PEs have finished, unless what they print could not be passed on.
    Finished,
    /// This PE was the first to fail.
    Failed(usize),
    /// The supervisor has ended it.
    Stopped(Failure),
}

/// One PE, as its supervisor sees it.
struct PeProcess {
    child: Child,
    /// The supervisor's end of the life-line. It is dropped when the other end is closed.
    lifeline: Option<UnixStream>,
    /// What the PE has written to the life-line: why it could not join the job.
    said: Vec<u8>,
    /// Captured streams that are still open.
    outputs: Vec<Output<Labelled>>,
    /// Whether the process has been reaped.
    gone: bool,
    /// How it ended; `None` if another part of the program has reaped it.
    end: Option<ExitStatus>,
    /// Whether the supervisor has killed it.
    killed: bool,
    /// When the supervisor first saw that it has recorded a failure.
    failing: Option<Instant>,
}

/// A descriptor to poll.
#[derive(Clone, Copy)]
enum JobDescriptor {
    Lifeline(usize),
    /// A stream of a PE.
    Output(usize, usize),
    Control,
}

impl Crew<'_> {
    /// Starts all PEs.
    fn start(&mut self) -> Result<(), Error> {
        let object = job::object(self.segment.fd())
            .map_err(|errno| system("cannot inspect the job's memory", errno.into()))?;
        for pe in 0..self.plan.npes {
            let streams = self.printing.streams(pe)?;
            self.spawn(pe, object, streams).map_err(|source| {
                let limit =
                    getrlimit(Resource::Nproc).current.filter(|_| source.kind() == io::ErrorKind::WouldBlock);
                let why = match limit {
                    Some(limit) => format!(
                        ": this user may have {limit} processes and threads at a time; end some, raise the limit (ulimit -u), \
                         or set SHMEM_NPES to fewer"
                    ),
                    None if is_of_file(&source) => String::new(),
                    None => ": fewer can be had with SHMEM_NPES".to_owned(),
                };
                let Plan { npes, program, .. } = self.plan;
                system(&format!("cannot start PE {pe} of {npes}, {}{why}", program.file()), source)
            })?;
        }
        Ok(())
    }

    /// Starts one PE.
    fn spawn(&mut self, pe: usize, object: (u64, u64), streams: Streams) -> io::Result<()> {
        let Plan { ref program, npes, heap, system, test, env: _ } = *self.plan;
        // Both ends are close-on-exec, so no other process that is spawned meanwhile inherits them.
        let (ours, theirs) = UnixStream::pair()?;
        let memory = self.segment.fd().as_raw_fd();
        let job = Job {
            pe,
            npes,
            heap,
            memory,
            object,
            lifeline: theirs.as_raw_fd(),
            supervisor: rustix::process::getpid(),
            system,
            debugged: self.debuggers.as_ref().is_some_and(|debuggers| debuggers.has(pe)),
            journals: self.races.as_ref().map(|races| races.journals().fd().as_raw_fd()),
            recording: self.recording.as_ref().map(|recording| recording.journals().fd().as_raw_fd()),
            test: test.map(|test| test.name.to_owned()),
        };

        let mut command = program.command(&self.job, pe, npes);
        command.env(job::VARIABLE, job.encode());
        // Only PE 0 of a program reads standard input: several PEs would each get a part of it.
        let reads = pe == 0 && test.is_none();
        command.stdin(if reads { Stdio::inherit() } else { Stdio::null() });
        command.stdout(streams.stdout).stderr(streams.stderr);
        if self.debuggers.as_ref().is_some_and(|debuggers| debuggers.share_the_terminal(pe)) {
            command.process_group(0);
        }
        let inherited = [Some(memory), Some(job.lifeline), job.journals, job.recording];
        let former_limit = self.room.former;
        let processor = self.processors.as_ref().map(|processors| processors.of(pe));
        // SAFETY: between fork and exec the closure makes system calls and nothing else. It
        // allocates nothing and takes no lock, so no state that another thread of the parent left
        // half changed is used. The memory is open in the child, as it is in the parent.
        unsafe {
            command.pre_exec(move || {
                for fd in inherited.into_iter().flatten() {
                    // In the child only: in the parent both stay close-on-exec.
                    keep_over_exec(fd)?;
                }
                quit::ignore();
                // The PE itself does more, once it runs; a signal may stop it before.
                system.die_with_parent()?;
                system.end_with_others_at_start(BorrowedFd::borrow_raw(memory), pe, npes);
                if let Some(limit) = former_limit {
                    setrlimit(Resource::Nofile, limit)?;
                }
                if let Some(processor) = processor {
                    bind(processor)?;
                }
                Ok(())
            });
        }
        self.pes.push(PeProcess {
            child: command.spawn()?,
            lifeline: Some(ours),
            said: Vec::new(),
            outputs: streams.outputs,
            gone: false,
            end: None,
            killed: false,
            failing: None,
        });
        Ok(())
    }

    fn evidence(&self, rank: usize) -> Evidence {
        let pe = &self.pes[rank];
        let status = self.segment.status(rank);
        let hint = self.plan.env.debug || self.plan.env.info;
        Evidence {
            state: status.state(),
            text: status.text(),
            said: String::from_utf8_lossy(&pe.said).into_owned(),
            end: pe.end,
            core: pe.end.map(|end| core_file::of(end, pe.child.id(), hint)).unwrap_or_default(),
            killed: pe.killed,
            missed: self.missed == Some(rank),
        }
    }

    /// Why a PE has failed, if it has.
    fn fault(&self, rank: usize) -> Option<Fault> {
        let fault = self.evidence(rank).fault(self.test_name())?;
        (!self.is_no_pe(rank)).then_some(fault)
    }

    /// Whether a process of another program has ended well, and neither it nor any other has joined the
    /// job: `hostname` has no use for it.
    fn is_no_pe(&self, rank: usize) -> bool {
        let has_ended_well =
            self.pes[rank].end.is_some_and(|end| end.success()) && self.pes[rank].said.is_empty();
        let has_joined = |rank| self.segment.trace(rank).process().is_some();
        self.plan.program.is_any() && has_ended_well && !(0..self.pes.len()).any(has_joined)
    }

    /// A PE that has left a job and ended, if another one has joined again. The last job ends on
    /// all PEs before one of them ends, so no PE is joining its first.
    fn find_missed(&self) -> Option<usize> {
        let joins = |rank: usize| self.segment.status(rank).state() == PeState::Starting;
        let is_missed = (0..self.pes.len()).any(|rank| !self.pes[rank].gone && joins(rank));
        let has_left = |rank: &usize| self.pes[*rank].gone && !joins(*rank);
        (0..self.pes.len()).find(has_left).filter(|_| is_missed)
    }

    /// Passes a signal on to all PEs that there are.
    fn forward(&self, signal: c_int) {
        for (rank, pe) in self.pes.iter().enumerate().filter(|(_, pe)| !pe.gone) {
            // A shell may stand between it and this process.
            let process = self.segment.trace(rank).process().unwrap_or(pe.child.id());
            // SAFETY: a system call that takes any number.
            unsafe { libc::kill(process.cast_signed(), signal) };
        }
    }

    /// What `SHMEM_INFO` tells of each PE.
    fn choices(&self) -> String {
        let line = |pe| {
            let bound =
                self.processors.as_ref().map(|processors| format!("runs on processor {}", processors.of(pe)));
            let chosen: Vec<String> = bound.into_iter().chain(self.printing.describe(pe)).collect();
            (!chosen.is_empty()).then(|| format!("  PE {pe} {}\n", chosen.join(", ")))
        };
        (0..self.plan.npes).filter_map(line).collect()
    }

    /// Starts the debuggers of PEs that wait for them.
    fn attend_debuggers(&mut self) -> Result<(), Error> {
        let Some(debuggers) = &mut self.debuggers else { return Ok(()) };
        debuggers.look()?;
        for (rank, pe) in self.pes.iter().enumerate() {
            if !pe.gone && self.segment.status(rank).state() == PeState::Debugged {
                debuggers.attend(rank, Pid::from_child(&pe.child), &self.job)?;
            }
        }
        Ok(())
    }

    fn test_name(&self) -> Option<&str> {
        self.plan.test.map(|test| test.name)
    }

    fn processes(&self) -> Processes<'_> {
        processes(&self.segment, &self.pes)
    }

    /// The table of what each PE does.
    fn table(&self) -> String {
        table(&self.processes().views(), waits::now())
    }
}

/// The processes that have not ended, and their memory.
fn processes<'s>(segment: &'s Segment, pes: &[PeProcess]) -> Processes<'s> {
    let pes = pes.iter().map(|pe| (!pe.gone).then(|| pe.child.id())).collect();
    Processes { segment, pes }
}

impl JobProcesses for Crew<'_> {
    /// No descriptor shows the end of a PE whose life-line a forked process holds open, nor of one
    /// that has failed and does not exit.
    const TICK: Duration = Duration::from_millis(250);
    type Source = JobDescriptor;
    type End = JobEnd;

    /// Looks at PEs whose life-line is closed, and on a tick at all PEs.
    fn look(&mut self, ticking: bool) -> Option<JobEnd> {
        self.observer.answer_the_signal(|| Some(self.processes()));
        for signal in Forwarding::came() {
            self.forward(signal);
        }
        for rank in 0..self.pes.len() {
            let pe = &mut self.pes[rank];
            if pe.gone || !(ticking || pe.lifeline.is_none()) {
                continue;
            }
            match pe.child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => pe.reaped(Some(status)),
                // Another part of the program has reaped the child, or SIGCHLD is ignored: the
                // child has ended.
                Err(_) => pe.reaped(None),
            }
            if pe.gone {
                if self.fault(rank).is_some() {
                    if self.segment.status(rank).state() == PeState::Stuck {
                        self.table = self.table();
                    }
                    return Some(JobEnd::Failed(rank));
                }
            } else if ticking && self.segment.status(rank).state().is_failure() {
                // An exit may never end: a destructor may wait for another PE.
                if self.pes[rank].failing.get_or_insert_with(Instant::now).elapsed() >= TO_EXIT {
                    return Some(JobEnd::Failed(rank));
                }
            }
        }
        if self.pes.iter().all(|pe| pe.gone) {
            return Some(JobEnd::Finished);
        }
        if ticking {
            // It seemed to be no PE, and another one has joined since.
            let is_late = |rank: &usize| self.pes[*rank].gone && self.fault(*rank).is_some();
            if let Some(rank) = (0..self.pes.len()).find(is_late) {
                return Some(JobEnd::Failed(rank));
            }
            self.missed = self.find_missed();
            if let Err(error) = self.attend_debuggers() {
                self.stopped_by = Some(Failure::from(error));
            }
            // Who looks at a PE in a debugger does not want the job to end meanwhile.
            if self.missed.is_none() && self.stopped_by.is_none() && !self.is_debugged() {
                self.stopped_by = self.observer.inspect(&processes(&self.segment, &self.pes));
            }
        }
        if self.unprinted.is_some() {
            return Some(JobEnd::Finished);
        }
        if let Some(text) = self.races.as_ref().and_then(Search::found) {
            self.stopped_by = Some(races::failure(&text));
        }
        if let Some(signal) = Interrupts::came() {
            self.stopped_by = Some(Failure { text: format!("interrupted by signal {signal}"), status: 1 });
        }
        self.missed.map(JobEnd::Failed).or_else(|| self.stopped_by.take().map(JobEnd::Stopped))
    }

    fn is_closing(&self) -> bool {
        self.pes.iter().any(|pe| !pe.gone && pe.lifeline.is_none())
    }

    fn sources(&self) -> Vec<(JobDescriptor, PollFd<'_>)> {
        let mut sources = Vec::new();
        let read = PollFlags::IN;
        for (rank, pe) in self.pes.iter().enumerate() {
            if let Some(lifeline) = &pe.lifeline {
                sources.push((JobDescriptor::Lifeline(rank), PollFd::new(lifeline, read)));
            }
            for (which, output) in pe.outputs.iter().enumerate() {
                sources.push((JobDescriptor::Output(rank, which), PollFd::new(output, read)));
            }
        }
        let control =
            self.observer.fds().map(|fd| (JobDescriptor::Control, PollFd::from_borrowed_fd(fd, read)));
        sources.extend(control);
        sources
    }

    fn hear(&mut self, source: JobDescriptor) {
        match source {
            JobDescriptor::Lifeline(rank) => self.pes[rank].hear(),
            JobDescriptor::Output(rank, which) => {
                let outputs = &mut self.pes[rank].outputs;
                let ended = outputs[which].pass_on() == 0;
                let refused = outputs[which].sink.refused();
                if ended {
                    outputs.remove(which);
                }
                self.unprinted = self.unprinted.take().or(refused);
            }
            JobDescriptor::Control => {
                let ended = self.observer.answer(Some(&processes(&self.segment, &self.pes)));
                self.stopped_by = self.stopped_by.take().or(ended);
            }
        }
    }

    fn stop(&mut self) {
        for pe in self.pes.iter_mut().filter(|pe| !pe.gone) {
            pe.killed = true;
            // A failure means that it has ended already.
            let _ = pe.child.kill();
        }
        for pe in self.pes.iter_mut().filter(|pe| !pe.gone) {
            let end = pe.wait();
            pe.reaped(end);
        }
        self.processes().wipe_line();
        for output in self.pes.iter_mut().flat_map(|pe| pe.outputs.drain(..)) {
            let refused = output.finish().refused();
            self.unprinted = self.unprinted.take().or(refused);
        }
        if let Some(text) = self.races.as_mut().and_then(Search::finish) {
            self.raced = Some(races::failure(&text));
        }
        if let Some(said) = self.recording.as_mut().and_then(Recording::finish) {
            eprint!("{said}");
        }
    }

    fn is_debugged(&self) -> bool {
        self.pes.iter().enumerate().any(|(rank, pe)| {
            !pe.gone && (self.segment.status(rank).state() == PeState::Debugged || is_traced(pe.child.id()))
        })
    }

    fn unfinished(&mut self) -> String {
        let waiting = self.pes.iter().enumerate().filter(|(_, pe)| !pe.gone).map(|(rank, _)| {
            let doing = match self.segment.status(rank).state() {
                PeState::Starting => " (has not joined)",
                PeState::Debugged => " (waits for a debugger)",
                PeState::Leaving => " (has returned, and waits for the others)",
                PeState::Finished => " (has finished, and does not exit)",
                _ => "",
            };
            format!("{rank}{doing}")
        });
        let waiting: Vec<_> = waiting.collect();
        let table = self.observer.table_with_reason(&self.processes());
        format!(
            "of {} PEs these were still running: {}\n{}",
            self.plan.npes,
            waiting.join(", "),
            table.trim_end()
        )
    }

    fn verdict(&self, end: JobEnd) -> Result<(), Failure> {
        let is_raced = matches!(&end, JobEnd::Stopped(failure) if failure.status == RACED);
        races::verdict(self.raced.as_ref(), is_raced, self.outcome(end))
    }
}

impl Crew<'_> {
    /// A PE that ends the job on purpose is no failure.
    fn outcome(&self, end: JobEnd) -> Result<(), Failure> {
        let first = match (end, &self.unprinted) {
            (JobEnd::Stopped(failure), _) => return Err(failure),
            (JobEnd::Failed(first), _) => first,
            (JobEnd::Finished, None) => return Ok(()),
            (JobEnd::Finished, Some(unprinted)) => {
                return Err(Failure { text: unprinted.report(self.plan.npes), status: 1 });
            }
        };
        // The PE that failed first, then those that failed before they were stopped.
        let others = (0..self.pes.len()).filter(|rank| *rank != first);
        let fault = |rank| {
            let mut fault = self.fault(rank)?;
            fault.what += &self.printing.remedy(rank, &fault.what);
            Some((rank, fault))
        };
        let faults: Vec<_> = std::iter::once(first).chain(others).filter_map(fault).collect();
        match report(self.plan.npes, &faults) {
            Some((_, 0)) => Ok(()),
            Some((text, status)) if self.table.is_empty() => Err(Failure { text, status }),
            Some((text, status)) => {
                Err(Failure { text: format!("{text}\n{}", self.table.trim_end()), status })
            }
            None => Err(Failure { text: format!("PE {first} of {} failed", self.plan.npes), status: 1 }),
        }
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl PeProcess {
    /// Reads from the life-line, and closes it at its end.
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

    /// Reads the rest of the life-line of a process that has ended.
    fn hear_the_rest(&mut self) {
        if let Some(lifeline) = &self.lifeline {
            // A fork of the PE may still hold the other end.
            let _ = lifeline.set_nonblocking(true);
        }
        while self.lifeline.is_some() {
            self.hear();
        }
    }

    /// Waits for the end of the process, which was killed.
    fn wait(&mut self) -> Option<ExitStatus> {
        // The system tells the tracer of a process first that it has ended, and a debugger may take
        // note of it only when its user comes back.
        let patience = Instant::now() + TO_BE_TOLD;
        while is_traced(self.child.id()) {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < patience => thread::sleep(Duration::from_millis(10)),
                Ok(end) => return end,
                Err(_) => return None,
            }
        }
        self.child.wait().ok()
    }

    fn reaped(&mut self, end: Option<ExitStatus>) {
        self.hear_the_rest();
        self.gone = true;
        self.end = end;
    }
}

/// The descriptors of all jobs of this process: tests run several jobs at once.
struct DescriptorLimit {
    descriptors: usize,
    /// The limit before it was raised, if it was. The PEs get this limit.
    former: Option<Rlimit>,
}

static HELD: Mutex<DescriptorLimit> = Mutex::new(DescriptorLimit { descriptors: 0, former: None });

/// The descriptors that one job needs. Dropping it gives them back.
struct Reservation {
    descriptors: usize,
    former: Option<Rlimit>,
}

impl Reservation {
    /// Makes room for the descriptors of a job of `npes` PEs, raising the limit as far as that is
    /// allowed.
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

/// Keeps `fd` open over the exec of this process. For use between fork and exec.
fn keep_over_exec(fd: RawFd) -> io::Result<()> {
    // SAFETY: `fd` is the segment's or the life-line's. The parent holds both open while it spawns,
    // so they are open in the child.
    let fd = unsafe { BorrowedFd::borrow_raw(fd) };
    Ok(fcntl_setfd(fd.as_fd(), FdFlags::empty())?)
}

/// Whether a program was not started because of its file, and not for want of processes.
fn is_of_file(error: &io::Error) -> bool {
    let kinds = [io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied, io::ErrorKind::InvalidInput];
    kinds.contains(&error.kind()) || error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
}

pub(super) fn system(what: &str, source: io::Error) -> Error {
    Error::System { what: what.to_owned(), source }
}
