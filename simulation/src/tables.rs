//! The tables of the book: real runs beside simulated ones, and jobs that no machine here can hold.
//!
//! They are made of the measurements that `cargo bench -p benches --bench simulated` has written.

use std::fmt::Write as _;

use crate::network::{INFINIBAND, Link, SLINGSHOT, Time, of_nanoseconds};
use crate::{Call, Cores, Machine, run};

/// An atomic update of another PE's word.
pub const ADD: &str = "add";
/// An update of the other PE's word that this one waits for, one way, between two cores.
pub const SIGNAL: &str = "signal";
/// The same between two PEs of one core.
pub const SIGNAL_ON_A_CORE: &str = "signal on a core";
/// All PEs count themselves in, in one word, and yield until all have. Each core gives each of its PEs one turn.
pub const YIELDS: &str = "yields";
/// A cache line, one way, between two cores.
pub const HAND_OVER: &str = "hand-over";
/// A put of [`SMALL`] bytes.
pub const PUT_SMALL: &str = "put small";
/// A put of [`LARGE`] bytes.
pub const PUT_LARGE: &str = "put large";
/// All PEs of a team meet.
pub const MEETING: &str = "meeting";
/// A broadcast of [`SMALL`] bytes.
pub const BROADCAST: &str = "broadcast";

/// The bytes of a small message, and of a broadcast.
pub const SMALL: usize = 8;
/// The bytes of a large message.
pub const LARGE: usize = 64 << 10;
/// The bytes that go with each signal where the PEs combine what they say.
const COMBINED: usize = 128;
/// How this crate over the C library is called in the measurements.
pub const OURS: &str = "shmem, C library, far";
/// How the program in C is called there.
pub const C: &str = "C";

/// The PEs of a host in jobs that were not run.
const PER_HOST: usize = 64;
/// How many calls, one after the other, a simulated PE makes for the mean that is compared with
/// real ones.
const CALLS: usize = 1024;
/// The calls, with their names in the tables.
const WORKS: [(&str, &str, Call); 2] = [
    (MEETING, "barrier of a team", Call::Meet),
    (BROADCAST, "broadcast of 8 bytes", Call::Broadcast { root: 0, bytes: SMALL }),
];

/// What was measured: the name, the number of PEs, the program, and the nanoseconds.
pub struct Measurements<'a> {
    rows: Vec<(&'a str, usize, &'a str, f64)>,
    cores: usize,
}

impl<'a> Measurements<'a> {
    /// Reads the file of the measurements.
    ///
    /// # Panics
    ///
    /// When it is not such a file.
    #[must_use]
    pub fn read(csv: &'a str) -> Measurements<'a> {
        let mut lines = csv.lines();
        let head = lines.next().expect("a head");
        let cores = head.strip_prefix(HEAD).and_then(|cores| cores.parse().ok());
        let row = |line: &'a str| {
            let mut cells = line.split('"').map(|cell| cell.trim_matches(','));
            let [_, what, pes, program, time] = std::array::from_fn(|_| cells.next().expect(line));
            let [pes, ns] = [pes, time].map(|number| number.parse::<f64>().expect(line));
            (what, pes as usize, program, ns)
        };
        Measurements { rows: lines.map(row).collect(), cores: cores.expect("the number of cores") }
    }

    /// The file of these measurements, on a machine with so many cores.
    #[must_use]
    pub fn file(rows: &[(&str, usize, &str, f64)], cores: usize) -> String {
        let mut csv = format!("{HEAD}{cores}\n");
        for (what, pes, program, ns) in rows {
            let _ = writeln!(csv, "\"{what}\",{pes},\"{program}\",{ns:.2}");
        }
        csv
    }

    /// The rows: the name, the number of PEs, the program, and the nanoseconds.
    #[must_use]
    pub fn rows(&self) -> &[(&'a str, usize, &'a str, f64)] {
        &self.rows
    }

