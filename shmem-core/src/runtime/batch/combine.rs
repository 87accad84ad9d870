//! Updates of one cell that become one update.
//!
//! The updates of a batch have no order, and nothing comes back. So two additions to a cell are one
//! addition of their sum. Where the transport carries updates, each costs far more than to look for
//! another one of the same cell: a histogram with few cells needs few operations of the transport. An
//! update waits in a table until other cells need its place.
//!
//! A cell may wait in two places. The first one follows from its address such that cells side by side
//! never take each other's place, and the PEs begin far apart: a table of cells on all PEs that has no
//! more cells than this one has places fits, mostly. A hash that spreads the cells at random would
//! send a third of them away.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::{Mutex, PoisonError};

use super::message::SentKind;
use crate::system::tuning::batch::COMBINED;
use crate::transport::Width;

/// An update of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellUpdate {
    pub(super) pe: usize,
    pub(super) offset: usize,
    pub(super) width: Width,
    pub(super) kind: SentKind,
    pub(super) bits: u64,
}

const OFFSET_BITS: u32 = 44;
const WIDTH_BITS: u32 = 2;
const KIND_BITS: u32 = 3;
const PE_BITS: u32 = u64::BITS - OFFSET_BITS - WIDTH_BITS - KIND_BITS;

/// What is done to a cell of which size, as the part of a [`CellKey`].
#[derive(Clone, Copy)]
pub(super) struct CellTag(u64);

impl CellTag {
    #[inline(always)]
    pub(super) fn of(kind: SentKind, width: Width) -> CellTag {
        let kind = kind as u64;
        debug_assert!(kind < 1 << KIND_BITS, "it is no update");
        CellTag((kind << WIDTH_BITS | u64::from(width.bytes().trailing_zeros())) << OFFSET_BITS)
    }

    #[inline(always)]
    pub(super) fn kind(self) -> SentKind {
        SentKind::at((self.0 >> (OFFSET_BITS + WIDTH_BITS)) as usize & ((1 << KIND_BITS) - 1))
    }

    #[inline(always)]
    pub(super) fn width(self) -> Width {
        Width::of(1 << (self.0 >> OFFSET_BITS & ((1 << WIDTH_BITS) - 1)))
    }
}

/// A cell, and what is done to it. 0 is none: objects lie after the runtime's part of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellKey(u64);

impl CellKey {
    const NONE: CellKey = CellKey(0);

    /// The key of a cell, in a job [in which keys are unique](CellKey::suffices).
    #[inline(always)]
    pub(super) fn of(pe: usize, offset: usize, tag: CellTag) -> CellKey {
        CellKey((pe as u64) << (u64::BITS - PE_BITS) | tag.0 | offset as u64)
    }

    /// Whether no two cells of a job have one key: in all but very large heaps and jobs.
    fn suffices(n_pes: usize, heap_size: usize) -> bool {
        n_pes <= 1 << PE_BITS && heap_size <= 1 << OFFSET_BITS
    }

    fn update(self, bits: u64) -> CellUpdate {
        let tag = CellTag(self.0);
        let offset = self.0 as usize & ((1 << OFFSET_BITS) - 1);
        let pe = (self.0 >> (u64::BITS - PE_BITS)) as usize;
        CellUpdate { pe, offset, width: tag.width(), kind: tag.kind(), bits }
    }

    /// Its first place; the second one is its neighbour.
    #[inline(always)]
    fn place(self) -> usize {
        let CellUpdate { pe, offset, width, .. } = self.update(0);
        CellKey::place_of(pe, offset, width)
    }

