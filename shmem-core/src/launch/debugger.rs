//! Debuggers of PEs: `SHMEM_DEBUGGER`.
//!
//! A PE that is to be debugged is started as any other, so it has the descriptors of a PE and ends
//! with the job. When it has attached the job's memory, it waits until a process traces it. The
//! supervisor sees that it waits, and opens a window of tmux or screen in which the debugger attaches
//! to it by its number. Outside of them, one debugger has the terminal of the job.
//!
//! A terminal belongs to one group of processes at a time, and Ctrl-C goes to that group. So the
//! debugger and its PE each get a group of their own: Ctrl-C stops the PE in the debugger, and the
//! job goes on.

use std::env;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpgrp, test_kill_process};
use rustix::termios::tcsetpgrp;

use crate::system::env::{DebuggerWish, set};
use crate::system::error::Error;
use crate::system::proc::{Status, stat};
use crate::system::status::{PeState, PeStatus};

use super::names::JobName;
use super::supervisor::system;

/// How often a PE looks whether a debugger has come.
const LOOK: Duration = Duration::from_millis(20);

/// How long screen may take to open a window.
const TO_OPEN: Duration = Duration::from_secs(20);

/// The setting of Linux that forbids to attach.
const SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

/// Where debuggers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Terminal {
    /// In a window of tmux.
    Tmux,
    /// In a window of screen.
    Screen,
    /// In the terminal of the job.
    Here,
}

/// The debuggers of a job.
#[derive(Debug)]
pub(super) struct Debuggers {
    /// The program that attaches.
    tool: PathBuf,
    /// Its name.
    name: &'static str,
    /// The PEs that are debugged.
    pes: Vec<usize>,
    place: Terminal,
    /// Those that were started, each with its PE.
    started: Vec<(usize, Started)>,
}

/// A debugger that was started.
#[derive(Debug)]
enum Started {
    /// In a window of tmux, which tells its process.
    Tmux(Option<Pid>),
    /// In a window of screen, which opens the window later and does not tell the process. That is
    /// searched for.
    Screen(Option<Pid>, Instant),
    /// In the terminal of the job; it has ended if this is `None`.
    Here(Option<Child>),
}

impl Debuggers {
    /// The debuggers that the user wishes for a job of `npes` PEs.
    pub(super) fn of(wish: &DebuggerWish, npes: usize, test: bool) -> Result<Option<Debuggers>, Error> {
        let value = || wish.to_string();
        let error =
            |expected: String| Error::Environment { variable: "SHMEM_DEBUGGER", value: value(), expected };
        let absent = wish.pes.iter().find(|pe| **pe >= npes);
        let pes: Vec<usize> = wish.pes.iter().copied().filter(|pe| *pe < npes).collect();
        match absent {
            // A test runs at several numbers of PEs.
            Some(_) if test && pes.is_empty() => return Ok(None),
            Some(pe) if !test => {
                return Err(error(format!("this job has {npes} PEs, and no PE {pe}; the first PE is PE 0")));
            }
            _ => {}
        }
        if !cfg!(target_os = "linux") {
            return Err(error(String::from(
                "only on Linux does a PE wait for its debugger; leave the variable unset",
            )));
        }
        let Some(tool) = find(wish.tool) else {
            return Err(error(format!(
                "{} is not on the PATH: install it, or name gdb, lldb, rust-gdb or rust-lldb",
                wish.tool
            )));
        };
        may_attach(&fs::read_to_string(SCOPE).unwrap_or_default(), rustix::process::geteuid().is_root())
            .map_err(error)?;
        let place = if set("TMUX").is_some() {
            Terminal::Tmux
        } else if set("STY").is_some() {
            Terminal::Screen
        } else if !test && pes.len() == 1 && io::stdin().is_terminal() && io::stdout().is_terminal() {
            Terminal::Here
        } else {
            let why = if test {
                "the debugger of a test needs a window of its own"
            } else if pes.len() > 1 {
                "each debugger needs a window of its own"
            } else {
                "the debugger needs a terminal"
            };
            return Err(error(format!("{why}: start the job inside of tmux or screen")));
        };
        Ok(Some(Debuggers { tool, name: wish.tool, pes, place, started: Vec::new() }))
    }

    /// Whether `pe` is debugged.
    pub(super) fn has(&self, pe: usize) -> bool {
        self.pes.contains(&pe)
    }

