//! Measurements side by side, for benchmarks that compare this crate with the limit of the machine
//! and with other libraries.
//!
//! The speed of a machine changes: its clock changes, other programs start and end, and a transfer
//! of a cache line may take three times as long between other cores. So a single time says little.
//! Here, all programs and the limit (plain memory operations that do the same) are measured in
//! turns, for about 0.1 ms each. Every round gives *ratios*. The result is the median of the
//! ratios, and the quartiles show how reliable it is.
//!
//! | file | what is in it |
//! |---|---|
//! | [`work`] | what can be measured, and how a program is told to do it |
//! | [`conductor`] | starts the programs, and lets them work in turns |
//! | `bin/peer` | this project's own program; those of others are in `peers/` |
//! | [`loops`] | the loops of our program |
//! | [`examples`] | builds the examples that benchmarks run |
//! | [`results`] | rows of ratios, as a table and as CSV |
//! | [`book`] | tables that pages of the book include |
//! | [`chart`] | line charts as SVG and PNG |
//! | [`memory`] | how much memory the PEs of a job take |
//! | [`fit`] | how something grows with the number of PEs |
//! | [`model`] | what that means for jobs that this machine cannot hold |

pub mod book;
#[cfg(feature = "charts")]
pub mod chart;
pub mod conductor;
pub mod examples;
pub mod fit;
pub mod loops;
pub mod memory;
pub mod model;
pub mod results;
pub mod work;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The options of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `--quick`: few rounds.
    pub quick: bool,
    /// `--out FOLDER`: the folder for the results as CSV and as charts.
    pub out: PathBuf,
    /// Another word: only the operations whose names contain it are measured.
    pub only: Option<String>,
}

impl Options {
    /// Reads the arguments of a program, without its name.
    ///
    /// # Errors
    ///
    /// The mistake, and the valid arguments.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let usage = "cargo bench -p benches -- [--quick] [--out FOLDER] [PART OF A NAME]";
        let project =
            Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the project");
        let mut options = Options { quick: false, out: project.join("target/bench"), only: None };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // `cargo bench` itself adds this argument.
                "--bench" => {}
                "--quick" => options.quick = true,
                "--out" => {
                    let folder =
                        arguments.next().ok_or(format!("--out needs the name of a folder: {usage}"))?;
                    options.out = folder.into();
                }
                other if other.starts_with('-') => {
                    return Err(format!("there is no option {other}: {usage}"));
                }
                _ => options.only = Some(argument),
            }
        }
        Ok(options)
    }

    /// Writes a file of results, and prints its path.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, name: &str, content: &str) -> Result<(), String> {
        let file = self.out.join(name);
        fs::create_dir_all(&self.out)
            .and_then(|()| fs::write(&file, content))
            .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        println!("{}", file.display());
        Ok(())
    }

    /// The number of rounds to measure.
    #[must_use]
    pub fn rounds(&self) -> usize {
        // Odd, so that the median is one of the rounds.
        if self.quick { 11 } else { 101 }
    }

    /// Whether `operation` is to be measured.
    #[must_use]
    pub fn wants(&self, operation: &str) -> bool {
        self.only.as_ref().is_none_or(|part| operation.contains(part.as_str()))
    }
}

/// The `main` of each benchmark: calls `run` with the options of the command line, and prints a
/// line if it fails.
pub fn main(run: impl FnOnce(&Options) -> Result<(), String>) -> ExitCode {
    match Options::parse(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// First quartile, median and third quartile. Each is the value of a round, if the number of rounds
/// allows it.
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

/// The nanoseconds that `work` takes.
pub fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// A time with about three digits.
#[must_use]
pub fn nanoseconds(ns: f64) -> String {
    match ns {
        ns if ns < 10.0 => format!("{ns:.2} ns"),
        ns if ns < 100.0 => format!("{ns:.1} ns"),
        ns if ns < 10_000.0 => format!("{ns:.0} ns"),
        ns if ns < 1e7 => format!("{:.1} us", ns / 1e3),
        ns => format!("{:.1} ms", ns / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_values_of_rounds() {
        assert_eq!(quartiles(vec![9.0, 1.0, 2.0, 3.0, 2.5]), [2.0, 2.5, 3.0]);
        assert_eq!(quartiles(vec![4.0]), [4.0; 3]);
    }

    #[test]
    fn times_have_a_unit_that_people_read() {
        let shown = [0.354, 12.34, 213.4, 48_211.0, 3.1e7].map(nanoseconds);
        assert_eq!(shown, ["0.35 ns", "12.3 ns", "213 ns", "48.2 us", "31.0 ms"]);
    }

    #[test]
    fn options_are_read_or_refused() {
        let parse = |line: &str| Options::parse(line.split_whitespace().map(str::to_owned));
        let all = Options { quick: true, out: "there".into(), only: Some("put".to_owned()) };
        assert_eq!(parse("--bench --quick --out there put"), Ok(all));
        assert!(parse("--out").is_err());
        assert!(parse("--fast").is_err());
        assert!(parse("").unwrap().wants("get") && !parse("put").unwrap().wants("get"));
    }
}
