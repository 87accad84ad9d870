//! What the supervisor sees of the PEs: what each does, whether any moves, and whether some never
//! can.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid};

use super::history::History;
use super::stuck::{self, Suspicion};
use super::table::{Row, rows};
use super::top::Sample;
use super::view::{Activity, PeView};
use crate::checkpoint::WIPE;
use crate::system::proc;
use crate::system::status::{PeState, PeStatus};
use crate::system::told::AskedCells;
use crate::system::trace::{CELLS, TraceRecord};
use crate::transport::node::deadlock::Presence;
use crate::transport::node::question::{Verdict, verdict};
use crate::transport::node::traffic::Traffic;
use crate::transport::node::waits::{self, WaitEntry};
use crate::transport::smp::segment::Segment;

/// How many PEs are asked for a backtrace.
const TRACED: usize = 32;
/// The most PEs of a job in which all are asked what they have updated.
const COUNTING: usize = 256;
/// How often, where the first copy of a PE is stuck.
const TRIES: usize = 2;
/// How long a PE may take to notice that it is asked. With many processes on few cores, one that
/// computes has taken more than a second.
const TO_FORK: Duration = Duration::from_secs(4);
/// How long all copies may take to find their source lines.
const TO_ANSWER: Duration = Duration::from_secs(5);

/// What changes when a PE moves.
#[derive(PartialEq)]
struct Movement {
    state: PeState,
    waits: [u32; 4],
    counts: [u32; 3],
}

/// The memory in which PEs write down what they do.
pub(super) trait PeRecords {
    fn status(&self, pe: usize) -> &PeStatus;
    fn presence(&self, pe: usize) -> &Presence;
    fn trace(&self, pe: usize) -> &TraceRecord;
    fn traffic(&self, pe: usize) -> &Traffic;
}

impl PeRecords for Segment {
    fn status(&self, pe: usize) -> &PeStatus {
        Segment::status(self, pe)
    }

    fn presence(&self, pe: usize) -> &Presence {
        Segment::presence(self, pe)
    }

    fn trace(&self, pe: usize) -> &TraceRecord {
        Segment::trace(self, pe)
    }

    fn traffic(&self, pe: usize) -> &Traffic {
        Segment::traffic(self, pe)
    }
}

/// The processes of a job, and their memory.
pub(super) struct Processes<'a> {
    pub(super) segment: &'a dyn PeRecords,
    /// The process of each PE; `None` when it has ended.
    pub(super) pes: Vec<Option<u32>>,
}

/// A number that no question had before, of this process.
fn new_question() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1).max(1)
}

