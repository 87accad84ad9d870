//! What a checkpoint that takes long shows on a terminal: run on one, and read back.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;

use crate::watch::{is_ignored, program};

/// What wipes a line.
const WIPE: &str = "\r\x1b[K";
/// Longer than a checkpoint takes before it shows anything.
const LONG: Duration = Duration::from_millis(1100);
/// Something that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// A terminal of so many columns: our end, and the program's.
fn terminal(columns: u16) -> (File, OwnedFd) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("the terminal can be used");
    rustix::io::fcntl_setfd(&ours, rustix::io::FdFlags::CLOEXEC).expect("a flag can be set");
    let size = Winsize { ws_row: 25, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).expect("it has a size");
    let name = ptsname(&ours, Vec::new()).expect("the terminal has a name");
    let theirs = File::options().read(true).write(true).open(name.to_str().expect("the name is text"));
    (ours.into(), theirs.expect("the other end").into())
}

/// What a terminal shows after these bytes: its rows.
fn screen(bytes: &str, columns: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut column = 0;
    let mut rest = bytes;
    while let Some(next) = rest.chars().next() {
        let row = rows.last_mut().expect("there is one");
        if let Some(after) = rest.strip_prefix("\x1b[K") {
            row.truncate(column);
            rest = after;
            continue;
        }
        rest = &rest[next.len_utf8()..];
        match next {
            '\r' => column = 0,
            '\n' => rows.push(String::new()),
            _ => {
                assert!(!next.is_control(), "{bytes:?}");
                if column == columns {
                    rows.push(String::new());
                    column = 0;
                }
                let row = rows.last_mut().expect("there is one");
                if column < row.len() {
                    row.replace_range(column..column + 1, &next.to_string());
                } else {
                    row.push(next);
                }
                column += 1;
            }
        }
    }
    rows
}

/// A job that writes checkpoints until it is told to end.
struct Writing {
    child: Child,
    pes: Vec<Pid>,
    folder: TempDir,
    errors: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Writing {
    /// Starts it, with `stderr` as its standard error, which is read at `ours`.
    fn start(how: &str, term: &str, stderr: impl Into<Stdio>, mut ours: File) -> Writing {
        let folder = tempfile::tempdir().unwrap();
        let mut command = program("long");
        command.arg(folder.path()).arg(how).env("TERM", term);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().expect("the program starts");
        drop(command); // and its end of the terminal
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut pes: Vec<(usize, Pid)> = (0..2)
            .map(|_| {
                let line = lines.next().expect("a line").expect("text");
                let (pe, process) = line.split_once(' ').expect("two words");
                (pe.parse().unwrap(), Pid::from_raw(process.parse().unwrap()).unwrap())
            })
            .collect();
        pes.sort_unstable_by_key(|(pe, _)| *pe);
        let errors = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&errors);
        let reader = thread::spawn(move || {
            let mut chunk = [0; 4096];
            // A terminal whose other end is closed gives an error.
            while let Ok(len @ 1..) = ours.read(&mut chunk) {
                seen.lock().unwrap().push_str(std::str::from_utf8(&chunk[..len]).expect("it prints ASCII"));
            }
        });
        let pes = pes.into_iter().map(|(_, process)| process).collect();
        Writing { child, pes, folder, errors, reader: Some(reader) }
    }

