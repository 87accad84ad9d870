//! Measuring in rounds, for benchmarks that compare an operation with what the machine allows.
//!
//! A machine drifts: its clock changes, other programs come and go, and the cores that two processes sit on make a hand-over
//! three times as slow. So a time alone says little. Here a limit (plain memory operations that do the same) and the operation
//! are measured in turns, some 0.1 ms each, and every round gives a *ratio*; the median of the ratios is
//! the result, and the quartiles say how far to trust it.

pub mod loops;
pub mod run;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What the command line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `--quick`: few rounds.
    pub quick: bool,
    /// `--csv FILE`: the results as a table for programs.
    pub csv: Option<PathBuf>,
    /// Any other word: only the operations whose names contain it.
    pub only: Option<String>,
}

impl Options {
    /// Reads the arguments of a program, without its name.
    ///
    /// # Errors
    ///
    /// What is wrong with them, and what there is.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let usage = "cargo bench -p benches -- [--quick] [--csv FILE] [PART OF A NAME]";
        let mut options = Options::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // What `cargo bench` itself adds.
                "--bench" => {}
                "--quick" => options.quick = true,
                "--csv" => {
                    let file = arguments.next().ok_or(format!("--csv needs the name of a file: {usage}"))?;
                    options.csv = Some(file.into());
                }
                other if other.starts_with('-') => {
                    return Err(format!("there is no option {other}: {usage}"));
                }
                _ => options.only = Some(argument),
            }
        }
        Ok(options)
    }

    /// How many rounds to measure.
    #[must_use]
    pub fn rounds(&self) -> usize {
        // Odd, so that the median is a round that was.
        if self.quick { 11 } else { 101 }
    }

    /// Whether `operation` is asked for.
    #[must_use]
    pub fn wants(&self, operation: &str) -> bool {
        self.only.as_ref().is_none_or(|part| operation.contains(part.as_str()))
    }
}

/// An operation beside its limit, in nanoseconds, round by round.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What was measured.
    pub operation: String,
    /// What it was measured against.
    pub limit: &'static str,
    /// The largest ratio that is good enough, where there is a goal.
    pub goal: Option<f64>,
    /// The bytes that one operation moves, where the speed in bytes says more than the time.
    pub bytes: Option<usize>,
    /// For each round: the time of the limit, and of the operation.
    pub rounds: Vec<(f64, f64)>,
}

impl Comparison {
    /// How many times as long as its limit the operation takes: first quartile, median, third quartile.
    #[must_use]
    pub fn ratio(&self) -> [f64; 3] {
        quartiles(self.rounds.iter().map(|(limit, ours)| ours / limit).collect())
    }

    /// The medians of the two times, in nanoseconds: the limit and the operation.
    #[must_use]
    pub fn medians(&self) -> (f64, f64) {
        let (limits, ours) = self.rounds.iter().copied().unzip();
        (quartiles(limits)[1], quartiles(ours)[1])
    }

    /// What to think of it, in a word.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match self.goal {
            None => "",
            Some(goal) if self.ratio()[1] <= goal => "met",
            Some(_) => "MISSED",
        }
    }
}

/// First quartile, median and third quartile: each the value of a round, as far as the number of rounds allows.
///
/// # Panics
///
/// When there are no values.
#[must_use]
pub fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    assert!(!values.is_empty(), "nothing was measured");
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}

/// How long one of `operations` takes, in nanoseconds, when `work` performs them all.
pub fn time(operations: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9 / operations as f64
}

/// How often `work` fits into a sample that is long enough for the clock, and short enough to be seldom interrupted.
pub fn calibrate(mut work: impl FnMut()) -> usize {
    const SAMPLE: Duration = Duration::from_micros(100);
    let mut repeats = 1;
    loop {
        let start = Instant::now();
        (0..repeats).for_each(|_| work());
        if start.elapsed() >= SAMPLE / 2 || repeats >= 1 << 20 {
            return repeats;
        }
        repeats *= 2;
    }
}

/// Measures `limit` and `ours` in turns. Each call of them performs `operations` and is repeated `repeats` times for one
/// sample; `before` comes before each sample, and is not measured.
///
/// Who comes first changes from round to round, so that neither always finds what the other left in the caches.
pub fn in_turns(
    rounds: usize,
    repeats: usize,
    operations: usize,
    before: impl Fn(),
    mut limit: impl FnMut(),
    mut ours: impl FnMut(),
) -> Vec<(f64, f64)> {
    let all = operations * repeats;
    (0..rounds)
        .map(|round| {
            let mut time_limit = || {
                before();
                time(all, || (0..repeats).for_each(|_| limit()))
            };
            let mut time_ours = || {
                before();
                time(all, || (0..repeats).for_each(|_| ours()))
            };
            if round % 2 == 0 {
                let limit = time_limit();
                (limit, time_ours())
            } else {
                let ours = time_ours();
                (time_limit(), ours)
            }
        })
        .collect()
}

