//! Starting the launcher of the C library, which starts the PEs.
//!
//! With `SHMEM_TRANSPORT=openshmem`, a process that no launcher has started runs `oshrun` on its
//! own program, and [watches](super::watch) it. It keeps the reports that PEs print when they fail,
//! and prints the first of them when the job has ended, as the [supervisor](super::supervisor) does
//! on one machine. Where all PEs run on this host, it also [observes](super::observer) them, by what
//! they write to memory that it makes ([`records`]), looks for [races](super::races), and makes a
//! [trace](super::timeline). Where they run on several [hosts], each host tells its part, and they are
//! explained together.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::CStr;
use std::io;
use std::mem;
use std::num::NonZero;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, getppid, kill_process, kill_process_group};

use crate::system::env::Env;
use crate::system::error::Error;
use crate::system::os::System;
use crate::transport::openshmem;
use crate::transport::smp::segment::Segment;

use super::choice::{CLAIMED, LAUNCHED, Launched};
use super::host_news::HostQuestion;
use super::hosts::{HostTable, Hosts};
use super::inspect::Processes;
use super::interrupts::Interrupts;
use super::leftovers;
use super::observer::{About, Observer};
use super::output::{Output, OutputStream};
use super::passing::{Heard, Passing, Tags};
use super::program::Program;
use super::quit;
use super::races::{self, RACED, Search};
use super::records;
use super::report::{and_others, killed_by, status_of_signal};
use super::supervisor::{Failure, Test, system};
use super::timeline::Recording;
use super::watch::{self, JobProcesses, watch};

/// Replaces line breaks in a report that another process reads by the line.
pub(super) const LINE_BREAK: &str = "\u{1e}";
/// How long a launcher may take to end after it gets the signal. It has to end processes on other
/// hosts, which may be busy.
const TO_END: Duration = Duration::from_secs(30);
/// The same, where it cannot reach one of the hosts.
const TO_END_WITHOUT_A_HOST: Duration = Duration::from_secs(5);
/// Prefixes of the variables that a launcher sets for its processes. A launcher that such a process
/// starts must not see them.
const OF_LAUNCHERS: [&str; 17] = [
    "PMIX_",
    "PMI_",
    "PALS_",
    "OMPI_COMM_WORLD_",
    "OMPI_MCA_orte_",
    "OMPI_MCA_ess",
    "OMPI_MCA_pmix",
    "OMPI_MCA_initial_wdir",
    "OMPI_UNIVERSE_SIZE",
    "OMPI_FIRST_RANKS",
    "OMPI_NUM_APP_CTX",
    "OMPI_APP_CTX_",
    "OMPI_COMMAND",
    "OMPI_ARGV",
    "OMPI_FILE_LOCATION",
    CLAIMED,
    LAUNCHED,
];

/// The parameters of the job.
pub(super) struct Order<'a> {
    /// What each PE runs.
    pub(super) program: Program,
    /// The variables of the environment.
    pub(super) env: &'a Env,
    /// The number of PEs.
    pub(super) npes: usize,
    /// Bytes of symmetric heap on each.
    pub(super) heap: usize,
    /// The test to run; a program's job has none.
    pub(super) test: Option<Test<'a>>,
    /// Whether the environment has a launcher's variables that are meant for another process.
    pub(super) nested: bool,
}

impl Order<'_> {
    /// What those are told who ask about the job.
    fn about(&self, started: Instant) -> About {
        About {
            name: self.test.map_or_else(|| self.program.name(), |test| test.name.to_owned()),
            is_test: self.test.is_some(),
            npes: self.npes,
            transport: "openshmem",
            program: self.program.file().to_string(),
            started,
        }
    }
}

/// The name of the C library that this program was built with, as its header has it.
pub(super) fn library() -> String {
    CStr::from_bytes_until_nul(shmem_sys::SHMEM_VENDOR_STRING)
        .map_or_else(|_| String::from("an OpenSHMEM library"), |name| name.to_string_lossy().into_owned())
}

