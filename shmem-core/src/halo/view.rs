//! This PE's part of an array with ghost cells, in a local phase.

use std::fmt;
use std::ops::{Index, IndexMut, Range};

use super::{HaloArray, HaloRank};
use crate::global::Mine;
use crate::phase::{LocalMut, LocalRef, Phase, Plain};
use crate::runtime::direct;
use crate::runtime::parts::Parts;
use crate::symmetric::ObjectInfo;
use crate::symmetric::shape::{Rank, Ranked};

/// Where the cells of a part lie, with its ghost cells. An array of rank 1 has a second axis of one
/// index.
#[derive(Clone, Copy, Debug)]
pub(super) struct HaloFrame {
    /// The extents of the part.
    pub(super) held: [usize; 2],
    /// How many ghost cells there are on each side.
    pub(super) widths: [usize; 2],
    /// How far apart two rows are.
    pub(super) pitch: usize,
}

impl HaloFrame {
    /// The place of an index of an axis, if there is one.
    #[inline(always)]
    fn on(&self, axis: usize, index: isize) -> Option<usize> {
        let place = index.wrapping_add_unsigned(self.widths[axis]).cast_unsigned();
        (place < self.held[axis] + 2 * self.widths[axis]).then_some(place)
    }

    /// The place of a cell.
    #[inline(always)]
    #[track_caller]
    fn cell(&self, [row, column]: [isize; 2], info: &ObjectInfo) -> usize {
        match (self.on(0, row), self.on(1, column)) {
            (Some(row), Some(column)) => row * self.pitch + column,
            _ => self.outside(&[row, column], info),
        }
    }

    /// The places of a row with its ghost cells.
    #[inline(always)]
    #[track_caller]
    fn row(&self, row: isize, info: &ObjectInfo) -> Range<usize> {
        let Some(place) = self.on(0, row) else { self.outside(&[row], info) };
        let start = place * self.pitch;
        start..start + self.held[1] + 2 * self.widths[1]
    }

    /// The places of a row without its ghost cells.
    #[inline(always)]
    #[track_caller]
    fn cells(&self, row: isize, info: &ObjectInfo) -> Range<usize> {
        let Range { start, end } = self.row(row, info);
        start + self.widths[1]..end - self.widths[1]
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn outside(&self, index: &[isize], info: &ObjectInfo) -> ! {
        let last = |axis: usize| (self.held[axis] + self.widths[axis]).cast_signed() - 1;
        // The last axis of rank 1 has no ghost cells.
        let axes = if self.widths[1] == 0 { 1 } else { 2 };
        let (axis, index) = (0..axes.min(index.len()))
            .find(|&axis| self.on(axis, index[axis]).is_none())
            .map_or((0, index[0]), |axis| (axis, index[axis]));
        panic!(
            "index {index} on axis {axis} is outside of this PE's part of {info}, which goes from {} to {} with its ghost cells",
            -self.widths[axis].cast_signed(),
            last(axis)
        )
    }
}

/// This PE's part of a [`HaloArray`] and its ghost cells, borrowed in a [local
/// phase](crate::phase): [`HaloArray::view`].
///
/// Indices are those of the part: 0 is its first cell, -1 the ghost cell before it, and `n` the one
/// after a part of `n` cells. In rank 1 an index is an `isize`, and in rank 2 an `[isize; 2]`.
///
/// ```
/// use shmem::Halo;
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let grid = world.halo_array::<f64, 2>([4, 3], Distribution::Block, Halo::fixed(1))?;
///     world.local_phase(|p| {
///         let grid = grid.view(p);
///         assert_eq!(grid.part_extents(), [2, 3]);
///         assert_eq!(grid[[-1, 3]] + grid[[2, 0]], 0.0);
///         assert_eq!(grid.row(-1).len(), 5); // with the ghost cells
///         assert_eq!(grid.cells(-1).len(), 3); // without
///     });
///     Ok(())
/// }
/// ```
pub struct HaloView<'a, T, const R: usize> {
    all: LocalRef<'a, [T]>,
    frame: HaloFrame,
    info: &'a ObjectInfo,
}

/// The mutable borrow of this PE's part of a [`HaloArray`] and its ghost cells, in a [local
/// phase](crate::phase): [`HaloArray::view_mut`].
///
/// As [`HaloView`].
///
/// ```
/// use shmem::Halo;
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let line = world.halo_array::<f64, 1>([8], Distribution::Block, Halo::fixed(1))?;
///     world.local_phase(|p| {
///         let mut line = line.view_mut(p);
///         line[0] = 1.0;
///         // At the end of the whole array, a ghost cell has the value that the program gives it.
///         line[-1] = 20.0;
///     });
///     Ok(())
/// }
/// ```
pub struct HaloViewMut<'a, T, const R: usize> {
    all: LocalMut<'a, [T]>,
    frame: HaloFrame,
    info: &'a ObjectInfo,
    parts: &'a Parts,
}