    /// The first place of a cell.
    #[inline(always)]
    fn place_of(pe: usize, offset: usize, width: Width) -> usize {
        const PLACE_BITS: u32 = COMBINED.ilog2();
        // The golden ratio: however many PEs there are, the places at which they begin are about
        // equally far apart.
        const APART: u32 = 0x9e37_79b9;
        let cell = offset as u64 >> width.bytes().trailing_zeros();
        let begin = (pe as u32).wrapping_mul(APART) >> (u32::BITS - PLACE_BITS);
        // The higher bits come in for cells that are far apart in memory, as the fields of large structs.
        let cell = cell ^ cell >> PLACE_BITS ^ cell >> (2 * PLACE_BITS);
        (cell as usize + begin as usize) % COMBINED
    }
}

/// What two updates of this kind do to a cell. There is one answer for all but sums of floats, which
/// depend on the order more than a user may expect of one cell.
#[inline(always)]
fn both(kind: SentKind, first: u64, second: u64) -> u64 {
    match kind {
        SentKind::Add => first.wrapping_add(second),
        SentKind::And => first & second,
        SentKind::Or => first | second,
        SentKind::Xor => first ^ second,
        // Either of two writes may be the last one.
        _ => second,
    }
}

/// An update that waits.
struct WaitingPlace {
    key: Cell<CellKey>,
    bits: Cell<u64>,
}

impl WaitingPlace {
    fn empty() -> WaitingPlace {
        WaitingPlace { key: Cell::new(CellKey::NONE), bits: Cell::new(0) }
    }

    fn replace(&self, (key, bits): (CellKey, u64)) -> (CellKey, u64) {
        (self.key.replace(key), self.bits.replace(bits))
    }
}

struct CombinerTable {
    places: Box<[WaitingPlace; COMBINED]>,
    /// The places that are not empty.
    used: RefCell<Vec<u16>>,
}

const _: () = assert!(COMBINED.is_power_of_two() && COMBINED <= 1 << u16::BITS);

/// Tables that no batch uses. In them all places are empty.
static UNUSED: Mutex<Vec<CombinerTable>> = Mutex::new(Vec::new());
/// How many of them are kept.
const KEPT: usize = 2;

impl CombinerTable {
    /// A table of which all places are empty.
    #[cold]
    fn take() -> CombinerTable {
        UNUSED.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_else(|| {
            let places: Box<[WaitingPlace]> = (0..COMBINED).map(|_| WaitingPlace::empty()).collect();
            let places = places.try_into().unwrap_or_else(|_| unreachable!("it has that length"));
            CombinerTable { places, used: RefCell::default() }
        })
    }
}

/// The updates that wait for others of the same cell.
pub(super) struct Combiner {
    /// Made when the first update waits: so never in a job in which the keys do not suffice.
    table: OnceCell<CombinerTable>,
    /// Whether updates wait at all.
    is_used: bool,
    /// How many updates have joined no other one.
    alone: Cell<usize>,
    /// How many updates have lost their place.
    evicted: Cell<usize>,
    /// How many operations there were, and updates that joined no other one, at the last judgement.
    judged_at: Cell<(usize, usize)>,
    /// How many updates do not wait: for far more cells than there are places, it is not worth it.
    passes: Cell<usize>,
}

/// How many updates lose their place between two judgements whether it is worth to wait.
const JUDGED: usize = 4096;
/// How many updates do not wait where it is not worth it.
const PASSED: usize = 16 * JUDGED;

impl Combiner {
    /// Of a job of so many PEs with heaps of this size. Updates wait if the caller `wants` it.
    pub(super) fn new(wants: bool, n_pes: usize, heap_size: usize) -> Combiner {
        Combiner {
            table: OnceCell::new(),
            is_used: wants && CellKey::suffices(n_pes, heap_size),
            alone: Cell::new(0),
            evicted: Cell::new(0),
            judged_at: Cell::new((0, 0)),
            passes: Cell::new(0),
        }
    }