/// Whether it is this project's own C library.
pub(super) fn is_own() -> bool {
    library().starts_with("shmem ")
}

/// Runs the launcher, and with it a job, to its end. No process of it is left when this returns or
/// unwinds.
pub(super) fn run(order: &Order<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    let launcher = LauncherCommand::of(order.env);
    let memory = records::make(order.npes);
    // Elsewhere the PEs do not find the journals, and PE 0 says so.
    let races = order.env.races.form(order.test.is_some_and(|test| test.races));
    let races = races.filter(|_| cfg!(target_os = "linux"));
    let races = races.map(|form| Search::begin(System::ALL[0], order.npes, form)).transpose()?;
    let About { name, is_test, .. } = order.about(started);
    let Env { trace, trace_slices, .. } = order.env;
    let recording = trace
        .as_ref()
        .filter(|_| cfg!(target_os = "linux"))
        .map(|wish| Recording::begin(System::ALL[0], order.npes, wish, *trace_slices, (&name, is_test)))
        .transpose()?;
    // Whoever interrupts a job wants its trace all the same, and the launcher needs time to clean up.
    let interrupts = order.test.is_none().then(Interrupts::hold);
    let places = SharedPlaces {
        records: memory.as_ref().and_then(|memory| records::place_of(memory.fd())),
        journals: races.as_ref().and_then(|races| records::place_of(races.journals().fd())),
        recording: recording.as_ref().and_then(|recording| records::place_of(recording.journals().fd())),
    };
    let mut command = launcher.command(order, places)?;
    if order.env.debug {
        eprintln!("shmem: starting {} PEs by {}", order.npes, launcher.words.join(" "));
    }
    let mut child = command.spawn().map_err(|source| launcher.refused(source))?;
    let apart = order.test.is_some().then_some(launcher.tags);
    let mut streams = Vec::new();
    if let Some(pipe) = child.stdout.take() {
        streams.push(Output::new(pipe, Passing::new(OutputStream::Out, apart, &launcher.name)));
    }
    if let Some(pipe) = child.stderr.take() {
        streams.push(Output::new(pipe, Passing::new(OutputStream::Err, apart, &launcher.name)));
    }
    let group = order.test.is_some();
    let running = Running {
        order,
        launcher: launcher.name,
        child,
        group,
        gone: false,
        ending: false,
        streams,
        reports: BTreeMap::new(),
        first: None,
        hosts: Hosts::new(order.npes),
        told: None,
        memory,
        races,
        recording,
        observer: Observer::new(order.about(started), order.env, false),
        stopped_by: None,
        raced: None,
    };
    let done = watch::run(running, order.test, started);
    // Ends this process, if it was interrupted.
    drop(interrupts);
    done
}

/// Where the PEs find the memory that this process makes for them.
struct SharedPlaces {
    records: Option<String>,
    journals: Option<String>,
    recording: Option<String>,
}

/// The command that starts PEs.
struct LauncherCommand {
    /// The command, without the arguments for this job.
    words: Vec<String>,
    /// Its name in messages.
    name: String,
    /// How it tells the PE of each line, if it gets the option to do that: Open MPI's and this project's
    /// own.
    tags: Option<Tags>,
}

impl LauncherCommand {
    /// The launcher that the user names, else the library's.
    fn of(env: &Env) -> LauncherCommand {
        let words = env.launcher.clone().unwrap_or_else(|| {
            let beside = shmem_sys::LAUNCHER.filter(|path| Path::new(path).is_file());
            vec![beside.unwrap_or("oshrun").to_owned()]
        });
        let file = Path::new(&words[0])
            .file_name()
            .map_or_else(String::new, |file| file.to_string_lossy().into_owned());
        let own = ["oshrun", "shmemrun", "mpirun", "mpiexec", "orterun"];
        let tags = if openshmem::is_open_mpi() { Some(Tags::OpenMpi) } else { is_own().then_some(Tags::Own) };
        let tags = tags.filter(|_| own.contains(&file.split('.').next().unwrap_or_default()));
        LauncherCommand { name: file, words, tags }
    }

