// Models of the questions by which the supervisor learns that PEs wait in vain. Each set of
// algorithms includes them: `super` is the real one, or a mutant.

use super::question::{Verdict, WaitWords, verdict};
use crate::system::sync::{AtomicU32, Ordering};
use crate::{done, explore, nothing, run};

/// What a PE does.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// Waits until its own cell has this value or a larger one.
    Wait(u32),
    /// Waits for what is there when it looks again.
    WaitForAWhile,
    /// Stores this value in the cell of the other PE.
    Store(u32),
}

/// PE 1 waits for PE 0, and then PE 0 waits for PE 1.
pub(crate) const HAND_OVER: [&[Step]; 2] =
    [&[Step::Store(1), Step::Wait(1)], &[Step::Wait(1), Step::Store(1)]];
/// PE 1 waits for PE 0, which waits before and after.
pub(crate) const BETWEEN_WAITS: [&[Step]; 2] =
    [&[Step::WaitForAWhile, Step::Store(1), Step::Wait(1)], &[Step::Wait(1)]];

/// Two PEs and the supervisor.
struct Memory {
    words: [WaitWords; 2],
    cells: [AtomicU32; 2],
}

/// Waits as a PE does, but looks once after it has written the wait down. Returns whether the wait has
/// ended: if not, the PE does nothing more.
///
/// One look is enough: the model checker delays it as long as it likes, and returns whatever a later
/// look in vain could return.
fn wait(memory: &Memory, pe: usize, value: u32) -> bool {
    let words = &memory.words[pe];
    // As in `Backoff`: from here on the question comes before each look.
    let wait = words.begin(|| {});
    let question = words.asked();
    let ended = memory.cells[pe].load(Ordering::Acquire) >= value;
    if ended {
        words.end(wait, || {});
    } else {
        words.answer(question);
    }
    ended
}

/// The numbers of the waits that both PEs are in.
fn waits(memory: &Memory) -> Option<[u32; 2]> {
    let read = |pe: usize| {
        let words = &memory.words[pe];
        words.read(|| (words.is_live(), words.wait())).filter(|(is_live, _)| *is_live).map(|(_, wait)| wait)
    };
    Some([read(0)?, read(1)?])
}

/// Asks once, and looks once for the answers.
fn supervise(memory: &Memory) -> Verdict {
    let Some(noted) = waits(memory) else { return Verdict::Open };
    let question = 1;
    memory.words.iter().for_each(|words| words.ask(question));
    let answered = || memory.words.iter().all(|words| words.answered() == question);
    verdict(answered, || waits(memory) == Some(noted))
}

/// Runs two PEs, of which PE 1 does not wait in vain, and asks them once.
pub(crate) fn questions(bound: Option<usize>, steps: [&'static [Step]; 2]) {
    explore(bound, move || {
        let memory = Memory {
            words: [WaitWords::default(), WaitWords::default()],
            cells: [AtomicU32::new(0), AtomicU32::new(0)],
        };
        run(
            3,
            memory,
            nothing,
            move |pe, memory, ()| {
                if pe == 2 {
                    let verdict = supervise(memory);
                    assert_ne!(verdict, Verdict::InVain, "a wait that ends was called hopeless");
                    return;
                }
                for step in steps[pe] {
                    match *step {
                        Step::Wait(value) => {
                            if !wait(memory, pe, value) {
                                return;
                            }
                        }
                        Step::WaitForAWhile => {
                            let words = &memory.words[pe];
                            words.end(words.begin(|| {}), || {});
                        }
                        Step::Store(value) => memory.cells[1 - pe].store(value, Ordering::Relaxed),
                    }
                }
            },
            done,
        );
    });
}

/// A PE writes a record of two words `times`, and another one reads it as often.
pub(crate) fn records(bound: Option<usize>, times: u32) {
    explore(bound, move || {
        run(
            2,
            (WaitWords::default(), [AtomicU32::new(0), AtomicU32::new(0)]),
            nothing,
            move |pe, (words, record), ()| {
                for time in 1..=times {
                    if pe == 0 {
                        words.begin(|| record.iter().for_each(|word| word.store(time, Ordering::Relaxed)));
                    } else {
                        let read = words.read(|| record.each_ref().map(|word| word.load(Ordering::Relaxed)));
                        assert!(read.is_none_or(|[one, two]| one == two), "a record was read in parts");
                    }
                }
            },
            done,
        );
    });
}
