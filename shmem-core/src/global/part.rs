//! The part of this PE as elements, and elements of the whole by their places, for collective calls.

use std::marker::PhantomData;
use std::ops::Range;

use super::GlobalObject;
use crate::remote::Remote;
use crate::runtime::across::{AxisPick, GlobalPlaces};
use crate::runtime::direct;
use crate::runtime::parts::Dealing;
use crate::runtime::places::AxisLine;
use crate::runtime::region::Region;
use crate::select::{Across as _, Form as _, Many, Spread};
use crate::symmetric::shape::MAX_RANK;
use crate::symmetric::{Item, ObjectInfo};
use crate::transport::Run;

/// The elements that this PE holds of a global array, in their order.
pub(crate) struct PartHere<'a, I> {
    offset: usize,
    /// How many rows there are; one, where they lie side by side.
    rows: usize,
    /// How many elements a row has.
    row: usize,
    /// How far apart two rows are, in elements.
    pitch: usize,
    info: &'a ObjectInfo,
    holds: PhantomData<fn() -> I>,
}

impl<'a, I: Item> PartHere<'a, I> {
    /// The part of this array.
    ///
    /// # Panics
    ///
    /// Outside of a job, of a static.
    #[track_caller]
    pub(crate) fn of<O: GlobalObject<Item = I> + ?Sized>(array: &'a O) -> PartHere<'a, I> {
        let (parts, me) = (array.parts(), direct::my_pe());
        let [rows, columns, inner @ ..] = parts.held(me);
        let inner: usize = inner.iter().product();
        let room = parts.axes[1].room(parts.coordinates(me)[1]);
        let (rows, row) = if room == columns { (1, rows * columns * inner) } else { (rows, columns * inner) };
        let pitch = if rows == 1 { row } else { room * inner };
        PartHere { offset: array.offset(), rows, row, pitch, info: array.whole().1, holds: PhantomData }
    }

    /// How many elements it has.
    pub(crate) fn len(&self) -> usize {
        self.rows * self.row
    }

    /// The elements, so many of them at a time as a rule.
    pub(crate) fn pieces(&self, len: usize) -> impl Iterator<Item = Remote<'a, I, Many>> {
        let starts = move |row| (0..self.row).step_by(len).map(move |start| (row, start));
        (0..self.rows).flat_map(starts).map(move |(row, start)| {
            let end = Ord::min(self.row, start + len);
            self.elements(row..row + 1, start..end)
        })
    }

    /// All of them.
    pub(crate) fn all(&self) -> Remote<'a, I, Many> {
        self.elements(0..self.rows, 0..self.row)
    }

    /// Those at these places of these rows.
    fn elements(&self, rows: Range<usize>, places: Range<usize>) -> Remote<'a, I, Many> {
        assert!(rows.end <= self.rows && places.end <= self.row, "places of the part");
        let slot = size_of::<I::Value>();
        let offset = self.offset + (rows.start * self.pitch + places.start) * slot;
        let across = Run { count: places.len(), stride: slot };
        let region = if rows.len() == 1 {
            Region::range(offset, across)
        } else {
            let mut region = Region { rank: 2, ..Region::one(offset) };
            region.runs[..2].copy_from_slice(&[Run { count: rows.len(), stride: self.pitch * slot }, across]);
            region
        };
        // SAFETY: the elements are inside of the part of this PE, and the array is borrowed.
        unsafe { Remote::new(direct::my_pe(), Many::several(region), self.info) }
    }
}

/// The elements of the whole at these indices of the first axis, which is the only one.
///
/// # Panics
///
/// When there are not so many.
#[track_caller]
pub(crate) fn range_of<O: GlobalObject + ?Sized>(
    array: &O,
    places: Range<usize>,
) -> Remote<'_, O::Item, Spread<'static, Many>> {
    let parts = array.parts();
    assert!(places.start <= places.end && places.end <= parts.axes[0].extent, "indices of the whole");
    let mut picks = [AxisPick::FIRST; MAX_RANK];
    let run = Run { count: places.len(), stride: 1 };
    picks[0] = AxisPick { start: places.start, line: AxisLine::range(run) };
    // SAFETY: the indices are inside of the array, which is borrowed with its parts, and there are no lists.
    unsafe {
        let slot = size_of::<O::Value>();
        let at = Many::across(0, Some(GlobalPlaces::new(parts, array.offset(), slot, picks)));
        Remote::new(0, at, array.whole().1)
    }
}

/// Reads the elements whose indices this PE holds of `to` from `from`, which has the same extents, to
/// this PE's part.
#[track_caller]
pub(crate) fn read_part<O, J>(to: &O, from: &J)
where
    O: GlobalObject + ?Sized,
    J: GlobalObject<Value = O::Value> + ?Sized,
{
    let here = PartHere::of(to);
    if here.len() == 0 || to.offset() == from.offset() {
        // The array itself has its elements already.
        return;
    }
    let (parts, me) = (to.parts(), direct::my_pe());
    let (coordinates, held) = (parts.coordinates(me), parts.held(me));
    // What is dealt in blocks is no range of indices.
    let lists: [Vec<usize>; MAX_RANK] = std::array::from_fn(|axis| {
        let (parts, coordinate) = (&parts.axes[axis], coordinates[axis]);
        match parts.dealing {
            Dealing::BlockCyclic => (0..held[axis]).map(|place| parts.index(coordinate, place)).collect(),
            Dealing::Whole | Dealing::Blocks | Dealing::Cyclic => Vec::new(),
        }
    });
    let picks = std::array::from_fn(|axis| {
        let (parts, coordinate, count) = (&parts.axes[axis], coordinates[axis], held[axis]);
        let start = parts.index(coordinate, 0);
        let range = |stride| AxisPick { start, line: AxisLine::range(Run { count, stride }) };
        match parts.dealing {
            Dealing::Whole | Dealing::Blocks => range(1),
            Dealing::Cyclic => range(parts.coordinates),
            Dealing::BlockCyclic => AxisPick { start: 0, line: AxisLine::list(&lists[axis], 1) },
        }
    });
    let slot = size_of::<O::Value>();
    // SAFETY: the indices are those of elements of this array, which has the same extents; the lists and
    // the array live until the elements are read, below.
    let elements: Remote<'_, J::Item, _> = unsafe {
        let at = Many::across(0, Some(GlobalPlaces::new(from.parts(), from.offset(), slot, picks)));
        Remote::new(0, at, from.whole().1)
    };
    here.all().put(elements);
}
