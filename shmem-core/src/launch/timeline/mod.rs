//! A run that is traced, `SHMEM_TRACE=FILE`, in the supervisor: what the PEs write down becomes a file.
//!
//! * `reader.rs`: from the journals to events, as they come;
//! * `arrows.rs`: which update ended which wait;
//! * `events.rs`: the JSON of a timeline;
//! * `picture.rs`: the picture of the sums;
//! * `file.rs`: the file, beside its place until it is whole.
//!
//! A thread reads the journals while the job runs, and writes what it reads. So what happened until
//! then is in the file, also where the supervisor is killed.

mod arrows;
mod events;
mod file;
mod picture;
mod reader;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use self::events::{END, EventTexts, SEPARATOR};
use self::file::TraceFile;
use self::picture::{PeSums, PictureOf};
use self::reader::NoteReader;
use super::supervisor::system;
use crate::runtime::recorder::notes::TraceNote;
use crate::system::env::{TraceForm, TraceWish};
use crate::system::error::Error;
use crate::system::journal::Journals;
use crate::system::os::System;
use crate::transport::node::waits::now;

/// How many notes of one PE are taken before those of the next.
const AT_ONCE: usize = 256;
/// How long the thread sleeps when there is nothing to read.
const NAP: Duration = Duration::from_millis(1);
/// How many bytes of events are written at once.
const PIECE: usize = 1 << 18;

/// The trace of one job.
pub(super) struct Recording {
    journals: Arc<Journals>,
    path: PathBuf,
    name: String,
    /// When the job began.
    base: u64,
    /// How many slices were allowed.
    slices: usize,
    work: Work,
}

/// What is still to be done.
enum Work {
    /// The thread that writes the timeline; and whether no PE writes any more.
    Timeline(JoinHandle<WrittenTimeline>, Arc<AtomicBool>),
    Picture(TraceFile),
    Done,
}

/// What the thread has made.
struct WrittenTimeline {
    slices: u64,
    arrows: u64,
    result: Result<(), String>,
}

impl Recording {
    /// Begins the trace of a job of so many PEs with this name. That of a test is in a file of its own.
    ///
    /// # Errors
    ///
    /// When the file cannot be made, or there is no memory for the journals.
    pub(super) fn begin(
        system_layer: System,
        n_pes: usize,
        wish: &TraceWish,
        slices: usize,
        (name, is_test): (&str, bool),
    ) -> Result<Recording, Error> {
        let path = if is_test { of_test(&wish.file, name, n_pes) } else { wish.file.clone() };
        let separator: &[u8] = match wish.form {
            TraceForm::Json => SEPARATOR.as_bytes(),
            TraceForm::Svg => b"",
        };
        let file = TraceFile::create(&path, separator)?;
        let failed = |what: &str, source| system(what, source);
        let journals = Journals::create(system_layer, n_pes)
            .map_err(|error| failed("cannot make the journals for SHMEM_TRACE", error))?;
        let (journals, base, name) = (Arc::new(journals), now(), name.to_owned());
        let work = match wish.form {
            TraceForm::Svg => Work::Picture(file),
            TraceForm::Json => {
                let is_over = Arc::<AtomicBool>::default();
                let (theirs, over) = (journals.clone(), is_over.clone());
                let pes = if n_pes == 1 { "PE" } else { "PEs" };
                let texts = EventTexts::new(std::process::id(), &format!("{name}, {n_pes} {pes}"), base);
                let thread = thread::Builder::new()
                    .name("trace".to_owned())
                    .spawn(move || write(&theirs, NoteReader::new(n_pes, texts), file, &over))
                    .map_err(|error| failed("cannot start the thread that writes the trace", error))?;
                Work::Timeline(thread, is_over)
            }
        };
        Ok(Recording { journals, path, name, base, slices, work })
    }

    pub(super) fn journals(&self) -> &Journals {
        &self.journals
    }

    /// Completes the file, when no PE writes any more. Returns what is said of it; nothing if that was
    /// done, or no PE had begun.
    pub(super) fn finish(&mut self) -> Option<String> {
        let ended = now();
        let path = self.path.display();
        match std::mem::replace(&mut self.work, Work::Done) {
            Work::Done => None,
            Work::Timeline(thread, is_over) => {
                is_over.store(true, Ordering::Release);
                // If it has panicked, that was printed.
                let WrittenTimeline { slices, arrows, result } = thread.join().ok()?;
                if self.sums(ended).iter().all(|pe| pe.sums.begun == 0) {
                    return None;
                }
                if let Err(why) = result {
                    return Some(format!("shmem: {why}\n"));
                }
                let left_out = self.left_out(ended);
                Some(format!(
                    "shmem: {path} has a timeline of {} and {}: https://ui.perfetto.dev shows it\n{left_out}",
                    counted(slices, "slice"),
                    counted(arrows, "arrow"),
                ))
            }
            Work::Picture(file) => {
                let pes = self.sums(ended);
                if pes.iter().all(|pe| pe.sums.begun == 0) {
                    return None;
                }
                let picture = PictureOf { name: &self.name, base: self.base, pes: &pes };
                Some(match file.finish(picture.draw().as_bytes()) {
                    Ok(()) => format!("shmem: {path} has the picture of this run\n"),
                    Err(why) => format!("shmem: {why}\n"),
                })
            }
        }
    }

