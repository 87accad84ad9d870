//! What the updates of each atomic cell have passed on.
//!
//! Programs have tables of millions of cells, and each is updated by some PEs. What one update has
//! passed on is a *snapshot* of its PE, which many cells have. What all updates of a cell have passed on
//! is a chain of snapshots, and chains that begin in the same way share that part. So a cell takes some
//! words, however many PEs there are.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::clock::Clock;
use super::pages::Pages;
use super::why::Update;

/// What an update has passed on.
pub(crate) struct Snapshot {
    pub(crate) clock: Rc<Clock>,
    pub(crate) update: Update,
}

/// A chain: its last snapshot, and the chain before it. No snapshot is part of what a later one of the
/// chain knows.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Chain {
    /// Less than the number of the chain itself; 0 is the empty one.
    before: u32,
    last: u32,
}

/// The cells that were updated.
pub(crate) struct Cells {
    /// By PE and word, the number of the chain; 0 where there was no update. The second is for cells in the
    /// second half of a word.
    numbers: [Pages; 2],
    /// By number, from 1 on.
    chains: Vec<Chain>,
    pub(crate) passed: Vec<Snapshot>,
    /// The numbers of snapshots, by the address of the clock, which `passed` keeps.
    names: FxHashMap<(usize, Update), u32>,
    /// By PE, the number of its last snapshot.
    lasts: Vec<u32>,
    /// Chains that came up lately, by their parts.
    lately: Vec<u32>,
    /// Updates that came lately: the chain of the cell before, the snapshot, and the chain after it.
    steps: Vec<(u32, u32, u32)>,
    /// Beyond so many chains and snapshots, those that no cell has any more are dropped.
    limits: [usize; 2],
    /// The least that a limit is.
    least: usize,
}

/// The least limit, where there is room for it.
const LEAST: usize = 4096;
/// How many steps are remembered.
const STEPS: usize = 1 << 10;
/// How many chains are remembered: of 64 PEs, all that two of them make.
const NAMES: usize = 1 << 14;
const WORD: u64 = 8;

fn half(offset: u64) -> usize {
    usize::from(!offset.is_multiple_of(WORD))
}

/// The place of a pair among so many, a power of two.
fn slot(before: u32, last: u32, slots: usize) -> usize {
    (before.wrapping_mul(0x9E37_79B1) ^ last.wrapping_mul(0x85EB_CA6B)) as usize >> 7 & (slots - 1)
}

fn address(clock: &Rc<Clock>) -> usize {
    Rc::as_ptr(clock) as usize
}

impl Cells {
    /// No cells. Beyond `room` chains or snapshots, it is time to look what can be dropped.
    pub(crate) fn new(n_pes: usize, room: usize) -> Cells {
        let least = room.min(LEAST);
        Cells {
            numbers: [Pages::new(n_pes), Pages::new(n_pes)],
            chains: Vec::new(),
            passed: Vec::new(),
            names: FxHashMap::default(),
            lasts: vec![0; n_pes],
            lately: vec![0; NAMES],
            steps: vec![(u32::MAX, 0, 0); STEPS],
            limits: [least; 2],
            least,
        }
    }

    /// What the updates of the cell of a PE at an offset have passed on, the last one first.
    pub(crate) fn get(&self, (pe, offset): (u16, u64)) -> impl Iterator<Item = &Snapshot> {
        self.chain(self.numbers[half(offset)].get(pe.into(), offset / WORD))
            .map(|last| &self.passed[last as usize])
    }

    /// The numbers of the snapshots of a chain, the last one first.
    fn chain(&self, number: u32) -> impl Iterator<Item = u32> {
        let chain = |number: u32| number.checked_sub(1).map(|at| self.chains[at as usize]);
        std::iter::successors(chain(number), move |next| chain(next.before)).map(|next| next.last)
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
        let last = self.snapshot(passed, update);
        let number = self.numbers[half(offset)].at(pe.into(), offset / WORD);
        let before = if keeps { *number } else { 0 };
        let slot = slot(before, last, STEPS);
        let (of_chain, of_snapshot, after) = self.steps[slot];
        if (of_chain, of_snapshot) == (before, last) {
            *number = after;
            return;
        }
        let after = self.after(before, last);
        *self.numbers[half(offset)].at(pe.into(), offset / WORD) = after;
        self.steps[slot] = (before, last, after);
    }

