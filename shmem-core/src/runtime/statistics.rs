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
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::runtime::Runtime;
use crate::runtime::agreement::Call;
use crate::runtime::direct;
use crate::runtime::observe::{Doing, OperationKind};
use crate::system::env::StatsForm;
use crate::system::json;
use crate::transport::node::traffic::Traffic;

const NAMES: [&str; 14] = OperationKind::NAMES;

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
    /// Collective calls, by name.
    calls: Mutex<BTreeMap<&'static str, u64>>,
    /// The lines of the program that moved something, or made a collective call.
    lines: Mutex<HashMap<&'static Location<'static>, Line>>,
    /// What the supervisor sees while the job runs.
    traffic: &'static Traffic,
    form: StatsForm,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tally {
    /// The target PE of an operation; `None` for one that has all PEs, or no particular PE, as its
    /// target.
    to: Option<usize>,
    name: String,
    calls: u64,
    bytes: u64,
}

/// What a line of the program did to one object, on all PEs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spot {
    /// `src/main.rs:12`.
    place: String,
    name: String,
    /// Empty where it is a collective call.
    object: String,
    calls: u64,
    bytes: u64,
}

/// Prepares the counting. To be called once, at the start.
pub(crate) fn prepare(n_pes: usize, form: StatsForm, traffic: &'static Traffic) {
    COUNTS.get_or_init(|| Counts {
        running: AtomicBool::new(false),
        wanted: AtomicBool::new(true),
        pes: (0..n_pes).map(|_| Default::default()).collect(),
        fence: Count::default(),
        quiet: Count::default(),
        calls: Mutex::new(BTreeMap::new()),
        lines: Mutex::new(HashMap::new()),
        traffic,
        form,
    });
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
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.wanted.store(true, Ordering::Relaxed);
    }

    fn counting(&self) -> bool {
        self.running.load(Ordering::Relaxed) && self.wanted.load(Ordering::Relaxed)
    }

    /// Counts a collective call of the program, `at` this place.
    pub(super) fn called(&self, what: &'static str, at: &'static Location<'static>) {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner).entry(what).or_default() += 1;
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
        let Some(at) = doing.at else { return };
        if is_inside {
            // The call itself is counted where it begins.
            self.line(at, doing.what, "", (0, bytes as u64));
        } else {
            self.line(at, kind.name(), &doing.object, (1, bytes as u64));
        }
    }

    /// Adds to what a line of the program did.
    fn line(&self, at: &'static Location<'static>, name: &'static str, object: &str, add: (u64, u64)) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let (calls, bytes) = lines.entry(at).or_default().entry((name, object.to_owned())).or_default();
        *calls += add.0;
        *bytes += add.1;
    }

    /// What the lines of the program did.
    fn spots(&self) -> Vec<Spot> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let spot = |at: &Location<'_>, (name, object): &(&str, String), &(calls, bytes): &(u64, u64)| Spot {
            place: format!("{}:{}", at.file(), at.line()),
            name: (*name).to_owned(),
            object: object.clone(),
            calls,
            bytes,
        };
        lines
            .iter()
            .flat_map(|(at, line)| line.iter().map(move |(what, counts)| spot(at, what, counts)))
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
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        rows.extend(calls.iter().map(|(name, &calls)| Tally {
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
fn lines(from: &str, rows: &[Tally]) -> String {
    let mut text = String::new();
    for Tally { to, name, calls, bytes } in rows {
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

/// The text for people: what each of the PEs did, and where in the program.
fn tables(pes: &[Vec<Tally>], spots: &[Spot]) -> String {
    let n_pes = pes.len();
    let mut text =
        format!("shmem: what {n_pes} {} did (SHMEM_STATS=1)\n{HEAD}", if n_pes == 1 { "PE" } else { "PEs" });
    for (pe, rows) in pes.iter().enumerate() {
        text.push_str(&lines(&pe.to_string(), rows));
    }
    text.push_str(&lines("all", &sums(pes.concat())));
    if !spots.is_empty() {
        text.push_str("shmem: where in the program, by bytes and calls (SHMEM_STATS=1)\n");
        text.push_str("  operation                   calls            bytes  place, object\n");
    }
    for Spot { place, name, object, calls, bytes } in spots {
        let bytes = if *bytes > 0 { bytes.to_string() } else { String::new() };
        let object = if object.is_empty() { String::new() } else { format!(", {object}") };
        let _ = writeln!(text, "  {name:<20} {calls:>12} {bytes:>16}  {place}{object}");
    }
    text
}

/// The same as one line of JSON.
fn in_json(pes: &[Vec<Tally>], spots: &[Spot]) -> String {
    let operation = |(from, row): (usize, &Tally)| {
        let Tally { to, name, calls, bytes } = row;
        let to = to.map_or("null".to_owned(), |to| to.to_string());
        let name = json::string(name);
        format!("{{\"from\":{from},\"to\":{to},\"operation\":{name},\"calls\":{calls},\"bytes\":{bytes}}}")
    };
    let operations: Vec<_> = pes
        .iter()
        .enumerate()
        .flat_map(|(pe, rows)| rows.iter().map(move |row| (pe, row)))
        .map(operation)
        .collect();
    let spot = |Spot { place, name, object, calls, bytes }: &Spot| {
        let (place, name) = (json::string(place), json::string(name));
        let object = if object.is_empty() { "null".to_owned() } else { json::string(object) };
        format!(
            "{{\"place\":{place},\"operation\":{name},\"object\":{object},\"calls\":{calls},\"bytes\":{bytes}}}"
        )
    };
    let places: Vec<_> = spots.iter().map(spot).collect();
    format!(
        "{{\"pes\":{},\"operations\":[{}],\"places\":[{}]}}\n",
        pes.len(),
        operations.join(","),
        places.join(",")
    )
}

/// The spots of all PEs, with those of the same place, operation and object added up; those that
/// moved most come first.
fn ranked(spots: Vec<Spot>) -> Vec<Spot> {
    let mut sums: BTreeMap<(String, String, String), (u64, u64)> = BTreeMap::new();
    for Spot { place, name, object, calls, bytes } in spots {
        let sum = sums.entry((place, name, object)).or_default();
        *sum = (sum.0.saturating_add(calls), sum.1.saturating_add(bytes));
    }
    let spot = |((place, name, object), (calls, bytes))| Spot { place, name, object, calls, bytes };
    let mut ranked: Vec<_> = sums.into_iter().map(spot).collect();
    ranked.sort_by_key(|spot| std::cmp::Reverse((spot.bytes, spot.calls)));
    ranked
}

/// The rows and spots as they are sent, one line each.
fn encode(rows: &[Tally], spots: &[Spot]) -> String {
    let mut text = String::new();
    for Tally { to, name, calls, bytes } in rows {
        let to = to.map(|to| to.to_string()).unwrap_or_default();
        let _ = writeln!(text, "{to}\t{name}\t{calls}\t{bytes}");
    }
    for Spot { place, name, object, calls, bytes } in spots {
        // The object last: its type is written as in the program, on one line.
        let _ = writeln!(text, "@\t{name}\t{calls}\t{bytes}\t{place}\t{object}");
    }
    text
}

/// The rows and spots that another PE has sent.
fn decode(text: &str) -> (Vec<Tally>, Vec<Spot>) {
    let row = |line: &str| {
        let mut parts = line.split('\t');
        let to = parts.next()?.parse().ok();
        let name = parts.next()?.to_owned();
        Some(Tally { to, name, calls: parts.next()?.parse().ok()?, bytes: parts.next()?.parse().ok()? })
    };
    let spot = |line: &str| {
        let mut parts = line.splitn(5, '\t');
        let name = parts.next()?.to_owned();
        let (calls, bytes) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Spot { name, calls, bytes, place: parts.next()?.to_owned(), object: parts.next()?.to_owned() })
    };
    let (mut rows, mut spots) = (Vec::new(), Vec::new());
    for line in text.lines() {
        match line.strip_prefix("@\t") {
            Some(line) => spots.extend(spot(line)),
            None => rows.extend(row(line)),
        }
    }
    (rows, spots)
}

/// The rows, with those of the same name added up, in the order of the table.
fn sums(rows: Vec<Tally>) -> Vec<Tally> {
    let order = |name: &str| {
        let known = NAMES.iter().chain(&["fence", "quiet"]).position(|known| *known == name);
        known.unwrap_or(usize::MAX)
    };
    let mut sums: BTreeMap<(usize, String), (u64, u64)> = BTreeMap::new();
    for Tally { name, calls, bytes, .. } in rows {
        let sum = sums.entry((order(&name), name)).or_default();
        *sum = (sum.0.saturating_add(calls), sum.1.saturating_add(bytes));
    }
    sums.into_iter().map(|((_, name), (calls, bytes))| Tally { to: None, name, calls, bytes }).collect()
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
    use super::{Spot, Tally, decode, encode, in_json, lines, ranked, sums};

    fn rows() -> Vec<Tally> {
        let row = |to, name: &str, calls, bytes| Tally { to, name: name.to_owned(), calls, bytes };
        vec![
            row(Some(0), "put", 3, 24),
            row(Some(1), "atomic_add", 1, 8),
            row(Some(4095), "put", 1, u64::MAX),
            row(None, "barrier_all", 2, 0),
            row(None, "quiet", 1, 0),
        ]
    }

    fn spots() -> Vec<Spot> {
        let spot = |place: &str, name: &str, object: &str, calls, bytes| Spot {
            place: place.to_owned(),
            name: name.to_owned(),
            object: object.to_owned(),
            calls,
            bytes,
        };
        vec![
            spot("a.rs:1", "put", "`A: u64` (a.rs:9)", 1, 8),
            spot("b.rs:2", "get", "`A: [Pair<\"x\\\">; 2]`", 2, 300),
            spot("a.rs:3", "barrier_all", "", 3, 0),
        ]
    }

    #[test]
    fn rows_arrive_as_they_were_sent() {
        assert_eq!(decode(&encode(&rows(), &spots())), (rows(), spots()));
        assert_eq!(decode("nonsense\n\n3\tput\t1\n@\tput\t1\t2"), (vec![], vec![]));
    }

    #[test]
    fn the_line_that_moves_most_comes_first() {
        let mut twice = spots();
        twice.extend(spots());
        let ranked: Vec<_> =
            ranked(twice).into_iter().map(|spot| (spot.place, spot.calls, spot.bytes)).collect();
        let expected = [("b.rs:2", 4, 600), ("a.rs:1", 2, 16), ("a.rs:3", 6, 0)];
        assert_eq!(ranked, expected.map(|(place, calls, bytes)| (place.to_owned(), calls, bytes)));
    }

    #[test]
    fn the_line_for_programs_is_json() {
        let row = Tally { to: None, name: "fence".to_owned(), calls: 2, bytes: 0 };
        assert_eq!(
            in_json(&[vec![row], vec![]], &spots()[1..2]),
            "{\"pes\":2,\"operations\":[{\"from\":0,\"to\":null,\"operation\":\"fence\",\"calls\":2,\"bytes\":0}],\
             \"places\":[{\"place\":\"b.rs:2\",\"operation\":\"get\",\"object\":\"`A: [Pair<\\\"x\\\\\\\">; 2]`\",\"calls\":2,\"bytes\":300}]}\n"
        );
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