    /// Whether the debugger of `pe` shares the terminal of the job. Such a PE has a group of
    /// processes of its own.
    pub(super) fn share_the_terminal(&self, pe: usize) -> bool {
        self.place == Terminal::Here && self.has(pe)
    }

    /// Starts the debugger of `pe`, which waits for it, or looks whether one that was started is still
    /// there. Call it from time to time while the PE waits.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or has ended and was never attached.
    pub(super) fn attend(&mut self, pe: usize, process: Pid, job: &JobName) -> Result<(), Error> {
        let name = self.name;
        if let Some((_, started)) = self.started.iter_mut().find(|(other, _)| *other == pe) {
            return if started.is_there(process) {
                Ok(())
            } else {
                Err(Error::Job {
                    reason: format!("{name} has ended, and was not attached to PE {pe}, which waits for it"),
                })
            };
        }
        let title = match self.place {
            // It cuts long titles, and with them the PE.
            Terminal::Screen => job.of_thread(pe),
            _ => job.title(pe),
        };
        let number = process.as_raw_nonzero().to_string();
        let quiet: &[&str] = if name.ends_with("gdb") { &["-q"] } else { &[] };
        let mut command = match self.place {
            Terminal::Tmux => {
                let mut command = Command::new("tmux");
                command.args(["new-window", "-P", "-F", "#{pane_pid}", "-n", &title]);
                if let Ok(folder) = env::current_dir() {
                    command.arg("-c").arg(folder);
                }
                // The server has another environment. `rust-gdb` looks for the compiler.
                if let Ok(path) = env::var("PATH") {
                    command.arg("-e").arg(format!("PATH={path}"));
                }
                command.arg("--").arg(&self.tool);
                command
            }
            Terminal::Screen => {
                let mut command = Command::new("screen");
                command.args(["-t", &title]);
                // As above.
                if let Ok(path) = env::var("PATH") {
                    command.arg("env").arg(format!("PATH={path}"));
                }
                command.arg(&self.tool);
                command
            }
            Terminal::Here => Command::new(&self.tool),
        };
        command.args(quiet).args(["-p", &number]);
        let refused = |source| system(&format!("cannot start {name} for PE {pe} (SHMEM_DEBUGGER)"), source);
        let place = match self.place {
            Terminal::Tmux => format!("the tmux window {title}"),
            Terminal::Screen => format!("the screen window {title}"),
            Terminal::Here => String::from("this terminal"),
        };
        eprintln!(
            "shmem: PE {pe} (process {number}) waits in {name}, in {place}: set breakpoints there, and continue"
        );
        let started = match self.place {
            Terminal::Here => Started::Here(Some(in_the_foreground(&mut command).map_err(refused)?)),
            _ => {
                let output = command.output().map_err(refused)?;
                if !output.status.success() {
                    let said = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
                    return Err(refused(io::Error::other(said)));
                }
                let number = String::from_utf8_lossy(&output.stdout).trim().parse().ok();
                match self.place {
                    Terminal::Screen => Started::Screen(None, Instant::now()),
                    _ => Started::Tmux(number.filter(|number| *number > 0).and_then(Pid::from_raw)),
                }
            }
        };
        self.started.push((pe, started));
        Ok(())
    }

    /// Takes the terminal back if the debugger that had it has ended. Call it from time to time.
    ///
    /// # Errors
    ///
    /// When the terminal was closed. The system has told the debugger then, and not the job.
    pub(super) fn look(&mut self) -> Result<(), Error> {
        for (_, started) in &mut self.started {
            if let Started::Here(Some(child)) = started
                && !matches!(child.try_wait(), Ok(None))
            {
                *started = Started::Here(None);
                take_the_terminal().map_err(|source| system("the terminal of the job is closed", source))?;
            }
        }
        Ok(())
    }

    /// Waits for the user to leave the debugger that has the terminal of the job, if there is one, and
    /// takes the terminal back.
    pub(super) fn end(&mut self) {
        for (_, started) in self.started.drain(..) {
            if let Started::Here(Some(mut debugger)) = started {
                if matches!(debugger.try_wait(), Ok(None)) {
                    eprintln!("shmem: the job has ended: leave the debugger to go on");
                    let _ = debugger.wait();
                }
                // The terminal may be closed.
                let _ = take_the_terminal();
            }
        }
    }
}

impl Drop for Debuggers {
    fn drop(&mut self) {
        self.end();
    }
}