    /// Joins an update to one of the same cell that waits. `false` where none does.
    ///
    /// Of the update the compiler knows all but the cell and the operand, where it is inlined. Then it is
    /// about 25 instructions.
    #[inline(always)]
    pub(super) fn joins(&self, update: &CellUpdate) -> bool {
        let &CellUpdate { pe, offset, width, kind, bits } = update;
        let Some(table) = self.table.get() else { return false };
        let (key, at) = (update.key(), CellKey::place_of(pe, offset, width));
        let mut place = &table.places[at];
        if place.key.get() != key {
            place = &table.places[at ^ 1];
            if place.key.get() != key {
                return false;
            }
        }
        place.bits.set(both(kind, place.bits.get(), bits));
        true
    }

    /// Takes in an update that [joins](Combiner::joins) no other one, and returns the one that has to be
    /// carried out now. There were so many `operations` before.
    pub(super) fn take_in(&self, update: CellUpdate, operations: usize) -> Option<CellUpdate> {
        if !self.is_used || update.kind == SentKind::AddFloats {
            return Some(update);
        }
        if self.joins(&update) {
            return None;
        }
        let (key, bits) = (update.key(), update.bits);
        self.alone.set(self.alone.get() + 1);
        if self.passes.get() > 0 {
            self.passes.set(self.passes.get() - 1);
            return Some(key.update(bits));
        }
        let table = self.table.get_or_init(CombinerTable::take);
        let at = key.place();
        for at in [at, at ^ 1] {
            if table.places[at].key.get() == CellKey::NONE {
                table.places[at].replace((key, bits));
                table.used.borrow_mut().push(at as u16);
                return None;
            }
        }
        self.evicted.set(self.evicted.get() + 1);
        if self.evicted.get().is_multiple_of(JUDGED) {
            self.judge(operations);
        }
        // The one that came last is the one that may come again.
        let before = table.places[at].replace((key, bits));
        let (key, bits) = table.places[at ^ 1].replace(before);
        Some(key.update(bits))
    }

    /// Lets the next updates pass if of the last ones few have joined others.
    #[cold]
    fn judge(&self, operations: usize) {
        let now = (operations, self.alone.get());
        let before = self.judged_at.replace(now);
        let (all, alone) = (now.0 - before.0, now.1 - before.1);
        if alone > all / 8 * 7 {
            self.passes.set(PASSED);
        }
    }

    /// Takes an update out; `None` if none waits.
    pub(super) fn pop(&self) -> Option<CellUpdate> {
        let table = self.table.get()?;
        let at = table.used.borrow_mut().pop()?;
        let (key, bits) = table.places[usize::from(at)].replace((CellKey::NONE, 0));
        Some(key.update(bits))
    }
}

impl CellUpdate {
    #[inline(always)]
    fn key(&self) -> CellKey {
        CellKey::of(self.pe, self.offset, CellTag::of(self.kind, self.width))
    }
}

impl Drop for Combiner {
    fn drop(&mut self) {
        let Some(table) = self.table.take() else { return };
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        if table.used.borrow().is_empty() && unused.len() < KEPT {
            unused.push(table);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static ISSUED: Cell<usize> = const { Cell::new(0) };
    }

    fn combiner() -> Combiner {
        Combiner::new(true, 7, 1 << 40)
    }

    /// Passes an update to the combiner, as a batch does.
    fn issue(combiner: &Combiner, pe: usize, offset: usize, kind: SentKind, bits: u64) -> Option<CellUpdate> {
        let update = CellUpdate { pe, offset, width: Width::W8, kind, bits };
        let issued = ISSUED.with(|issued| issued.replace(issued.get() + 1));
        if combiner.joins(&update) { None } else { combiner.take_in(update, issued) }
    }

    fn all(combiner: &Combiner) -> Vec<CellUpdate> {
        std::iter::from_fn(|| combiner.pop()).collect()
    }

    /// Random updates of a few cells and of many, against cells that are updated at once.
    #[test]
    fn the_sum_of_all_updates_stays() {
        for cells in [3, 10 * COMBINED] {
            let (combiner, mut sums, mut model) = (combiner(), vec![0_u64; cells], vec![0; cells]);
            let (mut random, mut carried) = (1_u64, 0);
            let mut carry = |update: CellUpdate| {
                carried += 1;
                let cell = update.offset / 8 - 100;
                sums[cell] = sums[cell].wrapping_add(update.bits);
            };
            for _ in 0..200_000 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let cell = (random >> 33) as usize % cells;
                model[cell] = random.wrapping_add(model[cell]);
                if let Some(update) = issue(&combiner, 3, (100 + cell) * 8, SentKind::Add, random) {
                    carry(update);
                }
            }
            all(&combiner).into_iter().for_each(&mut carry);
            assert_eq!(all(&combiner), []);
            assert!(if cells == 3 { carried == 3 } else { carried > 150_000 }, "{carried}");
            assert_eq!(sums, model);
        }
    }