impl<T: Plain, const R: usize> HaloArray<T, R>
where
    Rank<R>: HaloRank,
{
    /// Borrows this PE's part and its ghost cells, in a [local phase](crate::phase). Not collective.
    ///
    /// Other shared borrows may exist at the same time.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let ring = world.halo_array::<usize, 1>([9], Distribution::Block, Halo::periodic(1))?;
    ///     world.local_phase(|p| {
    ///         for (i, x) in ring.view_mut(p).mine_mut() {
    ///             *x = i;
    ///         }
    ///     });
    ///     ring.refresh();
    ///     let before = world.local_phase(|p| ring.view(p)[-1]);
    ///     assert_eq!(before, [8, 2, 5][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the part is borrowed mutably, and when the elements need an alignment that symmetric
    /// memory does not have.
    #[track_caller]
    pub fn view<'a>(&'a self, phase: &'a Phase) -> HaloView<'a, T, R> {
        let all = phase.slice(self);
        HaloView { all, frame: self.frame, info: &self.info }
    }

    /// Borrows this PE's part and its ghost cells mutably, in a [local phase](crate::phase). Not
    /// collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.halo_array::<u32, 2>([6, 4], Distribution::Block, Halo::fixed(2))?;
    ///     world.local_phase(|p| {
    ///         let mut grid = grid.view_mut(p);
    ///         grid[[0, 0]] = 5;
    ///         grid.cells_mut(2).fill(7);
    ///     });
    ///     world.barrier_all();
    ///     assert_eq!(remote!(grid[@.., 0]), [5, 0, 7, 5, 0, 7]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the part is borrowed already, and when the elements need an alignment that symmetric
    /// memory does not have.
    #[track_caller]
    pub fn view_mut<'a>(&'a self, phase: &'a Phase) -> HaloViewMut<'a, T, R> {
        let all = phase.slice_mut(self);
        HaloViewMut { all, frame: self.frame, info: &self.info, parts: &self.parts }
    }
}

macro_rules! reads {
    ($($view:ident)*) => {$(
        impl<T, const R: usize> fmt::Debug for $view<'_, T, R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "this PE's part of {}", self.info)
            }
        }

        impl<T, const R: usize> $view<'_, T, R> {
            /// Returns the extents of this PE's part, without ghost cells. Not collective.
            ///
            /// ```
            /// use shmem::Halo;
            /// use shmem::prelude::*;
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) -> Result<(), shmem::Error> {
            ///     let array = world.halo_array::<u32, 2>([4, 3], Distribution::Block, Halo::fixed(1))?;
            ///     let extents = world.local_phase(|p| array.view(p).part_extents());
            ///     assert_eq!(extents, [2, 3]);
            ///     Ok(())
            /// }
            /// ```
            #[must_use]
            pub fn part_extents(&self) -> [usize; R] {
                std::array::from_fn(|axis| self.frame.held[axis])
            }
        }

        impl<T> $view<'_, T, 1> {
            /// Returns the cells with the ghost cells on both sides: cell 0 is at the width of these.
            /// Not collective.
            ///
            /// ```
            /// use shmem::Halo;
            /// use shmem::prelude::*;
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) -> Result<(), shmem::Error> {
            ///     let array = world.halo_array::<u32, 1>([8], Distribution::Block, Halo::fixed(1))?;
            ///     let len = world.local_phase(|p| array.view(p).as_slice().len());
            ///     assert_eq!(len, 1 + 4 + 1);
            ///     Ok(())
            /// }
            /// ```
            #[must_use]
            #[inline]
            pub fn as_slice(&self) -> &[T] {
                &self.all[..self.frame.held[0] + 2 * self.frame.widths[0]]
            }
        }

        impl<T> $view<'_, T, 2> {
            /// Returns a row with the ghost cells on both sides: cell 0 is at the width of these. Not
            /// collective.
            ///
            /// ```
            /// use shmem::Halo;
            /// use shmem::prelude::*;
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) -> Result<(), shmem::Error> {
            ///     let array = world.halo_array::<u32, 2>([4, 3], Distribution::Block, Halo::fixed(1))?;
            ///     let len = world.local_phase(|p| array.view(p).row(-1).len());
            ///     assert_eq!(len, 1 + 3 + 1);
            ///     Ok(())
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// When there is no such row, also not of ghost cells.
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn row(&self, row: isize) -> &[T] {
                &self.all[self.frame.row(row, self.info)]
            }

            /// Returns a row without the ghost cells on both sides. Not collective.
            ///
            /// ```
            /// use shmem::Halo;
            /// use shmem::prelude::*;
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main(world: &World) -> Result<(), shmem::Error> {
            ///     let array = world.halo_array::<u32, 2>([4, 3], Distribution::Block, Halo::fixed(1))?;
            ///     let len = world.local_phase(|p| array.view(p).cells(0).len());
            ///     assert_eq!(len, 3);
            ///     Ok(())
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// As [`row`](Self::row).
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn cells(&self, row: isize) -> &[T] {
                &self.all[self.frame.cells(row, self.info)]
            }
        }

        impl<T> Index<isize> for $view<'_, T, 1> {
            type Output = T;
            #[inline(always)]
            #[track_caller]
            fn index(&self, index: isize) -> &T {
                &self.all[self.frame.cell([index, 0], self.info)]
            }
        }

        impl<T> Index<[isize; 2]> for $view<'_, T, 2> {
            type Output = T;
            #[inline(always)]
            #[track_caller]
            fn index(&self, index: [isize; 2]) -> &T {
                &self.all[self.frame.cell(index, self.info)]
            }
        }
    )*};
}

