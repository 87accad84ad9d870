//! How much a program communicates: `SHMEM_STATS=1`.
//!
//! The operations of each PE are counted by kind and by target PE, with their bytes, and by the
//! object and the line of the program. When the job has ended well, PE 0 prints two tables to
//! standard error, or with `SHMEM_STATS=json` one line for programs to read. In such a run every
//! operation goes through the transport, where it is [observed](super::observe), so it is slower, as
//! with `SHMEM_DIRECT=0`. In other runs nothing is counted, at no cost.
//!
//! The counts are those of calls of the transport: a selection that is not contiguous is one `iput`
//! or `iget` for each row, and a range of atomic cells is one update or read for each cell. A wait
//! counts one read of its cells for each look, so its count depends on the other PEs. Access to a
//! PE's own copies is counted as well. The elements that collectives move for the program are
//! counted separately. The words that the runtime exchanges for itself are not counted.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::runtime::Runtime;
use crate::runtime::agreement::Call;
use crate::runtime::direct;
use crate::runtime::observe::{self, Doing, OperationKind};
use crate::runtime::tally::{HEAD, Spot, Tally, decode, encode, in_json, lines, ranked, tables};
use crate::runtime::writes::WriteLog;
use crate::system::env::StatsForm;
use crate::system::place::CallPlace;
use crate::system::told::{AskedCells, Counted};
use crate::system::trace;
use crate::transport::node::traffic::Traffic;

const NAMES: [&str; 16] = OperationKind::NAMES;

/// The counts of this PE, in a run that counts.
static COUNTS: OnceLock<Counts> = OnceLock::new();

/// The operations of one line of the program, by kind and object, with their calls and bytes.
type Line = HashMap<(&'static str, String), (u64, u64)>;

/// The number of calls, and of bytes.
#[derive(Default)]
struct Count {
    calls: AtomicU64,
    bytes: AtomicU64,
}

impl Count {
    fn add(&self, bytes: usize) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.calls.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }
}

/// The counts of one PE.
pub(crate) struct Counts {
    /// Whether the job is between its start and its end.
    running: AtomicBool,
    /// Whether the program wants counting, as it set by [`control`].
    wanted: AtomicBool,
    /// One row of counts for each target PE.
    pes: Box<[[Count; NAMES.len()]]>,
    fence: Count,
    quiet: Count,
    /// The lines of the program that moved something, or made a collective call.
    lines: Mutex<HashMap<CallPlace, Line>>,
    /// What the supervisor sees while the job runs.
    traffic: &'static Traffic,
    /// What it may ask for.
    writes: Mutex<WriteLog>,
    form: StatsForm,
}

/// Prepares the counting. To be called once, at the start.
pub(crate) fn prepare(n_pes: usize, form: StatsForm, traffic: &'static Traffic) {
    COUNTS.get_or_init(|| Counts {
        running: AtomicBool::new(false),
        wanted: AtomicBool::new(true),
        pes: (0..n_pes).map(|_| Default::default()).collect(),
        fence: Count::default(),
        quiet: Count::default(),
        lines: Mutex::new(HashMap::new()),
        traffic,
        writes: Mutex::default(),
        form,
    });
    observe::want_operations();
    trace::tell_counted_by(counted);
}

/// What this PE has written, with the updates of these cells; `None` while it writes that down.
fn counted(cells: &[AskedCells]) -> Option<Counted> {
    Some(COUNTS.get()?.writes.try_lock().ok()?.counted(cells))
}

/// Whether this is a run that counts.
pub(crate) fn counts() -> bool {
    COUNTS.get().is_some()
}

/// The counts, while operations are counted.
pub(crate) fn counting() -> Option<&'static Counts> {
    COUNTS.get().filter(|counts| counts.counting())
}

/// Starts the counting from zero, at the beginning of a job.
pub(crate) fn begin() {
    if let Some(counts) = COUNTS.get() {
        counts.clear();
        counts.traffic.begin();
        counts.running.store(true, Ordering::Relaxed);
    }
}

impl Counts {
    fn clear(&self) {
        self.pes.iter().flatten().chain([&self.fence, &self.quiet]).for_each(Count::clear);
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.writes() = WriteLog::default();
        self.wanted.store(true, Ordering::Relaxed);
    }

    fn counting(&self) -> bool {
        self.running.load(Ordering::Relaxed) && self.wanted.load(Ordering::Relaxed)
    }

    fn writes(&self) -> MutexGuard<'_, WriteLog> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a collective call of the program, `at` this place.
    pub(super) fn called(&self, what: &'static str, at: &'static Location<'static>) {
        self.traffic.add(1, 0);
        self.line(at, what, "", (1, 0));
    }

    /// Counts an operation on PE `pe`, of a thread that is `doing` this; `is_inside` means that it is
    /// part of a collective call.
    pub(super) fn operation(
        &self,
        kind: OperationKind,
        pe: usize,
        bytes: usize,
        doing: &Doing,
        is_inside: bool,
    ) {
        self.pes[pe][kind as usize].add(bytes);
        if pe != direct::my_pe() {
            self.traffic.add(u64::from(!is_inside), bytes as u64);
        }
        if !is_inside && kind.writes() {
            self.writes().wrote(kind, pe, bytes, &doing.object, doing.at);
        }
        let Some(at) = doing.at else { return };
        if is_inside {
            // The call itself is counted where it begins.
            self.line(at, doing.what, "", (0, bytes as u64));
        } else {
            self.line(at, kind.name(), &doing.object, (1, bytes as u64));
        }
    }