    fn find(&self, name: &str, n: usize, of: &str) -> Option<f64> {
        let is_it = |row: &&(&str, usize, &str, f64)| (row.0, row.1, row.2) == (name, n, of);
        self.rows.iter().find(is_it).map(|row| row.3)
    }

    fn of_ours(&self, what: &str, pes: usize) -> f64 {
        self.find(what, pes, OURS).unwrap_or_else(|| panic!("{what} of {pes} PEs was not measured"))
    }

    /// The link between two PEs of the machine that was measured, which the processes drive themselves: a sender is busy
    /// for the whole message, and `g` is no longer than that. `L` is 0: what is sent is in memory that both have, and the
    /// receiver's core fetches it when it is read. So that is part of the receiver's `o`, once for each message.
    #[must_use]
    pub fn link(&self) -> Link {
        let send = self.of_ours(ADD, 2);
        let receive = self.of_ours(SIGNAL, 2) - send;
        let byte = (self.of_ours(PUT_LARGE, 2) - self.of_ours(PUT_SMALL, 2)) / (LARGE - SMALL) as f64;
        // Without a look before.
        let late = of_nanoseconds(self.of_ours(HAND_OVER, 2).min(receive));
        Link { late, ..Link::new(0.0, send, receive, 0.0, byte) }
    }

    /// How long a turn takes on a core, in nanoseconds: until the next of so many PEs runs, after one that waits has
    /// looked. It was measured between two PEs of one core. With more of them, it takes longer by as much as that of a
    /// waiter that only yields, because they share the caches.
    fn turn(&self, pes: usize) -> f64 {
        let two = 2 * self.cores;
        let of_yields = |pes: usize| self.of_ours(YIELDS, pes) / (pes as f64 / self.cores as f64);
        let more = if pes > two { of_yields(pes) - of_yields(two) } else { 0.0 };
        self.of_ours(SIGNAL_ON_A_CORE, two) - self.of_ours(ADD, 2) + more
    }

    /// The machine that was measured, with so many PEs, each of which is treated as if it had a
    /// host of its own.
    #[must_use]
    pub fn machine(&self, pes: usize) -> Machine {
        let turn = of_nanoseconds(self.turn(pes));
        let cores = (pes > self.cores).then_some(Cores { number: self.cores, turn });
        Machine { cores, ..Machine::of_single_pes(pes, self.link()) }
    }

    /// How long an update of a counter takes that several PEs share.
    pub(crate) fn counter(&self) -> Time {
        of_nanoseconds(self.of_ours(HAND_OVER, 2))
    }

    /// Real runs, simulated ones, and C.
    #[must_use]
    pub fn real(&self) -> String {
        let mut table = String::from(
            "| what | PEs | real | simulated | simulated / real | C |\n|---|---:|---:|---:|---:|---:|\n",
        );
        let mut ratios = Vec::new();
        for (what, name, call) in WORKS {
            // One PE sends no message: the call takes what it takes beside its messages.
            let alone = of_nanoseconds(self.of_ours(what, 1));
            let sizes = self.rows.iter().filter(|row| row.0 == what && row.1 > 1 && row.2 == OURS);
            for &(_, pes, _, real) in sizes {
                let machine = Machine { call: alone, ..self.machine(pes) };
                let outcome = run(&machine, &[call; CALLS], |_, _, _| ());
                let simulated = outcome.end_of_first as f64 / CALLS as f64;
                let ratio = simulated / of_nanoseconds(real) as f64;
                ratios.push((format!("{name}, {pes} PEs"), ratio));
                let c = self.find(what, pes, C).map_or_else(|| "-".to_owned(), |ns| time(of_nanoseconds(ns)));
                let (real, simulated) = (time(of_nanoseconds(real)), time(simulated as Time));
                let _ = writeln!(table, "| {name} | {pes} | {real} | {simulated} | {ratio:.2} | {c} |");
            }
        }
        table + &within_30_percent(&ratios)
    }

