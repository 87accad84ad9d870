//! What becomes of the output of the PEs: `SHMEM_OUTPUT`, and the output of tests.
//!
//! | form | what a PE prints to |
//! |---|---|
//! | plain | the streams of the supervisor |
//! | label | pipes, from which the supervisor passes on whole lines, each with the PE's number in front |
//! | files | a file for each stream of each PE; the supervisor makes it, and no byte passes through the supervisor |
//!
//! The lines of a test are printed by `print!` and `eprint!` on the thread of the test, where the
//! test harness captures them. So they are shown when the test fails, like the output of any other
//! test.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, IsTerminal as _, Read, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::io::{Errno, ioctl_fionread};

use crate::system::env::{self, OutputForm};
use crate::system::error::Error;

use super::job::object;
use super::names::JobName;
use super::supervisor::system;

/// The errors of a disk that takes no more.
const FULL: [Errno; 2] = [Errno::NOSPC, Errno::DQUOT];
/// The remedy where a file cannot be made or written.
const ELSEWHERE: &str = "name a folder on another disk with SHMEM_OUTPUT=files=FOLDER";

/// An unfinished line is passed on when it reaches this many bytes, so that no PE can fill our
/// memory.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// One of a PE's two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputStream {
    Out,
    Err,
}

impl OutputStream {
    /// Prints a line of `pe`; without a PE, a line of the launcher.
    pub(super) fn print(self, pe: Option<usize>, line: &[u8]) {
        let before = pe.map(|pe| label(pe, false)).unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        match self {
            OutputStream::Out => println!("{before}{line}"),
            OutputStream::Err => eprintln!("{before}{line}"),
        }
    }

    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            OutputStream::Out => "standard output",
            OutputStream::Err => "standard error",
        }
    }

    /// Writes whole lines to this stream of this process.
    fn write(self, lines: &[u8]) -> io::Result<()> {
        match self {
            OutputStream::Out => {
                let mut out = io::stdout().lock();
                out.write_all(lines).and_then(|()| out.flush())
            }
            OutputStream::Err => io::stderr().lock().write_all(lines),
        }
    }

    /// Whether labels have colours here: on a terminal, unless the user does not want them.
    fn has_colours(self) -> bool {
        let terminal = match self {
            OutputStream::Out => io::stdout().is_terminal(),
            OutputStream::Err => io::stderr().is_terminal(),
        };
        terminal && env::set("NO_COLOR").is_none() && env::set("TERM").is_none_or(|term| term != "dumb")
    }
}

/// What stands before a line of `pe`. Six PEs in a row have different colours.
fn label(pe: usize, coloured: bool) -> String {
    // Cyan, yellow, green, magenta, blue, red.
    let colour = [36, 33, 32, 35, 34, 31][pe % 6];
    if coloured { format!("\x1b[{colour}m[PE {pe}]\x1b[0m ") } else { format!("[PE {pe}] ") }
}

/// Where the PEs of a job print to.
#[derive(Debug)]
pub(super) enum Printing {
    /// The streams of the supervisor.
    Plain,
    /// The test harness that this process is.
    Harness,
    /// The supervisor, which puts labels before lines.
    Labels {
        /// Whether both streams of the supervisor are the same terminal or file. Then a PE has one
        /// pipe for both, so that its lines keep their order.
        one: bool,
        /// Whether labels have colours on standard output and on standard error.
        colours: [bool; 2],
    },
    /// Files.
    Files(Files),
}

/// The streams of a PE that is to be started.
pub(super) struct Streams {
    pub(super) stdout: Stdio,
    pub(super) stderr: Stdio,
    /// What the supervisor reads.
    pub(super) outputs: Vec<Output<Labelled>>,
}

impl Printing {
    /// What `form` means for the PEs of a program.
    pub(super) fn of_program(form: &OutputForm, job: JobName, npes: usize) -> Result<Printing, Error> {
        Ok(match form {
            OutputForm::Plain => Printing::Plain,
            OutputForm::Label => Printing::Labels {
                one: matches!((object(io::stdout()), object(io::stderr())), (Ok(out), Ok(err)) if out == err),
                colours: [OutputStream::Out.has_colours(), OutputStream::Err.has_colours()],
            },
            OutputForm::Files(folder) => {
                fs::create_dir_all(folder).map_err(|source| {
                    let folder = folder.display();
                    system(
                        &format!("cannot make the folder {folder} for SHMEM_OUTPUT=files={folder}"),
                        source,
                    )
                })?;
                let digits = npes.saturating_sub(1).to_string().len();
                Printing::Files(Files { folder: folder.clone(), job, digits })
            }
        })
    }