    /// The whole command for a job.
    fn command(&self, order: &Order<'_>, places: SharedPlaces) -> Result<Command, Error> {
        let Order { ref program, env: _, npes, heap, test, nested } = *order;
        let SharedPlaces { records, journals, recording } = places;
        let test_name = test.map(|test| test.name.to_owned());
        let launched = Launched { npes, heap, records, journals, recording, test: test_name };
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        // Every launcher has this option.
        command.args(["-n", &npes.to_string()]);
        if nested {
            let names = env::vars_os().map(|(name, _)| name);
            for name in names.filter(|name| is_of_launcher(&name.to_string_lossy())) {
                command.env_remove(name);
            }
        }
        // The library reads these. A PE of a test could not set them itself: it has threads.
        let mut ours: Vec<_> = openshmem::environment(heap).collect();
        ours.push((LAUNCHED, launched.encode()));
        command.envs(ours.iter().map(|(name, value)| (name, value)));
        let theirs = program.change_environment(&mut command);
        if self.tags.is_some() && test.is_some() {
            command.arg("--tag-output");
        }
        if self.tags == Some(Tags::OpenMpi) {
            // By itself it passes only its own variables on to other hosts.
            let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
            let mut names: BTreeSet<String> =
                names.filter(|name| name.starts_with("SHMEM_") && !is_of_launcher(name)).collect();
            names.extend(ours.iter().map(|(name, _)| (*name).to_owned()));
            names.extend(theirs.into_iter().filter_map(|name| name.to_str()).map(str::to_owned));
            for name in names {
                command.args(["-x", &name]);
            }
        }
        if openshmem::is_open_mpi() {
            settings_of_open_mpi(&mut command, npes, test.is_some(), order.env.timeout);
        }

        command.args(program.words());
        match test {
            // Launchers pass standard input to PE 0.
            None => command.stdin(Stdio::inherit()),
            Some(_) => {
                command.stdin(Stdio::null()).stdout(Stdio::piped());
                // A test's launcher gets a process group, to be killed as a whole. A program's
                // stays in the group that may read from the terminal.
                command.process_group(0)
            }
        };
        command.stderr(Stdio::piped());
        // SAFETY: between fork and exec the closure makes one system call and nothing else.
        unsafe {
            command.pre_exec(|| {
                // For the PEs too, as far as the launcher leaves it so.
                quit::ignore();
                Ok(())
            });
        }
        die_with_this_process(&mut command);
        Ok(command)
    }

    /// The error of a launcher that cannot be run.
    fn refused(&self, source: io::Error) -> Error {
        let remedy = if source.kind() == io::ErrorKind::NotFound {
            "; SHMEM_TRANSPORT=openshmem starts PEs with it: install it, put its folder on the PATH, or name another in \
             SHMEM_LAUNCHER, such as SHMEM_LAUNCHER=\"srun --mpi=pmix\""
        } else {
            ""
        };
        system(&format!("cannot run the launcher {}{remedy}", self.name), source)
    }
}

/// Whether a launcher sets this variable for its processes.
fn is_of_launcher(name: &str) -> bool {
    OF_LAUNCHERS.iter().any(|prefix| name.starts_with(prefix))
}

