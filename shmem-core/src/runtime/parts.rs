//! How a global array is divided over the PEs: who holds an index, and where in its part.
//!
//! Each axis is divided on its own ([`AxisParts`]), into *coordinates* that hold some of its
//! indices. The coordinates of the axes together are a PE ([`Parts`]). Nothing here moves data.
//!
//! * `distribution.rs`: how the indices are dealt;
//! * `axis.rs`: the maths of one axis;
//! * `short.rs`: where one element of an array lies, in the fewest instructions;
//! * `fixed.rs`: the same of a static, in words that a job writes when it begins;
//! * `halo.rs`, `ghosts.rs`: parts with ghost cells around them.

mod axis;
mod distribution;
mod fixed;
mod ghosts;
mod halo;
mod short;
#[cfg(test)]
mod tests;

pub(crate) use self::axis::{AxisParts, Dealing};
pub use self::distribution::Distribution;
pub(crate) use self::fixed::StaticParts;
pub(crate) use self::ghosts::GhostRoom;
pub use self::halo::Halo;
use self::short::ShortWay;
use super::region::MAX_RANK;

/// What a global array is as a whole: for checkpoints.
#[derive(Clone, Debug)]
pub(crate) struct WholeArray {
    pub(crate) distribution: Distribution,
    pub(crate) extents: Vec<usize>,
    /// Its ghost cells, if it has any.
    pub(crate) halo: Option<Halo>,
}

/// A global array as it is divided over the PEs.
///
/// A PE's *part* has the elements whose indices its coordinates hold on each axis, in row-major
/// order, without gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) distribution: Distribution,
    /// The axes; those that there are not have one index. At most the first two are divided.
    pub(crate) axes: [AxisParts; MAX_RANK],
    /// Whether no axis but the first has more than one place, so that neighbours on that one are
    /// neighbours in a part.
    pub(crate) is_line: bool,
    /// The short way to one element, where there is one.
    short: ShortWay,
}

impl Parts {
    /// The extents of the whole, of an array of rank `R`.
    #[inline(always)]
    pub(crate) fn extents<const R: usize>(&self) -> [usize; R] {
        std::array::from_fn(|axis| self.axes[axis].extent)
    }

    /// An array of these extents on `n_pes` PEs; or why there can be none.
    pub(crate) fn new(distribution: Distribution, extents: &[usize], n_pes: usize) -> Result<Parts, String> {
        let rank = extents.len();
        let mut axes = [1; MAX_RANK];
        axes[..rank].copy_from_slice(extents);
        let first = extents[0];
        let mut axes = axes.map(AxisParts::whole);
        match distribution {
            Distribution::Block => axes[0] = AxisParts::blocks(first, n_pes),
            Distribution::Cyclic => axes[0] = AxisParts::cyclic(first, n_pes),
            Distribution::BlockCyclic(0) => {
                return Err("the blocks of `Distribution::BlockCyclic(0)` have no indices: write 1 or more"
                    .to_owned());
            }
            Distribution::BlockCyclic(block) => axes[0] = AxisParts::block_cyclic(first, n_pes, block),
            Distribution::Block2d if rank != 2 => {
                return Err(format!(
                    "`Distribution::Block2d` divides two axes, and an array of rank {rank} does not have two: write `Distribution::Block`"
                ));
            }
            Distribution::Block2d => {
                let (rows, columns) = grid(n_pes);
                axes[0] = AxisParts::blocks(first, rows);
                axes[1] = AxisParts::blocks(extents[1], columns);
            }
        }
        let short = ShortWay::of(distribution, &axes[0]);
        Ok(Parts { short, ..Parts::of(distribution, axes) })
    }

    /// Of axes that are divided in this way, without the short way to an element.
    #[inline]
    fn of(distribution: Distribution, axes: [AxisParts; MAX_RANK]) -> Parts {
        let is_line =
            axes[1..].iter().all(|axis| axis.coordinates == 1 && axis.extent == 1 && axis.room <= 1);
        Parts { distribution, axes, is_line, short: ShortWay::NONE }
    }

    /// The same, where a row of every part has room for `columns` elements. The caller finds elements by
    /// the axes: [`locate`](Parts::locate) knows of parts without gaps.
    pub(crate) fn with_room(mut self, columns: usize) -> Parts {
        self.axes[1].room = columns;
        Parts::of(self.distribution, self.axes)
    }

    /// The coordinates of a PE on each axis.
    pub(crate) fn coordinates(&self, pe: usize) -> [usize; MAX_RANK] {
        let columns = self.axes[1].coordinates;
        [pe / columns, pe % columns, 0, 0]
    }

    /// The PE with these coordinates.
    #[inline(always)]
    pub(crate) fn pe(&self, coordinates: [usize; MAX_RANK]) -> usize {
        coordinates[0] * self.axes[1].coordinates + coordinates[1]
    }

    /// The extents of the part of a PE.
    pub(crate) fn held(&self, pe: usize) -> [usize; MAX_RANK] {
        let coordinates = self.coordinates(pe);
        std::array::from_fn(|axis| self.axes[axis].held(coordinates[axis]))
    }

    /// The PE that holds the element at an index, and which element of its part it is.
    ///
    /// # Safety
    ///
    /// The array has such an index.
    #[inline(always)]
    pub(crate) unsafe fn locate<const R: usize>(&self, index: [usize; R]) -> (usize, usize) {
        // SAFETY: the caller's promise.
        let Some((pe, mut element)) = (unsafe { self.short.locate(index[0]) }) else {
            return self.locate_otherwise(&index);
        };
        for (axis, index) in self.axes.iter().zip(index).skip(1) {
            element = element * axis.extent + index;
        }
        (pe, element)
    }

    /// [`locate`](Parts::locate) without the short way.
    #[inline(never)]
    fn locate_otherwise(&self, index: &[usize]) -> (usize, usize) {
        let (pe, mut element) = match self.distribution {
            Distribution::Block => self.axes[0].locate_in_blocks(index[0]),
            Distribution::Cyclic => self.axes[0].locate_cyclic(index[0]),
            Distribution::BlockCyclic(_) => self.axes[0].locate_block_cyclic(index[0]),
            Distribution::Block2d => return self.locate_2d([index[0], index.get(1).copied().unwrap_or(0)]),
        };
        for (axis, index) in self.axes.iter().zip(index).skip(1) {
            element = element * axis.extent + index;
        }
        (pe, element)
    }

    #[inline(never)]
    fn locate_2d(&self, [row, column]: [usize; 2]) -> (usize, usize) {
        let [rows, columns, ..] = &self.axes;
        let ((down, row), (right, column)) = (rows.locate_in_blocks(row), columns.locate_in_blocks(column));
        (down * columns.coordinates + right, row * columns.held(right) + column)
    }
}

/// The rows and columns of a grid of `n` PEs: as near to each other as can be, with at least as many
/// rows.
fn grid(n: usize) -> (usize, usize) {
    let columns = (1..=n.isqrt()).rev().find(|columns| n.is_multiple_of(*columns)).unwrap_or(1);
    (n / columns, columns)
}
