//! What the updates of each atomic cell have passed on.
//!
//! Programs have tables of millions of cells, and the PEs pass on the same for most of them. So a cell
//! has the number of what was passed on.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::clock::Clock;
use super::pages::Pages;
use super::why::Update;

/// What the updates of a cell have passed on.
pub(crate) struct Cell {
    pub(crate) clock: Rc<Clock>,
    /// The last of them.
    pub(crate) update: Update,
}

/// The cells that were updated.
pub(crate) struct Cells {
    /// By PE and word, the numbers of what was passed on; 0 where there was no update. The second is for
    /// cells in the second half of a word.
    numbers: [Pages; 2],
    /// By number, from 1 on.
    pub(crate) passed: Vec<Cell>,
    /// Updates that came lately: what the cell had before, what the update has passed on, and what the
    /// cell has after it.
    steps: Vec<Option<Step>>,
    /// The numbers of what was passed on, by the address of the clock, which `passed` keeps.
    names: FxHashMap<(usize, Update), u32>,
    /// By the addresses of a clock of `passed` and of another one: the other one, and both joined.
    joined: FxHashMap<(usize, usize), (Rc<Clock>, Rc<Clock>)>,
    /// Beyond so many, those that no cell has any more are dropped.
    limit: usize,
}

struct Step {
    before: u32,
    passed: Rc<Clock>,
    update: Update,
    after: u32,
}

/// The least limit.
const LEAST: usize = 1024;
/// How many steps are remembered.
const LATELY: usize = 256;
const WORD: u64 = 8;

fn half(offset: u64) -> usize {
    usize::from(!offset.is_multiple_of(WORD))
}

fn address(clock: &Rc<Clock>) -> usize {
    Rc::as_ptr(clock) as usize
}

impl Cells {
    pub(crate) fn new(n_pes: usize) -> Cells {
        Cells {
            numbers: [Pages::new(n_pes), Pages::new(n_pes)],
            passed: Vec::new(),
            steps: std::iter::repeat_with(|| None).take(LATELY).collect(),
            names: FxHashMap::default(),
            joined: FxHashMap::default(),
            limit: 0,
        }
    }

    /// The cell of a PE at an offset, if it was updated.
    pub(crate) fn get(&self, (pe, offset): (u16, u64)) -> Option<&Cell> {
        let number = self.numbers[half(offset)].get(pe.into(), offset / WORD);
        self.passed.get((number as usize).wrapping_sub(1))
    }

    /// An update of a cell passes this on, and what those before it have passed on where it `keeps` that.
    #[inline]
    pub(crate) fn update(
        &mut self,
        (pe, offset): (u16, u64),
        passed: Rc<Clock>,
        update: Update,
        keeps: bool,
    ) {
        let number = self.numbers[half(offset)].at(pe.into(), offset / WORD);
        let before = if keeps { *number } else { 0 };
        let slot = (before as usize ^ usize::from(update.pe) << 3 ^ (update.place as usize) << 1) % LATELY;
        match &self.steps[slot] {
            Some(step)
                if (step.before, step.update) == (before, update) && Rc::ptr_eq(&step.passed, &passed) =>
            {
                *number = step.after;
            }
            _ => {
                let after = self.first_step(before, &passed, update);
                *self.numbers[half(offset)].at(pe.into(), offset / WORD) = after;
                self.steps[slot] = Some(Step { before, passed, update, after });
                if self.passed.len().max(self.joined.len()) > self.limit.max(LEAST) {
                    self.tidy();
                }
            }
        }
    }

    /// The number of what a cell has after an update that passes this on.
    fn first_step(&mut self, before: u32, passed: &Rc<Clock>, update: Update) -> u32 {
        let before = before.checked_sub(1).map(|at| &self.passed[at as usize].clock);
        let clock = match before {
            None => passed.clone(),
            Some(before) if Rc::ptr_eq(before, passed) => passed.clone(),
            Some(before) => {
                let both = self.joined.entry((address(before), address(passed))).or_insert_with(|| {
                    let joined = match (passed.covers(before), before.covers(passed)) {
                        (true, _) => passed.clone(),
                        (_, true) => before.clone(),
                        _ => {
                            let mut joined = Clock::clone(passed);
                            joined.join(before);
                            Rc::new(joined)
                        }
                    };
                    (passed.clone(), joined)
                });
                both.1.clone()
            }
        };
        let next = self.passed.len() as u32 + 1;
        let number = *self.names.entry((address(&clock), update)).or_insert(next);
        if number == next {
            self.passed.push(Cell { clock, update });
        }
        number
    }

    /// Drops what no cell has.
    fn tidy(&mut self) {
        self.steps.fill_with(|| None);
        self.names.clear();
        self.joined = FxHashMap::default();
        let old = std::mem::take(&mut self.passed);
        let mut old: Vec<Option<Cell>> = old.into_iter().map(Some).collect();
        let mut renamed: Vec<u32> = vec![0; old.len()];
        let mut cells = 0;
        let Cells { passed, names, .. } = self;
        let mut rename = |number: u32| {
            cells += 1;
            let at = number as usize - 1;
            if let Some(cell) = old[at].take() {
                let next = passed.len() as u32 + 1;
                names.insert((address(&cell.clock), cell.update), next);
                passed.push(cell);
                renamed[at] = next;
            }
            renamed[at]
        };
        self.numbers.iter_mut().for_each(|numbers| numbers.change(&mut rename));
        // So that the work is little for each update.
        self.limit = (2 * self.passed.len()).max(cells / 4);
    }

    /// Forgets the cells of which nothing is known that `keep` wants.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Cell) -> bool) {
        let kept: Vec<bool> = self.passed.iter().map(keep).collect();
        let keep = |number: u32| if kept[number as usize - 1] { number } else { 0 };
        self.numbers.iter_mut().for_each(|numbers| numbers.change(keep));
        self.tidy();
    }

    /// Forgets the cells in this part of the copy of a PE.
    pub(crate) fn forget(&mut self, pe: u16, offset: u64, len: u64) {
        let words = offset / WORD..(offset + len).div_ceil(WORD);
        for (half, numbers) in (0..).zip(&mut self.numbers) {
            for (word, number) in numbers.set_in(pe.into(), words.clone()) {
                if (offset..offset + len).contains(&(word * WORD + half * WORD / 2)) {
                    *number = 0;
                }
            }
        }
    }
}
