//! What a launcher prints: passed on, except lines that are for the process which has started it.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::mem;

use super::host_news::{HostQuestion, NEWS, News};
use super::output::{LONGEST_LINE, Lines, OutputStream, Sink};
use super::report::reported;

/// A line for this process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Why a PE has failed.
    Report(usize, String),
    /// What the PEs of a host do.
    News(News),
    /// The launcher says that it passes on a signal by which this process asks.
    Notice,
}

impl Heard {
    /// What a line is, without its end; `None` if it is to be passed on.
    fn of(line: &str, notices: &[String]) -> Option<Heard> {
        let news = News::decode(line).map(Heard::News);
        news.or_else(|| reported(line).map(|(pe, text)| Heard::Report(pe, text.to_owned())))
            .or_else(|| notices.iter().any(|notice| notice == line).then_some(Heard::Notice))
    }
}

/// Passes on a stream of the launcher, except what is for this process.
pub(super) struct Passing {
    how: How,
    notices: [String; 2],
    pub(super) heard: Vec<Heard>,
}

/// What is passed on.
enum How {
    /// For a program: everything at once.
    ReportFilter(ReportFilter),
    /// For a test: lines, each with its PE.
    TagSplitter(TagSplitter),
}

impl Passing {
    /// A test's output is taken `apart`, by the tags of its lines where they have any.
    pub(super) fn new(stream: OutputStream, apart: Option<Option<Tags>>, launcher: &str) -> Passing {
        let how = match apart {
            Some(tags) => How::TagSplitter(TagSplitter::new(stream, tags)),
            None => How::ReportFilter(ReportFilter::new(launcher)),
        };
        Passing { how, notices: notices(launcher), heard: Vec::new() }
    }
}

impl Sink for Passing {
    fn take(&mut self, bytes: &[u8]) {
        let Passing { how, notices, heard } = self;
        match how {
            How::ReportFilter(through) => {
                let pass = if bytes.is_empty() { through.rest() } else { through.push(bytes, heard) };
                // As for any program: if standard error is closed, the failure cannot be reported.
                let _ = io::stderr().write_all(&pass);
            }
            How::TagSplitter(apart) => {
                for (pe, line) in if bytes.is_empty() { apart.rest() } else { apart.push(bytes) } {
                    match Heard::of(&line, notices) {
                        Some(one) => heard.push(one),
                        None => apart.stream.print(pe, line.as_bytes()),
                    }
                }
            }
        }
    }
}

/// What Open MPI's launcher prints before it passes on the signals by which this process asks.
fn notices(launcher: &str) -> [String; 2] {
    HostQuestion::ALL
        .map(|question| format!("{launcher}: Forwarding signal {} to job", question.signal().as_raw()))
}

/// Passes everything on at once, except lines that are for this process or may become one.
struct ReportFilter {
    /// The beginnings of lines that are for this process, and whole lines.
    beginnings: [String; 2],
    notices: [String; 2],
    /// The beginning of a line that may become one.
    held: Vec<u8>,
    /// Whether the line that has begun is none.
    open: bool,
}

impl ReportFilter {
    fn new(launcher: &str) -> ReportFilter {
        let beginnings = ["shmem: PE ".to_owned(), NEWS.to_owned()];
        ReportFilter { beginnings, notices: notices(launcher), held: Vec::new(), open: false }
    }

    /// Takes `bytes`, and returns those to pass on.
    fn push(&mut self, bytes: &[u8], heard: &mut Vec<Heard>) -> Vec<u8> {
        let mut pass = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.held.extend_from_slice(piece);
            let ends = piece.ends_with(b"\n");
            let begins =
                |beginning: &[u8]| self.held.starts_with(beginning) || beginning.starts_with(&self.held);
            let may_be = self.beginnings.iter().chain(&self.notices).map(String::as_bytes).any(begins);
            if !self.open && may_be && !ends && self.held.len() < LONGEST_LINE {
                continue;
            }
            let line = String::from_utf8_lossy(&self.held);
            match Heard::of(line.trim_end_matches('\n'), &self.notices) {
                Some(one) if !self.open && ends => heard.push(one),
                _ => pass.extend_from_slice(&self.held),
            }
            self.held.clear();
            self.open = !ends;
        }
        pass
    }

    /// Returns what was held, at the end of the stream.
    fn rest(&mut self) -> Vec<u8> {
        mem::take(&mut self.held)
    }
}

