//! Starting the launcher of the C library, which starts the PEs.
//!
//! A process that is told `SHMEM_TRANSPORT=openshmem`, and that no launcher has started, runs `oshrun` on its own program. It stays as the
//! one that speaks: of the reports that PEs print when they fail it keeps the first, and says it when the job has ended, as the
//! [supervisor](super::supervisor) does on one machine.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::num::NonZero;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, getppid, kill_process, kill_process_group};

use crate::system::env::Env;
use crate::system::error::Error;
use crate::transport::openshmem;

use super::choice::{CLAIMED, LAUNCHED, Launched};
use super::output::{LONGEST_LINE, Lines, Stream, take_the_rest};
use super::report::{and_others, killed_by, reported, status_of_signal};
use super::supervisor::{Failure, Test, program, system};

/// What stands for the end of a line inside of a report that another process reads.
pub(super) const LINE_BREAK: &str = "\u{1e}";
/// How often the launcher is looked at while its output is open.
const TICK: Duration = Duration::from_millis(100);
/// The same when its output is closed.
const SHORT_TICK: Duration = Duration::from_millis(1);
/// How long a launcher that is told to end may take for it: it has to end processes on other hosts, and any host may be busy.
const TO_END: Duration = Duration::from_secs(30);
/// How the variables begin by which a launcher speaks to what it has started, and which a launcher inside of that must not see.
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

/// The job to have started.
pub(super) struct Order<'a> {
    /// What the environment says.
    pub(super) env: &'a Env,
    /// How many PEs.
    pub(super) npes: usize,
    /// Bytes of symmetric heap on each.
    pub(super) heap: usize,
    /// The test to run; a program's job has none.
    pub(super) test: Option<Test<'a>>,
    /// Whether there are variables of a launcher which are meant for another process.
    pub(super) nested: bool,
}

/// What the C library that this program was built with says of itself.
pub(super) fn library() -> String {
    CStr::from_bytes_until_nul(shmem_sys::SHMEM_VENDOR_STRING)
        .map_or_else(|_| String::from("an OpenSHMEM library"), |name| name.to_string_lossy().into_owned())
}

fn is_open_mpi() -> bool {
    library().contains("open-mpi")
}

/// Has the launcher run a job to its end. Nothing is left of it when this returns or unwinds.
pub(super) fn run(order: &Order<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    let launcher = Launcher::of(order.env);
    let mut command = launcher.command(order)?;
    if order.env.debug {
        eprintln!("shmem: starting {} PEs by {}", order.npes, launcher.words.join(" "));
    }
    let mut child = command.spawn().map_err(|source| launcher.refused(source))?;
    let apart = order.test.is_some().then_some(launcher.tags);
    let mut streams = Vec::new();
    if let Some(pipe) = child.stdout.take() {
        streams.push(Passing::new(Stream::Out, pipe.into(), apart));
    }
    if let Some(pipe) = child.stderr.take() {
        streams.push(Passing::new(Stream::Err, pipe.into(), apart));
    }
    let group = order.test.is_some();
    let mut running = Running { child, group, gone: false, streams, reports: BTreeMap::new(), first: None };
    let deadline = order.test.map(|test| started + test.limit);
    let end = running.watch(deadline);
    let Some(end) = end.map_err(|source| system(&format!("cannot wait for {}", launcher.name), source))?
    else {
        let late = order.test.map(|test| test.late()).unwrap_or_default();
        let text = format!("{late}; it ran on {} PEs, started by {}", order.npes, launcher.name);
        return Err(Failure { text: running.and_reported(text), status: 1 });
    };
    running.verdict(end, &launcher.name)
}

/// The command that starts PEs.
struct Launcher {
    /// The command without what comes from the job.
    words: Vec<String>,
    /// How it is called in messages.
    name: String,
    /// Whether it is Open MPI's own, and is told to put the number of the PE before each line.
    tags: bool,
}

impl Launcher {
    /// The launcher that the user names, or that of the library.
    fn of(env: &Env) -> Launcher {
        let words = env.launcher.clone().unwrap_or_else(|| {
            let beside = shmem_sys::LAUNCHER.filter(|path| Path::new(path).is_file());
            vec![beside.unwrap_or("oshrun").to_owned()]
        });
        let file = Path::new(&words[0])
            .file_name()
            .map_or_else(String::new, |file| file.to_string_lossy().into_owned());
        let own = ["oshrun", "shmemrun", "mpirun", "mpiexec", "orterun"];
        let tags = is_open_mpi() && own.contains(&file.split('.').next().unwrap_or_default());
        Launcher { name: file, words, tags }
    }