    /// Notes that the cell at `offset` in the heap of `pe` was updated, of a thread that is `doing` this.
    pub(super) fn updated(&self, pe: usize, offset: usize, doing: &Doing) {
        self.writes().updated(pe, offset, doing.at);
    }

    /// Adds to what a line of the program did.
    fn line(&self, at: &'static Location<'static>, name: &'static str, object: &str, add: (u64, u64)) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let (calls, bytes) =
            lines.entry(CallPlace::of(at)).or_default().entry((name, object.to_owned())).or_default();
        *calls += add.0;
        *bytes += add.1;
    }

    /// What the lines of the program did.
    fn spots(&self) -> Vec<Spot> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let spot = |at: CallPlace, (name, object): &(&str, String), &(calls, bytes): &(u64, u64)| Spot {
            place: at.line(),
            name: (*name).to_owned(),
            object: object.clone(),
            calls,
            bytes,
        };
        lines
            .iter()
            .flat_map(|(at, line)| line.iter().map(move |(what, counts)| spot(*at, what, counts)))
            .collect()
    }

    /// Counts a `fence` or a `quiet` of the program.
    pub(super) fn order(&self, what: &str) {
        let count = if what == "fence" { &self.fence } else { &self.quiet };
        count.add(0);
    }

    /// The counts that are not zero.
    fn rows(&self) -> Vec<Tally> {
        let row = |to, name: &str, count: &Count| Tally {
            to,
            name: name.to_owned(),
            calls: count.calls.load(Ordering::Relaxed),
            bytes: count.bytes.load(Ordering::Relaxed),
        };
        let mut rows = Vec::new();
        for (pe, counts) in self.pes.iter().enumerate() {
            rows.extend(NAMES.iter().zip(counts).map(|(name, count)| row(Some(pe), name, count)));
        }
        rows.push(row(None, "fence", &self.fence));
        rows.push(row(None, "quiet", &self.quiet));
        rows.extend(self.calls().into_iter().map(|(name, calls)| Tally {
            to: None,
            name: name.to_owned(),
            calls,
            bytes: 0,
        }));
        rows.retain(|row| row.calls > 0);
        rows
    }

    /// How often each collective call was made: what the lines did that is no operation on a PE.
    fn calls(&self) -> BTreeMap<&'static str, u64> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut calls = BTreeMap::new();
        for ((name, _), (count, _)) in lines.values().flatten().filter(|((name, _), _)| !NAMES.contains(name))
        {
            *calls.entry(*name).or_default() += count;
        }
        calls
    }
}

/// Prints a text in one piece.
fn print(text: &str) {
    // Standard error may be closed, which is no reason to end a job.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Ends the counting: the operations by which the runtime leaves the job are not the program's.
pub(crate) fn stop() {
    if let Some(counts) = COUNTS.get() {
        counts.running.store(false, Ordering::Relaxed);
    }
}

/// Sends the counts of all PEs to PE 0, which prints the table. Collective, in a run that counts
/// and has stopped the counting.
pub(crate) fn finish(runtime: &Runtime) {
    let Some(counts) = COUNTS.get() else {
        return;
    };
    let mine = encode(&counts.rows(), &counts.spots());
    let team = runtime.team();
    let mut call = team.begin(Call::new("statistics", Location::caller()));
    let lens = call.lengths(mine.len());
    let mut texts = vec![Vec::new(); lens.len()];
    // Only PE 0 reads the texts of the others.
    call.collect(mine.as_bytes(), &lens, team.my_pe() == 0, |pe, _, bytes| {
        texts[pe].extend_from_slice(bytes)
    });
    drop(call);
    if team.my_pe() == 0 {
        let (mut pes, mut spots) = (Vec::new(), Vec::new());
        for (rows, theirs) in texts.iter().map(|text| decode(&String::from_utf8_lossy(text))) {
            pes.push(rows);
            spots.extend(theirs);
        }
        let spots = ranked(spots);
        print(&match counts.form {
            StatsForm::Tables => tables(&pes, &spots),
            StatsForm::Json => in_json(&pes, &spots),
        });
    }
    // No PE leaves before PE 0 has read and printed.
    runtime.barrier_all();
}

/// Stops (level 0) or resumes (level 1) the counting on this PE, `me`. From level 2 on, prints the
/// counts so far.
pub(crate) fn control(me: usize, level: u32) {
    let Some(counts) = COUNTS.get() else {
        return;
    };
    match level {
        0 | 1 => {
            counts.wanted.store(level == 1, Ordering::Relaxed);
            if level == 0 {
                counts.writes().misses_some();
            }
        }
        _ => {
            let rows = lines(&me.to_string(), &counts.rows());
            print(&format!("shmem: what PE {me} did so far (SHMEM_STATS=1)\n{HEAD}{rows}"));
        }
    }
}
