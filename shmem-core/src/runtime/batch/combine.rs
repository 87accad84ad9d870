//! Updates of one cell that become one update.
//!
//! The updates of a batch have no order, and nothing comes back. So two additions to a cell are one
//! addition of their sum. Where the transport carries updates, each costs far more than to look for
//! another one of the same cell: a histogram with few cells needs few operations of the transport. An
//! update waits in a table, at a place that follows from its cell, until another cell needs the place.

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

/// The updates that wait for others of the same cell.
#[derive(Default)]
pub(super) struct Combiner {
    /// Empty before the first update.
    places: Vec<Option<CellUpdate>>,
}

impl CellUpdate {
    /// What does both, if one update can.
    fn with(self, other: CellUpdate) -> Option<CellUpdate> {
        let same = (self.offset, self.pe, self.width, self.kind)
            == (other.offset, other.pe, other.width, other.kind);
        if !same {
            return None;
        }
        let bits = match self.kind {
            SentKind::Add => self.bits.wrapping_add(other.bits),
            SentKind::And => self.bits & other.bits,
            SentKind::Or => self.bits | other.bits,
            SentKind::Xor => self.bits ^ other.bits,
            // Either of two writes may be the last one.
            SentKind::Set => other.bits,
            // A sum of floats depends on the order more than a user may expect of one cell.
            SentKind::AddFloats | SentKind::Fetch | SentKind::Put | SentKind::Get => return None,
        };
        Some(CellUpdate { bits, ..self })
    }

    /// Its place in the table.
    fn place(&self) -> usize {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let cell = self.offset as u64 ^ (self.pe as u64) << 48;
        (cell.wrapping_mul(ODD) >> (u64::BITS - COMBINED.ilog2())) as usize
    }
}

impl Combiner {
    /// Takes an update in, and returns the one that has to be carried out now.
    #[inline]
    pub(super) fn take_in(&mut self, update: CellUpdate) -> Option<CellUpdate> {
        if self.places.is_empty() {
            self.places = vec![None; COMBINED];
        }
        let place = &mut self.places[update.place()];
        if let Some(both) = place.and_then(|waiting| waiting.with(update)) {
            *place = Some(both);
            return None;
        }
        place.replace(update)
    }

    /// All updates that wait. None waits after that.
    pub(super) fn drain(&mut self) -> Vec<CellUpdate> {
        std::mem::take(&mut self.places).into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(offset: usize, kind: SentKind, bits: u64) -> CellUpdate {
        CellUpdate { pe: 3, offset, width: Width::W8, kind, bits }
    }

    /// Random updates of a few cells and of many, against cells that are updated at once.
    #[test]
    fn the_sum_of_all_updates_stays() {
        for cells in [3, 10 * COMBINED] {
            let (mut combiner, mut sums, mut all) = (Combiner::default(), vec![0_u64; cells], vec![0; cells]);
            let (mut random, mut carried) = (1_u64, 0);
            let mut carry = |update: CellUpdate| {
                carried += 1;
                sums[update.offset / 8] = sums[update.offset / 8].wrapping_add(update.bits);
            };
            for _ in 0..50_000 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let cell = (random >> 33) as usize % cells;
                all[cell] = random.wrapping_add(all[cell]);
                if let Some(update) = combiner.take_in(update(cell * 8, SentKind::Add, random)) {
                    carry(update);
                }
            }
            combiner.drain().into_iter().for_each(&mut carry);
            assert_eq!(combiner.drain(), []);
            assert!(if cells == 3 { carried <= 50_000 / 2 } else { carried > 30_000 }, "{carried}");
            assert_eq!(sums, all);
        }
    }

    #[test]
    fn other_updates_of_a_cell_stay_apart() {
        let add = update(8, SentKind::Add, 1);
        assert_eq!(add.with(update(8, SentKind::Add, u64::MAX)), Some(update(8, SentKind::Add, 0)));
        assert_eq!(add.with(update(16, SentKind::Add, 1)), None);
        assert_eq!(add.with(update(8, SentKind::Xor, 1)), None);
        assert_eq!(add.with(CellUpdate { pe: 2, ..add }), None);
        assert_eq!(add.with(CellUpdate { width: Width::W4, ..add }), None);
        let float = update(8, SentKind::AddFloats, 1.0_f64.to_bits());
        assert_eq!(float.with(float), None);
    }
}
