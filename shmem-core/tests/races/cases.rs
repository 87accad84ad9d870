//! What is said of each program.

use std::process::Command;

use libtest_mimic::Trial;

use crate::harness::trials;
use crate::library::{self, a_lock_that_the_end_of_a_thread_releases, a_program_that_is_right_by_luck};
use crate::programs::{BETWEEN, FIRST, SECOND};
use crate::singles::SINGLES;
use crate::watch::{Ended, program, run};

/// Every test, for the harness.
pub(crate) fn all() -> Vec<Trial> {
    if library::is_wanted() {
        return library::all();
    }
    let mut trials =
        trials! { a_program_that_is_right_by_luck a_lock_that_the_end_of_a_thread_releases jobs_of_64_pes };
    for between in BETWEEN {
        // In one test, so that there are not thousands.
        trials.push(Trial::test(format!("pairs::{}", between.0), move || {
            pairs(between);
            Ok(())
        }));
    }
    for (name, parts) in SINGLES {
        trials.push(Trial::test(format!("singles::{name}"), move || {
            assert_single(name, parts, &looking(program("single").arg(name)));
            Ok(())
        }));
    }
    trials
}

fn jobs_of_64_pes() {
    looking(program("single").arg("no-ring").env("SHMEM_NPES", "64")).assert_quiet_success();
    let ended = looking(program("single").arg("ring-without-a-quiet").env("SHMEM_NPES", "64"));
    assert_single("ring-without-a-quiet", &["X[", " of PE ", "which completes no puts"], &ended);
}

/// Runs a program that is looked at.
pub(crate) fn looking(command: &mut Command) -> Ended {
    let side = tempfile::tempdir().expect("a directory");
    run(command.env("SHMEM_RACES", "1").env("RACES_SIDE", side.path()))
}

/// Two accesses, and what is between them.
pub(crate) struct OfPair {
    pub(crate) first: (&'static str, bool, bool),
    pub(crate) between: (&'static str, bool, [bool; 3]),
    pub(crate) second: (&'static str, bool, usize),
}

/// All pairs of a first and a second access with this between them.
fn pairs(between: (&'static str, bool, [bool; 3])) {
    for first in FIRST {
        for second in SECOND {
            let ended = looking(program("pair").args([first.0, between.0, second.0]));
            assert_pair(OfPair { first, between, second }, &ended);
        }
    }
}

/// That the program which does this ended as it must.
pub(crate) fn assert_pair(pair: OfPair, ended: &Ended) {
    let OfPair { first, between, second } = pair;
    let (first, first_writes, needs_quiet) = first;
    let (between, completes, reaches) = between;
    let (second, second_writes, by) = second;
    let is_ordered = reaches[by] && (completes || !needs_quiet);
    let races = (first_writes || second_writes) && !is_ordered;
    let what = format!("{first}, {between}, {second}");
    if !races {
        assert!(ended.status.success() && ended.stderr.is_empty(), "{what}: {ended:#?}");
        return;
    }
    assert_eq!(ended.status.code(), Some(66), "{what}: {ended:#?}");
    assert!(ended.stderr.starts_with("shmem: race on "), "{what}: {ended:#?}");
    let lines: Vec<&str> = ended.stderr.lines().collect();
    let sides = [lines[1], lines[2]];
    let pes = [0, by].map(|pe| format!("  PE {pe} "));
    let names_both = (sides[0].starts_with(&pes[0]) && sides[1].starts_with(&pes[1]))
        || (sides[0].starts_with(&pes[1]) && sides[1].starts_with(&pes[0]));
    assert!(names_both, "{what}: {ended:#?}");
    assert!(sides.iter().all(|side| side.contains("tests/races/programs.rs:")), "{what}: {ended:#?}");
}

/// That the program of this name ended as it must.
pub(crate) fn assert_single(name: &str, parts: &[&str], ended: &Ended) {
    if name.starts_with("no-") {
        return ended.assert_quiet_success();
    }
    assert_eq!(ended.status.code(), Some(66), "{name}: {ended:#?}");
    let mut rest = &ended.stderr[..];
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("{name}: no {part:?} in {ended:#?}") };
        rest = &rest[at + part.len()..];
    }
}
