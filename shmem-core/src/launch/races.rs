//! A run that looks for races, in the supervisor, or over a C library in the process that starts the
//! launcher: a thread reads the journals of the PEs, applies the rules of [`shmem_races`], and says what
//! it finds.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shmem_races::{Checker, Event, Kind, Missing, Race, Side};

use super::supervisor::Failure;
use crate::runtime::races::{Note, NotedObject, decode};
use crate::system::env::RacesForm;
use crate::system::error::Error;
use crate::system::journal::Journals;
use crate::system::os::System;

/// The exit status of a job in which a race was found.
pub(super) const RACED: u8 = 66;
/// How many notes of one PE are taken before those of the next.
const AT_ONCE: usize = 4096;
/// How long the thread sleeps when there is nothing to read.
const NAP: Duration = Duration::from_micros(200);

/// The failure of a job in which a race was found.
pub(super) fn failure(text: &str) -> Failure {
    Failure { text: text.trim_end().to_owned(), status: RACED }
}

/// How a job ends in which this race was `found`, and that had this `outcome`. `is_raced` says whether
/// the race has ended it.
pub(super) fn verdict(
    found: Option<&Failure>,
    is_raced: bool,
    outcome: Result<(), Failure>,
) -> Result<(), Failure> {
    match (found, outcome) {
        (None, outcome) => outcome,
        // What failed besides may be the consequence.
        (Some(raced), Err(other)) if !is_raced => {
            Err(Failure { text: format!("{}\n{}", raced.text, other.text), status: raced.status })
        }
        (Some(raced), _) => Err(Failure { text: raced.text.clone(), status: raced.status }),
    }
}

/// The search for races in one job.
pub(super) struct Search {
    journals: Arc<Journals>,
    shared: Arc<Findings>,
    form: RacesForm,
    thread: Option<JoinHandle<()>>,
}

/// What the thread and the supervisor share.
#[derive(Default)]
struct Findings {
    /// Whether no PE writes any more.
    is_over: AtomicBool,
    has_found: AtomicBool,
    reports: Mutex<Vec<String>>,
}

impl Search {
    /// Begins the search in a job of so many PEs.
    ///
    /// # Errors
    ///
    /// When there is no memory for the journals.
    pub(super) fn begin(system: System, n_pes: usize, form: RacesForm) -> Result<Search, Error> {
        let failed = |what: &str, source| Error::System { what: what.to_owned(), source };
        let journals = Journals::create(system, n_pes)
            .map_err(|error| failed("cannot make the journals for SHMEM_RACES", error))?;
        let (journals, shared) = (Arc::new(journals), Arc::<Findings>::default());
        let theirs = (journals.clone(), shared.clone());
        let thread = thread::Builder::new()
            .name("races".to_owned())
            .spawn(move || Reader::new(theirs.0, n_pes, form).run(&theirs.1))
            .map_err(|error| failed("cannot start the thread that looks for races", error))?;
        Ok(Search { journals, shared, form, thread: Some(thread) })
    }

    pub(super) fn journals(&self) -> &Journals {
        &self.journals
    }

    /// The report of a race that ends the job, if there is one by now.
    pub(super) fn found(&self) -> Option<String> {
        let ends = self.form == RacesForm::First && self.shared.has_found.load(Ordering::Acquire);
        ends.then(|| self.text())
    }

