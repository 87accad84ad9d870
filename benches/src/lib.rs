//! Measuring side by side, for benchmarks that compare this crate with what the machine allows, and
//! with other libraries.
//!
//! A machine drifts: its clock changes, other programs come and go, and the cores that two
//! processes sit on make a hand-over three times as slow. So a time alone says little. Here all
//! programs, and the limit (plain memory operations that do the same), are measured in turns, some
//! 0.1 ms each, and every round gives *ratios*; the median of the ratios is the result, and the
//! quartiles say how far to trust it.
//!
//! | file | what is in it |
//! |---|---|
//! | [`work`] | what can be measured, and how a program is told to do it |
//! | [`conductor`] | starts the programs, and lets them work in turns |
//! | `bin/peer` | this project's own program; those of others are in `peers/` |
//! | [`loops`] | the loops of our program |
//! | [`results`] | rows of ratios, as a table and as CSV |
//! | [`book`] | tables that pages of the book include |
//! | [`chart`] | line charts as SVG and PNG |
//! | [`memory`] | how much memory the PEs of a job take |
//! | [`fit`] | how something grows with the number of PEs |
//! | [`model`] | what that means for jobs that this machine cannot hold |

pub mod book;
pub mod chart;
pub mod conductor;
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

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `--quick`: few rounds.
    pub quick: bool,
    /// `--out FOLDER`: where the results go as CSV and as charts.
    pub out: PathBuf,
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
        let usage = "cargo bench -p benches -- [--quick] [--out FOLDER] [PART OF A NAME]";
        let project =
            Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the project");
        let mut options = Options { quick: false, out: project.join("target/bench"), only: None };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // What `cargo bench` itself adds.
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

    /// Writes a file of results, and says where it is.
    ///
    /// # Errors
    ///
    /// Why it cannot be written.
    pub fn write(&self, name: &str, content: &str) -> Result<(), String> {
        let file = self.out.join(name);
        fs::create_dir_all(&self.out)
            .and_then(|()| fs::write(&file, content))
            .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        println!("{}", file.display());
        Ok(())
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

/// What each benchmark's `main` does: `run` with what the command line asks for, and a line where
/// that fails.
pub fn main(run: impl FnOnce(&Options) -> Result<(), String>) -> ExitCode {
    match Options::parse(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// First quartile, median and third quartile: each the value of a round, as far as the number of
/// rounds allows.
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

/// A time with three digits or so.
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
