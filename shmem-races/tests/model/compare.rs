//! Compares what a checker finds with what the graph says.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::Event;
use super::graph::races;
use super::programs::program;

/// A checker.
pub(crate) trait Checks {
    /// One for so many PEs, which forgets what it can beyond so many accesses.
    fn with_room(n_pes: usize, room: usize) -> Self;
    fn is_ready(&self, event: &Event) -> bool;
    fn take(&mut self, pe: usize, event: &Event, found: &mut dyn FnMut(Found));
}

/// A race: the places of both accesses, whose copy it is, and the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) places: [u32; 2],
    pub(crate) pe: u16,
    pub(crate) offset: u64,
    pub(crate) len: u32,
}

/// Compares the two for the program of this number. Returns whether it races.
///
/// # Errors
///
/// What differs.
pub(crate) fn compare<C: Checks>(seed: u64) -> Result<bool, String> {
    let mut rng = Rng::with_seed(seed);
    let n_pes = rng.usize(1..=4);
    let length = rng.usize(2..40);
    let steps = program(&mut rng, n_pes, length);
    // With so little room, it is forgotten after each access what can be forgotten.
    let room = if rng.bool() { 1 } else { 1000 };
    let expected = races(&steps);
    let wrong = |what: String| {
        let steps: String = steps.iter().enumerate().map(|(at, step)| format!("{at}: {step:?}\n")).collect();
        Err(format!("seed {seed}: {what}\n{steps}"))
    };
    let mut checker = C::with_room(n_pes, room);
    // By PE and word: the steps of the second accesses of the races that were found.
    let mut found: BTreeMap<(u16, u64), Vec<usize>> = BTreeMap::new();
    for (pe, event) in &steps {
        if !checker.is_ready(event) {
            return wrong(format!("{event:?} is not ready"));
        }
        let mut races: Vec<Found> = Vec::new();
        checker.take(*pe, event, &mut |race| races.push(race));
        for race in races {
            let [first, second] = race.places.map(|place| place as usize);
            if race.len == 0 || !expected.contains(&(first, second, race.pe, race.offset)) {
                return wrong(format!("{race:?} is no race"));
            }
            found.entry((race.pe, race.offset / 8)).or_default().push(second);
        }
    }
    // The first race of a word is found.
    let mut first: BTreeMap<(u16, u64), usize> = BTreeMap::new();
    for (_, second, pe, offset) in &expected {
        let step = first.entry((*pe, offset / 8)).or_insert(*second);
        *step = (*step).min(*second);
    }
    for (word, second) in first {
        if !found.get(&word).is_some_and(|seconds| seconds.contains(&second)) {
            return wrong(format!("step {second} races on {word:?}, which is not found"));
        }
    }
    Ok(!expected.is_empty())
}