    /// How many descriptors the supervisor holds for each PE.
    pub(super) fn descriptors(&self) -> usize {
        match self {
            Printing::Plain | Printing::Files(_) => 0,
            Printing::Harness | Printing::Labels { .. } => 2,
        }
    }

    /// The streams for `pe`.
    pub(super) fn streams(&self, pe: usize) -> Result<Streams, Error> {
        let pipe = |stream: OutputStream, to: Printer| {
            let (reader, writer) =
                io::pipe().map_err(|source| system("cannot make a pipe for the output of a PE", source))?;
            let lines = Lines::of(to, stream);
            Ok::<_, Error>((
                writer,
                Output::new(reader, Labelled { pe, stream, to, lines, refused: None, ended: false }),
            ))
        };
        let separate = |out: Printer, err: Printer| {
            let (stdout, out) = pipe(OutputStream::Out, out)?;
            let (stderr, err) = pipe(OutputStream::Err, err)?;
            Ok(Streams { stdout: stdout.into(), stderr: stderr.into(), outputs: vec![out, err] })
        };
        match self {
            Printing::Plain => {
                Ok(Streams { stdout: Stdio::inherit(), stderr: Stdio::inherit(), outputs: Vec::new() })
            }
            Printing::Harness => separate(Printer::Harness, Printer::Harness),
            Printing::Labels { one: false, colours: [out, err] } => {
                separate(Printer::Stream { coloured: *out }, Printer::Stream { coloured: *err })
            }
            Printing::Labels { one: true, colours: [coloured, _] } => {
                let (stdout, output) = pipe(OutputStream::Out, Printer::Stream { coloured: *coloured })?;
                let stderr = stdout
                    .try_clone()
                    .map_err(|source| system("cannot copy a pipe for the output of a PE", source))?;
                Ok(Streams { stdout: stdout.into(), stderr: stderr.into(), outputs: vec![output] })
            }
            Printing::Files(files) => {
                let [stdout, stderr] =
                    [files.create(pe, OutputStream::Out)?, files.create(pe, OutputStream::Err)?];
                Ok(Streams { stdout: stdout.into(), stderr: stderr.into(), outputs: Vec::new() })
            }
        }
    }

    /// What to add to the report `what` of `pe`, if it could not write to its file.
    pub(super) fn remedy(&self, pe: usize, what: &str) -> String {
        let Printing::Files(files) = self else { return String::new() };
        let Some(stream) = unwritable(what) else { return String::new() };
        let is_full = FULL.iter().any(|errno| what.contains(&io::Error::from(*errno).to_string()));
        let room = if is_full { "make room there, or " } else { "" };
        format!("; its {} is {}: {room}{ELSEWHERE}", stream.name(), files.path(pe, stream).display())
    }

    /// What `SHMEM_INFO` tells of `pe`, if there is something.
    pub(super) fn describe(&self, pe: usize) -> Option<String> {
        let Printing::Files(files) = self else { return None };
        let [out, err] = [files.path(pe, OutputStream::Out), files.path(pe, OutputStream::Err)];
        Some(format!("prints to {} and {}", out.display(), err.display()))
    }
}

/// The files that PEs print to.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    job: JobName,
    /// The digits of the highest number of a PE.
    digits: usize,
}

impl Files {
    /// The file for a stream of `pe`. The numbers have as many digits as the highest one, so that the
    /// files of a job are listed in order.
    fn path(&self, pe: usize, stream: OutputStream) -> PathBuf {
        let ending = if stream == OutputStream::Out { "out" } else { "err" };
        self.folder.join(format!("{}.PE{pe:0digits$}.{ending}", self.job, digits = self.digits))
    }

    /// Makes the file for a stream of `pe`. It replaces a file of an earlier job, but not one that a
    /// process is printing to: a lock, which ends with the last process that has the file open, tells.
    fn create(&self, pe: usize, stream: OutputStream) -> Result<File, Error> {
        let path = self.path(pe, stream);
        let refused = |source: io::Error| {
            let stream = stream.name();
            let what = format!("cannot make {} for the {stream} of PE {pe} (SHMEM_OUTPUT)", path.display());
            match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    Error::Job { reason: format!("{what}: {source}; make room there, or {ELSEWHERE}") }
                }
                _ => system(&what, source),
            }
        };
        if is_in_use(&path) {
            return Err(Error::Job {
                reason: format!(
                    "a process of another job is printing to {}: name another folder, such as SHMEM_OUTPUT=files=second, or \
                     end that job",
                    path.display()
                ),
            });
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(refused(error)),
            _ => {}
        }
        // With `create_new` it is never the file that a link of another name stands for.
        let file = File::options().append(true).create_new(true).open(&path).map_err(refused)?;
        // Some file systems have no locks.
        let _ = file.try_lock();
        Ok(file)
    }
}

