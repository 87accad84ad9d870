//! How much a program communicates: `SHMEM_STATS=1`.
//!
//! The operations of each PE are counted by kind and by target PE, with their bytes. When the job
//! has ended well, PE 0 prints the table to standard error. In such a run every operation goes
//! through the transport, where [`Counted`](crate::runtime::counted) sees it, so it is slower, as
//! with `SHMEM_DIRECT=0`. In other runs nothing is counted, at no cost.
//!
//! The counts are those of calls of the transport: a selection that is not contiguous is one `iput`
//! or `iget` for each row, and a range of atomic cells is one update or read for each cell. A wait
//! counts one read of its cells for each look, so its count depends on the other PEs. Access to a
//! PE's own copies is counted as well. The elements that collectives move for the program are
//! counted separately. The words that the runtime exchanges for itself are not counted.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::runtime::Runtime;
use crate::runtime::agreement::Call;
use crate::transport::Amo;

/// The counts of this PE, in a run that counts.
static COUNTS: OnceLock<Counts> = OnceLock::new();

thread_local! {
    /// How many collective calls this thread is in.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

/// The kinds of operations on a target PE, in the order in which they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    Put,
    Get,
    Iput,
    Iget,
    Fetch,
    Set,
    Swap,
    CompareSwap,
    Add,
    And,
    Or,
    Xor,
    CollectivePut,
    CollectiveGet,
}

const NAMES: [&str; 14] = [
    "put",
    "get",
    "iput",
    "iget",
    "atomic_fetch",
    "atomic_set",
    "atomic_swap",
    "atomic_compare_swap",
    "atomic_add",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
    "put in collectives",
    "get in collectives",
];

impl OperationKind {
    pub(crate) fn of(op: Amo) -> OperationKind {
        match op {
            Amo::Fetch => OperationKind::Fetch,
            Amo::Set(_) => OperationKind::Set,
            Amo::Swap(_) => OperationKind::Swap,
            Amo::CompareSwap { .. } => OperationKind::CompareSwap,
            Amo::Add(_) => OperationKind::Add,
            Amo::And(_) => OperationKind::And,
            Amo::Or(_) => OperationKind::Or,
            Amo::Xor(_) => OperationKind::Xor,
        }
    }
}

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
    /// Collective calls, by name.
    calls: Mutex<BTreeMap<&'static str, u64>>,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// The target PE of an operation; `None` for one that has all PEs, or no particular PE, as its
    /// target.
    to: Option<usize>,
    name: String,
    calls: u64,
    bytes: u64,
}

/// Prepares the counting. To be called once, at the start.
pub(crate) fn prepare(n_pes: usize) -> &'static Counts {
    COUNTS.get_or_init(|| Counts {
        running: AtomicBool::new(false),
        wanted: AtomicBool::new(true),
        pes: (0..n_pes).map(|_| Default::default()).collect(),
        fence: Count::default(),
        quiet: Count::default(),
        calls: Mutex::new(BTreeMap::new()),
    })
}

/// Starts the counting from zero, at the beginning of a job.
pub(crate) fn begin() {
    if let Some(counts) = COUNTS.get() {
        counts.clear();
        counts.running.store(true, Ordering::Relaxed);
    }
}

/// Counts a collective call of the program.
#[inline]
pub(crate) fn called(what: &'static str) {
    if let Some(counts) = COUNTS.get()
        && counts.counting()
    {
        *counts.calls.lock().unwrap_or_else(PoisonError::into_inner).entry(what).or_default() += 1;
    }
}

/// While it lives, the transfers of this thread are part of a collective call.
pub(crate) struct CollectiveScope(());

impl CollectiveScope {
    /// `None` in a run that does not count.
    #[inline]
    pub(crate) fn collective() -> Option<CollectiveScope> {
        COUNTS.get().map(|_| {
            INSIDE.set(INSIDE.get() + 1);
            CollectiveScope(())
        })
    }
}

impl Drop for CollectiveScope {
    fn drop(&mut self) {
        INSIDE.set(INSIDE.get() - 1);
    }
}

impl Counts {
    fn clear(&self) {
        self.pes.iter().flatten().chain([&self.fence, &self.quiet]).for_each(Count::clear);
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.wanted.store(true, Ordering::Relaxed);
    }

    fn counting(&self) -> bool {
        self.running.load(Ordering::Relaxed) && self.wanted.load(Ordering::Relaxed)
    }

    /// Counts an operation on PE `pe`.
    pub(crate) fn operation(&self, kind: OperationKind, pe: usize, bytes: usize) {
        if !self.counting() {
            return;
        }
        let kind = match kind {
            OperationKind::Put | OperationKind::Iput if INSIDE.get() > 0 => OperationKind::CollectivePut,
            OperationKind::Get | OperationKind::Iget if INSIDE.get() > 0 => OperationKind::CollectiveGet,
            kind => kind,
        };
        self.pes[pe][kind as usize].add(bytes);
    }

    /// Counts a fence of the program.
    pub(crate) fn fence(&self) {
        if self.counting() && INSIDE.get() == 0 {
            self.fence.add(0);
        }
    }

