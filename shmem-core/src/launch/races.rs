//! A run that looks for races, in the supervisor, or over a C library in the process that starts the
//! launcher: a thread reads the journals of the PEs, applies the rules of [`shmem_races`], and says what
//! it finds.

mod names;
mod report;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shmem_races::{Checker, Event, Race};

use super::supervisor::Failure;
use crate::runtime::races::{Note, decode};
use crate::system::env::RacesForm;
use crate::system::error::Error;
use crate::system::journal::Journals;
use crate::system::os::System;

use self::names::Names;
use self::report::report;

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
    told: HashSet<[String; 2]>,
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
                        self.names.note_place(pe as u16, number, text);
                        continue;
                    }
                    Some(Note::Object(object)) => {
                        self.names.note_object(object);
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
            // One for each pair of lines, in whichever order they are reached.
            let mut lines = self.names.lines(race);
            lines.sort_unstable();
            if !self.told.insert(lines) {
                continue;
            }
            let same = |other: &&Race| (other.first, other.second) == (race.first, race.second);
            let start = races.iter().filter(same).map(|race| race.offset).min().unwrap_or(race.offset);
            let end = races.iter().filter(same).map(|race| race.offset + u64::from(race.len)).max();
            let report = report(&self.names, race, start, end.unwrap_or(start + 1));
            shared.reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
            shared.has_found.store(true, Ordering::Release);
        }
    }
}