/// The stream that a PE could not write to, if that is why it has failed: `what` is its report. The
/// first words are those of `println!` and `eprintln!`, which panic.
fn unwritable(what: &str) -> Option<OutputStream> {
    [OutputStream::Out, OutputStream::Err].into_iter().find(|stream| {
        let short = if *stream == OutputStream::Out { "stdout" } else { "stderr" };
        what.contains(&format!("failed printing to {short}: "))
            || what.contains(&format!("its {} cannot be written: ", stream.name()))
    })
}

/// Whether a process holds the lock of a file.
fn is_in_use(path: &Path) -> bool {
    // Only a plain file: to open a FIFO would wait for its reader.
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
        && File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The reading end of a stream to which processes of a job print.
pub(super) struct Output<S> {
    pipe: File,
    /// The receiver of the bytes.
    pub(super) sink: S,
}

/// The receiver of the bytes of a stream.
pub(super) trait Sink {
    /// Takes bytes in their order. An empty slice means the end of the stream, and finishes an
    /// unfinished line.
    fn take(&mut self, bytes: &[u8]);
}

impl<S: Sink> Output<S> {
    pub(super) fn new(pipe: impl Into<OwnedFd>, sink: S) -> Output<S> {
        Output { pipe: File::from(pipe.into()), sink }
    }

    /// Passes on the available bytes, and returns their number: 0 at the end. It waits if no bytes
    /// are available, so poll first.
    pub(super) fn pass_on(&mut self) -> usize {
        let mut chunk = [0; 16 * 1024];
        let len = loop {
            match self.pipe.read(&mut chunk) {
                // A signal of this process is not the end of the stream.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read.unwrap_or(0),
            }
        };
        self.sink.take(&chunk[..len]);
        len
    }

    /// Passes on the bytes that the pipe holds now, after the processes of the job have ended.
    /// Another process may hold the pipe open and write for ever, so this waits neither for the end
    /// of the stream nor for a pause.
    pub(super) fn finish(mut self) -> S {
        let mut left = ioctl_fionread(&self.pipe).map_or(0, |bytes| bytes as usize);
        while left > 0 {
            match self.pass_on() {
                0 => break,
                taken => left = left.saturating_sub(taken),
            }
        }
        self.sink.take(&[]);
        self.sink
    }
}

impl<S> AsFd for Output<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// Who prints the lines of a PE.
#[derive(Clone, Copy, Debug)]
enum Printer {
    /// The test harness, which takes text.
    Harness,
    /// The stream of this process, which takes any bytes.
    Stream {
        /// Whether labels have colours.
        coloured: bool,
    },
}

/// Prints the lines of one stream of one PE, each with a label.
pub(super) struct Labelled {
    pe: usize,
    stream: OutputStream,
    to: Printer,
    lines: Lines,
    /// Why lines could not be printed.
    refused: Option<io::Error>,
    /// No more lines are printed.
    ended: bool,
}

/// Output of a PE that the supervisor could not pass on.
#[derive(Debug)]
pub(super) struct Unprinted {
    pe: usize,
    stream: OutputStream,
    why: io::Error,
}

impl Labelled {
    /// Why lines could not be printed, once.
    pub(super) fn refused(&mut self) -> Option<Unprinted> {
        let Labelled { pe, stream, .. } = *self;
        self.refused.take().map(|why| Unprinted { pe, stream, why })
    }
}

impl Unprinted {
    /// The report of the job, which ends then.
    pub(super) fn report(&self, npes: usize) -> String {
        let Unprinted { pe, stream, why } = self;
        let stream = stream.name();
        let what = match why.kind() {
            ErrorKind::BrokenPipe => format!("nobody reads {stream} any more"),
            _ => format!("{stream} of the job cannot be written: {why}"),
        };
        format!("{what}, and PE {pe} of {npes} has printed more")
    }
}

impl Sink for Labelled {
    fn take(&mut self, bytes: &[u8]) {
        let Labelled { pe, stream, to, ref mut lines, ref mut refused, ref mut ended } = *self;
        match to {
            Printer::Harness => lines.cut(bytes, |line| stream.print(Some(pe), line)),
            Printer::Stream { coloured } => {
                // All lines in one call, so that much output is cheap and no other process of the
                // terminal comes between.
                let label = label(pe, coloured);
                let mut printed = Vec::with_capacity(2 * bytes.len());
                lines.cut(bytes, |line| {
                    printed.extend_from_slice(label.as_bytes());
                    printed.extend_from_slice(line);
                    printed.push(b'\n');
                });
                if !*ended && !printed.is_empty() {
                    *refused = stream.write(&printed).err();
                    *ended = refused.is_some();
                }
            }
        }
    }
}

/// Cuts a stream of bytes into lines.
pub(super) struct Lines {
    /// The unfinished line.
    begun: Vec<u8>,
    /// Whether the unfinished line had a part that was passed on.
    part: bool,
    /// Whether the harness's own heading is still to come.
    heading: bool,
}

impl Lines {
    fn of(printer: Printer, stream: OutputStream) -> Lines {
        match printer {
            Printer::Harness => Lines::of_harness(stream),
            Printer::Stream { .. } => Lines { begun: Vec::new(), part: false, heading: false },
        }
    }

    /// Lines of a stream of a test harness. Its standard output begins with an empty line and
    /// "running 1 test", which are left out.
    pub(super) fn of_harness(stream: OutputStream) -> Lines {
        Lines { begun: Vec::new(), part: false, heading: stream == OutputStream::Out }
    }

    /// Takes `bytes`, and calls `each` for the lines that they finish, without their line feeds. An
    /// empty slice finishes an unfinished line.
    pub(super) fn cut(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        if bytes.is_empty() && !self.begun.is_empty() {
            self.finish(&mut each);
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.begun.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.begun.pop();
                // All of the line may have been passed on.
                if !(self.part && self.begun.is_empty()) {
                    self.finish(&mut each);
                }
                self.part = false;
            } else if self.begun.len() >= LONGEST_LINE {
                self.finish(&mut each);
                self.part = true;
            }
        }
    }

    /// Ends the line.
    fn finish(&mut self, each: &mut impl FnMut(&[u8])) {
        let is_heading = self.heading && matches!(self.begun.as_slice(), b"" | b"running 1 test");
        self.heading = is_heading && self.begun.is_empty();
        if !is_heading {
            each(&self.begun);
        }
        self.begun.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeWriter, Write as _};

    use super::*;

    /// The lines that `bytes` finish.
    fn cut(lines: &mut Lines, bytes: &[u8]) -> Vec<String> {
        let mut done = Vec::new();
        lines.cut(bytes, |line| done.push(String::from_utf8_lossy(line).into_owned()));
        done
    }

    #[test]
    fn lines_are_put_together_from_pieces() {
        let mut lines = Lines::of_harness(OutputStream::Err);
        assert_eq!(cut(&mut lines, b"on"), Vec::<String>::new());
        assert_eq!(cut(&mut lines, b"e\n\ntwo\nth"), ["one", "", "two"]);
        assert_eq!(cut(&mut lines, b""), ["th"]);
        assert_eq!(cut(&mut lines, b""), Vec::<String>::new());
    }

    /// Counts bytes, and writes more to the pipe for each piece that it takes.
    struct Growing(PipeWriter, usize);

    impl Sink for Growing {
        fn take(&mut self, bytes: &[u8]) {
            self.0.write_all(b"more").unwrap();
            self.1 += bytes.len();
        }
    }

    /// The call takes the bytes that are in the pipe, and does not wait for the end of the stream.
    #[test]
    fn the_rest_of_a_stream_that_goes_on_is_taken() {
        for len in [0, 1, 5, 60_000] {
            let (reader, mut writer) = io::pipe().unwrap();
            writer.write_all(&vec![b'x'; len]).unwrap();
            let Growing(_, taken) = Output::new(reader, Growing(writer, 0)).finish();
            assert!((len..=len + 4 * 4).contains(&taken), "{taken} of {len}");
        }
    }

    #[test]
    fn a_line_without_end_is_passed_on_in_parts() {
        let mut lines = Lines::of_harness(OutputStream::Err);
        let chunk = vec![b'x'; 16 * 1024];
        let passed: usize = (0..100).flat_map(|_| cut(&mut lines, &chunk)).map(|line| line.len()).sum();
        assert!(passed >= 100 * chunk.len() - LONGEST_LINE);
        assert!(lines.begun.len() <= LONGEST_LINE);
        // The line feed after the last part is no line of its own; another one is.
        assert_eq!((passed, cut(&mut lines, b"\n")), (100 * chunk.len(), vec![]));
        assert_eq!(cut(&mut lines, b"\n"), [""]);
    }

    #[test]
    fn the_heading_of_the_harness_is_left_out() {
        let mut lines = Lines::of_harness(OutputStream::Out);
        assert_eq!(cut(&mut lines, b"\nrunning 1 test\n"), Vec::<String>::new());
        assert_eq!(cut(&mut lines, b"\nrunning 1 test\n"), ["", "running 1 test"]);
        let mut lines = Lines::of_harness(OutputStream::Out);
        assert_eq!(cut(&mut lines, b"running 0 tests\n\n"), ["running 0 tests", ""]);
    }

    #[test]
    fn labels_have_colours_where_they_are_wanted() {
        assert_eq!((label(7, false), label(7, true)), ("[PE 7] ".into(), "\x1b[33m[PE 7]\x1b[0m ".into()));
    }
}
