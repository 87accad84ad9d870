//! The search for races, `shmem-races`, with a rule that is wrong: random programs must find each.

#[path = "../race_mutants.rs"]
mod race_mutants;

#[path = "../../shmem-races/src/event.rs"]
mod event;

#[path = "../../shmem-races/tests/model/compare.rs"]
mod compare;
#[path = "../../shmem-races/tests/model/graph.rs"]
mod graph;
#[path = "../../shmem-races/tests/model/programs.rs"]
mod programs;

use std::cell::Cell;

use self::checker::Checker;
use self::compare::compare;
use self::event::{Access, Event, Kind, Meeting, Part, Span, Turn};

macro_rules! modules {
    ($($name:ident)*) => {$(
        #[allow(clippy::all, unused_braces, unused_parens)]
        mod $name {
            include!(concat!(env!("OUT_DIR"), "/races/", stringify!($name), ".rs"));
        }
    )*};
}

modules! { batches cells checker clock history pages pe serials why }

thread_local! {
    /// The mutant that runs, or nothing.
    static MUTANT: Cell<&'static str> = const { Cell::new("") };
}

/// Whether this mutant runs.
fn is(name: &str) -> bool {
    MUTANT.get() == name
}

#[test]
fn each_mutant_judges_a_program_wrongly() {
    let wrong = |name| {
        MUTANT.set(name);
        // As many programs as the checker itself is compared with.
        (0..10_000).find(|seed| compare(*seed).is_err())
    };
    let mut missed = Vec::new();
    for [name, ..] in race_mutants::MUTANTS {
        match wrong(name) {
            Some(seed) => println!("{name}: program {seed}"),
            None => missed.push(name),
        }
    }
    assert!(missed.is_empty(), "no program finds {missed:?}");
    MUTANT.set("");
    // The copy without a mistake makes none.
    assert_eq!((0..100).find(|seed| compare(*seed).is_err()), None);
}