    /// The whole command for a job.
    fn command(&self, order: &Order<'_>) -> Result<Command, Error> {
        let Order { env: _, npes, heap, test, nested } = *order;
        let launched = Launched { npes, heap, test: test.map(|test| test.name.to_owned()) };
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        // Every launcher knows it under this name.
        command.args(["-n", &npes.to_string()]);
        if nested {
            let names = env::vars_os().map(|(name, _)| name);
            for name in names.filter(|name| is_of_launcher(&name.to_string_lossy())) {
                command.env_remove(name);
            }
        }
        // What the library needs to be told; a PE of a test, which has threads, could not do it itself.
        let mut ours: Vec<_> = openshmem::environment(heap).collect();
        ours.push((LAUNCHED, launched.encode()));
        command.envs(ours.iter().map(|(name, value)| (name, value)));
        if self.tags {
            // To other hosts it takes no variables but its own, if it is not told to.
            let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
            let mut names: BTreeSet<String> =
                names.filter(|name| name.starts_with("SHMEM_") && !is_of_launcher(name)).collect();
            names.extend(ours.iter().map(|(name, _)| (*name).to_owned()));
            for name in names {
                command.args(["-x", &name]);
            }
            if test.is_some() {
                command.arg("--tag-output");
            }
        }
        if is_open_mpi() {
            settings_of_open_mpi(&mut command, npes, test.is_some());
        }

        // The launcher is a process of its own, for which the system's link to itself is another.
        let this = match program()? {
            link if link == Path::new("/proc/self/exe") => {
                PathBuf::from(format!("/proc/{}/exe", std::process::id()))
            }
            path => path,
        };
        command.arg(this);
        match test {
            // What is typed goes to PE 0, as the launchers do it.
            None => command.args(env::args_os().skip(1)).stdin(Stdio::inherit()),
            Some(test) => {
                command.args(test.arguments()).stdin(Stdio::null()).stdout(Stdio::piped());
                // A group that can be killed as a whole. A program's is that of the terminal, which it may read from.
                command.process_group(0)
            }
        };
        command.stderr(Stdio::piped());
        die_with_this_process(&mut command);
        Ok(command)
    }

    /// The launcher cannot be run.
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

/// Whether a variable is one by which a launcher speaks to its processes.
fn is_of_launcher(name: &str) -> bool {
    OF_LAUNCHERS.iter().any(|prefix| name.starts_with(prefix))
}

/// What Open MPI needs to run well, where the user has not said otherwise.
fn settings_of_open_mpi(command: &mut Command, npes: usize, test: bool) {
    let mut set = |name, value| {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    // Tests run beside each other, which the launchers of their jobs do not know.
    if npes > cores || test {
        // It refuses to start more PEs than there are cores, ...
        set("OMPI_MCA_rmaps_base_oversubscribe", "1");
        // ... binds each to a core, where the next would have to share it, and jobs beside each other all take the same cores, ...
        set("OMPI_MCA_hwloc_base_binding_policy", "none");
        // ... and a PE that waits keeps its core from the one that it waits for.
        set("OMPI_MCA_mpi_yield_when_idle", "1");
    }
}

/// Has the launcher told to end when this process, or the thread that starts it, is gone. It ends the PEs then.
fn die_with_this_process(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getpid();
        // SAFETY: between fork and exec the closure makes two system calls and nothing else: it allocates nothing and takes no lock,
        // so the state in which other threads of the parent were copied does not matter.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
                // It may have gone before that.
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
struct Running {
    child: Child,
    /// Whether it has a group of processes of its own.
    group: bool,
    gone: bool,
    streams: Vec<Passing>,
    /// What PEs have reported, each once.
    reports: BTreeMap<usize, String>,
    /// The PE that reported first.
    first: Option<usize>,
}

impl Running {
    /// Passes on what is printed until the launcher has ended, and answers how; `None` when it has not in time.
    fn watch(&mut self, deadline: Option<Instant>) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                self.gone = true;
                self.pass_on_the_rest();
                return Ok(Some(status));
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| now >= deadline) {
                self.end();
                return Ok(None);
            }
            let patience = deadline.map_or(TICK, |deadline| TICK.min(deadline - now));
            if self.streams.is_empty() {
                thread::sleep(patience.min(SHORT_TICK));
            } else {
                self.listen(patience);
            }
        }
    }

