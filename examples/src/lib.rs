//! What the examples share: how they speak to the person at the terminal, how they deal things out, and what the
//! kernels of one suite have in common.

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

/// The last line of a kernel: the rate of so many things in so many seconds, and that `what` takes these seconds.
/// Both numbers have 6 digits at least.
pub fn rate(kernel: &str, things: f64, unit: &str, seconds: f64, what: &str) -> String {
    let digits = |number: f64| {
        let decimals = (5.0 - number.log10().floor()).clamp(0.0, 15.0);
        format!("{number:.0$}", decimals as usize)
    };
    format!("{kernel}: {} {unit}, {} s {what}", digits(things / seconds), digits(seconds))
}

/// So many random entries of a table with `words` words on each PE, as bale deals them: entry `i` lies on PE `i %
/// n_pes`, at place `i / n_pes`. Other ones for each PE `me`.
pub fn random_entries(count: usize, words: usize, me: usize, n_pes: usize) -> Vec<(usize, usize)> {
    let mut random = fastrand::Rng::with_seed(me as u64);
    let mut entry = || random.usize(..words * n_pes);
    (0..count).map(|_| entry()).map(|index| (index % n_pes, index / n_pes)).collect()
}
