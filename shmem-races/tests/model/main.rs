//! Random programs: what the checker finds is what the paths of a graph say.
//!
//! The package `models` has mutants of the checker, which the same programs must find.

mod compare;
mod graph;
mod programs;

use shmem_races::{Access, Checker, Event, Kind, Meeting, Part, Span, Turn};

use self::compare::compare;

#[test]
fn the_checker_finds_what_the_graph_says() {
    let (mut racy, mut clean) = (0, 0);
    for seed in 0..10_000 {
        match compare(seed) {
            Ok(true) => racy += 1,
            Ok(false) => clean += 1,
            Err(wrong) => panic!("{wrong}"),
        }
    }
    assert!(racy > 1500 && clean > 1500, "{racy} {clean}");
}