    /// Sleeps until something is printed, at most for `patience`.
    fn listen(&mut self, patience: Duration) {
        let mut fds: Vec<_> = self.streams.iter().map(|stream| PollFd::new(stream, PollFlags::IN)).collect();
        let patience = Timespec::try_from(patience).ok();
        // Interrupted, or out of kernel memory: the caller comes back, and looks again.
        let ready = poll(&mut fds, patience.as_ref()).unwrap_or(0);
        let events: Vec<bool> = fds.iter().map(|fd| ready > 0 && !fd.revents().is_empty()).collect();
        for which in (0..events.len()).rev().filter(|which| events[*which]) {
            let mut reports = Vec::new();
            let taken = self.streams[which].pass_on(&mut reports);
            self.keep(reports);
            if taken == 0 {
                self.streams.remove(which);
            }
        }
    }

    /// Passes on what the pipes still hold, once the launcher is gone.
    fn pass_on_the_rest(&mut self) {
        for mut stream in std::mem::take(&mut self.streams) {
            let mut reports = Vec::new();
            take_the_rest(&mut stream, |stream| stream.pass_on(&mut reports));
            stream.finish(&mut reports);
            self.keep(reports);
        }
    }

    fn keep(&mut self, reports: Vec<(usize, String)>) {
        for (pe, text) in reports {
            self.first.get_or_insert(pe);
            // A PE that reports twice has cut the second one.
            self.reports.entry(pe).or_insert(text);
        }
    }

    /// Ends the launcher, which ends the PEs.
    fn end(&mut self) {
        let launcher = Pid::from_child(&self.child);
        // It may be gone already, which is what we want; here, and below.
        let _ = kill_process(launcher, Signal::TERM);
        let deadline = Instant::now() + TO_END;
        while !self.gone && Instant::now() < deadline {
            self.gone = !matches!(self.child.try_wait(), Ok(None));
            if self.streams.is_empty() {
                thread::sleep(SHORT_TICK);
            } else {
                self.listen(SHORT_TICK);
            }
        }
        if !self.gone {
            if self.group {
                let _ = kill_process_group(launcher, Signal::KILL);
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
            self.gone = true;
        }
        self.pass_on_the_rest();
    }

    /// What PEs have reported, in one line.
    fn report(&self) -> Option<String> {
        let first = self.reports.get(&self.first?)?.replace(LINE_BREAK, "\n");
        let others = if first.ends_with(BY_GLOBAL_EXIT) { 0 } else { self.reports.len() - 1 };
        Some(first + &and_others(others))
    }

    /// `text`, with what PEs have reported behind it.
    fn and_reported(&self, text: String) -> String {
        match self.report() {
            Some(report) => format!("{text}; {report}"),
            None => text,
        }
    }

    /// How the job ended when its launcher ended so.
    fn verdict(&self, end: ExitStatus, launcher: &str) -> Result<(), Failure> {
        let status = match (end.code(), end.signal()) {
            (Some(0), _) if self.reports.is_empty() => return Ok(()),
            // Some launchers do not pass it on.
            (Some(0), _) => 1,
            (Some(code), _) => u8::try_from(code & 0xff).unwrap_or(1).max(1),
            (None, signal) => {
                let (text, status) = signal.map_or((String::from("ended in an unknown way"), 1), |signal| {
                    (killed_by(signal), status_of_signal(signal))
                });
                return Err(Failure {
                    text: self.and_reported(format!("the launcher {launcher} {text}")),
                    status,
                });
            }
        };
        let text = self.report().unwrap_or_else(|| match status {
            // As a shell says it, and launchers do.
            129..=192 => {
                format!("a PE {}; which one, {launcher} says above", killed_by(i32::from(status) - 128))
            }
            _ => {
                format!("the job ended with status {status}, and no PE said why; what {launcher} has said stands above")
            }
        });
        Err(Failure { text, status })
    }
}

/// How the report of a PE ends that has ended the job on purpose: what happens to others then is no failure.
const BY_GLOBAL_EXIT: &str = ", by global_exit";

impl Drop for Running {
    fn drop(&mut self) {
        if !self.gone {
            self.end();
        }
    }
}

/// One stream of the launcher, which is passed on but for the reports.
struct Passing {
    stream: Stream,
    pipe: File,
    how: How,
}

/// What is passed on.
enum How {
    /// What a program prints, as it comes.
    Through(Through),
    /// What the PEs of a test print, by the line.
    Apart(Apart),
}

impl Passing {
    /// A test's output is taken apart; `apart` tells whether its lines have tags.
    fn new(stream: Stream, pipe: OwnedFd, apart: Option<bool>) -> Passing {
        let how = match apart {
            Some(tags) => How::Apart(Apart::new(stream, tags)),
            None => How::Through(Through::default()),
        };
        Passing { stream, pipe: File::from(pipe), how }
    }

