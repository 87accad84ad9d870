//! The kernels of random access. They check themselves; here what they print is compared with a
//! serial computation, which shows that the check was one of updates and reads that were made.

use std::ffi::OsStr;
use std::iter;

use super::{everywhere, pes, run};

/// The lines that a kernel has printed before its figure, and the figure with its unit.
#[track_caller]
fn figure<'a>(kernel: &str, out: &'a str) -> (Vec<&'a str>, f64, &'a str) {
    let mut lines: Vec<&str> = out.lines().collect();
    let last = lines.pop().expect("a figure");
    let parts: Vec<&str> = last.splitn(5, ' ').collect();
    let [name, rate, unit, seconds, what] = parts[..] else { panic!("not a figure: {last:?}") };
    assert_eq!(name, format!("{kernel}:"));
    let [rate, seconds]: [f64; 2] = [rate, seconds].map(|number| number.parse().expect("a number"));
    assert!(rate > 0.0 && seconds > 0.0 && what.starts_with("s for all "), "{last}");
    (lines, rate, unit)
}

/// Runs a kernel with these numbers.
#[track_caller]
fn with(kernel: &str, npes: usize, numbers: &[usize]) -> String {
    let arguments: Vec<String> = numbers.iter().map(usize::to_string).collect();
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    run(kernel, npes, &[], &arguments).ok()
}

/// A kernel must refuse these arguments with one report that says `problem`.
#[track_caller]
pub(crate) fn refused(kernel: &str, arguments: &[&str], problem: &str) {
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    let report = run(kernel, 3, &[], &arguments).failed();
    assert!(report.contains(problem), "{report}\nis not about\n{problem}");
}

// gups -------------------------------------------------------------------------------------------------------

/// All updates were made, of 2^`log2` words on each PE.
#[track_caller]
fn check_gups(npes: usize, log2: usize, out: &str) {
    let words = npes << log2;
    let (lines, _, unit) = figure("gups", out);
    assert_eq!(unit, "GUP/s,");

    let index = |random| ((u128::from(random) * words as u128) >> 64) as usize;
    let expected = [
        format!("{} updates of {words} words on {}: all were undone again", 4 * words, pes(npes)),
        format!("checksum before that: {}", updated(words, index)),
    ];
    assert_eq!(lines, expected);
}

/// The checksum of a table of so many words after all updates. `index` is the place of a number.
pub(crate) fn updated(words: usize, index: impl Fn(u64) -> usize) -> u64 {
    // One stream from its beginning, where the PEs jump into it.
    let mut table: Vec<u64> = (0..words as u64).collect();
    let next = |&random: &u64| Some(random << 1 ^ if random.leading_zeros() == 0 { 7 } else { 0 });
    for random in iter::successors(Some(1), next).skip(1).take(4 * words) {
        table[index(random)] ^= random;
    }
    let weighted = table.iter().enumerate().map(|(i, word)| word.wrapping_mul(i as u64 | 1));
    weighted.fold(0, u64::wrapping_add)
}

#[test]
fn gups_makes_the_updates_of_one_stream() {
    everywhere("gups", |npes, out| check_gups(npes, 14, out));
    for npes in [2, 7] {
        for log2 in [1, 9] {
            check_gups(npes, log2, &with("gups", npes, &[log2]));
        }
    }
}

#[test]
fn gups_refuses_what_it_cannot_do() {
    refused(
        "gups",
        &["many"],
        r#": log2_words is a number above 0, not "many": the arguments are [log2_words=14]"#,
    );
    refused("gups", &["0"], r#": log2_words is a number above 0, not "0""#);
    refused("gups", &["41"], ": log2_words is 40 at most, not 41: each PE has 2^log2_words words");
    refused("gups", &["9", "2"], r#": "2" is one argument too many: the arguments are [log2_words=14]"#);
    let small = run("gups", 2, &[("SHMEM_SYMMETRIC_SIZE", "1M")], &[OsStr::new("20")]).failed();
    assert!(small.contains("set SHMEM_SYMMETRIC_SIZE to more"), "{small}");
}

// bale -------------------------------------------------------------------------------------------------------

/// What the PEs draw from a table with `words` words on each of them.
fn indices(npes: usize, each: usize, words: usize) -> impl Iterator<Item = usize> {
    (0..npes).flat_map(move |pe| {
        let mut random = fastrand::Rng::with_seed(pe as u64);
        iter::repeat_with(move || random.usize(..words * npes)).take(each)
    })
}

#[track_caller]
fn check_histo(npes: usize, updates: usize, words: usize, out: &str) {
    let (lines, _, unit) = figure("bale_histo", out);
    assert_eq!(unit, "Mupdates/s,");
    let mut counts = vec![0; words * npes];
    for index in indices(npes, updates, words) {
        counts[index] += 1;
    }
    let expected = [
        format!("{} updates of {} words on {}: all were taken back", npes * updates, npes * words, pes(npes)),
        format!("largest count before that: {}", counts.iter().max().expect("there are words")),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn bale_histo_counts_every_update() {
    everywhere("bale_histo", |npes, out| check_histo(npes, 100_000, 1000, out));
    for npes in [2, 7] {
        // All on one word, and hardly any word twice.
        for (updates, words) in [(2000, 1), (500, 20_000)] {
            for model in [1, 2] {
                check_histo(npes, updates, words, &with("bale_histo", npes, &[updates, words, model]));
            }
        }
    }
}

#[test]
fn bale_histo_refuses_what_it_cannot_do() {
    let usage = ": the arguments are [updates=100000] [table_words=1000] [model=1]";
    refused("bale_histo", &["-5"], &format!(r#": updates is a number above 0, not "-5"{usage}"#));
    refused("bale_histo", &["5", "1k"], &format!(r#": table_words is a number above 0, not "1k"{usage}"#));
    refused("bale_histo", &["5", "6", "1", "8"], &format!(r#": "8" is one argument too many{usage}"#));
    refused("bale_histo", &["5", "6", "3"], ": model is 1 for single operations or 2 for a batch, not 3");
}

#[track_caller]
fn check_ig(npes: usize, gets: usize, words: usize, out: &str) {
    let (lines, _, unit) = figure("bale_ig", out);
    assert_eq!(unit, "Mgets/s,");
    let sum: i64 = indices(npes, gets, words).map(|index| -(index as i64 + 1)).sum();
    let expected = [
        format!(
            "{} gets from {} words on {}: all brought what they should",
            npes * gets,
            npes * words,
            pes(npes)
        ),
        format!("sum of all that was got: {sum}"),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn bale_ig_gets_every_entry() {
    everywhere("bale_ig", |npes, out| check_ig(npes, 100_000, 1000, out));
    for npes in [2, 7] {
        for (gets, words) in [(2000, 1), (500, 20_000)] {
            for model in [1, 2] {
                check_ig(npes, gets, words, &with("bale_ig", npes, &[gets, words, model]));
            }
        }
    }
}

#[test]
fn bale_ig_refuses_what_it_cannot_do() {
    let usage = ": the arguments are [gets=100000] [table_words=1000] [model=1]";
    refused("bale_ig", &["1.5"], &format!(r#": gets is a number above 0, not "1.5"{usage}"#));
    refused("bale_ig", &["5", ""], &format!(r#": table_words is a number above 0, not ""{usage}"#));
    refused("bale_ig", &["5", "6", "1", "8"], &format!(r#": "8" is one argument too many{usage}"#));
    refused("bale_ig", &["5", "6", "3"], ": model is 1 for single operations or 2 for a batch, not 3");
}