    /// The parameters of all links that are simulated, in nanoseconds.
    #[must_use]
    pub fn links(&self) -> String {
        let links = [("this machine", self.link()), ("Slingshot", SLINGSHOT), ("InfiniBand", INFINIBAND)];
        let rows = links.map(|(name, link)| row_of_link(name, link));
        HEAD_OF_LINKS.to_owned() + &rows.concat()
    }

    /// One call of jobs of 100 to 100 000 PEs: when the last PE returns.
    #[must_use]
    pub fn large(&self) -> String {
        let mut table = String::from(
            "| PEs | what | messages | bytes | Slingshot | InfiniBand |\n|---:|---|---:|---:|---:|---:|\n",
        );
        let counter = self.counter();
        for pes in [100, 1000, 10_000, 100_000] {
            let machines = [SLINGSHOT, INFINIBAND]
                .map(|between| Machine::of_hosts(pes, PER_HOST, counter, self.link(), between));
            for (name, machines, call) in [
                ("barrier, hosts take part as one", machines, WORKS[0].2),
                ("barrier, each PE takes part", machines.map(Machine::by_pes), WORKS[0].2),
                ("sum of integers, or agreement", machines, Call::Combine { bytes: COMBINED }),
                ("pairwise sum of floats", machines, Call::Pairs { bytes: SMALL }),
                (WORKS[1].1, machines, WORKS[1].2),
                ("broadcast of 1 MiB", machines, Call::Relay { root: 0, bytes: 1 << 20 }),
            ] {
                let [one, other] = machines.map(|machine| run(&machine, &[call], |_, _, _| ()));
                assert_eq!(one.messages, other.messages, "the network changes no message");
                let (messages, bytes) = (one.messages, one.bytes);
                let [one, other] = [one, other].map(|outcome| time(outcome.end));
                let _ = writeln!(table, "| {pes} | {name} | {messages} | {bytes} | {one} | {other} |");
            }
        }
        table
    }

    /// All tables, as a file that the page of the book includes in parts.
    #[must_use]
    pub fn page(&self) -> String {
        let sections = [("links", self.links()), ("real", self.real()), ("large", self.large())];
        let text = |(name, table): (&str, String)| {
            format!("<!-- ANCHOR: {name} -->\n{table}<!-- ANCHOR_END: {name} -->\n\n")
        };
        sections.into_iter().map(text).collect()
    }
}

/// The first line of the file, before the number of cores.
const HEAD: &str = "what,n_pes,program,ns; cores: ";

/// The head of a table of links.
pub(crate) const HEAD_OF_LINKS: &str =
    "| link | `L` | `o`, sender | `o`, receiver | `g` | `G` for a byte |\n|---|---:|---:|---:|---:|---:|\n";

/// The parameters of a link in nanoseconds, as a row of that table.
pub(crate) fn row_of_link(name: &str, link: Link) -> String {
    let Link { latency, send, receive, gap, byte, .. } = link;
    let [latency, send, receive, gap, byte] =
        [latency, send, receive, gap, byte].map(|time| time as f64 / 1e3);
    format!("| {name} | {latency} | {send} | {receive} | {gap} | {byte} |\n")
}

/// Which of these simulated times, divided by the real ones, are not near to one.
pub(crate) fn within_30_percent(ratios: &[(String, f64)]) -> String {
    let off: Vec<String> = ratios
        .iter()
        .filter(|(_, ratio)| (ratio - 1.0).abs() > 0.3)
        .map(|(name, ratio)| format!("{name} ({ratio:.2})"))
        .collect();
    let (near, of) = (ratios.len() - off.len(), ratios.len());
    let said = if off.is_empty() { "none".to_owned() } else { off.join("; ") };
    format!("\nWithin 30 % of the real time: {near} of {of} rows. Not within 30 %: {said}.\n")
}

/// A time with three digits.
pub(crate) fn time(time: Time) -> String {
    let (value, unit) = match time as f64 {
        ps if ps >= 1e9 => (ps / 1e9, "ms"),
        ps if ps >= 1e6 => (ps / 1e6, "µs"),
        ps => (ps / 1e3, "ns"),
    };
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}