    fn seen(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    fn send(&self, pe: usize, signal: Signal) {
        kill_process(self.pes[pe], signal).expect("the PE runs");
    }

    /// Whether PE 0 has begun to write its file.
    fn is_writing(&self) -> bool {
        let folders = fs::read_dir(self.folder.path().join("checkpoints")).into_iter().flatten();
        let parts = folders.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files = parts.filter(|path| is_part(path)).map(|path| path.join("pe-00000"));
        files.any(|file| fs::metadata(file).is_ok_and(|found| found.len() > 0))
    }

    /// Holds PE 0 up in the middle of a checkpoint.
    fn hold_up(&self) {
        let started = Instant::now();
        while !self.is_writing() {
            assert!(started.elapsed() < LIMIT, "no checkpoint is written: {}", self.seen());
            thread::sleep(Duration::from_millis(1));
        }
        self.send(0, Signal::STOP);
        thread::sleep(LONG);
        self.send(0, Signal::CONT);
    }

    /// Holds PE 0 up until it shows how far it is. With `keep`, it is stopped while it does.
    fn make_it_show(&self, keep: bool) {
        let started = Instant::now();
        while started.elapsed() < LIMIT {
            let before = self.seen().len();
            self.hold_up();
            // It was stopped after the last of its pieces, if it shows nothing.
            while self.is_writing() {
                if self.seen()[before..].contains(" writes a checkpoint: ") {
                    if !keep {
                        return;
                    }
                    self.send(0, Signal::STOP);
                    thread::sleep(Duration::from_millis(50)); // until it is
                    if !self.seen().ends_with(WIPE) {
                        return;
                    }
                    self.send(0, Signal::CONT);
                    break;
                }
                thread::sleep(Duration::from_millis(1));
            }
        }
        panic!("it shows nothing: {:?}", self.seen());
    }

    /// Waits until it has printed this.
    fn wait_for(&self, text: &str) {
        let started = Instant::now();
        while !self.seen().contains(text) {
            assert!(started.elapsed() < LIMIT, "{text:?} is not in {:?}", self.seen());
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for the end of the job. Returns what was printed on standard error.
    fn end(mut self) -> (ExitStatus, String) {
        fs::write(self.folder.path().join("end"), "").unwrap();
        let status = self.child.wait().expect("the child is ours");
        self.reader.take().expect("it has one").join().expect("it reads text");
        (status, self.seen())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        // Of a job that hung; of one that has ended this does nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_part(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "part")
}

/// How far it is, in one line, which is gone in the end.
pub(crate) fn a_terminal_shows_how_far_a_checkpoint_is() {
    for columns in [100_u16, 40] {
        let (ours, theirs) = terminal(columns);
        let job = Writing::start("well", "xterm", theirs, ours);
        job.make_it_show(false);
        let (status, seen) = job.end();
        assert!(status.success(), "{seen:?}");
        let columns = usize::from(columns);
        assert_eq!(screen(&seen, columns), ["done", ""], "{seen:?}");
        let (lines, _) = seen.rsplit_once(WIPE).unwrap();
        for line in lines.split(WIPE).filter(|line| !line.is_empty()) {
            assert!(line.len() < columns, "{line:?} has no room in {columns} columns");
            let text = line.strip_prefix("shmem: PE 0 writes a checkpoint: ");
            let text = text.unwrap_or_else(|| panic!("{line:?}"));
            if text.starts_with("waits ") {
                continue;
            }
            let (percent, rest) = text.split_once(" %").unwrap_or_else(|| panic!("{line:?}"));
            assert!(percent.parse::<u32>().is_ok_and(|percent| percent <= 100), "{line:?}");
            if columns < 80 {
                assert!(" of 24".starts_with(rest), "{line:?}");
                continue;
            }
            let (text, bar) = rest.split_once("/s [").unwrap_or_else(|| panic!("{line:?}"));
            assert!(text.starts_with(" of 24.") && text.contains(" MiB, "), "{line:?}");
            assert!(bar.trim_matches(['#', '.']) == "]", "{line:?}");
        }
    }
}

/// An error and a report begin in a line of their own.
pub(crate) fn the_end_of_a_checkpoint_wipes_its_line() {
    let columns = 100;
    // PE 1 has no room for its file.
    let (ours, theirs) = terminal(columns);
    let job = Writing::start("no-room", "xterm", theirs, ours);
    let directory = job.folder.path().join("checkpoints");
    job.make_it_show(false);
    let (status, seen) = job.end();
    assert!(status.success(), "{seen:?}");
    let text = screen(&seen, columns.into()).concat();
    let error = format!("cannot write a checkpoint to {}: PE 1: cannot write ", directory.display());
    let mut errors = text.strip_suffix("done").expect("it is the last").split(&error);
    assert_eq!(errors.next(), Some(""), "{seen:?}");
    assert!(errors.all(|rest| rest.ends_with("pe-00001: File too large (os error 27)")), "{seen:?}");
    for is_asked in [false, !is_ignored(Signal::QUIT)] {
        let (ours, theirs) = terminal(columns);
        let job = Writing::start("well", "xterm", theirs, ours);
        job.make_it_show(true);
        if is_asked {
            // The supervisor prints a table there.
            kill_process(Pid::from_child(&job.child), Signal::QUIT).expect("the job runs");
            job.wait_for("  PE 1  ");
        }
        // With PE 1, PE 0 is killed, which cannot wipe its line any more.
        job.send(1, Signal::KILL);
        let (status, seen) = job.end();
        assert_eq!(status.code(), Some(137), "{seen:?}");
        let rows = screen(&seen, columns.into());
        assert!(rows[0].starts_with(if is_asked { "shmem: job " } else { "shmem: PE 1 of 2 " }), "{rows:#?}");
        let reports = rows.iter().filter(|row| row.starts_with("shmem: PE 1 of 2 was killed by signal 9 "));
        assert_eq!(reports.count(), 1, "{rows:#?}");
        assert!(!rows.concat().contains("writes a checkpoint"), "{rows:#?}");
    }
}

/// What is no terminal, or one that cannot wipe, gets no line.
pub(crate) fn nothing_else_than_a_terminal_shows_a_checkpoint() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let ours = File::from(OwnedFd::from(reader));
    let pipe = Writing::start("well", "xterm", writer, ours);
    let (ours, theirs) = terminal(80);
    let dumb = Writing::start("well", "dumb", theirs, ours);
    for (job, end) in [(pipe, "\n"), (dumb, "\r\n")] {
        job.hold_up();
        let (status, seen) = job.end();
        assert!(status.success(), "{seen:?}");
        assert_eq!(seen, format!("done{end}"));
    }
}