impl Started {
    /// Whether it has not ended, as far as is known. It attaches to `process`.
    fn is_there(&mut self, process: Pid) -> bool {
        match self {
            Started::Tmux(number) => number.is_none_or(is_running),
            Started::Screen(Some(number), _) => is_running(*number),
            Started::Screen(number, since) => {
                *number = attaching_to(process);
                number.is_some() || since.elapsed() < TO_OPEN
            }
            Started::Here(Some(child)) => matches!(child.try_wait(), Ok(None)),
            Started::Here(None) => false,
        }
    }
}

/// Whether a process is there and has not ended. tmux may close the window of a process that has ended,
/// and never ask for its status: then it stays as a zombie.
fn is_running(process: Pid) -> bool {
    let is_zombie = || stat(process).is_some_and(|words| words.first().is_some_and(|state| state == "Z"));
    test_kill_process(process).is_ok() && !is_zombie()
}

/// The debugger that was told to attach to a process: its last arguments say so.
fn attaching_to(process: Pid) -> Option<Pid> {
    let end = format!("\0-p\0{}\0", process.as_raw_nonzero());
    let is_it = |number: &i32| {
        fs::read(format!("/proc/{number}/cmdline")).is_ok_and(|line| line.ends_with(end.as_bytes()))
    };
    let numbers =
        fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers.filter(|number| *number > 0).find(is_it).and_then(Pid::from_raw)
}

/// The file of a program on the `PATH`.
fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let files = env::split_paths(&path).map(|folder| folder.join(name));
    let runs = |file: &Path| {
        file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    files.into_iter().find(|file| runs(file)).and_then(|file| std::path::absolute(file).ok())
}

/// Fails where the system lets no process attach to a PE, whatever the PE allows.
fn may_attach(scope: &str, root: bool) -> Result<(), String> {
    match scope.trim() {
        "3" => Err(String::from(
            "this system lets no process attach to another one until it is restarted (kernel.yama.ptrace_scope=3)",
        )),
        "2" if !root => Err(String::from(
            "this system lets root alone attach to processes: sudo sysctl kernel.yama.ptrace_scope=1",
        )),
        _ => Ok(()),
    }
}

/// Starts a debugger in a group of its own, which gets the terminal.
fn in_the_foreground(command: &mut Command) -> io::Result<Child> {
    command.process_group(0);
    // SAFETY: between fork and exec the closure makes system calls and nothing else. It allocates
    // nothing and takes no lock.
    unsafe { command.pre_exec(|| without_stop(|| Ok(tcsetpgrp(io::stdin(), getpgrp())?))) };
    let started = command.spawn();
    if started.is_err() {
        // The reason why it did not start is reported.
        let _ = take_the_terminal();
    }
    started
}

/// Gives the terminal to the group of this process.
fn take_the_terminal() -> io::Result<()> {
    without_stop(|| Ok(tcsetpgrp(io::stdin(), getpgrp())?))
}

/// Calls `change`, which changes the group of a terminal, for a process that the terminal would stop
/// for that.
fn without_stop(change: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    // SAFETY: all bytes of a set may be zero, and the calls write to sets of this function.
    unsafe {
        let mut stop: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut stop);
        libc::sigaddset(&raw mut stop, libc::SIGTTOU);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const stop, &raw mut before);
        let changed = change();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        changed
    }
}

/// Whether a process is traced, by a debugger or by a tool such as `strace`.
pub(super) fn is_traced(process: u32) -> bool {
    Status::of(process).is_some_and(|status| status.is_traced())
}

/// Waits until a debugger has attached to this process. `status` tells the supervisor.
pub(super) fn wait_for_debugger(status: &PeStatus) {
    // The debugger is no ancestor of this process, and many systems let only ancestors attach.
    #[cfg(target_os = "linux")]
    // SAFETY: the command takes a number. It fails where the system has no such rule.
    unsafe {
        libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY);
    }
    status.set(PeState::Debugged);
    while !is_traced(std::process::id()) {
        thread::sleep(LOOK);
    }
    status.set(PeState::Starting);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_may_forbid_it() {
        for (scope, root, may) in
            [("", false, true), ("0\n", false, true), ("1\n", false, true), ("2\n", true, true)]
        {
            assert_eq!(may_attach(scope, root).is_ok(), may, "{scope:?}");
        }
        assert!(may_attach("2\n", false).unwrap_err().contains("kernel.yama.ptrace_scope=1"));
        assert!(may_attach("3\n", true).is_err());
    }

    #[test]
    fn programs_are_found() {
        assert!(find("sh").is_some_and(|file| file.is_absolute()));
        assert_eq!(find("no-such-debugger"), None);
    }
}
