//! Passes on the output of a test's PEs, line by line, each with the PE's number in front.
//!
//! It is printed by `print!` and `eprint!` on the thread of the test, where the test harness
//! captures it. So it is shown when the test fails, like the output of any other test.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::ioctl_fionread;

/// An unfinished line is passed on when it reaches this many bytes, so that no PE can fill our
/// memory.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// One of a PE's two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

impl Stream {
    /// Prints a line of `pe`; without a PE, a line of the launcher.
    pub(super) fn print(self, pe: Option<usize>, line: &str) {
        let before = pe.map(|pe| format!("[PE {pe}] ")).unwrap_or_default();
        match self {
            Stream::Out => println!("{before}{line}"),
            Stream::Err => eprintln!("{before}{line}"),
        }
    }
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
        let len = self.pipe.read(&mut chunk).unwrap_or(0);
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

/// Prints the lines of one stream of one PE.
pub(super) struct Labelled {
    pe: usize,
    stream: Stream,
    lines: Lines,
}

impl Labelled {
    /// The sink for `stream` of `pe`, a copy of the test harness.
    pub(super) fn new(pe: usize, stream: Stream) -> Labelled {
        Labelled { pe, stream, lines: Lines::of(stream) }
    }
}

impl Sink for Labelled {
    fn take(&mut self, bytes: &[u8]) {
        for line in if bytes.is_empty() { self.lines.rest() } else { self.lines.push(bytes) } {
            self.stream.print(Some(self.pe), &line);
        }
    }
}

/// Cuts a stream of bytes into lines.
pub(super) struct Lines {
    /// The unfinished line.
    begun: Vec<u8>,
    /// Whether the harness's own heading is still to come.
    heading: bool,
}

impl Lines {
    /// Lines of a stream of a test harness. Its standard output begins with an empty line and
    /// "running 1 test", which are left out.
    pub(super) fn of(stream: Stream) -> Lines {
        Lines { begun: Vec::new(), heading: stream == Stream::Out }
    }

    /// Takes `bytes`, and returns the lines that they finish.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut done = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.begun.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.begun.pop();
                done.extend(self.take());
            } else if self.begun.len() >= LONGEST_LINE {
                done.extend(self.take());
            }
        }
        done
    }

    /// The last line, when it ends without a line feed.
    pub(super) fn rest(&mut self) -> Vec<String> {
        if self.begun.is_empty() { Vec::new() } else { self.take().into_iter().collect() }
    }

    fn take(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&self.begun).into_owned();
        self.begun.clear();
        if self.heading {
            match line.as_str() {
                "" => return None,
                "running 1 test" => {
                    self.heading = false;
                    return None;
                }
                _ => self.heading = false,
            }
        }
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeWriter, Write as _};

    use super::*;

    #[test]
    fn lines_are_put_together_from_pieces() {
        let mut lines = Lines::of(Stream::Err);
        assert_eq!(lines.push(b"on"), Vec::<String>::new());
        assert_eq!(lines.push(b"e\n\ntwo\nth"), ["one", "", "two"]);
        assert_eq!(lines.rest(), ["th"]);
        assert_eq!(lines.rest(), Vec::<String>::new());
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
            let (reader, mut writer) = std::io::pipe().unwrap();
            writer.write_all(&vec![b'x'; len]).unwrap();
            let Growing(_, taken) = Output::new(reader, Growing(writer, 0)).finish();
            assert!((len..=len + 4 * 4).contains(&taken), "{taken} of {len}");
        }
    }

    #[test]
    fn a_line_without_end_is_passed_on_in_parts() {
        let mut lines = Lines::of(Stream::Err);
        let chunk = vec![b'x'; 16 * 1024];
        let passed: usize = (0..100).flat_map(|_| lines.push(&chunk)).map(|line| line.len()).sum();
        assert!(passed >= 100 * chunk.len() - LONGEST_LINE);
        assert!(lines.begun.len() <= LONGEST_LINE);
    }

    #[test]
    fn the_heading_of_the_harness_is_left_out() {
        let mut lines = Lines::of(Stream::Out);
        assert_eq!(lines.push(b"\nrunning 1 test\n"), Vec::<String>::new());
        assert_eq!(lines.push(b"\nrunning 1 test\n"), ["", "running 1 test"]);
        assert_eq!(Lines::of(Stream::Out).push(b"\nrunning 0 tests\n\n"), ["running 0 tests", ""]);
    }
}