    /// As long as there are places, no cell takes that of another one: cells side by side, and cells
    /// that are far apart by a power of two.
    #[test]
    fn a_table_that_fits_stays() {
        for (n_pes, stride) in [(1, 1), (1, 8), (2, 1), (2, 64), (3, 1), (4, 2), (7, 1)] {
            let combiner = combiner();
            for round in 0..2 {
                for (pe, cell) in (0..n_pes).flat_map(|pe| (0..COMBINED / 16).map(move |cell| (pe, cell))) {
                    let offset = (1 << 20) + cell * stride * 8;
                    let carried = issue(&combiner, pe, offset, SentKind::Xor, cell as u64);
                    assert_eq!(carried, None, "{n_pes} PEs, {stride}, {round}: {pe} {cell}");
                }
            }
            assert!(all(&combiner).iter().all(|update| update.bits == 0));
        }
    }

    #[test]
    fn other_updates_of_a_cell_stay_apart() {
        let combiner = combiner();
        let updates = [
            (3, 8, SentKind::Add, 5),
            (3, 8, SentKind::Xor, 6),
            (2, 8, SentKind::Add, 7),
            (3, 800, SentKind::Add, 8),
        ];
        for (pe, offset, kind, bits) in updates {
            assert_eq!(issue(&combiner, pe, offset, kind, bits), None);
        }
        assert_eq!(issue(&combiner, 3, 8, SentKind::Add, u64::MAX), None);
        let narrow = CellUpdate { pe: 3, offset: 8, width: Width::W4, kind: SentKind::Add, bits: 1 };
        assert!(!combiner.joins(&narrow));
        let mut found: Vec<_> = all(&combiner)
            .iter()
            .map(|update| (update.pe, update.offset, update.kind, update.bits))
            .collect();
        found.sort_by_key(|(.., bits)| *bits);
        let mut expected = updates;
        expected[0].3 = 4;
        assert_eq!(found, expected);
    }

    #[test]
    fn operations_that_are_carried_at_once() {
        let combiner = combiner();
        let sum = issue(&combiner, 3, 8, SentKind::AddFloats, 1.0_f64.to_bits());
        assert_eq!(sum.map(|update| update.kind), Some(SentKind::AddFloats));
        for (n_pes, heap_size) in [(1 + (1 << PE_BITS), 1 << 20), (2, 1 + (1 << OFFSET_BITS))] {
            let combiner = Combiner::new(true, n_pes, heap_size);
            assert!(issue(&combiner, 1, 8, SentKind::Add, 5).is_some_and(|update| update.bits == 5));
        }
        let last =
            CellKey::of((1 << PE_BITS) - 1, (1 << OFFSET_BITS) - 8, CellTag::of(SentKind::Set, Width::W1));
        let update = last.update(9);
        let CellUpdate { pe, offset, width, kind, bits } = update;
        assert_eq!((pe, offset, kind, bits), ((1 << PE_BITS) - 1, (1 << OFFSET_BITS) - 8, SentKind::Set, 9));
        assert_eq!(width.bytes(), 1);
    }
}
