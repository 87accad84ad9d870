//! Counts the instructions of operations that are too short for a test to measure their time.
//!
//! A time depends on the machine and its other load; a count does not. The direct path is counted
//! because no other test detects when it becomes slow: if one value has to be in memory, or one
//! function is not inlined, a put of one word takes five times as long and still does the right
//! thing.
//!
//! Valgrind counts them: it simulates the processor. The tests of optimised code are ignored in a
//! debug build (`cargo test --release -p benches` runs them). All tests print a line if Valgrind is
//! not installed.

use std::io::{ErrorKind, Write as _};
use std::num::NonZero;
use std::process::Command;
use std::thread::{self, available_parallelism};

/// The instructions that `turns` turns of the loop `name` take, which is in the function
/// `function`; `None` without Valgrind.
fn instructions(name: &str, function: &str, turns: usize) -> Option<u64> {
    // Of the C library's.
    let (program, name, function) = match name.strip_prefix("c::") {
        Some(routine) => {
            (env!("CARGO_BIN_EXE_count-c-instructions"), routine, format!("count_c_instructions::{routine}"))
        }
        None => (env!("CARGO_BIN_EXE_count-instructions"), name, format!("benches::loops::{function}")),
    };
    let run = Command::new("valgrind")
        // Each process prints a total: that of the one that starts the job is 0.
        .args(["--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null"])
        // Counts from the entry to the end of this function only.
        .arg(format!("--toggle-collect={function}"))
        .arg(program)
        .args([name, &turns.to_string()])
        // The others do not run the loop.
        .env("SHMEM_NPES", n_pes(name).to_string())
        .output();
    let run = match run {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        other => other.expect("valgrind can be started"),
    };
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "valgrind failed on {name}:\n{errors}");
    let counts =
        errors.lines().filter_map(|line| line.split_once("Collected :")).map(|(_, count)| count.trim());
    let most = counts.map(|count| count.parse().expect("a count")).max();
    let most = most.unwrap_or_else(|| panic!("valgrind counted nothing:\n{errors}"));
    assert!(most > 0, "the function {function} was not called:\n{errors}");
    Some(most)
}

/// How many PEs the job of a loop has.
fn n_pes(name: &str) -> usize {
    match name {
        "sync_with" => 3,
        "sync_with_one" | "c::broadcast" => 2,
        "global::gather_array" => 2,
        range if range.contains("_range_") => 2,
        _ => 1,
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "counts what the optimiser makes: run with --release")]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "the bounds are for x86-64")]
fn operations_on_one_word_are_a_handful_of_instructions() {
    // Including the three or four of the loop itself. Each bound leaves room for one or two more,
    // which another compiler may need, but not for a value in memory.
    let bounds = [
        ("put_words", 13),
        ("put_one_word", 11),
        ("put_array_words", 12),
        ("get_words", 13),
        ("get_one_word", 11),
        ("fetch_add", 11),
        ("add", 9),
        // A read, the new value, and a compare-and-swap.
        ("add_float", 16),
        ("raise", 16),
        ("add_small", 9),
        ("put_words_and_quiet", 30),
        ("compare_exchange", 16),
        // Slices whose length is known at run time, eight words each.
        ("put", 28),
        ("get", 30),
        ("iput", 60),
        ("iget", 62),
        ("put_nbi", 26),
        // Four words whose indices are constants; sixteen of a list, in reversed order, and moved to every
        // second place.
        ("lists::get_four", 17),
        ("lists::gather", 250),
        ("lists::scatter", 265),
        ("lists::get_back", 58),
        ("lists::move_words", 200),
        // Words and cells of a static and of an allocated global array: the PE and the place are two
        // multiplications more.
        ("global::put_static", 19),
        ("global::put_cyclic", 18),
        ("global::get_static", 20),
        ("global::fetch_add_static", 21),
        ("global::put_array", 21),
        ("global::get_array", 21),
        ("global::fetch_add_array", 23),
        // Ranges of 64 words, half of which is on each of two PEs, with the copies; and a list of sixteen.
        ("global::put_range_static", 260),
        ("global::put_range_cyclic", 760),
        ("global::put_range_array", 250),
        ("global::get_range_array", 250),
        ("global::gather_array", 520),
        // Three atomic updates, a fence, and the list of what the thread has: a few hundred, far
        // from a system call.
        ("lock", 290),
        // With two neighbours that have come already: numbers are checked, the places of this PE are
        // taken and given back, and this PE is counted in with each. No loop waits.
        ("sync_with", 300),
        // With one.
        ("sync_with_one", 90),
        // Routines of the C library, each with its check of the PE and of the address. The wrappers of C
        // are a jump more.
        ("c::long_p", 31),
        ("c::long_g", 31),
        ("c::long_put", 63),
        ("c::long_inc", 155),
        // A word, on the root and on the other PE, which comes when it was sent: whichever takes
        // more.
        ("c::broadcast", 285),
        // An allocation and a release, with all that is formatted for messages; among 5,000 others
        // a few steps more. What the optimiser inlines there changes with the modules around.
        ("allocate", 20_000),
        ("allocate_among_many", 21_000),
    ];
    check(&bounds);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "counts what the optimiser makes: run with --release")]