/// Settings that Open MPI needs to run well, unless the user has set them.
fn settings_of_open_mpi(command: &mut Command, npes: usize, test: bool, timeout: Option<Duration>) {
    let mut set = |name: &str, value: &str| {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    // Several tests may run at once, and the launcher of one does not know of the others.
    if npes > cores || test {
        // By default it refuses to start more PEs than there are cores.
        set("OMPI_MCA_rmaps_base_oversubscribe", "1");
        // By default it binds each PE to a core: several jobs would all use the same cores.
        set("OMPI_MCA_hwloc_base_binding_policy", "none");
        // By default a waiting PE spins, and keeps the core from the PE that it waits for.
        set("OMPI_MCA_mpi_yield_when_idle", "1");
    }
    if let Some(timeout) = timeout {
        // By default it notices after eight minutes that a host is gone without a word.
        for (name, value) in keepalive(timeout.as_secs()) {
            set(&format!("OMPI_MCA_oob_tcp_keepalive_{name}"), &value.to_string());
        }
    }
    // Passes these on to the PEs of all hosts. It does not know the names of all signals.
    let questions = HostQuestion::ALL.map(|question| question.signal().as_raw().to_string());
    set("OMPI_MCA_ess_base_forward_signals", &questions.join(","));
}

/// When the parts of Open MPI's launcher find out that one does not answer, within `limit` seconds
/// if these are 3 or more: they ask after `time` idle seconds, again every `intvl`, and give up
/// after `probes` questions. No value is above Open MPI's own.
///
/// That is before a host reports that its PEs stand still: while such a report is not acknowledged,
/// the system asks nothing.
fn keepalive(limit: u64) -> [(&'static str, u64); 3] {
    let (time, probes) = if limit > 4 { (limit / 2, 2) } else { (1, 1) };
    [("time", time.min(300)), ("intvl", (limit / 8).clamp(1, 20)), ("probes", probes)]
}

/// Has the system signal the launcher to end when this process, or the thread that starts it, ends.
/// The launcher then ends the PEs.
fn die_with_this_process(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getpid();
        // SAFETY: between fork and exec the closure makes two system calls and nothing else. It
        // allocates nothing and takes no lock, so no state that another thread of the parent left
        // half changed is used.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
                // The parent may have ended before the call.
                if getppid() == Some(parent) {
                    Ok(())
                } else {
                    Err(io::Error::from_raw_os_error(libc::ESRCH))
                }
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// A launcher that runs. Dropping it ends it, and with it the job.
struct Running<'a> {
    order: &'a Order<'a>,
    /// The launcher's name in messages.
    launcher: String,
    child: Child,
    /// Whether it has a group of processes of its own.
    group: bool,
    gone: bool,
    /// Whether it got the signal to end.
    ending: bool,
    streams: Vec<Output<Passing>>,
    /// What PEs have reported, each once.
    reports: BTreeMap<usize, String>,
    /// The PE that reported first.
    first: Option<usize>,
    /// What the PEs do, if they run on several hosts.
    hosts: Hosts,
    /// What the hosts have told last.
    told: Option<String>,
    /// Where the PEs write down what they do, if they run on this host.
    memory: Option<Segment>,
    /// The search for races, in a run that looks for them.
    races: Option<Search>,
    /// The trace, in a run that is traced.
    recording: Option<Recording>,
    observer: Observer,
    /// Why this process ends the job, though no PE has failed.
    stopped_by: Option<Failure>,
    /// The races that were found by the end.
    raced: Option<Failure>,
}

/// How the job has ended.
enum LauncherEnd {
    /// The launcher has ended.
    Ended(io::Result<ExitStatus>),
    /// This process has ended it.
    Stopped(Failure),
}

/// A descriptor to poll.
#[derive(Clone, Copy)]
enum LauncherSource {
    Stream(usize),
    Control,
}

/// The processes of the PEs, once all have joined the job and are found to run on this host.
fn processes(memory: Option<&Segment>, npes: usize) -> Option<Processes<'_>> {
    let segment = memory?;
    let joined: Option<Vec<u32>> = (0..npes).map(|pe| segment.trace(pe).process()).collect();
    let is_there = |process: &u32| Path::new(&format!("/proc/{process}")).exists();
    let pes = joined?.into_iter().map(|process| Some(process).filter(is_there)).collect();
    Some(Processes { segment, pes })
}

impl JobProcesses for Running<'_> {
    const TICK: Duration = Duration::from_millis(100);
    type Source = LauncherSource;
    type End = LauncherEnd;

    fn look(&mut self, ticking: bool) -> Option<LauncherEnd> {
        let npes = self.order.npes;
        if self.hosts.are_all_there() {
            self.ask_the_hosts();
        } else {
            self.observer.answer_the_signal(|| processes(self.memory.as_ref(), npes));
        }
        let end = self.child.try_wait().transpose();
        self.gone = matches!(end, Some(Ok(_)));
        if let Some(signal) = Interrupts::came().filter(|_| !self.ending) {
            // The launcher may have got it as well, and have ended.
            let text = format!("interrupted by signal {signal}");
            return Some(LauncherEnd::Stopped(Failure { text, status: 1 }));
        }
        if end.is_some() || self.ending {
            return end.map(LauncherEnd::Ended);
        }
        if ticking && self.stopped_by.is_none() {
            let processes = processes(self.memory.as_ref(), npes);
            self.stopped_by = processes.and_then(|processes| self.observer.inspect(&processes));
        }
        if let Some(text) = self.races.as_ref().and_then(Search::found) {
            self.stopped_by = Some(races::failure(&text));
        }
        self.stopped_by.take().map(LauncherEnd::Stopped)
    }

    fn is_closing(&self) -> bool {
        self.ending || self.streams.is_empty()
    }

    fn sources(&self) -> Vec<(LauncherSource, PollFd<'_>)> {
        let streams = self.streams.iter().map(|stream| PollFd::new(stream, PollFlags::IN));
        let streams = streams.enumerate().map(|(which, fd)| (LauncherSource::Stream(which), fd));
        let control = self.observer.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        streams.chain(control.map(|fd| (LauncherSource::Control, fd))).collect()
    }

    fn hear(&mut self, source: LauncherSource) {
        let LauncherSource::Stream(which) = source else {
            let ended = if self.hosts.are_all_there() {
                self.observer.answer_later()
            } else {
                self.observer.answer(processes(self.memory.as_ref(), self.order.npes).as_ref())
            };
            self.stopped_by = self.stopped_by.take().or(ended);
            return;
        };
        let stream = &mut self.streams[which];
        let taken = stream.pass_on();
        let heard = mem::take(&mut stream.sink.heard);
        self.keep(heard);
        if taken == 0 {
            self.streams.remove(which);
        }
    }

    fn stop(&mut self) {
        if !self.gone {
            let launcher = Pid::from_child(&self.child);
            // If these fail, the launcher has ended already.
            let _ = kill_process(launcher, Signal::TERM);
            self.ending = true;
            let patience = if self.hosts.is_any_silent() { TO_END_WITHOUT_A_HOST } else { TO_END };
            if watch(self, Some(Instant::now() + patience)).is_none() {
                if self.group {
                    let _ = kill_process_group(launcher, Signal::KILL);
                }
                // The remote shells are still connected to hosts that do not answer.
                leftovers::kill_children(launcher);
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
            self.gone = true;
        }
        if openshmem::is_open_mpi() {
            leftovers::remove(self.child.id());
        }
        for stream in mem::take(&mut self.streams) {
            let heard = stream.finish().heard;
            self.keep(heard);
        }
        // All PEs have ended.
        if let Some(text) = self.races.as_mut().and_then(Search::finish) {
            self.raced = Some(races::failure(&text));
        }
        if let Some(said) = self.recording.as_mut().and_then(Recording::finish) {
            eprint!("{said}");
        }
    }

    fn unfinished(&mut self) -> String {
        let npes = self.order.npes;
        let table = processes(self.memory.as_ref(), npes)
            .map(|processes| self.observer.table_with_reason(&processes));
        let table = table.or_else(|| self.table_of_hosts());
        let table = table.map(|table| format!("\n{}", table.trim_end())).unwrap_or_default();
        format!("it ran on {npes} PEs, started by {}{table}", self.launcher)
    }

    fn with_reports(&self, text: String) -> String {
        match self.report() {
            Some(report) => format!("{text}; {report}"),
            None => text,
        }
    }

    fn verdict(&self, end: LauncherEnd) -> Result<(), Failure> {
        let is_raced = matches!(&end, LauncherEnd::Stopped(failure) if failure.status == RACED);
        races::verdict(self.raced.as_ref(), is_raced, self.outcome(end))
    }
}

impl Running<'_> {
    /// The result of the job, without races.
    fn outcome(&self, end: LauncherEnd) -> Result<(), Failure> {
        let end = match end {
            LauncherEnd::Ended(end) => end,
            LauncherEnd::Stopped(failure) => return Err(failure),
        };
        let launcher = &self.launcher;
        let end = end.map_err(|source| system(&format!("cannot wait for {launcher}"), source))?;
        let status = match (end.code(), end.signal()) {
            (Some(0), _) if self.reports.is_empty() => return Ok(()),
            // Some launchers do not pass on the status of a PE.
            (Some(0), _) => 1,
            (Some(code), _) => u8::try_from(code & 0xff).unwrap_or(1).max(1),
            (None, signal) => {
                let (text, status) = signal.map_or((String::from("ended in an unknown way"), 1), |signal| {
                    (killed_by(signal), status_of_signal(signal))
                });
                let text = self.with_reports(format!("the launcher {launcher} {text}"));
                return Err(Failure { text, status });
            }
        };
        let text = self.report().unwrap_or_else(|| match status {
            // Shells and launchers report a signal so.
            129..=192 => {
                format!(
                    "a PE {}; see the output of {launcher} above for its number",
                    killed_by(i32::from(status) - 128)
                )
            }
            _ => {
                format!(
                    "the job ended with status {status}, and no PE recorded a reason; see the output of \
                     {launcher} above"
                )
            }
        });
        Err(Failure { text, status })
    }

    fn keep(&mut self, heard: Vec<Heard>) {
        for heard in heard {
            match heard {
                Heard::Report(pe, text) => {
                    self.first.get_or_insert(pe);
                    // A second report of a PE may be cut off.
                    self.reports.entry(pe).or_insert(text);
                }
                Heard::News(news) => self.hosts.hear(news),
                Heard::Notice => {}
            }
        }
    }

    /// What the PEs do, as their hosts say; waits for that.
    fn table_of_hosts(&mut self) -> Option<String> {
        if !self.hosts.are_all_there() {
            return None;
        }
        self.told = None;
        if self.hosts.ask() {
            self.question(HostQuestion::Table);
        }
        // They answer, or their time is up.
        while self.told.is_none() && watch(self, Some(Instant::now() + Self::TICK)).is_none() {}
        self.told.take()
    }

    /// Asks the hosts by the signal.
    fn question(&self, question: HostQuestion) {
        if !self.gone {
            // If it fails, the launcher has ended.
            let _ = kill_process(Pid::from_child(&self.child), question.signal());
        }
    }

    /// Asks the hosts what their PEs do, where somebody wants to know or none has moved, and tells what
    /// they answer.
    fn ask_the_hosts(&mut self) {
        let timeout = self.order.env.timeout;
        let is_glance_wanted = self.observer.is_glance_wanted() && self.hosts.ask_for_a_glance();
        if is_glance_wanted || timeout.is_some_and(|timeout| self.hosts.must_look_for_silence(timeout)) {
            self.question(HostQuestion::Glance);
        }
        if let Some(samples) = self.hosts.samples() {
            self.observer.tell_samples(&samples);
        }
        let is_wanted = self.observer.is_wanted() && self.hosts.ask();
        if self.hosts.must_ask() || is_wanted {
            self.question(HostQuestion::Table);
        }
        let Some(HostTable { text, is_wanted, is_still }) = self.hosts.answers() else { return };
        if is_wanted {
            self.observer.tell(&text);
        }
        self.told = Some(text.clone());
        if let Some(limit) = timeout.filter(|_| is_still) {
            self.stopped_by = self.stopped_by.take().or(Some(self.observer.still(limit, &text)));
        }
    }

    /// What PEs have reported, in one line.
    fn report(&self) -> Option<String> {
        let first = self.reports.get(&self.first?)?;
        let others = match first.ends_with(BY_GLOBAL_EXIT) {
            true => 0,
            // Equal texts count once: the error of a collective call is that of all PEs.
            false => self.reports.values().filter(|other| without_pe(other) != without_pe(first)).count(),
        };
        Some(first.replace(LINE_BREAK, "\n") + &and_others(others))
    }
}

