//! Counts the instructions of the operations that are too short to be timed by a test.
//!
//! A timing depends on the machine and on who else uses it; a count does not. The direct path is worth
//! counting because nothing else notices when it breaks: one value that has to lie in memory, or one function that
//! is not inlined, and a put of one word takes five times as long and still does the right thing.
//!
//! Counted by Valgrind, which simulates the processor. The test is shown as ignored in a debug build, which does not
//! optimise (`cargo test --release -p benches` runs it), and says so where Valgrind is not installed.

use std::io::{ErrorKind, Write as _};
use std::process::Command;

/// The instructions that `turns` turns of the loop `name` take, which is in the function `function`; `None` without Valgrind.
fn instructions(name: &str, function: &str, turns: usize) -> Option<u64> {
    let run = Command::new("valgrind")
        // Each process prints a total: that of the one that starts the job is 0.
        .args(["--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null"])
        // Counts from the entry to the end of this function only.
        .arg(format!("--toggle-collect=benches::loops::{function}"))
        .arg(env!("CARGO_BIN_EXE_count-instructions"))
        .args([name, &turns.to_string()])
        .env("SHMEM_NPES", "1")
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

#[test]
#[cfg_attr(debug_assertions, ignore = "counts what the optimiser makes: run with --release")]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "the bounds are for x86-64")]
fn operations_on_one_word_are_a_handful_of_instructions() {
    // With the three or four of the turn of the loop itself. Each bound leaves room for one or two more, which another
    // compiler may need, and none for a value that is kept in memory.
    let bounds = [
        ("put_words", 13),
        ("put_one_word", 11),
        ("put_array_words", 12),
        ("get_words", 13),
        ("get_one_word", 11),
        ("fetch_add", 14),
        ("add", 14),
        ("put_words_and_quiet", 30),
        ("compare_exchange", 18),
        // Slices whose length is known at run time, eight words each.
        ("put", 28),
        ("get", 30),
        ("iput", 60),
        ("iget", 62),
        ("put_nbi", 26),
        // Three atomic updates, a fence, and the list of what the thread has: a few hundred, far from a system call.
        ("lock", 320),
        // An allocation and a release, with all that is formatted for messages; among 5,000 others a few steps more.
        ("allocate", 20_000),
        ("allocate_among_many", 20_500),
    ];
    let (few, many) = (200, 1000);
    let mut too_many = Vec::new();
    for (name, bound) in bounds {
        // Strided, it is the same function with another stride.
        let function = name.strip_prefix('i').unwrap_or(name);
        let function = function.strip_suffix("_among_many").unwrap_or(function);
        let counts = [few, many].map(|turns| instructions(name, function, turns));
        let [Some(less), Some(more)] = counts else {
            // Not by `eprintln!`, which a test that passes does not show.
            let _ = writeln!(
                std::io::stderr(),
                "NOT TESTED: valgrind is not installed, instructions are not counted"
            );
            return;
        };
        // What comes before and after the loop is the same in both, and drops out.
        let each = (more - less) as f64 / (many - few) as f64;
        println!("{name}: {each} instructions, at most {bound}");
        if each > f64::from(bound) {
            too_many.push(format!("{name} takes {each} instructions, and may take {bound}"));
        }
    }
    assert!(too_many.is_empty(), "{}", too_many.join("\n"));
}