fn a_block_takes_little_more_than_copies_of_its_rows() {
    let (Some(block), Some(rows)) = (each("put_block"), each("store_block")) else {
        return not_tested();
    };
    println!("a block of 32 × 32: {block} instructions, by hand {rows}");
    assert!(block <= 1.1 * rows, "{block} instructions, and by hand {rows}");
}

/// A loop of a program that a beginner runs first must not look like a hang.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "counts what a build without optimisation makes")]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "the bounds are for x86-64")]
fn one_element_takes_few_instructions_in_a_debug_build() {
    // Including those of the loop itself, which are about 40. Each bound has room for a tenth more.
    check(&[("put_words", 165), ("get_words", 150), ("put_array_words", 165)]);
}

/// The instructions of one turn of the loop `name`; `None` without Valgrind.
fn each(name: &str) -> Option<f64> {
    let (few, many) = (200, 1000);
    // Strided, it is the same function with another stride.
    let function = name.strip_prefix('i').unwrap_or(name);
    let function = function.strip_suffix("_among_many").unwrap_or(function);
    let function = function.strip_suffix("_one").unwrap_or(function);
    let [less, more] = [few, many].map(|turns| instructions(name, function, turns));
    // The instructions before and after the loop are the same in both runs, so the difference does
    // not contain them.
    Some((more? - less?) as f64 / (many - few) as f64)
}

/// Fails where one turn of a loop takes more than its bound.
fn check(bounds: &[(&str, u32)]) {
    // Valgrind uses one core.
    let cores = available_parallelism().map_or(1, NonZero::get);
    let counts: Vec<Vec<_>> = thread::scope(|scope| {
        let of_one = |core| bounds.iter().skip(core).step_by(cores).map(|(name, _)| each(name)).collect();
        let threads: Vec<_> = (0..cores).map(|core| scope.spawn(move || of_one(core))).collect();
        threads.into_iter().map(|thread| thread.join().expect("valgrind counts")).collect()
    });
    let mut too_many = Vec::new();
    for (at, &(name, bound)) in bounds.iter().enumerate() {
        let Some(each) = counts[at % cores][at / cores] else {
            return not_tested();
        };
        println!("{name}: {each} instructions, at most {bound}");
        if each > f64::from(bound) {
            too_many.push(format!("{name} takes {each} instructions, and may take {bound}"));
        }
    }
    assert!(too_many.is_empty(), "{}", too_many.join("\n"));
}

/// Not by `eprintln!`, which a test that passes does not show.
fn not_tested() {
    let _ =
        writeln!(std::io::stderr(), "NOT TESTED: valgrind is not installed, instructions are not counted");
}