    /// Passes on what is there; waits when nothing is, so poll first. Answers how many bytes it was: 0 at the end.
    fn pass_on(&mut self, reports: &mut Vec<(usize, String)>) -> usize {
        let mut chunk = [0; 16 * 1024];
        let len = self.pipe.read(&mut chunk).unwrap_or(0);
        self.take(&chunk[..len], reports);
        len
    }

    /// Passes on the end of what was begun, when nothing more comes.
    fn finish(&mut self, reports: &mut Vec<(usize, String)>) {
        self.take(&[], reports);
    }

    /// `bytes` have come; none at the end.
    fn take(&mut self, bytes: &[u8], reports: &mut Vec<(usize, String)>) {
        match &mut self.how {
            How::Through(through) => {
                let pass = if bytes.is_empty() { through.rest() } else { through.push(bytes, reports) };
                // As it is for any program, there is nobody to tell that standard error is closed.
                let _ = io::stderr().write_all(&pass);
            }
            How::Apart(apart) => {
                for (pe, line) in if bytes.is_empty() { apart.rest() } else { apart.push(bytes) } {
                    match (reported(&line), pe) {
                        (Some((pe, text)), _) => reports.push((pe, text.to_owned())),
                        (None, pe) => self.stream.print(pe, &line),
                    }
                }
            }
        }
    }
}

impl AsFd for Passing {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// How the line of a report begins.
const REPORT: &[u8] = b"shmem: PE ";

/// Lets everything through at once but lines that are reports, or may become one.
#[derive(Default)]
struct Through {
    /// The line that has begun, and may be a report.
    held: Vec<u8>,
    /// Whether the line that has begun is none.
    open: bool,
}

impl Through {
    /// Takes `bytes`; gives those to pass on.
    fn push(&mut self, bytes: &[u8], reports: &mut Vec<(usize, String)>) -> Vec<u8> {
        let mut pass = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.held.extend_from_slice(piece);
            let ends = piece.ends_with(b"\n");
            let may_be = self.held.starts_with(REPORT) || REPORT.starts_with(&self.held);
            if !self.open && may_be && !ends && self.held.len() < LONGEST_LINE {
                continue;
            }
            let line = String::from_utf8_lossy(&self.held);
            match reported(line.trim_end_matches('\n')) {
                Some((pe, text)) if !self.open && ends => reports.push((pe, text.to_owned())),
                _ => pass.extend_from_slice(&self.held),
            }
            self.held.clear();
            self.open = !ends;
        }
        pass
    }

    /// What was held, when nothing more comes.
    fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

/// Takes apart what a launcher prints for all PEs.
///
/// Open MPI's puts a tag such as `[1,2]<stdout>:` before each line, and before each further piece of a line that did not come at once,
/// be it of another PE or of the same.
struct Apart {
    stream: Stream,
    tags: bool,
    /// What may be the beginning of a tag.
    begun: Vec<u8>,
    /// The PE that speaks; `None` for the launcher.
    pe: Option<usize>,
    lines: BTreeMap<Option<usize>, Lines>,
}

/// Whether bytes begin with a tag.
#[derive(Debug, PartialEq)]
enum Tag {
    /// One of this length, of this PE.
    Of(usize, usize),
    /// They could become one.
    Perhaps,
    No,
}

impl Apart {
    fn new(stream: Stream, tags: bool) -> Apart {
        Apart { stream, tags, begun: Vec::new(), pe: None, lines: BTreeMap::new() }
    }