reads!(HaloView HaloViewMut);

impl<T, const R: usize> HaloViewMut<'_, T, R>
where
    Rank<R>: Ranked,
{
    /// Returns the cells of this PE's part with their indices in the whole array, without ghost
    /// cells. Not collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.halo_array::<usize, 2>([5, 7], Distribution::Block2d, Halo::fixed(1))?;
    ///     world.local_phase(|p| {
    ///         for ([i, j], x) in grid.view_mut(p).mine_mut() {
    ///             *x = 10 * i + j;
    ///         }
    ///     });
    ///     world.barrier_all();
    ///     assert_eq!(remote!(grid[@4, ..]), [40, 41, 42, 43, 44, 45, 46]);
    ///     Ok(())
    /// }
    /// ```
    pub fn mine_mut(&mut self) -> impl Iterator<Item = (<Rank<R> as Ranked>::Index, &mut T)> {
        let HaloFrame { held: [rows, columns], widths: [above, left], pitch } = self.frame;
        let rows = self.all.chunks_mut(pitch).skip(above).take(rows);
        Mine::new(*self.parts, direct::my_pe()).zip(rows.flat_map(move |row| &mut row[left..left + columns]))
    }
}

impl<T> HaloViewMut<'_, T, 1> {
    /// [`as_slice`](Self::as_slice), mutably. Not collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let array = world.halo_array::<u32, 1>([8], Distribution::Block, Halo::fixed(1))?;
    ///     world.local_phase(|p| array.view_mut(p).as_mut_slice()[1] = 5); // cell 0 of the part
    ///     world.barrier_all();
    ///     assert_eq!(remote!(array[@4]), 5);
    ///     Ok(())
    /// }
    /// ```
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.all[..self.frame.held[0] + 2 * self.frame.widths[0]]
    }
}

impl<T> HaloViewMut<'_, T, 2> {
    /// [`row`](Self::row), mutably. Not collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let array = world.halo_array::<u32, 2>([4, 3], Distribution::Block, Halo::fixed(1))?;
    ///     world.local_phase(|p| array.view_mut(p).row_mut(0)[1] = 5); // cell 0 of the row
    ///     world.barrier_all();
    ///     assert_eq!(remote!(array[@2, 0]), 5);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`row`](Self::row).
    #[inline]
    #[track_caller]
    pub fn row_mut(&mut self, row: isize) -> &mut [T] {
        let places = self.frame.row(row, self.info);
        &mut self.all[places]
    }

    /// [`cells`](Self::cells), mutably. Not collective.
    ///
    /// ```
    /// use shmem::Halo;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let array = world.halo_array::<u32, 2>([4, 3], Distribution::Block, Halo::fixed(1))?;
    ///     world.local_phase(|p| array.view_mut(p).cells_mut(0).fill(5));
    ///     world.barrier_all();
    ///     assert_eq!(remote!(array[@2, ..]), [5; 3]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`row`](Self::row).
    #[inline]
    #[track_caller]
    pub fn cells_mut(&mut self, row: isize) -> &mut [T] {
        let places = self.frame.cells(row, self.info);
        &mut self.all[places]
    }
}

impl<T> IndexMut<isize> for HaloViewMut<'_, T, 1> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: isize) -> &mut T {
        let place = self.frame.cell([index, 0], self.info);
        &mut self.all[place]
    }
}

impl<T> IndexMut<[isize; 2]> for HaloViewMut<'_, T, 2> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: [isize; 2]) -> &mut T {
        let place = self.frame.cell(index, self.info);
        &mut self.all[place]
    }
}
