// Meetings of two PEs: `super` is the real algorithm, or a mutant.

use std::cell::Cell;
use std::ptr;

use loom::cell::UnsafeCell;

use super::pairs::{self, Pair, PairMemory};
use crate::system::os::Kernel;
use crate::system::sync::{AtomicU32, Ordering};
use crate::{done, explore, nothing, run};

/// Whom each PE names in each of its calls, and what the PEs know of each other after them besides:
/// the PE and the number of its call, and the PE and the number of its call before which it wrote what
/// the first one reads.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    calls: &'static [&'static [&'static [usize]]],
    known: &'static [([usize; 2], [usize; 2])],
}

/// Twice; one names the other one several times, and itself.
pub(crate) const TWO: Plan = Plan { calls: &[&[&[1], &[1, 0, 1]], &[&[0], &[0]]], known: &[] };
/// PE 2 learns of PE 0 by PE 1.
pub(crate) const CHAIN: Plan =
    Plan { calls: &[&[&[1]], &[&[0], &[2]], &[&[1]]], known: &[([2, 0], [0, 0]), ([1, 1], [0, 0])] };
/// Each with each, in orders that make a circle.
pub(crate) const ALL: Plan = Plan { calls: &[&[&[1, 2]], &[&[2, 0]], &[&[0, 1]]], known: &[] };

/// The words of PEs that have met before, so that the count wraps around.
const BEFORE: u32 = u32::MAX - 1;

/// What two PEs have for their meetings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairForm {
    ByStores,
    ByPuts,
}

pub(crate) use PairForm::*;

/// The halves of a flag after these meetings.
fn halves() -> [AtomicU32; 2] {
    let mut halves = [0, 0];
    for visit in [BEFORE - pairs::VISIT, BEFORE] {
        let (half, number) = pairs::mark(visit);
        halves[half] = number.into();
    }
    halves.map(AtomicU32::new)
}

struct Words {
    kernel: Kernel,
    form: PairForm,
    /// The flags that stores write, by the PE that has them, and the PE that writes them.
    flags: Vec<Vec<AtomicU32>>,
    /// The halves of those that puts write.
    halves: Vec<Vec<[AtomicU32; 2]>>,
    pairs: Vec<Vec<Pair>>,
    /// By PE and the number of its call.
    data: Vec<Vec<UnsafeCell<u32>>>,
}

struct Access {
    memory: &'static Words,
    pe: usize,
    seen: Cell<u32>,
}

impl Access {
    /// The word that this PE reads for its `visit` with `pe`.
    fn watched(&self, pe: usize, visit: u32) -> &'static AtomicU32 {
        match self.memory.form {
            ByStores => &self.memory.flags[self.pe][pe],
            ByPuts => &self.memory.halves[self.pe][pe][pairs::mark(visit).0],
        }
    }

    /// What this PE has seen of the pair of `visit`.
    fn saw(&self, visit: u32) -> u32 {
        match self.memory.form {
            ByStores => self.seen.get(),
            ByPuts => pairs::seen_by(self.seen.get() as u16, visit),
        }
    }
}

impl PairMemory for Access {
    fn my_pe(&self) -> usize {
        self.pe
    }

    fn pair(&self, pe: usize) -> &Pair {
        &self.memory.pairs[self.pe][pe]
    }

    fn prepare(&self, _: usize) {}

    fn come(&self, pe: usize, visit: u32) {
        let told = match self.memory.form {
            ByStores => {
                let flag = &self.memory.flags[pe][self.pe];
                pairs::tell(flag, visit);
                flag
            }
            ByPuts => {
                let (half, number) = pairs::mark(visit);
                let half = &self.memory.halves[pe][self.pe][half];
                half.store(number.into(), Ordering::Release);
                half
            }
        };
        self.memory.kernel.system().wake_at(ptr::from_ref(told) as usize);
    }

    fn has_come(&self) {}

    fn look(&self, pe: usize, visit: u32) -> u32 {
        let watched = self.watched(pe, visit);
        self.seen.set(match self.memory.form {
            ByStores => pairs::seen(watched),
            ByPuts => watched.load(Ordering::Acquire),
        });
        self.saw(visit)
    }

    fn pauses(&self, pe: usize, visit: u32) -> impl FnMut() {
        move || {
            let word = self.watched(pe, visit);
            let still = || word.load(Ordering::Relaxed) == self.seen.get();
            self.memory.kernel.system().sleep_at(ptr::from_ref(word) as usize, still);
        }
    }
}

/// The call of `other` that meets call `number` of `pe`.
fn met(plan: Plan, pe: usize, number: usize, other: usize) -> usize {
    let times = plan.calls[pe][..=number].iter().filter(|pes| pes.contains(&other)).count();
    let naming = plan.calls[other].iter().enumerate().filter(|(_, pes)| pes.contains(&pe));
    naming.map(|(number, _)| number).nth(times - 1).expect("each names the other equally often")
}

/// Each PE writes a cell before each of its calls, and reads those of its partners after it.
pub(crate) fn pairings(bound: Option<usize>, form: PairForm, plan: Plan) {
    let n_pes = plan.calls.len();
    explore(bound, move || {
        let memory = Words {
            kernel: Kernel::new(),
            form,
            flags: (0..n_pes).map(|_| (0..n_pes).map(|_| AtomicU32::new(BEFORE)).collect()).collect(),
            halves: (0..n_pes).map(|_| (0..n_pes).map(|_| halves()).collect()).collect(),
            pairs: (0..n_pes).map(|_| (0..n_pes).map(|_| Pair::after(BEFORE)).collect()).collect(),
            data: plan.calls.iter().map(|calls| calls.iter().map(|_| UnsafeCell::new(0)).collect()).collect(),
        };
        run(
            n_pes,
            memory,
            nothing,
            move |pe, memory, ()| {
                let access = Access { memory, pe, seen: Cell::new(0) };
                let read = |pe: usize, number: usize| {
                    // SAFETY: loom panics when another access is not ordered with this one.
                    let value = memory.data[pe][number].with(|cell| unsafe { *cell });
                    assert_eq!(value, 1, "a partner was not waited for");
                };
                for (number, pes) in plan.calls[pe].iter().enumerate() {
                    // SAFETY: as above.
                    memory.data[pe][number].with_mut(|cell| unsafe { *cell += 1 });
                    let done = match **pes {
                        [other] => pairs::meet_one(&access, other),
                        _ => pairs::meet(&access, pes.iter().copied()),
                    };
                    assert_eq!(done, Ok(()));
                    for &other in pes.iter().filter(|other| **other != pe) {
                        read(other, met(plan, pe, number, other));
                    }
                    for (_, [other, before]) in plan.known.iter().filter(|(at, _)| *at == [pe, number]) {
                        read(*other, *before);
                    }
                }
            },
            done,
        );
    });
}
