//! The table of the book with calls between hosts: real runs beside simulated ones.
//!
//! It is made of the measurements that `cargo test -p example-tests --test hosts -- --messages` prints.

use std::fmt::Write as _;

use crate::network::Link;
use crate::tables::{HEAD_OF_LINKS, Measurements, SMALL, row_of_link, time, within_30_percent};
use crate::{Call, Machine, run};

/// How this crate is called in the measurements, and the program in C.
const OURS: &str = "among hosts";
const C: &str = "C";

/// The bytes of a large message.
const LARGE: usize = 1 << 20;
/// How many times a simulated PE makes the calls for the mean that is compared with real ones.
const TIMES: usize = 64;

/// What is called, and how it is simulated.
const WORKS: [(&str, &[Call]); 4] = [
    ("barrier_all", &[Call::Meet]),
    ("sum of integers", &[Call::Exchange { words: 2 }]),
    ("broadcast and sync", &[Call::Broadcast { root: 0, bytes: SMALL }, Call::Meet]),
    ("broadcast 1 MiB", &[Call::Relay { root: 0, bytes: LARGE }]),
];

/// What was measured between hosts: by whom, what, how many hosts, how many PEs on each, and the microseconds.
pub struct BetweenHosts<'a>(Vec<(&'a str, &'a str, usize, usize, f64)>);

impl<'a> BetweenHosts<'a> {
    /// Reads the file of the measurements.
    ///
    /// # Panics
    ///
    /// When it is not such a file.
    #[must_use]
    pub fn read(csv: &'a str) -> BetweenHosts<'a> {
        let row = |line: &'a str| {
            let mut cells = line.split(',');
            let [form, call, hosts, each, _, time] = std::array::from_fn(|_| cells.next().expect(line));
            let [hosts, each] = [hosts, each].map(|number| number.parse().expect(line));
            (form, call, hosts, each, time.parse().expect(line))
        };
        BetweenHosts(csv.lines().skip(1).map(row).collect())
    }

    fn find(&self, form: &str, call: &str, hosts: usize, each: usize) -> f64 {
        let is_it = |row: &&(&str, &str, usize, usize, f64)| {
            (row.0, row.1, row.2, row.3) == (form, call, hosts, each)
        };
        self.0.iter().find(is_it).unwrap_or_else(|| panic!("{form}: {call} was not measured")).4
    }

    /// The link between two hosts. The time of a round trip is divided among both ways, and each has the `o` of
    /// its sender and of its receiver.
    #[must_use]
    pub fn link(&self) -> Link {
        let of = |call| 1e3 * self.find(OURS, call, 2, 1);
        let o = of("update");
        let byte = (of("put 1 MiB") - of("put 8 B")) / (LARGE - SMALL) as f64;
        Link::new(of("round trip") / 2.0 - 2.0 * o, o, o, 0.0, byte)
    }

    /// So many hosts, with so many PEs on each, which share the cores of the machine that was measured.
    fn machine(&self, here: &Measurements<'_>, hosts: usize, each: usize) -> Machine {
        let all = here.machine(hosts * each);
        Machine { per_host: each, shares_memory: true, counter: here.counter(), between: self.link(), ..all }
    }

    /// Real runs, simulated ones, and C. Within a host, messages take what they take `here`.
    #[must_use]
    pub fn page(&self, here: &Measurements<'_>) -> String {
        let link = row_of_link("between hosts", self.link());
        let mut table = format!("<!-- ANCHOR: link -->\n{HEAD_OF_LINKS}{link}<!-- ANCHOR_END: link -->\n\n");
        table += "<!-- ANCHOR: real -->\n| what | hosts | PEs on each | real | simulated | simulated / real | C |\n\
                  |---|---:|---:|---:|---:|---:|---:|\n";
        let mut ratios = Vec::new();
        for (what, calls) in WORKS {
            for &(_, _, hosts, each, real) in self.0.iter().filter(|row| (row.0, row.1) == (OURS, what)) {
                let calls = calls.repeat(TIMES);
                let outcome = run(&self.machine(here, hosts, each), &calls, |_, _, _| ());
                let simulated = outcome.end_of_first / TIMES as u64;
                let [real, c] = [real, self.find(C, what, hosts, each)].map(|us| (us * 1e6) as u64);
                let ratio = simulated as f64 / real as f64;
                ratios.push((format!("{what}, {hosts} × {each}"), ratio));
                let [real, simulated, c] = [real, simulated, c].map(time);
                let _ = writeln!(
                    table,
                    "| {what} | {hosts} | {each} | {real} | {simulated} | {ratio:.2} | {c} |"
                );
            }
        }
        table + &within_30_percent(&ratios) + "<!-- ANCHOR_END: real -->\n"
    }
}
