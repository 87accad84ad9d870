//! The integer sort and the memory bandwidth benchmark.

use std::ffi::OsStr;

use super::{pes, run, runs};

/// Runs a kernel at each of the numbers of PEs, and in each of the other ways; `check` gets the
/// number of PEs, the lines that were printed before the last, and the rate and the seconds that
/// the last line tells.
#[track_caller]
fn kernel(name: &str, arguments: &[&str], unit: &str, what: &str, check: impl Fn(usize, &[&str], f64, f64)) {
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    for (npes, way) in runs(3) {
        let out = run(name, npes, way, &arguments).ok();
        let lines: Vec<&str> = out.lines().collect();
        let (last, before) = lines.split_last().expect("a last line");
        let (rate, seconds) = figures(name, last, unit, what);
        check(npes, before, rate, seconds);
    }
}

/// The rate and the seconds that a line tells, after the name of what was measured.
#[track_caller]
fn figures(name: &str, line: &str, unit: &str, what: &str) -> (f64, f64) {
    let (rate, seconds) = line
        .strip_prefix(name)
        .and_then(|line| line.strip_prefix(": "))
        .and_then(|line| line.strip_suffix(&format!(" s {what}")))
        .and_then(|line| line.split_once(&format!(" {unit}, ")))
        .unwrap_or_else(|| panic!("not a line of figures of {name}: {line:?}"));
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let (rate, seconds) = (number(rate), number(seconds));
    assert!(rate > 0.0 && rate.is_finite() && seconds >= 0.0, "{line}");
    (rate, seconds)
}

/// That so many things in so many seconds are this rate; both were printed with 6 digits.
#[track_caller]
fn is_rate(things: f64, seconds: f64, rate: f64) {
    assert!((rate * seconds / things - 1.0).abs() < 1e-5, "{things} in {seconds} s are not {rate}");
}

/// A kernel must refuse these arguments, with this sentence.
#[track_caller]
fn refuses(name: &str, arguments: &[&str], sentence: &str) {
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    let report = run(name, 2, &[], &arguments).failed();
    assert!(report.contains(&format!(" returned an error: {sentence}")), "{report}");
}

// isx --------------------------------------------------------------------------------------------------------

/// The sum of the keys that `npes` PEs make, by the generator's recurrence: O'Neill's
/// `pcg32_srandom_r(&rng, pe, pe)`.
fn sum_of_keys(npes: usize, keys: usize, bits: u32) -> u64 {
    let next = |state: &mut u64, pe: u64| {
        let old = *state;
        *state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(2 * pe + 1);
        ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32)
    };
    let of_pe = |pe: u64| {
        // One step from 0 gives the increment, 2 pe + 1.
        let mut state = 3 * pe + 1;
        next(&mut state, pe);
        (0..keys).map(|_| u64::from(next(&mut state, pe) >> (32 - bits))).sum::<u64>()
    };
    (0..npes as u64).map(of_pe).sum()
}

#[test]
fn isx_sorts_the_keys_that_were_made() {
    for (keys, bits) in [(5000, 20), (1, 2)] {
        let arguments = [keys.to_string(), "2".to_owned(), bits.to_string()];
        let arguments = arguments.each_ref().map(String::as_str);
        kernel("isx", &arguments, "Mkeys/s", "an iteration", |npes, lines, rate, seconds| {
            let (total, sum) = (keys * npes, sum_of_keys(npes, keys, bits));
            let on = pes(npes);
            assert_eq!(
                lines,
                [format!("{total} keys of {bits} bits on {on}: all in their buckets, their sum is {sum}")]
            );
            is_rate(total as f64 / 1e6, seconds, rate);
        });
    }
}

#[test]
fn isx_has_keys_of_28_bits() {
    let out = run("isx", 2, &[], &[]).ok();
    let sum = sum_of_keys(2, 1 << 16, 28);
    let first = format!("131072 keys of 28 bits on 2 PEs: all in their buckets, their sum is {sum}\nisx: ");
    assert!(out.starts_with(&first), "{out}");
}

#[test]
fn isx_names_the_argument_that_is_wrong() {
    let usage = "the arguments are [keys=65536] [iterations=3] [bits=28]";
    refuses("isx", &["0"], &format!("keys is a number above 0, not \"0\": {usage}"));
    refuses("isx", &["5", "x"], &format!("iterations is a number above 0, not \"x\": {usage}"));
    refuses("isx", &["5", "5", "33"], "bits is a number from 1 to 32, not 33");
    refuses("isx", &["5", "5", "5", "7"], &format!("\"7\" is one argument too many: {usage}"));
}

// stream -----------------------------------------------------------------------------------------------------

#[test]
fn stream_reads_its_own_and_its_neighbours_copies() {
    // Not a multiple of a block, and fewer than one.
    for elements in [20_000_usize, 3] {
        let arguments = [elements.to_string(), "4".to_owned()];
        let arguments = arguments.each_ref().map(String::as_str);
        kernel("stream", &arguments, "MB/s", "a triad", |npes, lines, rate, seconds| {
            // What b is on the PEs, over all elements, and 3 c. All are whole numbers, so no
            // addition is rounded.
            let b: usize = (0..npes).map(|pe| (2 + pe) * elements).sum();
            let c: usize = npes * (0..elements).map(|place| 1 + place % 1000).sum::<usize>();
            let triads = examples::count(npes, "triad");
            let sum = b + 3 * c;
            let [first, second] = lines else { panic!("not two lines before the last: {lines:?}") };
            assert_eq!(
                *first,
                format!("{triads} of {elements} elements, best of 4, as expected: a has the sum {sum}")
            );
            let remote = figures("of the next PE's b and c", second, "MB/s", "a triad");
            let megabytes = (24 * elements * npes) as f64 / 1e6;
            for (rate, seconds) in [(rate, seconds), remote] {
                is_rate(megabytes, seconds, rate);
            }
        });
    }
}

#[test]
fn stream_names_what_is_wrong() {
    let usage = "the arguments are [elements=1048576] [iterations=10]";
    refuses("stream", &["many"], &format!("elements is a number above 0, not \"many\": {usage}"));
    refuses("stream", &["5", "0"], &format!("iterations is a number above 0, not \"0\": {usage}"));
    refuses("stream", &["5", "5", "7"], &format!("\"7\" is one argument too many: {usage}"));

    let report = run("stream", 2, &[("SHMEM_SYMMETRIC_SIZE", "4M")], &[OsStr::new("1000000")]).failed();
    assert!(
        report.contains("the symmetric heap is exhausted: SymmetricArray<f64, 1> of 1000000"),
        "{report}"
    );
    assert!(report.contains("set SHMEM_SYMMETRIC_SIZE to more"), "{report}");
}
