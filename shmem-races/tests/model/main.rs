//! Random programs: what the checker finds is what the paths of a graph say.
//!
//! The package `models` has mutants of the checker, which the same programs must find.

mod compare;
mod graph;
mod programs;

use shmem_races::{Access, Checker, Event, Kind, Meeting, Part, Span, Turn};

use self::compare::{Checks, Found, compare};

impl Checks for Checker {
    fn with_room(n_pes: usize, room: usize) -> Checker {
        Checker::with_room(n_pes, room)
    }

    fn is_ready(&self, event: &Event) -> bool {
        self.is_ready(event)
    }

    fn take(&mut self, pe: usize, event: &Event, found: &mut dyn FnMut(Found)) {
        self.take(pe, event, &mut |race| {
            let places = [race.first.place, race.second.place];
            found(Found { places, pe: race.pe, offset: race.offset, len: race.len });
        });
    }
}

#[test]
fn the_checker_finds_what_the_graph_says() {
    let (mut racy, mut clean) = (0, 0);
    for seed in 0..10_000 {
        match compare::<Checker>(seed) {
            Ok(true) => racy += 1,
            Ok(false) => clean += 1,
            Err(wrong) => panic!("{wrong}"),
        }
    }
    assert!(racy > 1500 && clean > 1500, "{racy} {clean}");
}
