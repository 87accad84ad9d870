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

/// The flags of PEs that have met before, so that the count wraps around.
const BEFORE: u32 = u32::MAX - 1;

struct Flags {
    kernel: Kernel,
    /// By the PE that has them, and the PE that writes them.
    flags: Vec<Vec<AtomicU32>>,
    pairs: Vec<Vec<Pair>>,
    /// By PE and the number of its call.
    data: Vec<Vec<UnsafeCell<u32>>>,
}

struct Access {
    memory: &'static Flags,
    pe: usize,
    seen: Cell<u32>,
}

impl PairMemory for Access {
    fn my_pe(&self) -> usize {
        self.pe
    }

    fn pair(&self, pe: usize) -> &Pair {
        &self.memory.pairs[self.pe][pe]
    }

    fn post(&self, pe: usize, visit: u32) {
        let flag = &self.memory.flags[pe][self.pe];
        flag.store(visit, Ordering::Release);
        self.memory.kernel.system().wake_at(ptr::from_ref(flag) as usize);
    }

    fn look(&self, pe: usize) -> u32 {
        self.seen.set(self.memory.flags[self.pe][pe].load(Ordering::Acquire));
        self.seen.get()
    }

    fn pauses(&self, pe: usize) -> impl FnMut() {
        move || {
            let flag = &self.memory.flags[self.pe][pe];
            let still = || flag.load(Ordering::Relaxed) == self.seen.get();
            self.memory.kernel.system().sleep_at(ptr::from_ref(flag) as usize, still);
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
pub(crate) fn pairings(bound: Option<usize>, plan: Plan) {
    let n_pes = plan.calls.len();
    explore(bound, move || {
        let memory = Flags {
            kernel: Kernel::new(),
            flags: (0..n_pes).map(|_| (0..n_pes).map(|_| AtomicU32::new(BEFORE)).collect()).collect(),
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
                    assert_eq!(pairs::meet(&access, pes.iter().copied()), Ok(()));
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
