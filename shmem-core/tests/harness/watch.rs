//! Starting a program and watching it from outside.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::without_launcher;

/// What no program here needs, however busy the machine is: a job that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program of this name, in an environment that says nothing about jobs but what the whole run
/// of the tests is about.
pub(crate) fn program(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("the path of this binary"));
    command.args(["--program", name]);
    clean(&mut command);
    command
}

/// Takes out of the environment what a job would read.
pub(crate) fn clean(command: &mut Command) {
    let variables = [
        "NPES",
        "SYMMETRIC_SIZE",
        "INFO",
        "VERSION",
        "DEBUG",
        "TIMEOUT",
        "TEST_TIMEOUT",
        "SMP_JOB",
        "TRANSPORT",
        "LAUNCHER",
        "OUTPUT",
        "BIND",
        "DEBUGGER",
        "RACES",
        "TRACE",
        "TRACE_SLICES",
    ];
    for variable in variables {
        command.env_remove(format!("SHMEM_{variable}"));
    }
    command.env("RUST_BACKTRACE", "0");
}

/// The same with one variable set.
pub(crate) fn with(name: &str, variable: &str, value: &str) -> Command {
    let mut command = program(name);
    command.env(variable, value);
    command
}

/// Runs a program to its end, and to the end of everything that holds its standard output.
pub(crate) fn run(command: &mut Command) -> Ended {
    let mut running = Running::start(command);
    running.end()
}

/// Runs it to the end of all of its processes, with `text` typed: a pipe that is filled and closed
/// before the program looks.
pub(crate) fn run_typed(mut command: Command, text: &[u8]) -> Ended {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(text).expect("the pipe is empty");
    drop(writer);
    command.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::spawn(&mut command);
    drop(command);
    running.end()
}

/// A program that runs.
///
/// Its streams are read by threads, so that a process which stays, and holds them open, fails the
/// test and does not hang it.
pub(crate) struct Running {
    child: Child,
    stdout: mpsc::Receiver<String>,
    stderr: mpsc::Receiver<String>,
    deadline: Instant,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Running {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::spawn(command)
    }

    /// Starts it with the streams that the command has; output and errors are pipes.
    pub(crate) fn spawn(command: &mut Command) -> Running {
        let mut child = command.spawn().expect("the program starts");
        let stdout = lines(child.stdout.take().expect("standard output is a pipe"));
        let stderr = lines(child.stderr.take().expect("standard error is a pipe"));
        Running { child, stdout, stderr, deadline: Instant::now() + LIMIT }
    }

    /// The next line of its standard output.
    pub(crate) fn line(&mut self) -> String {
        let line = next(&self.stdout, self.deadline).expect("the program prints a line before it ends");
        line.trim_end_matches('\n').to_owned()
    }

    /// The next line of its standard error.
    // Not every binary reads it.
    #[allow(dead_code)]
    pub(crate) fn error(&mut self) -> String {
        next(&self.stderr, self.deadline).expect("the program reports before it ends")
    }

    /// The number of the supervisor's process.
    pub(crate) fn number(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the supervisor.
    pub(crate) fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the program runs");
    }

    /// Waits for the end of all of its processes: the last of them closes its streams.
    pub(crate) fn end(&mut self) -> Ended {
        let mut stdout = String::new();
        while let Some(line) = next(&self.stdout, self.deadline) {
            stdout.push_str(&line);
        }
        let mut stderr = String::new();
        while let Some(line) = next(&self.stderr, self.deadline) {
            stderr.push_str(&line);
        }
        let status = self.child.wait().expect("the program is ours");
        Ended { status, stdout, stderr: without_launcher(&stderr) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Of a program that hung; of one that has ended this does nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a stream, as they come; no more when it is closed.
fn lines(stream: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while stream.read_line(&mut line).expect("the program prints text") > 0 {
            if sender.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    receiver
}

/// The next line, or `None` at the end of the stream.
fn next(lines: &mpsc::Receiver<String>, deadline: Instant) -> Option<String> {
    match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(line) => Some(line),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => panic!("after {LIMIT:?} a process of the job still runs"),
    }
}

impl Ended {
    /// The lines that the library itself printed.
    pub(crate) fn reports(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("shmem: ")).collect()
    }

    /// That it succeeded without a word on standard error.
    #[track_caller]
    pub(crate) fn assert_quiet_success(&self) {
        assert!(self.status.success() && self.stderr.is_empty(), "{self:#?}");
    }

    /// That it ended with `status` and one report that begins like this.
    #[track_caller]
    pub(crate) fn assert_failed(&self, status: i32, report: &str) {
        assert_eq!((self.status.code(), self.status.signal()), (Some(status), None), "{self:#?}");
        let reports = self.reports();
        assert!(reports.len() == 1 && reports[0].starts_with(report), "expected {report:?} alone: {self:#?}");
    }

    /// The lines of standard output, sorted: the PEs print in no order.
    pub(crate) fn lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.stdout.lines().collect();
        lines.sort_unstable();
        lines
    }
}

/// Whether this process ignores a signal, as one that was started by `nohup`, or with `&` by a
/// script. What it starts ignores it too.
pub(crate) fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & (1 << (signal.as_raw() - 1)) != 0)
}

/// Asks a running job at its socket.
// Not every binary does.
#[allow(dead_code)]
#[cfg(target_os = "linux")]
pub(crate) fn ask(supervisor: u32, question: &str) -> String {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixStream};

    let user = rustix::process::geteuid().as_raw();
    let address = SocketAddr::from_abstract_name(format!("shmem-{user}-{supervisor}")).expect("a name");
    let mut stream = UnixStream::connect_addr(&address).expect("the job listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
    stream.write_all(format!("{question}\n").as_bytes()).expect("the job reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the job answers");
    answer
}
