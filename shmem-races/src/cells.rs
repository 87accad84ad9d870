//! What the updates of each atomic cell have passed on.
//!
//! Programs have tables of millions of cells, and the PEs pass on the same for most of them. So a cell
//! has the number of what was passed on.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::clock::Clock;
use super::why::Update;

/// What the updates of a cell have passed on.
pub(crate) struct Cell {
    pub(crate) clock: Rc<Clock>,
    /// The last of them.
    pub(crate) update: Update,
}

/// The cells that were updated.
#[derive(Default)]
pub(crate) struct Cells {
    /// By PE and offset.
    numbers: FxHashMap<u64, u32>,
    pub(crate) passed: Vec<Cell>,
    /// The numbers of what was passed on, by the address of the clock, which `passed` keeps.
    names: FxHashMap<(usize, Update), u32>,
    /// By the addresses of a clock of `passed` and of another one: the other one, and both joined.
    joined: FxHashMap<(usize, usize), (Rc<Clock>, Rc<Clock>)>,
    /// Beyond so many, those that no cell has any more are dropped.
    limit: usize,
}

/// The least limit.
const LEAST: usize = 1024;

fn key((pe, offset): (u16, u64)) -> u64 {
    u64::from(pe) << 48 | offset
}

fn address(clock: &Rc<Clock>) -> usize {
    Rc::as_ptr(clock) as usize
}

impl Cells {
    /// The cell of a PE at an offset, if it was updated.
    pub(crate) fn get(&self, cell: (u16, u64)) -> Option<&Cell> {
        self.numbers.get(&key(cell)).map(|number| &self.passed[*number as usize])
    }

    /// An update of a cell passes this on, and what those before it have passed on where it `keeps` that.
    pub(crate) fn update(&mut self, cell: (u16, u64), passed: Rc<Clock>, update: Update, keeps: bool) {
        let before = self.numbers.get(&key(cell)).filter(|_| keeps);
        let clock = match before.map(|number| &self.passed[*number as usize].clock) {
            None => passed,
            Some(before) if Rc::ptr_eq(before, &passed) => passed,
            Some(before) => {
                let both = self.joined.entry((address(before), address(&passed))).or_insert_with(|| {
                    let joined = match (passed.covers(before), before.covers(&passed)) {
                        (true, _) => passed.clone(),
                        (_, true) => before.clone(),
                        _ => {
                            let mut joined = Clock::clone(&passed);
                            joined.join(before);
                            Rc::new(joined)
                        }
                    };
                    (passed.clone(), joined)
                });
                both.1.clone()
            }
        };
        let next = self.passed.len() as u32;
        let number = *self.names.entry((address(&clock), update)).or_insert(next);
        if number == next {
            self.passed.push(Cell { clock, update });
        }
        self.numbers.insert(key(cell), number);
        if self.passed.len().max(self.joined.len()) > self.limit.max(LEAST) {
            self.tidy();
        }
    }

    /// Drops what no cell has.
    fn tidy(&mut self) {
        let old = std::mem::take(&mut self.passed);
        let mut old: Vec<Option<Cell>> = old.into_iter().map(Some).collect();
        let mut renamed: Vec<Option<u32>> = vec![None; old.len()];
        self.names.clear();
        self.joined = FxHashMap::default();
        for number in self.numbers.values_mut() {
            let at = *number as usize;
            if let Some(cell) = old[at].take() {
                let next = self.passed.len() as u32;
                renamed[at] = Some(next);
                self.names.insert((address(&cell.clock), cell.update), next);
                self.passed.push(cell);
            }
            *number = renamed[at].unwrap_or_default();
        }
        // So that the work is little for each update.
        self.limit = (2 * self.passed.len()).max(self.numbers.len() / 4);
    }

    /// Forgets the cells of which nothing is known that `keep` wants.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Cell) -> bool) {
        let kept: Vec<bool> = self.passed.iter().map(keep).collect();
        self.numbers.retain(|_, number| kept[*number as usize]);
        self.tidy();
    }

    /// Forgets the cells in this part of the copy of a PE.
    pub(crate) fn forget(&mut self, pe: u16, offset: u64, len: u64) {
        let range = key((pe, offset))..key((pe, offset + len));
        self.numbers.retain(|cell, _| !range.contains(cell));
    }
}