    /// Counts a quiet of the program.
    pub(crate) fn quiet(&self) {
        if self.counting() && INSIDE.get() == 0 {
            self.quiet.add(0);
        }
    }

    /// The counts that are not zero.
    fn rows(&self) -> Vec<Row> {
        let row = |to, name: &str, count: &Count| Row {
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
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        rows.extend(calls.iter().map(|(name, &calls)| Row {
            to: None,
            name: (*name).to_owned(),
            calls,
            bytes: 0,
        }));
        rows.retain(|row| row.calls > 0);
        rows
    }
}

/// The lines of a table, without its title: `from` is a PE, or "all".
fn lines(from: &str, rows: &[Row]) -> String {
    let mut text = String::new();
    for Row { to, name, calls, bytes } in rows {
        let to = to.map(|to| to.to_string()).unwrap_or_default();
        let bytes = if *bytes > 0 { bytes.to_string() } else { String::new() };
        let line = format!("{from:>7} {to:>6}  {name:<20} {calls:>12} {bytes:>16}");
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

const HEAD: &str = "   from     to  operation                   calls            bytes\n";

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
    let mine = encode(&counts.rows());
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
        let n_pes = team.n_pes();
        let pes = if n_pes == 1 { "PE" } else { "PEs" };
        let mut text = format!("shmem: what {n_pes} {pes} did (SHMEM_STATS=1)\n{HEAD}");
        let mut all = Vec::new();
        for (pe, rows) in texts.iter().map(|text| decode(&String::from_utf8_lossy(text))).enumerate() {
            text.push_str(&lines(&pe.to_string(), &rows));
            all.extend(rows);
        }
        text.push_str(&lines("all", &sums(all)));
        print(&text);
    }
    // No PE leaves before PE 0 has read and printed.
    runtime.barrier_all();
}

/// The rows as they are sent, one line each.
fn encode(rows: &[Row]) -> String {
    let mut text = String::new();
    for Row { to, name, calls, bytes } in rows {
        let to = to.map(|to| to.to_string()).unwrap_or_default();
        let _ = writeln!(text, "{to}\t{name}\t{calls}\t{bytes}");
    }
    text
}

/// The rows that another PE has sent.
fn decode(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut parts = line.split('\t');
        let to = parts.next()?.parse().ok();
        let name = parts.next()?.to_owned();
        Some(Row { to, name, calls: parts.next()?.parse().ok()?, bytes: parts.next()?.parse().ok()? })
    };
    text.lines().filter_map(row).collect()
}

/// The rows, with those of the same name added up, in the order of the table.
fn sums(rows: Vec<Row>) -> Vec<Row> {
    let order = |name: &str| {
        let known = NAMES.iter().chain(&["fence", "quiet"]).position(|known| *known == name);
        known.unwrap_or(usize::MAX)
    };
    let mut sums: BTreeMap<(usize, String), (u64, u64)> = BTreeMap::new();
    for Row { name, calls, bytes, .. } in rows {
        let sum = sums.entry((order(&name), name)).or_default();
        *sum = (sum.0.saturating_add(calls), sum.1.saturating_add(bytes));
    }
    sums.into_iter().map(|((_, name), (calls, bytes))| Row { to: None, name, calls, bytes }).collect()
}

/// Stops (level 0) or resumes (level 1) the counting on this PE, `me`. From level 2 on, prints the
/// counts so far.
pub(crate) fn control(me: usize, level: u32) {
    let Some(counts) = COUNTS.get() else {
        return;
    };
    match level {
        0 | 1 => counts.wanted.store(level == 1, Ordering::Relaxed),
        _ => {
            let rows = lines(&me.to_string(), &counts.rows());
            print(&format!("shmem: what PE {me} did so far (SHMEM_STATS=1)\n{HEAD}{rows}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, decode, encode, lines, sums};

    fn rows() -> Vec<Row> {
        let row = |to, name: &str, calls, bytes| Row { to, name: name.to_owned(), calls, bytes };
        vec![
            row(Some(0), "put", 3, 24),
            row(Some(1), "atomic_add", 1, 8),
            row(Some(4095), "put", 1, u64::MAX),
            row(None, "barrier_all", 2, 0),
            row(None, "quiet", 1, 0),
        ]
    }

    #[test]
    fn rows_arrive_as_they_were_sent() {
        assert_eq!(decode(&encode(&rows())), rows());
        assert_eq!(decode("nonsense\n\n3\tput\t1"), []);
    }

    #[test]
    fn sums_are_those_of_each_name() {
        let sums = sums(rows());
        let short: Vec<_> = sums.iter().map(|row| (row.name.as_str(), row.calls, row.bytes)).collect();
        assert_eq!(
            short,
            [("put", 4, u64::MAX), ("atomic_add", 1, 8), ("quiet", 1, 0), ("barrier_all", 2, 0)]
        );
    }

    #[test]
    fn columns_stand_under_their_heads() {
        let text = lines("12", &rows());
        let first = text.lines().next().expect("there are rows");
        assert_eq!(first.len(), super::HEAD.trim_end().len());
        assert_eq!(first.find("put"), super::HEAD.find("operation"));
    }
}