impl Processes<'_> {
    /// What each PE does, with backtraces of those that compute, and in a run that counts with what
    /// the PEs have updated.
    pub(super) fn views(&self) -> Vec<PeView> {
        let (mut views, cells) = self.told_views();
        let histories: Vec<_> =
            views.iter().map(|view| History::of(&views, &cells, view.waits()?.cells?)).collect();
        for (view, history) in views.iter_mut().zip(histories) {
            view.history = history;
        }
        views
    }

    /// As [`views`](Processes::views), without histories: with the cells that the PEs were asked about.
    pub(super) fn told_views(&self) -> (Vec<PeView>, Vec<AskedCells>) {
        let mut views = self.glances();
        let mut cells: Vec<AskedCells> = Vec::new();
        if (0..self.pes.len()).any(|pe| self.segment.traffic(pe).read().is_some()) {
            for asked in views.iter().filter_map(|view| view.waits()?.cells) {
                if cells.len() < CELLS && !cells.contains(&asked) {
                    cells.push(asked);
                }
            }
        }
        self.trace(&mut views, &cells);
        (views, cells)
    }

    /// What each PE does, without backtraces: no PE takes notice.
    pub(super) fn glances(&self) -> Vec<PeView> {
        let mut views: Vec<PeView> = self.read(true);
        for (view, process) in views.iter_mut().zip(&self.pes) {
            view.activity = process.map_or(Activity::Ended, activity);
        }
        views
    }

    /// What each PE does, and has done so far.
    pub(super) fn samples(&self) -> Vec<Sample> {
        let views = self.glances();
        let rows = rows(&views, waits::now());
        let sample = |(pe, (view, row)): (usize, (&PeView, Row))| Sample {
            does: view.does(),
            awaited: view.awaited(),
            processor: self.processor(pe),
            moved: self.segment.traffic(pe).read(),
            row,
        };
        views.iter().zip(rows).enumerate().map(sample).collect()
    }

    /// How long a PE has used a processor; `None` where the system does not say.
    pub(super) fn processor(&self, pe: usize) -> Option<Duration> {
        self.pes[pe].and_then(proc::processor_time)
    }

    /// Wipes the line of a PE that is under way on the terminal, before something else is printed
    /// there.
    pub(super) fn wipe_line(&self) {
        if (0..self.pes.len()).any(|pe| self.segment.status(pe).shows_line()) {
            eprint!("{WIPE}");
        }
    }

    /// What each PE has written down; `texts` says whether its descriptions are wanted.
    fn read(&self, texts: bool) -> Vec<PeView> {
        let view = |(pe, process): (usize, &Option<u32>)| {
            let record = &self.segment.presence(pe).wait;
            let activity = if process.is_some() { Activity::Runs } else { Activity::Ended };
            let wait = record.read_patiently(texts).map(WaitEntry::shown);
            PeView::new(self.segment.status(pe).state(), activity, wait)
        };
        self.pes.iter().enumerate().map(view).collect()
    }

    /// Asks the PEs that compute what they execute, and where there are `cells`, all PEs how they have
    /// updated these.
    fn trace(&self, views: &mut [PeView], cells: &[AskedCells]) {
        let process = |pe: usize| Some((pe, Pid::from_raw(self.pes[pe]?.cast_signed())?));
        let computing = (0..views.len()).filter(|pe| views[*pe].computes()).filter_map(process);
        let mut asked: Vec<(usize, Pid)> = computing.take(TRACED).collect();
        if !cells.is_empty() && views.len() <= COUNTING {
            let others = (0..views.len()).filter(|pe| views[*pe].can_answer() && !views[*pe].computes());
            asked.extend(others.filter_map(process));
        }
        if !cfg!(target_os = "linux") {
            asked.clear();
        }
        for _ in 0..TRIES {
            let question = new_question();
            for (pe, process) in &asked {
                self.segment.trace(*pe).ask(question, views[*pe].computes(), cells);
                signal(*process, self.segment.trace(*pe).thread());
            }
            let started = Instant::now();
            asked.retain(|(pe, _)| {
                let record = self.segment.trace(*pe);
                loop {
                    let copy = record.copy();
                    if let Some(told) = record.answer(question) {
                        views[*pe].told = told;
                        if let Some(copy) = copy {
                            end(copy);
                            return false;
                        }
                    }
                    let patience = if copy.is_some() { TO_ANSWER } else { TO_FORK };
                    if started.elapsed() >= patience {
                        record.take_back();
                        // One that is stuck, or comes too late.
                        copy.or_else(|| record.copy()).into_iter().for_each(end);
                        // A PE that does not take the signal takes no other one.
                        return copy.is_some();
                    }
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
        }
    }

    /// Words that change when a PE moves.
    fn movement(&self) -> Vec<Movement> {
        let words = |pe| {
            let presence = self.segment.presence(pe);
            let counts = [&presence.visits, &presence.changes, &presence.ends];
            Movement {
                state: self.segment.status(pe).state(),
                waits: presence.wait.movement(),
                counts: counts.map(|word| word.load(Ordering::Relaxed)),
            }
        };
        (0..self.pes.len()).map(words).collect()
    }
}

/// Sends SIGQUIT to a thread of a process. If it fails, the process has ended.
fn signal(process: Pid, thread: Option<i32>) {
    #[cfg(target_os = "linux")]
    if let Some(thread) = thread {
        // SAFETY: the system call takes three numbers.
        unsafe { libc::syscall(libc::SYS_tgkill, process.as_raw_nonzero().get(), thread, libc::SIGQUIT) };
        return;
    }
    let _ = thread;
    let _ = kill_process(process, Signal::QUIT);
}

/// Ends the copy of a PE. Where a script has started the PE, the copy is no child of this process,
/// which cannot know whether the number is still that of the copy; it ends with the script.
fn end(copy: i32) {
    let Some(copy) = Pid::from_raw(copy) else { return };
    if let Ok(None) = waitpid(Some(copy), WaitOptions::NOHANG) {
        let _ = kill_process(copy, Signal::KILL);
        let _ = waitpid(Some(copy), WaitOptions::empty());
    }
}

/// The signal that has stopped a child of this process, if one has.
fn stopped_by(process: u32) -> Option<i32> {
    let process = Pid::from_raw(process.cast_signed())?;
    // The state stays for others to be told of.
    let look = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(process), look).ok()??.stopping_signal()
}

/// What the system says of a process.
fn activity(process: u32) -> Activity {
    if let Some(signal) = stopped_by(process) {
        return Activity::Stopped(Some(signal));
    }
    match proc::state(process).as_deref() {
        // That is the main thread. A test runs on another one.
        Some("S" | "D" | "I") if proc::has_thread_that_runs(process) => Activity::Runs,
        Some("S" | "D" | "I") => Activity::Sleeps,
        // A script has started it.
        Some("T") => Activity::Stopped(None),
        Some("t") => Activity::Traced,
        Some("Z" | "X") => Activity::Ended,
        // Where there is no such file, nothing is known.
        _ => Activity::Runs,
    }
}

/// Why a job is to be ended.
pub(super) enum Finding {
    /// No PE has moved for so long.
    Still(Duration),
    /// Some PEs can never go on.
    Stuck(Suspicion),
}

/// Watches whether PEs move.
///
/// A PE *moves* when it begins or ends a wait that does not end at once, comes to a barrier of all
/// PEs or to the beginning or the end of a local phase, joins, or returns. So a PE that only computes
/// does not move, and neither does one that only reads and writes memory.
pub(super) struct Inspector {
    timeout: Option<Duration>,
    /// Whether a wait can be proved to be hopeless.
    proves: bool,
    movement: Vec<Movement>,
    /// How long nobody has moved, without the times in which this process was stopped.
    still: Duration,
    looked: Instant,
    /// Waits that may be hopeless, and the question that was asked.
    suspicion: Option<(Suspicion, u32)>,
}

impl Inspector {
    pub(super) fn new(timeout: Option<Duration>, proves: bool) -> Inspector {
        Inspector {
            timeout,
            proves,
            movement: Vec::new(),
            still: Duration::ZERO,
            looked: Instant::now(),
            suspicion: None,
        }
    }

    /// Looks once. To be called from time to time.
    pub(super) fn look(&mut self, processes: &Processes<'_>) -> Option<Finding> {
        if self.proves
            && let Some(suspicion) = self.look_for_stuck(processes)
        {
            return Some(Finding::Stuck(suspicion));
        }
        let since = self.looked.elapsed();
        self.looked = Instant::now();
        let timeout = self.timeout?;
        let movement = processes.movement();
        if movement != self.movement {
            (self.movement, self.still) = (movement, Duration::ZERO);
            return None;
        }
        // A process that was stopped, with its job, has not looked for long.
        self.still += since.min(Duration::from_secs(1));
        (self.still >= timeout).then_some(Finding::Still(self.still))
    }

    fn look_for_stuck(&mut self, processes: &Processes<'_>) -> Option<Suspicion> {
        if let Some((suspicion, question)) = &self.suspicion {
            let words = |pe: usize| &processes.segment.presence(pe).wait.words;
            let answered = || suspicion.waits.iter().all(|(pe, _)| words(*pe).answered() == *question);
            let verdict = verdict(answered, || suspicion.holds(&processes.read(false)));
            let ended = if verdict == Verdict::Open { None } else { self.suspicion.take() };
            return ended.filter(|_| verdict == Verdict::InVain).map(|(suspicion, _)| suspicion);
        }
        let views = processes.read(false);
        let suspicion = stuck::suspect(&views)?;
        let has_help = |pe: usize| processes.pes[pe].is_none_or(stuck::has_help);
        if suspicion.waits.iter().any(|(pe, _)| has_help(*pe)) {
            return None;
        }
        let question = new_question();
        for (pe, _) in &suspicion.waits {
            processes.segment.presence(*pe).wait.words.ask(question);
        }
        self.suspicion = Some((suspicion, question));
        None
    }
}

impl Suspicion {
    /// Whether a PE has failed meanwhile: then that is what is reported.
    pub(super) fn is_explained(&self, segment: &dyn PeRecords, n_pes: usize) -> bool {
        (0..n_pes).any(|pe| PeState::is_failure(segment.status(pe).state()))
    }
}