/// How a launcher tells which PE has printed a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tags {
    /// Open MPI's prints a tag such as `[1,2]<stdout>:` before each line. It repeats the tag before each
    /// piece of a line that comes in pieces, and pieces of several PEs may alternate.
    OpenMpi,
    /// This project's own prints `[PE 2] ` before each line.
    Own,
}

/// Divides what a launcher prints into lines of PEs.
struct TagSplitter {
    stream: OutputStream,
    tags: Option<Tags>,
    /// Whether the last line has ended.
    begins: bool,
    /// Bytes that may be the beginning of a tag.
    begun: Vec<u8>,
    /// The PE whose line this is; `None` for the launcher.
    pe: Option<usize>,
    lines: BTreeMap<Option<usize>, Lines>,
}

/// Whether bytes begin with a tag.
#[derive(Debug, PartialEq)]
enum Tag {
    /// They do: its length, and its PE.
    Of(usize, usize),
    /// They may, when more bytes have come.
    Perhaps,
    No,
}

impl TagSplitter {
    fn new(stream: OutputStream, tags: Option<Tags>) -> TagSplitter {
        TagSplitter { stream, tags, begins: true, begun: Vec::new(), pe: None, lines: BTreeMap::new() }
    }

    /// Takes `bytes`, and returns the lines that they finish.
    fn push(&mut self, bytes: &[u8]) -> Vec<(Option<usize>, String)> {
        let mut done = Vec::new();
        let mut all = mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        while !rest.is_empty() {
            let found = match self.tags {
                Some(Tags::OpenMpi) => tag(rest),
                Some(Tags::Own) if self.begins => label(rest),
                Some(Tags::Own) | None => Tag::No,
            };
            match found {
                Tag::Of(len, pe) => {
                    (self.pe, self.begins) = (Some(pe), false);
                    rest = &rest[len..];
                }
                Tag::Perhaps => {
                    self.begun = rest.to_vec();
                    break;
                }
                Tag::No => {
                    // Up to the next place where a tag may begin.
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

    /// Returns unfinished lines, at the end of the stream.
    fn rest(&mut self) -> Vec<(Option<usize>, String)> {
        let mut done = Vec::new();
        let begun = mem::take(&mut self.begun);
        if !begun.is_empty() {
            self.text(&begun, &mut done);
        }
        for (pe, lines) in &mut self.lines {
            lines.cut(&[], |line| done.push((*pe, String::from_utf8_lossy(line).into_owned())));
        }
        done
    }

    /// Adds a piece of one line of the current PE.
    fn text(&mut self, text: &[u8], done: &mut Vec<(Option<usize>, String)>) {
        let stream = self.stream;
        let lines = self.lines.entry(self.pe).or_insert_with(|| Lines::of_harness(stream));
        let pe = self.pe;
        lines.cut(text, |line| done.push((pe, String::from_utf8_lossy(line).into_owned())));
        self.begins = text.ends_with(b"\n");
        if self.begins {
            // The next line has its own tag.
            self.pe = None;
        }
    }
}

/// Where the digits end that `bytes` have from here on; or the bytes do.
fn number(bytes: &[u8], from: usize) -> Option<usize> {
    // A number of PEs or of a job is not longer.
    const DIGITS: usize = 10;
    let digits = bytes[from..].iter().take(DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 || from == bytes.len()).then_some(from + digits)
}

/// Where the text ends that `bytes` have from here on; or the bytes do.
fn fixed(bytes: &[u8], from: usize, text: &str) -> Option<usize> {
    let rest = &bytes[from..];
    (rest.starts_with(text.as_bytes()) || text.as_bytes().starts_with(rest))
        .then_some(bytes.len().min(from + text.len()))
}

/// The tag that `bytes` begin with, with the number of the PE at `digits`, and one of these ends of equal
/// length.
fn ended(bytes: &[u8], digits: Option<(usize, usize)>, ends: &[&str]) -> Tag {
    let Some((from, to)) = digits else { return Tag::No };
    let Some(end) = ends.iter().find_map(|end| fixed(bytes, to, end)) else { return Tag::No };
    if end < to + ends[0].len() {
        return Tag::Perhaps;
    }
    let pe = std::str::from_utf8(&bytes[from..to]).ok().and_then(|digits| digits.parse().ok());
    pe.map_or(Tag::No, |pe| Tag::Of(end, pe))
}

/// The tag that `bytes` begin with: `[`, the job, a comma, the PE, `]<stdout>:` or `]<stderr>:`.
fn tag(bytes: &[u8]) -> Tag {
    let job = fixed(bytes, 0, "[").and_then(|at| number(bytes, at));
    let from = job.and_then(|at| fixed(bytes, at, ","));
    let digits = from.and_then(|from| Some((from, number(bytes, from)?)));
    ended(bytes, digits, &["]<stdout>:", "]<stderr>:"])
}

/// The label that `bytes` begin with: `[PE `, the PE, `] `.
fn label(bytes: &[u8]) -> Tag {
    let digits = fixed(bytes, 0, "[PE ").and_then(|from| Some((from, number(bytes, from)?)));
    ended(bytes, digits, &["] "])
}

#[cfg(test)]
mod tests {
    use super::super::host_news::HostNews;
    use super::*;

    /// The bytes that are passed on, and the reports, when `text` comes in pieces of `size` bytes.
    fn through(text: &str, size: usize) -> (String, Vec<Heard>) {
        let mut through = ReportFilter::new("oshrun");
        let (mut pass, mut heard) = (Vec::new(), Vec::new());
        for piece in text.as_bytes().chunks(size) {
            pass.extend(through.push(piece, &mut heard));
        }
        pass.extend(through.rest());
        (String::from_utf8(pass).unwrap(), heard)
    }

    #[test]
    fn reports_are_kept_and_the_rest_is_passed_on() {
        let told = HostNews::Row(HostQuestion::Table, "pe\t2\n".to_owned());
        let news = News { host: "far".to_owned(), pes: vec![2, 3], told };
        let text = format!(
            "one\nshmem: PE 2 of 4 panicked at a.rs\nshmem: 4 PEs over\noshrun: Forwarding signal 23 to job\n{}\nshmem: PE\nosh\nnot shmem: PE 1 of 2 x\nshm",
            news.encode()
        );
        let expected =
            [Heard::Report(2, "PE 2 of 4 panicked at a.rs".to_owned()), Heard::Notice, Heard::News(news)];
        for size in 1..=text.len() {
            let (pass, heard) = through(&text, size);
            assert_eq!(
                pass, "one\nshmem: 4 PEs over\n\nshmem: PE\nosh\nnot shmem: PE 1 of 2 x\nshm",
                "{size}"
            );
            assert_eq!(heard, expected, "{size}");
        }
    }

    #[test]
    fn what_is_no_report_is_not_held_back() {
        let mut through = ReportFilter::new("oshrun");
        let mut reports = Vec::new();
        assert_eq!(through.push(b"name? ", &mut reports), b"name? ");
        assert_eq!(through.push(b"shmem: PE 1 of 2 x\nshm", &mut reports), b"shmem: PE 1 of 2 x\n");
        assert_eq!(through.push(b"ells", &mut reports), b"shmells");
        let long = [b"\nshmem: PE 1 of 2 ".as_slice(), &vec![b'x'; LONGEST_LINE]].concat();
        assert_eq!(through.push(&long, &mut reports).len(), long.len());
        assert!(reports.is_empty());
    }

    /// The lines of `text`, which comes in pieces of `size` bytes.
    fn apart(tags: Option<Tags>, text: &str, size: usize) -> Vec<(Option<usize>, String)> {
        let mut apart = TagSplitter::new(OutputStream::Err, tags);
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
            assert_eq!(apart(Some(Tags::OpenMpi), text, size), expected, "{size}");
        }
        // Without tags, text that looks like a tag is part of the line.
        assert_eq!(
            apart(None, "[1,1]<stdout>:a\nb", 3),
            [(None, "[1,1]<stdout>:a".to_owned()), (None, "b".to_owned())]
        );
    }

    #[test]
    fn labelled_lines_are_given_to_their_pes() {
        let text = "[PE 1] a\n[PE 0] \nthe launcher [PE 7] \n[PE 12] [PE 3] b\n[PE x] c\n[PE 1] d";
        let expected = [
            (Some(1), "a"),
            (Some(0), ""),
            (None, "the launcher [PE 7] "),
            (Some(12), "[PE 3] b"),
            (None, "[PE x] c"),
            (Some(1), "d"),
        ];
        let expected = expected.map(|(pe, line)| (pe, line.to_owned()));
        for size in 1..=text.len() {
            assert_eq!(apart(Some(Tags::Own), text, size), expected, "{size}");
        }
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
}
