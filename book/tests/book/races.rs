//! The page on the memory model: each program that it calls a race is one, and no other program of the
//! book is.

use std::process::Command;

use crate::sessions::programs;
use crate::{files, read};

/// Runs a program of the book on so many PEs, and looks for races. Returns the exit status and what
/// was said.
fn look(
    name: &str,
    argument: Option<&str>,
    npes: usize,
) -> (Option<i32>, String) {
    let mut command = Command::new(programs().join(name));
    command
        .args(argument)
        .env("SHMEM_RACES", "1")
        .env("SHMEM_NPES", npes.to_string());
    let ended = command.output().expect("the program starts");
    (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
}

#[test]
fn races_are_reported_and_repairs_are_not() {
    let page = files("src", "md")
        .into_iter()
        .find(|path| path.ends_with("memory-model.md"))
        .expect("the page");
    let page = read(&page);
    let shown: Vec<&str> = page
        .split("{{#include ../examples/races.rs:")
        .skip(1)
        .filter_map(|rest| rest.split("}}").next())
        .collect();
    assert!(shown.len() >= 10, "{shown:?}");
    for name in shown {
        let (status, said) = look("races", Some(name), 2);
        let races = !name.starts_with("no-") && name != "buffer";
        let right = if races {
            status == Some(66) && said.starts_with("shmem: race on ")
        } else {
            status == Some(0) && said.is_empty()
        };
        assert!(right, "{name}: {status:?} {said}");
    }
}

#[test]
fn wrong_forms_of_patterns_are_reported() {
    let wrong = [
        ("flag_wrong", "symmetric array #0"),
        ("buffers_wrong", "EDGES"),
        ("ticket_wrong", "DONE"),
        ("queue_wrong", "SLOTS"),
        ("queue_fenced", "SLOTS"),
        ("reduction_wrong", "TOTAL"),
    ];
    for (name, object) in wrong {
        let (status, said) = look("patterns", Some(name), 3);
        let race = format!("shmem: race on {object}[");
        let found = status == Some(66) && said.contains(&race);
        assert!(found, "{name}: {status:?} {said}");
    }
}

#[test]
fn no_other_program_of_the_book_races() {
    for path in files("examples", "rs") {
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a program's name is plain text");
        let (status, said) = look(name, None, 3);
        // The page on soundness calls it a race.
        let races = name == "soundness_race";
        let found = status == Some(66) && said.contains("race on ");
        assert!(found == races, "{name}: {status:?} {said}");
    }
}