    /// Whether it is time to [drop](Cells::retain) what no cell has.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.chains.len() > self.limits[0] || self.passed.len() > self.limits[1]
    }

    /// The number of a snapshot.
    #[inline]
    fn snapshot(&mut self, clock: Rc<Clock>, update: Update) -> u32 {
        let last = self.lasts[usize::from(update.pe)];
        if let Some(known) = self.passed.get(last as usize)
            && known.update == update
            && Rc::ptr_eq(&known.clock, &clock)
        {
            return last;
        }
        let next = self.passed.len() as u32;
        let number = *self.names.entry((address(&clock), update)).or_insert(next);
        if number == next {
            self.passed.push(Snapshot { clock, update });
        }
        self.lasts[usize::from(update.pe)] = number;
        number
    }

    /// The chain after this one and a snapshot.
    fn after(&mut self, before: u32, last: u32) -> u32 {
        let news = &self.passed[last as usize];
        let is_left = |number: &u32| {
            let Snapshot { clock, update } = &self.passed[*number as usize];
            let pe = usize::from(update.pe);
            clock.times[pe] > news.clock.times[pe] || !news.clock.covers(clock)
        };
        let mut left = 0;
        let mut all = 0;
        for number in self.chain(before) {
            all += 1;
            left += usize::from(is_left(&number));
        }
        let mut before = before;
        if left < all {
            let mut rest: Vec<u32> = self.chain(before).filter(is_left).collect();
            rest.reverse();
            before = rest.into_iter().fold(0, |before, last| self.number(Chain { before, last }));
        }
        self.number(Chain { before, last })
    }

    /// The number of a chain: the same as before, if it came up lately.
    fn number(&mut self, chain: Chain) -> u32 {
        let lately = &mut self.lately[slot(chain.before, chain.last, NAMES)];
        if self.chains.get((*lately as usize).wrapping_sub(1)) != Some(&chain) {
            self.chains.push(chain);
            *lately = self.chains.len() as u32;
        }
        *lately
    }

    /// Drops what no cell has.
    fn tidy(&mut self) {
        let mut cells = 0;
        let mut renamed: Vec<u32> = vec![0; self.chains.len() + 1];
        for numbers in &mut self.numbers {
            numbers.change(|number| {
                cells += 1;
                renamed[number as usize] = 1;
                number
            });
        }
        // What is before a chain that is needed has a lower number.
        for number in (1..renamed.len()).rev() {
            if renamed[number] > 0 {
                renamed[self.chains[number - 1].before as usize] = 1;
            }
        }
        renamed[0] = 0;
        let mut snapshots: Vec<Option<u32>> = vec![None; self.passed.len()];
        let mut old: Vec<Option<Snapshot>> = std::mem::take(&mut self.passed).into_iter().map(Some).collect();
        let mut kept = 0;
        for number in 1..renamed.len() {
            if renamed[number] > 0 {
                let chain = self.chains[number - 1];
                let last = *snapshots[chain.last as usize].get_or_insert_with(|| {
                    self.passed.extend(old[chain.last as usize].take());
                    self.passed.len() as u32 - 1
                });
                self.chains[kept] = Chain { before: renamed[chain.before as usize], last };
                kept += 1;
                renamed[number] = kept as u32;
            }
        }
        self.chains.truncate(kept);
        self.numbers.iter_mut().for_each(|numbers| numbers.change(|number| renamed[number as usize]));
        self.names.clear();
        for (number, Snapshot { clock, update }) in (0..).zip(&self.passed) {
            self.names.insert((address(clock), *update), number);
        }
        self.lasts.fill(0);
        self.lately.fill(0);
        self.steps.fill((u32::MAX, 0, 0));
        // So that the work is little for each update, and the memory as well.
        self.limits = [self.least.max(kept * 3 / 2), self.least.max(2 * self.passed.len()).max(cells / 64)];
        self.chains.reserve_exact(self.limits[0] + 2 - kept);
    }

    /// Forgets the cells of which nothing is known that `keep` wants.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Snapshot) -> bool) {
        let wanted: Vec<bool> = self.passed.iter().map(keep).collect();
        // By chain; the empty one has nothing.
        let mut kept = vec![false];
        for Chain { before, last } in &self.chains {
            kept.push(kept[*before as usize] || wanted[*last as usize]);
        }
        let keep = |number: u32| if kept[number as usize] { number } else { 0 };
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use fastrand::Rng;

    use super::*;

    /// Each PE passes on what it knows of itself alone, at some times.
    fn snapshot(pe: u16, time: u32) -> (Rc<Clock>, Update) {
        let mut clock = Clock::new(8);
        clock.times[usize::from(pe)] = time;
        (Rc::new(clock), Update { pe, ctx: 0, place: 0 })
    }

    #[test]
    fn a_cell_has_the_last_snapshot_of_each_pe() {
        let mut rng = Rng::with_seed(7);
        let mut cells = Cells::new(8, 1 << 16);
        let mut model: BTreeMap<u64, Vec<(u16, u32)>> = BTreeMap::new();
        let mut times = [0; 8];
        let mut snapshots: Vec<_> = (0..8).map(|pe| snapshot(pe, 0)).collect();
        for step in 0..200_000 {
            let (pe, offset) = (rng.u16(..8), 4 * rng.u64(..500));
            let at = usize::from(pe);
            if rng.u8(..100) == 0 {
                times[at] += 1;
                snapshots[at] = snapshot(pe, times[at]);
            }
            let keeps = rng.u8(..10) > 0;
            let (clock, update) = snapshots[at].clone();
            cells.update((3, offset), clock, update, keeps);
            if cells.is_full() {
                cells.retain(|_| true);
            }
            let known = model.entry(offset).or_default();
            known.retain(|(of, _)| keeps && *of != pe);
            known.push((pe, times[at]));
            if step % 50_000 == 0 {
                cells.forget(3, 8, 4);
                model.remove(&8);
                cells.retain(|snapshot| snapshot.update.pe != 5);
                model.retain(|_, known| known.iter().any(|(pe, _)| *pe != 5));
            }
        }
        for offset in (0..2000).step_by(4) {
            let found: BTreeSet<(u16, u32)> = cells
                .get((3, offset))
                .map(|known| (known.update.pe, known.clock.times[usize::from(known.update.pe)]))
                .collect();
            let known = model.get(&offset).cloned().unwrap_or_default();
            assert_eq!(found, known.iter().copied().collect(), "{offset}");
            let last = cells.get((3, offset)).next().map(|known| known.update.pe);
            assert_eq!(last, known.last().map(|(pe, _)| *pe), "{offset}");
        }
    }

    #[test]
    fn cells_with_the_same_past_share_it() {
        let mut cells = Cells::new(2, 1 << 16);
        let snapshots = [snapshot(0, 1), snapshot(1, 1)];
        let mut rng = Rng::with_seed(7);
        for _ in 0..100_000 {
            let (clock, update) = snapshots[rng.usize(..2)].clone();
            cells.update((0, 8 * rng.u64(..10_000)), clock, update, true);
        }
        assert!(cells.chains.len() < 20, "{}", cells.chains.len());
    }
}
