//! The part of this PE as elements, for collective calls.

use std::ops::Range;

use super::GlobalArray;
use crate::remote::Remote;
use crate::runtime::across::{AxisPick, GlobalPlaces};
use crate::runtime::direct;
use crate::runtime::parts::Dealing;
use crate::runtime::places::AxisLine;
use crate::runtime::region::Region;
use crate::select::{Across as _, Form as _, Many};
use crate::symmetric::Item;
use crate::symmetric::shape::{MAX_RANK, Rank, Ranked};
use crate::transport::Run;

impl<I: Item, const R: usize> GlobalArray<I, R>
where
    Rank<R>: Ranked,
{
    /// How many elements this PE holds.
    pub(crate) fn len_here(&self) -> usize {
        self.held().iter().product()
    }

    /// The elements at these places of this PE's part.
    ///
    /// # Panics
    ///
    /// When there are not so many.
    pub(crate) fn part_here(&self, places: Range<usize>) -> Remote<'_, I, Many> {
        assert!(places.start <= places.end && places.end <= self.len_here(), "places of the part");
        let slot = size_of::<I::Value>();
        let run = Run { count: places.len(), stride: slot };
        let region = Region::range(self.block.offset() + places.start * slot, run);
        // SAFETY: the elements are inside of the part, and the array is borrowed.
        unsafe { Remote::new(direct::my_pe(), Many::several(region), &self.info) }
    }

    /// Reads the elements whose indices this PE holds from `from`, which has the same extents, to this
    /// PE's part.
    #[track_caller]
    pub(crate) fn read_part<J: Item<Value = I::Value>>(&self, from: &GlobalArray<J, R>) {
        debug_assert_eq!(self.extents(), from.extents());
        if self.len_here() == 0 || self.block.offset() == from.block.offset() {
            // The array itself has its elements already.
            return;
        }
        let (coordinates, held) = (self.parts.coordinates(direct::my_pe()), self.held());
        // What is dealt in blocks is no range of indices.
        let lists: [Vec<usize>; MAX_RANK] = std::array::from_fn(|axis| {
            let (parts, coordinate) = (&self.parts.axes[axis], coordinates[axis]);
            match parts.dealing {
                Dealing::BlockCyclic => (0..held[axis]).map(|place| parts.index(coordinate, place)).collect(),
                Dealing::Whole | Dealing::Blocks | Dealing::Cyclic => Vec::new(),
            }
        });
        let picks = std::array::from_fn(|axis| {
            let (parts, coordinate, count) = (&self.parts.axes[axis], coordinates[axis], held[axis]);
            let start = parts.index(coordinate, 0);
            let range = |stride| AxisPick { start, line: AxisLine::range(Run { count, stride }) };
            match parts.dealing {
                Dealing::Whole | Dealing::Blocks => range(1),
                Dealing::Cyclic => range(parts.coordinates),
                Dealing::BlockCyclic => AxisPick { start: 0, line: AxisLine::list(&lists[axis], 1) },
            }
        });
        let slot = size_of::<I::Value>();
        // SAFETY: the indices are those of elements of this array, which has the same extents; the lists
        // live until the elements are read, below.
        let elements: Remote<'_, J, _> = unsafe {
            let at = Many::across(0, Some(GlobalPlaces::new(from.parts, from.block.offset(), slot, picks)));
            Remote::new(0, at, &from.info)
        };
        self.part_here(0..self.len_here()).put(elements);
    }
}
