//! What is said of each program.

use std::process::Command;

use libtest_mimic::Trial;

use crate::programs::{BETWEEN, FIRST, SECOND};
use crate::singles::SINGLES;
use crate::watch::{Ended, program, run};

/// Every test, for the harness.
pub(crate) fn all() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (between, completes, reaches) in BETWEEN {
        // In one test, so that there are not thousands.
        trials.push(Trial::test(format!("pairs::{between}"), move || {
            pairs(between, completes, reaches);
            Ok(())
        }));
    }
    for (name, parts) in SINGLES {
        trials.push(Trial::test(format!("singles::{name}"), || {
            single(name, parts);
            Ok(())
        }));
    }
    trials
}

fn looking(name: &str, arguments: &[&str]) -> Ended {
    let side = tempfile::tempdir().expect("a directory");
    let mut command: Command = program(name);
    command.args(arguments).env("SHMEM_RACES", "1").env("RACES_SIDE", side.path());
    run(&mut command)
}

/// All pairs of a first and a second access with this between them.
fn pairs(between: &str, completes: bool, reaches: [bool; 3]) {
    for (first, first_writes, needs_quiet) in FIRST {
        for (second, second_writes, by) in SECOND {
            let is_ordered = reaches[by] && (completes || !needs_quiet);
            let races = (first_writes || second_writes) && !is_ordered;
            let ended = looking("pair", &[first, between, second]);
            let what = format!("{first}, {between}, {second}");
            if !races {
                assert!(ended.status.success() && ended.stderr.is_empty(), "{what}: {ended:#?}");
                continue;
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
    }
}

fn single(name: &str, parts: &&[&str]) {
    let ended = looking("single", &[name]);
    if name.starts_with("no-") {
        return ended.assert_quiet_success();
    }
    assert_eq!(ended.status.code(), Some(66), "{name}: {ended:#?}");
    let mut rest = &ended.stderr[..];
    for part in *parts {
        let Some(at) = rest.find(part) else { panic!("{name}: no {part:?} in {ended:#?}") };
        rest = &rest[at + part.len()..];
    }
}