    /// Takes `bytes`; gives the lines that they finish.
    fn push(&mut self, bytes: &[u8]) -> Vec<(Option<usize>, String)> {
        let mut done = Vec::new();
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        while !rest.is_empty() {
            match if self.tags { tag(rest) } else { Tag::No } {
                Tag::Of(len, pe) => {
                    self.pe = Some(pe);
                    rest = &rest[len..];
                }
                Tag::Perhaps => {
                    self.begun = rest.to_vec();
                    break;
                }
                Tag::No => {
                    // As far as no tag can begin.
                    let next = rest[1..].iter().position(|byte| *byte == b'[' || *byte == b'\n');
                    let end = match next.map(|next| next + 1) {
                        _ if rest[0] == b'\n' => 1,
                        Some(next) if rest[next] == b'\n' => next + 1,
                        Some(next) => next,
                        None => rest.len(),
                    };
                    self.text(&rest[..end], &mut done);
                    rest = &rest[end..];
                }
            }
        }
        done
    }

    /// The lines that were begun, when nothing more comes.
    fn rest(&mut self) -> Vec<(Option<usize>, String)> {
        let mut done = Vec::new();
        let begun = std::mem::take(&mut self.begun);
        if !begun.is_empty() {
            self.text(&begun, &mut done);
        }
        for (pe, lines) in &mut self.lines {
            done.extend(lines.rest().into_iter().map(|line| (*pe, line)));
        }
        done
    }