    /// The sums of all PEs.
    fn sums(&self, now: u64) -> Vec<PeSums> {
        let n_pes = self.journals.n_pes();
        let of = |pe| PeSums {
            sums: self.journals.ledger(pe).sums(now),
            moved: (0..n_pes).map(|to| self.journals.moved(pe, to).read()).collect(),
        };
        (0..n_pes).map(of).collect()
    }

    /// What the timeline leaves out; empty where that is nothing.
    fn left_out(&self, now: u64) -> String {
        let sums = self.sums(now);
        let sum = |of: fn(&PeSums) -> u64| sums.iter().map(of).sum::<u64>();
        let parts = [
            (sum(|pe| pe.sums.operations_left_out), "operation"),
            (sum(|pe| pe.sums.spans_left_out), "call or wait"),
            (sum(|pe| pe.sums.cells_left_out), "value of a cell, for arrows"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, what)| counted(*count, what)).collect();
        if parts.is_empty() {
            return String::new();
        }
        format!(
            "shmem: the timeline leaves out {}: trace a part of the run (world.pcontrol(0) and world.pcontrol(1)), or set \
             SHMEM_TRACE_SLICES to more than {}\n",
            parts.join(" and "),
            self.slices
        )
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Work::Timeline(_, is_over) = &self.work {
            // The thread ends, whoever waits for it.
            is_over.store(true, Ordering::Release);
        }
    }
}

/// `1 slice`, `2 slices`, `12,345 slices`.
fn counted(count: u64, what: &str) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let what = match (count, what.split_once(' ')) {
        (1, _) => what.to_owned(),
        (_, Some(("call", _))) => "calls and waits".to_owned(),
        (_, Some((first, rest))) => format!("{first}s {rest}"),
        (_, None) => format!("{what}s"),
    };
    format!("{text} {what}")
}

/// The file of a test: the name of the test and the number of PEs stand before the ending.
fn of_test(file: &Path, test: &str, n_pes: usize) -> PathBuf {
    let part = |text: Option<&std::ffi::OsStr>| text.unwrap_or_default().to_string_lossy().into_owned();
    let test: String =
        test.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect();
    file.with_file_name(format!("{}-{test}-{n_pes}.{}", part(file.file_stem()), part(file.extension())))
}

/// Reads the journals to their ends, and writes the file.
fn write(
    journals: &Journals,
    mut reader: NoteReader,
    mut file: TraceFile,
    is_over: &AtomicBool,
) -> WrittenTimeline {
    loop {
        let was_over = is_over.load(Ordering::Acquire);
        let mut has_moved = false;
        for pe in 0..journals.n_pes() {
            for _ in 0..AT_ONCE {
                let Some(note) = TraceNote::decode(|| journals.read(pe)) else { break };
                reader.take(pe, note);
                has_moved = true;
            }
            if reader.texts.len() >= PIECE {
                file.write(reader.texts.take().as_bytes());
            }
        }
        if !has_moved {
            file.write(reader.texts.take().as_bytes());
            if was_over {
                break;
            }
            thread::sleep(NAP);
        }
    }
    for pe in 0..journals.n_pes() {
        let mut unfinished = journals.ledger(pe).unfinished().into_iter();
        if let Some(note) = TraceNote::decode(|| unfinished.next()) {
            reader.take_last(pe, note);
        }
    }
    reader.finish(now());
    file.write(reader.texts.take().as_bytes());
    let has_begun = (0..journals.n_pes()).any(|pe| journals.ledger(pe).sums(0).begun != 0);
    let result = if has_begun { file.finish(END.as_bytes()) } else { Ok(()) };
    WrittenTimeline { slices: reader.texts.slices, arrows: reader.texts.arrows, result }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_has_a_file_of_its_own() {
        let file = |file: &str, test| of_test(Path::new(file), test, 4).display().to_string();
        assert_eq!(file("a/run.json", "ring::turns"), "a/run-ring__turns-4.json");
        assert_eq!(file("run.b.svg", "x"), "run.b-x-4.svg");
    }

    #[test]
    fn counts_are_words() {
        assert_eq!(counted(1, "slice"), "1 slice");
        assert_eq!(counted(0, "slice"), "0 slices");
        assert_eq!(counted(1_234_567, "arrow"), "1,234,567 arrows");
        assert_eq!(counted(12, "call or wait"), "12 calls and waits");
        assert_eq!(counted(123, "value of a cell, for arrows"), "123 values of a cell, for arrows");
    }
}
