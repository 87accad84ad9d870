//! What the examples share: how they speak to the person at the terminal, how they deal things out,
//! and what kernels of one suite have in common.

pub mod random_access;

use std::fmt;
use std::ops::Range;

/// Why an example cannot do what it was asked for.
///
/// A `main` that returns an error shows its `Debug` form, so here that is the sentence itself.
pub struct Failure(String);

impl Failure {
    /// A failure with this sentence.
    pub fn new(sentence: impl Into<String>) -> Failure {
        Failure(sentence.into())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// So that `?` works on what the runtime returns.
impl From<shmem::Error> for Failure {
    fn from(error: shmem::Error) -> Failure {
        Failure(error.to_string())
    }
}

/// Part `index` of `total` things dealt out in `parts` runs, the longer ones first.
pub fn part(total: usize, parts: usize, index: usize) -> Range<usize> {
    let (length, longer) = (total / parts, total % parts);
    let start = |index: usize| index * length + index.min(longer);
    start(index)..start(index + 1)
}

/// So many things: `1 PE`, `2 PEs`.
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The numbers on the command line, each by its place, or else its default.
///
/// # Errors
///
/// What is not a number above 0, or is too much, with all that there is.
pub fn numbers<const N: usize>(names: [(&str, usize); N]) -> Result<[usize; N], Failure> {
    let usage = || {
        let all = names.map(|(name, default)| format!("[{name}={default}]")).join(" ");
        format!("the arguments are {all}")
    };
    let mut numbers = names.map(|(_, default)| default);
    for (place, given) in std::env::args().skip(1).enumerate() {
        let Some((name, _)) = names.get(place) else {
            return Err(Failure::new(format!("{given:?} is one argument too many: {}", usage())));
        };
        match given.parse() {
            Ok(number) if number > 0 => numbers[place] = number,
            _ => return Err(Failure::new(format!("{name} is a number above 0, not {given:?}: {}", usage()))),
        }
    }
    Ok(numbers)
}

/// The last line of a kernel: the rate of so many things in so many seconds, and that `what` takes
/// these seconds. Both numbers have 6 digits at least.
pub fn rate(kernel: &str, things: f64, unit: &str, seconds: f64, what: &str) -> String {
    let digits = |number: f64| {
        let decimals = (5.0 - number.log10().floor()).clamp(0.0, 15.0);
        format!("{number:.0$}", decimals as usize)
    };
    format!("{kernel}: {} {unit}, {} s {what}", digits(things / seconds), digits(seconds))
}

/// Whether a kernel of bale does its operations in a batch: its model is 2.
///
/// # Errors
///
/// When there is no such model.
pub fn is_batch(model: usize) -> Result<bool, Failure> {
    match model {
        1 => Ok(false),
        2 => Ok(true),
        _ => Err(Failure::new(format!("model is 1 for single operations or 2 for a batch, not {model}"))),
    }
}

/// So many random entries of a table with `words` words on each PE, as bale deals them: entry `i`
/// lies on PE `i % n_pes`, at place `i / n_pes`. Other ones for each PE `me`.
pub fn random_entries(count: usize, words: usize, me: usize, n_pes: usize) -> Vec<(usize, usize)> {
    let mut random = fastrand::Rng::with_seed(me as u64);
    let mut entry = || random.usize(..words * n_pes);
    (0..count).map(|_| entry()).map(|index| (index % n_pes, index / n_pes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_six_digits() {
        assert_eq!(rate("a", 2.0, "GUP/s", 300.0, "for all"), "a: 0.00666667 GUP/s, 300.000 s for all");
        assert_eq!(rate("b", 12_345_678.9, "MB/s", 1.0, "a triad"), "b: 12345679 MB/s, 1.00000 s a triad");
        assert_eq!(rate("c", 1.0, "MB/s", 1e-7, "a triad"), "c: 10000000 MB/s, 0.000000100000 s a triad");
    }

    #[test]
    fn each_pe_draws_entries_of_its_own_from_the_whole_table() {
        let [first, second] = [0, 1].map(|me| random_entries(1000, 3, me, 2));
        assert!(first.len() == 1000 && first != second);
        for entry in [0, 1].into_iter().flat_map(|pe| [0, 1, 2].map(|place| (pe, place))) {
            assert!(first.contains(&entry), "{entry:?} was never drawn");
        }
        assert!(first.iter().all(|&(pe, place)| pe < 2 && place < 3));
    }
}