    /// A piece of what the PE prints that speaks now, of one line.
    fn text(&mut self, text: &[u8], done: &mut Vec<(Option<usize>, String)>) {
        let heading = self.stream == Stream::Out;
        let lines = self.lines.entry(self.pe).or_insert_with(|| match heading {
            true => Lines::after_heading(),
            false => Lines::default(),
        });
        let pe = self.pe;
        done.extend(lines.push(text).into_iter().map(|line| (pe, line)));
        if text.ends_with(b"\n") {
            // The next line has its own tag.
            self.pe = None;
        }
    }
}

/// The tag that `bytes` begin with: `[`, the job, a comma, the PE, `]<stdout>:` or `]<stderr>:`.
fn tag(bytes: &[u8]) -> Tag {
    // More digits than a number has are none.
    const DIGITS: usize = 10;
    let number = |from: usize| {
        let digits = bytes[from..].iter().take(DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
        (digits > 0 || from == bytes.len()).then_some(from + digits)
    };
    let fixed = |from: usize, text: &str| {
        let rest = &bytes[from..];
        (rest.starts_with(text.as_bytes()) || text.as_bytes().starts_with(rest))
            .then_some(bytes.len().min(from + text.len()))
    };
    let found =
        fixed(0, "[").and_then(number).and_then(|at| fixed(at, ",")).and_then(|at| Some((at, number(at)?)));
    let Some((from, to)) = found else { return Tag::No };
    let Some(end) = fixed(to, "]<stdout>:").or_else(|| fixed(to, "]<stderr>:")) else { return Tag::No };
    if end < to + "]<stdout>:".len() {
        return Tag::Perhaps;
    }
    let pe = std::str::from_utf8(&bytes[from..to]).ok().and_then(|digits| digits.parse().ok());
    pe.map_or(Tag::No, |pe| Tag::Of(end, pe))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed on, and what is reported, when `text` comes in pieces of `size` bytes.
    fn through(text: &str, size: usize) -> (String, Vec<(usize, String)>) {
        let mut through = Through::default();
        let (mut pass, mut reports) = (Vec::new(), Vec::new());
        for piece in text.as_bytes().chunks(size) {
            pass.extend(through.push(piece, &mut reports));
        }
        pass.extend(through.rest());
        (String::from_utf8(pass).unwrap(), reports)
    }

    #[test]
    fn reports_are_kept_and_the_rest_is_passed_on() {
        let text = "one\nshmem: PE 2 of 4 panicked at a.rs\nshmem: 4 PEs over\n\nshmem: PE\nnot shmem: PE 1 of 2 x\nshm";
        for size in 1..=text.len() {
            let (pass, reports) = through(text, size);
            assert_eq!(pass, "one\nshmem: 4 PEs over\n\nshmem: PE\nnot shmem: PE 1 of 2 x\nshm", "{size}");
            assert_eq!(reports, [(2, "PE 2 of 4 panicked at a.rs".to_owned())], "{size}");
        }
    }

    #[test]
    fn what_is_no_report_is_not_held_back() {
        let mut through = Through::default();
        let mut reports = Vec::new();
        assert_eq!(through.push(b"name? ", &mut reports), b"name? ");
        assert_eq!(through.push(b"shmem: PE 1 of 2 x\nshm", &mut reports), b"shmem: PE 1 of 2 x\n");
        assert_eq!(through.push(b"ells", &mut reports), b"shmells");
        let long = [b"\nshmem: PE 1 of 2 ".as_slice(), &vec![b'x'; LONGEST_LINE]].concat();
        assert_eq!(through.push(&long, &mut reports).len(), long.len());
        assert!(reports.is_empty());
    }

    /// The lines of `text`, which comes in pieces of `size` bytes.
    fn apart(tags: bool, text: &str, size: usize) -> Vec<(Option<usize>, String)> {
        let mut apart = Apart::new(Stream::Err, tags);
        let mut lines: Vec<_> = text.as_bytes().chunks(size).flat_map(|piece| apart.push(piece)).collect();
        lines.extend(apart.rest());
        lines
    }

    #[test]
    fn tagged_lines_are_given_to_their_pes() {
        let text = "[1,1]<stdout>:a\n[1,1]<stdout>:c[1,0]<stdout>:a[1,x]\n[1,1]<stderr>:d\n[1,12]<stdout>:\nthe launcher\n\
                    [1,0]<stdout>:[1,0]\n[1,0]<stdout>:e[[1,3]<stdout>:f";
        let expected = [
            (Some(1), "a"),
            (Some(0), "a[1,x]"),
            (Some(1), "cd"),
            (Some(12), ""),
            (None, "the launcher"),
            (Some(0), "[1,0]"),
            (Some(0), "e["),
            (Some(3), "f"),
        ];
        let expected = expected.map(|(pe, line)| (pe, line.to_owned()));
        for size in 1..=text.len() {
            assert_eq!(apart(true, text, size), expected, "{size}");
        }
        // Without tags they are what they look like.
        assert_eq!(
            apart(false, "[1,1]<stdout>:a\nb", 3),
            [(None, "[1,1]<stdout>:a".to_owned()), (None, "b".to_owned())]
        );
    }

    #[test]
    fn tags() {
        assert_eq!(tag(b"[1,23]<stdout>:x"), Tag::Of(15, 23));
        assert_eq!(tag(b"[1,0]<stderr>:"), Tag::Of(14, 0));
        let whole = b"[1,0]<stdout>:";
        for len in 1..whole.len() {
            assert_eq!(tag(&whole[..len]), Tag::Perhaps, "{len}");
        }
        for no in ["x", "[x", "[,", "[1;", "[1,]", "[1,0]<stdin", "[1,0] ", "[12345678901,", "]"] {
            assert_eq!(tag(no.as_bytes()), Tag::No, "{no}");
        }
    }

    fn ended(raw: i32, reports: &[(usize, &str)]) -> Result<(), (String, u8)> {
        let child = Command::new("true").spawn().expect("there is such a program");
        let mut running = Running {
            child,
            group: false,
            gone: false,
            streams: Vec::new(),
            reports: BTreeMap::new(),
            first: None,
        };
        running.keep(reports.iter().map(|(pe, text)| (*pe, (*text).to_owned())).collect());
        let verdict = running.verdict(ExitStatus::from_raw(raw), "oshrun");
        verdict.map_err(|failure| (failure.text, failure.status))
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
        let exit = (1, "PE 1 of 4 ended the job with status 3, by global_exit");
        assert_eq!(ended(3 << 8, &[exit, first]), Err((exit.1.to_owned(), 3)));
        assert_eq!(ended(0, &[first]).unwrap_err().1, 1);
        let (text, status) = ended(137 << 8, &[]).unwrap_err();
        assert!(text.starts_with("a PE was killed by signal 9 (SIGKILL)") && status == 137, "{text}");
        let (text, status) = ended(7 << 8, &[]).unwrap_err();
        assert!(text.starts_with("the job ended with status 7, and no PE said why") && status == 7, "{text}");
        let (text, status) = ended(15, &[]).unwrap_err();
        assert_eq!((text.as_str(), status), ("the launcher oshrun was killed by signal 15 (SIGTERM)", 143));
    }
}