/// The results for people: one line each.
#[must_use]
pub fn table(comparisons: &[Comparison]) -> String {
    let width = comparisons.iter().map(|comparison| comparison.limit.len()).max().unwrap_or(0).max(20);
    let mut table = format!(
        "{:<34} {:>11} {:>11}  {:<width$} {:>6}  {:<13} {:>6}  {}\n",
        "operation", "time", "limit", "limit is", "ratio", "(quartiles)", "goal", "verdict"
    );
    for comparison in comparisons {
        let [low, median, high] = comparison.ratio();
        let (limit, ours) = comparison.medians();
        let show = |ns| match comparison.bytes {
            Some(bytes) => format!("{:.1} GB/s", bytes as f64 / ns),
            None => nanoseconds(ns),
        };
        let goal = comparison.goal.map_or(String::new(), |goal| format!("{goal:.2}"));
        let quartiles = format!("({low:.2}-{high:.2})");
        let line = format!(
            "{:<34} {:>11} {:>11}  {:<width$} {median:>6.2}  {quartiles:<13} {goal:>6}  {}",
            comparison.operation,
            show(ours),
            show(limit),
            comparison.limit,
            comparison.verdict()
        );
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}

/// A time with three digits or so.
fn nanoseconds(ns: f64) -> String {
    match ns {
        ns if ns < 100.0 => format!("{ns:.2} ns"),
        ns if ns < 10_000.0 => format!("{ns:.0} ns"),
        ns => format!("{:.1} us", ns / 1e3),
    }
}

/// The results for programs: comma-separated, with a heading. Texts stand in quotes, and hold none.
#[must_use]
pub fn csv(comparisons: &[Comparison], n_pes: usize) -> String {
    let mut csv =
        String::from("operation,limit,n_pes,bytes,ns,limit_ns,ratio,ratio_q1,ratio_q3,goal,verdict\n");
    for comparison in comparisons {
        let [low, median, high] = comparison.ratio();
        let (limit, ours) = comparison.medians();
        let bytes = comparison.bytes.map_or(String::new(), |bytes| bytes.to_string());
        let goal = comparison.goal.map_or(String::new(), |goal| goal.to_string());
        // Writing into a `String` does not fail.
        let _ = writeln!(
            csv,
            "\"{}\",\"{}\",{n_pes},{bytes},{ours:.4},{limit:.4},{median:.4},{low:.4},{high:.4},{goal},\"{}\"",
            comparison.operation,
            comparison.limit,
            comparison.verdict()
        );
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ratios: &[f64], goal: Option<f64>) -> Comparison {
        let rounds = ratios.iter().map(|ratio| (10.0, 10.0 * ratio)).collect();
        Comparison { operation: "put, 8 B".to_owned(), limit: "store", goal, bytes: None, rounds }
    }

    #[test]
    fn the_median_of_ratios_decides() {
        let comparison = of(&[9.0, 1.0, 2.0, 3.0, 2.5], Some(2.5));
        assert_eq!(comparison.ratio(), [2.0, 2.5, 3.0]);
        assert_eq!(comparison.medians(), (10.0, 25.0));
        assert_eq!(comparison.verdict(), "met");
        assert_eq!(of(&[2.6], Some(2.5)).verdict(), "MISSED");
        assert_eq!(of(&[2.6], None).verdict(), "");
    }

    #[test]
    fn both_sides_are_measured_equally_often_and_in_turns() {
        let order = std::cell::RefCell::new(String::new());
        let note = |letter| order.borrow_mut().push(letter);
        let rounds = in_turns(3, 2, 5, || note('|'), || note('l'), || note('o'));
        assert_eq!(rounds.len(), 3);
        assert_eq!(*order.borrow(), "|ll|oo|oo|ll|ll|oo");
    }

    #[test]
    fn tables_hold_what_was_measured() {
        let comparisons = [of(&[1.5], Some(2.0))];
        assert!(table(&comparisons).contains("15.00 ns    10.00 ns  store"));
        assert_eq!(
            csv(&comparisons, 2).lines().nth(1),
            Some("\"put, 8 B\",\"store\",2,,15.0000,10.0000,1.5000,1.5000,1.5000,2,\"met\"")
        );
    }

    #[test]
    fn options_are_read_or_refused() {
        let parse = |line: &str| Options::parse(line.split_whitespace().map(str::to_owned));
        let all = Options { quick: true, csv: Some("a.csv".into()), only: Some("put".to_owned()) };
        assert_eq!(parse("--bench --quick --csv a.csv put"), Ok(all));
        assert!(parse("--csv").is_err());
        assert!(parse("--fast").is_err());
        assert!(Options::default().wants("get") && !parse("put").unwrap().wants("get"));
    }
}
