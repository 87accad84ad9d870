//! Compares what a checker finds with what the graph says.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::Checker;
use super::graph::races;
use super::programs::program;

/// Compares the two for the program of this number. Returns whether it races.
///
/// # Errors
///
/// What differs.
pub(crate) fn compare(seed: u64) -> Result<bool, String> {
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
    let mut checker = Checker::with_room(n_pes, room);
    // By PE and word: the steps of the second accesses of the races that were found.
    let mut found: BTreeMap<(u16, u64), Vec<usize>> = BTreeMap::new();
    for (pe, event) in &steps {
        if !checker.is_ready(event) {
            return wrong(format!("{event:?} is not ready"));
        }
        let mut races = Vec::new();
        checker.take(*pe, event, &mut |race| races.push(race));
        for race in races {
            // The place of an access is its step.
            let [first, second] = [race.first.place, race.second.place].map(|place| place as usize);
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