    /// Reads the journals to their ends, when no PE writes any more. Returns the report, if there is
    /// one.
    pub(super) fn finish(&mut self) -> Option<String> {
        self.shared.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // If it has panicked, that was printed.
            let _ = thread.join();
        }
        self.shared.has_found.load(Ordering::Acquire).then(|| self.text())
    }

    fn text(&self) -> String {
        let reports = self.shared.reports.lock().unwrap_or_else(PoisonError::into_inner);
        match self.form {
            RacesForm::First => reports.first().cloned().unwrap_or_default(),
            RacesForm::All => {
                let races = if reports.len() == 1 { "race" } else { "races" };
                format!("{}{} {races} found (SHMEM_RACES=all)", reports.concat(), reports.len())
            }
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Reads the journals.
struct Reader {
    journals: Arc<Journals>,
    form: RacesForm,
    checker: Checker,
    /// By PE: the event that waits for those of other PEs.
    waiting: Vec<Option<Event>>,
    names: Names,
    /// Pairs of lines that were reported.
    told: HashSet<(String, String)>,
}

/// How places and objects are called.
#[derive(Default)]
struct Names {
    /// By PE and number.
    places: BTreeMap<(u16, u32), String>,
    /// By offset. All PEs have the same objects.
    objects: BTreeMap<u64, NotedObject>,
}

impl Reader {
    fn new(journals: Arc<Journals>, n_pes: usize, form: RacesForm) -> Reader {
        Reader {
            journals,
            form,
            checker: Checker::new(n_pes),
            waiting: vec![None; n_pes],
            names: Names::default(),
            told: HashSet::new(),
        }
    }

    fn run(mut self, shared: &Findings) {
        loop {
            let was_over = shared.is_over.load(Ordering::Acquire);
            let mut moved = false;
            for pe in 0..self.waiting.len() {
                moved |= self.read(pe, shared);
            }
            if self.form == RacesForm::First && shared.has_found.load(Ordering::Relaxed) {
                return;
            }
            if !moved {
                if was_over {
                    return;
                }
                thread::sleep(NAP);
            }
        }
    }

    /// Takes notes of a PE, as far as there are any that need no other PE first.
    fn read(&mut self, pe: usize, shared: &Findings) -> bool {
        let mut moved = false;
        for _ in 0..AT_ONCE {
            let event = match self.waiting[pe].take() {
                Some(event) => event,
                None => match decode(|| self.journals.read(pe)) {
                    Some(Note::Event(event)) => event,
                    Some(Note::Place { number, text }) => {
                        self.names.places.insert((pe as u16, number), text);
                        continue;
                    }
                    Some(Note::Object(object)) => {
                        self.names.objects.insert(object.offset, object);
                        continue;
                    }
                    None => return moved,
                },
            };
            if !self.checker.is_ready(&event) {
                self.waiting[pe] = Some(event);
                return moved;
            }
            if self.form == RacesForm::First && shared.has_found.load(Ordering::Relaxed) {
                return moved;
            }
            let mut races: Vec<Race> = Vec::new();
            self.checker.take(pe, &event, &mut |race| races.push(race));
            if !races.is_empty() {
                self.tell(&races, shared);
            }
            moved = true;
        }
        moved
    }

    /// Reports the races of one access, one for each other line.
    fn tell(&mut self, races: &[Race], shared: &Findings) {
        for race in races {
            let lines = (self.names.place(&race.first), self.names.place(&race.second));
            if !self.told.insert(lines) {
                continue;
            }
            let same = |other: &&Race| (other.first, other.second) == (race.first, race.second);
            let start = races.iter().filter(same).map(|race| race.offset).min().unwrap_or(race.offset);
            let end = races.iter().filter(same).map(|race| race.offset + u64::from(race.len)).max();
            let report = self.names.report(race, start, end.unwrap_or(start + 1));
            shared.reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
            shared.has_found.store(true, Ordering::Release);
        }
    }
}

impl Names {
    fn place(&self, side: &Side) -> String {
        self.places.get(&(side.pe, side.place)).cloned().unwrap_or_else(|| "an unknown place".to_owned())
    }

    /// The elements from byte `start` to byte `end` of the heap.
    fn elements(&self, start: u64, end: u64) -> String {
        let found = self.objects.range(..=start).next_back();
        let Some((_, object)) = found.filter(|(_, object)| start < object.end()) else {
            return format!("bytes {start} to {end} of the heap");
        };
        object.elements(start, end)
    }

    fn report(&self, race: &Race, start: u64, end: u64) -> String {
        // The events of the PEs come in any order. Where it says nothing, each run says the same.
        let mut race = *race;
        if race.missing == Missing::Synchronisation && race.second.pe < race.first.pe {
            (race.first, race.second, race.after) = (race.second, race.first, None);
        }
        let race = &race;
        let Race { first, second, pe, .. } = *race;
        let did = |side: &Side| {
            let own = side.pe == pe;
            match side.kind {
                Kind::Load | Kind::Get | Kind::GetNbi => "reads",
                Kind::Store => "writes",
                Kind::Put if own => "writes",
                Kind::Put => "puts",
                Kind::AtomicFetch => "reads atomically",
                Kind::AtomicSet => "sets atomically",
                Kind::AtomicUpdate | Kind::AtomicFetchUpdate => "updates atomically",
            }
        };
        let (one, two) = (self.place(&first), self.place(&second));
        let width = one.len().max(two.len());
        let (why, help) = explain(race);
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "race on {} of PE {pe}", self.elements(start, end));
        let whats = [did(&first), did(&second)];
        let longest = whats.iter().map(|what| what.len()).max().unwrap_or(0);
        let digits = first.pe.max(second.pe).to_string().len();
        let _ = writeln!(text, "  PE {:<digits$} {:<longest$}  at {one:<width$}  {why}", first.pe, whats[0]);
        let after = race.after.and_then(|after| self.places.get(&(second.pe, after)));
        let after = after.map_or_else(String::new, |after| format!("  {}", came_after(race, after)));
        let line = format!("  PE {:<digits$} {:<longest$}  at {two:<width$}{after}", second.pe, whats[1]);
        let _ = writeln!(text, "{}", line.trim_end());
        let _ = writeln!(text, "  help: {help}");
        text
    }
}

/// After what the second access came: a call at a place, or a place where a flag was read.
fn came_after(race: &Race, after: &str) -> String {
    match race.missing {
        Missing::Quiet if after.starts_with("sync") => format!("after {after}, which completes no puts"),
        _ if after.contains('(') => format!("after {after}"),
        _ => format!("after it has seen the flag ({after})"),
    }
}

/// Why the first access does not come before the second, and what would order them.
fn explain(race: &Race) -> (String, String) {
    let Race { first, second, pe, missing, .. } = *race;
    let (one, two) = (first.pe, second.pe);
    let are_mixed = first.kind.is_atomic() != second.kind.is_atomic();
    let (why, help) = match missing {
        Missing::Synchronisation => (
            "and there is no order between the two".to_owned(),
            if first.kind.writes() && second.kind.writes() {
                "a barrier_all between the two lines, a flag that one PE sets and the other waits for, or a lock".to_owned()
            } else {
                let (writer, reader) = if first.kind.writes() { (one, two) } else { (two, one) };
                format!(
                    "a barrier_all between the two lines, or flags: PE {writer} tells that it has written (quiet or fence first), and \
                     where it writes again, PE {reader} acknowledges that it has read"
                )
            },
        ),
        Missing::Quiet => (
            "and has not completed it: no quiet or barrier since".to_owned(),
            format!(
                "PE {one} must complete it before the PEs meet: barrier_all in place of sync_all, or quiet before it"
            ),
        ),
        Missing::Fence => (
            "and the flag that it has set since may arrive first".to_owned(),
            format!("a fence on PE {one} before it sets the flag, or put_signal"),
        ),
        Missing::QuietOfContext => (
            "and has completed another context only".to_owned(),
            "quiet of the context that the first line uses".to_owned(),
        ),
        Missing::QuietOfPe => (
            "and has completed its operations on another PE only".to_owned(),
            format!("pe_quiet of PE {pe}, or quiet"),
        ),
        Missing::OwnQuiet => (
            "and has not completed it".to_owned(),
            format!("quiet on PE {one} between the two lines: a put may arrive after a later read"),
        ),
        Missing::OwnFence => (
            "and a later put may arrive first".to_owned(),
            format!("fence on PE {one} between the two lines: without it, puts arrive in any order"),
        ),
    };
    let mixed = if are_mixed { "; atomic operations are no synchronisation with plain access" } else { "" };
    (why, format!("{help}{mixed}"))
}

impl NotedObject {
    /// Where it ends.
    pub(super) fn end(&self) -> u64 {
        self.offset + self.elem * self.extents.iter().product::<u64>()
    }

    /// `HALO[3]`, `GRID[1, 4..8]`, or `GRID[0..2, ..]`, with the elements between the first and last
    /// byte.
    pub(super) fn elements(&self, start: u64, end: u64) -> String {
        if self.elem == 0 || self.extents.is_empty() {
            return self.name.clone();
        }
        let (mut first, mut last) =
            ((start - self.offset) / self.elem, (end.min(self.end()) - 1 - self.offset) / self.elem);
        let mut axes: Vec<(u64, u64)> = Vec::new();
        for extent in self.extents.iter().rev() {
            axes.push((first % extent, last % extent));
            (first, last) = (first / extent, last / extent);
        }
        axes.reverse();
        let mut differs = false;
        let texts = axes.iter().zip(&self.extents).map(|((first, last), extent)| {
            // Inside of an axis on which the two differ, all are meant.
            let text = if differs {
                "..".to_owned()
            } else if first == last {
                first.to_string()
            } else if (*first, *last + 1) == (0, *extent) {
                "..".to_owned()
            } else {
                format!("{first}..{}", last + 1)
            };
            differs |= first != last;
            text
        });
        format!("{}[{}]", self.name, texts.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_named_by_their_indices() {
        let object = |extents: &[u64]| NotedObject {
            offset: 100,
            elem: 8,
            extents: extents.to_vec(),
            name: "A".to_owned(),
        };
        assert_eq!(object(&[]).elements(100, 108), "A");
        assert_eq!(object(&[10]).elements(124, 132), "A[3]");
        assert_eq!(object(&[10]).elements(126, 127), "A[3]");
        assert_eq!(object(&[10]).elements(124, 140), "A[3..5]");
        assert_eq!(object(&[10]).elements(100, 180), "A[..]");
        assert_eq!(object(&[4, 5]).elements(100 + 8 * 7, 100 + 8 * 9), "A[1, 2..4]");
        assert_eq!(object(&[4, 5]).elements(100 + 8 * 7, 100 + 8 * 11), "A[1..3, ..]");
    }
}
