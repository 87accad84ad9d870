//! What the PEs of a test print, passed on line by line with the PE's number in front.
//!
//! It goes through `print!` and `eprint!` on the thread of the test, where the test harness captures it: it is
//! shown when the test fails, as the output of any other test is.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::ioctl_fionread;

/// A line is passed on unfinished when it grows to this many bytes, so that no PE can fill our memory.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// Which of a PE's two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

impl Stream {
    /// Prints a line of `pe`; one of no PE is what started them says.
    pub(super) fn print(self, pe: Option<usize>, line: &str) {
        let before = pe.map(|pe| format!("[PE {pe}] ")).unwrap_or_default();
        match self {
            Stream::Out => println!("{before}{line}"),
            Stream::Err => eprintln!("{before}{line}"),
        }
    }
}

/// The reading end of one stream of one PE.
pub(super) struct Output {
    pe: usize,
    stream: Stream,
    pipe: File,
    lines: Lines,
}

impl Output {
    /// The standard output of `pe`, a copy of the test harness, behind `pipe`.
    pub(super) fn stdout(pe: usize, pipe: impl Into<OwnedFd>) -> Output {
        Output { pe, stream: Stream::Out, pipe: File::from(pipe.into()), lines: Lines::after_heading() }
    }

    /// The standard error of `pe`, behind `pipe`.
    pub(super) fn stderr(pe: usize, pipe: impl Into<OwnedFd>) -> Output {
        Output { pe, stream: Stream::Err, pipe: File::from(pipe.into()), lines: Lines::default() }
    }

    /// Passes on what is there; waits when nothing is, so poll first. Answers how many bytes it was: 0 at the end.
    pub(super) fn pass_on(&mut self) -> usize {
        let mut chunk = [0; 16 * 1024];
        let len = self.pipe.read(&mut chunk).unwrap_or(0);
        let lines = if len == 0 { self.lines.rest() } else { self.lines.push(&chunk[..len]) };
        self.print(&lines);
        len
    }

    fn print(&self, lines: &[String]) {
        for line in lines {
            self.stream.print(Some(self.pe), line);
        }
    }
}

impl Drop for Output {
    /// A line that was never finished, because something else still holds the pipe.
    fn drop(&mut self) {
        let lines = self.lines.rest();
        self.print(&lines);
    }
}

impl AsFd for Output {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// Takes what lies in `pipe`, by `pass_on`, which answers how many bytes it has taken. For the time after the last of those who are
/// listened to has gone: a process that was left behind may hold the pipe open for ever, and write for ever, so neither the end is waited
/// for nor silence.
pub(super) fn take_the_rest<P: AsFd>(pipe: &mut P, mut pass_on: impl FnMut(&mut P) -> usize) {
    let mut left = ioctl_fionread(&*pipe).map_or(0, |bytes| bytes as usize);
    while left > 0 {
        match pass_on(pipe) {
            0 => break,
            taken => left = left.saturating_sub(taken),
        }
    }
}

/// Cuts a stream of bytes into lines.
#[derive(Default)]
pub(super) struct Lines {
    /// The line that has begun.
    begun: Vec<u8>,
    /// Whether the harness's own heading is still to come.
    heading: bool,
}

impl Lines {
    /// Lines of a test harness, which begin with an empty one and "running 1 test": these are left out.
    pub(super) fn after_heading() -> Lines {
        Lines { begun: Vec::new(), heading: true }
    }

    /// Takes `bytes`; gives the lines that they finish.
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
    use std::io::Write as _;

    use super::*;

    #[test]
    fn lines_are_put_together_from_pieces() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(b"on"), Vec::<String>::new());
        assert_eq!(lines.push(b"e\n\ntwo\nth"), ["one", "", "two"]);
        assert_eq!(lines.rest(), ["th"]);
        assert_eq!(lines.rest(), Vec::<String>::new());
    }

    /// As much as lies there when it is asked, and no end of the stream is waited for.
    #[test]
    fn the_rest_of_a_stream_that_goes_on_is_taken() {
        for len in [0, 1, 5, 60_000] {
            let (mut reader, mut writer) = std::io::pipe().unwrap();
            writer.write_all(&vec![b'x'; len]).unwrap();
            let mut taken = 0;
            take_the_rest(&mut reader, |reader| {
                writer.write_all(b"more").unwrap();
                let now = reader.read(&mut [0; 1000]).unwrap();
                taken += now;
                now
            });
            assert!((len..=len.next_multiple_of(1000)).contains(&taken), "{taken} of {len}");
        }
    }

    #[test]
    fn a_line_without_end_is_passed_on_in_parts() {
        let mut lines = Lines::default();
        let chunk = vec![b'x'; 16 * 1024];
        let passed: usize = (0..100).flat_map(|_| lines.push(&chunk)).map(|line| line.len()).sum();
        assert!(passed >= 100 * chunk.len() - LONGEST_LINE);
        assert!(lines.begun.len() <= LONGEST_LINE);
    }

    #[test]
    fn the_heading_of_the_harness_is_left_out() {
        let mut lines = Lines::after_heading();
        assert_eq!(lines.push(b"\nrunning 1 test\n"), Vec::<String>::new());
        assert_eq!(lines.push(b"\nrunning 1 test\n"), ["", "running 1 test"]);
        assert_eq!(Lines::after_heading().push(b"\nrunning 0 tests\n\n"), ["running 0 tests", ""]);
    }
}