/// A report without the number of its PE: `4 panicked at a.rs` of `PE 2 of 4 panicked at a.rs`.
fn without_pe(report: &str) -> &str {
    report.split_once(" of ").map_or(report, |(_, rest)| rest)
}

/// The end of the report of a PE that has ended the job on purpose. Other PEs that end then have
/// not failed.
const BY_GLOBAL_EXIT: &str = ", by global_exit";

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(raw: i32, reports: &[(usize, &str)]) -> Result<(), (String, u8)> {
        let child = Command::new("true").spawn().expect("there is such a program");
        let order = Order {
            program: Program::itself().unwrap(),
            env: &Env::read().unwrap(),
            npes: 4,
            heap: 0,
            test: None,
            nested: false,
        };
        let mut running = Running {
            order: &order,
            launcher: "oshrun".to_owned(),
            child,
            group: false,
            gone: false,
            ending: false,
            streams: Vec::new(),
            reports: BTreeMap::new(),
            first: None,
            hosts: Hosts::new(4),
            told: None,
            memory: None,
            races: None,
            recording: None,
            observer: Observer::new(order.about(Instant::now()), order.env, false),
            stopped_by: None,
            raced: None,
        };
        running.keep(reports.iter().map(|(pe, text)| Heard::Report(*pe, (*text).to_owned())).collect());
        let verdict = running.verdict(LauncherEnd::Ended(Ok(ExitStatus::from_raw(raw))));
        verdict.map_err(|failure| (failure.text, failure.status))
    }

    #[test]
    fn a_lost_host_is_found_within_the_limit() {
        for limit in 0..10_000 {
            let [(_, time), (_, interval), (_, probes)] = keepalive(limit);
            let longest = time + interval * probes;
            assert!((longest < limit || limit < 3) && longest <= 340, "{limit}: {longest}");
            assert!(longest >= limit.min(340) / 2, "{limit}: {longest}");
        }
    }

    #[test]
    fn the_end_of_the_launcher_is_that_of_the_job() {
        assert_eq!(ended(0, &[]), Ok(()));
        let first = (2, "PE 2 of 4 panicked at a.rs\u{1e}b");
        assert_eq!(ended(101 << 8, &[first]), Err(("PE 2 of 4 panicked at a.rs\nb".to_owned(), 101)));
        let (text, status) = ended(3 << 8, &[first, (0, "PE 0 of 4 x"), (2, "PE 2 of 4 y")]).unwrap_err();
        assert_eq!(
            (text.as_str(), status),
            ("PE 2 of 4 panicked at a.rs\nb (one other PE failed at the same time)", 3)
        );
        let same = (0, "PE 0 of 4 panicked at a.rs\u{1e}b");
        assert_eq!(ended(3 << 8, &[first, same]).unwrap_err().0, "PE 2 of 4 panicked at a.rs\nb");
        let exit = (1, "PE 1 of 4 ended the job with status 3, by global_exit");
        assert_eq!(ended(3 << 8, &[exit, first]), Err((exit.1.to_owned(), 3)));
        assert_eq!(ended(0, &[first]).unwrap_err().1, 1);
        let (text, status) = ended(137 << 8, &[]).unwrap_err();
        assert!(text.starts_with("a PE was killed by signal 9 (SIGKILL)") && status == 137, "{text}");
        let (text, status) = ended(7 << 8, &[]).unwrap_err();
        assert!(
            text.starts_with("the job ended with status 7, and no PE recorded a reason") && status == 7,
            "{text}"
        );
        let (text, status) = ended(15, &[]).unwrap_err();
        assert_eq!((text.as_str(), status), ("the launcher oshrun was killed by signal 15 (SIGTERM)", 143));
    }
}
