//! Slices of this PE's parts of global arrays.

use std::fmt;
use std::iter::Zip;
use std::slice;

use super::{LocalMut, LocalRef, Phase, Plain, Whole};
use crate::collective::Global as _;
use crate::global::{DividedType, GlobalArray, GlobalStatic, Mine, StaticDistribution};
use crate::symmetric::shape::{GlobalIndex, Rank, Ranked};
use crate::symmetric::{Item, ObjectInfo};

impl<I: Item, const R: usize> Whole for GlobalArray<I, R>
where
    Rank<R>: Ranked,
{
    type Item = I;
    fn whole(&self) -> (usize, usize, &ObjectInfo) {
        self.part()
    }
}

/// The slices of a global array with this type of an index.
macro_rules! part_slices {
    ($index:ty) => {
        /// Borrows this PE's part as a slice, in a [local phase](crate::phase). Not collective.
        ///
        /// The slice has the elements of [`mine`](crate::Global::mine), in this order: row-major, in the
        /// [extents of the part](crate::Global::part_extents). Other shared borrows may exist at the same
        /// time.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[shmem::main(npes = 3)]
        /// fn main(world: &World) -> Result<(), shmem::Error> {
        ///     let line = world.global_array::<u32, 1>([8], Distribution::Block)?;
        ///     let len = world.local_phase(|p| line.as_slice(p).len());
        ///     assert_eq!(len, [3, 3, 2][world.my_pe()]);
        ///     Ok(())
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When the part is borrowed mutably, and when the elements need an alignment that symmetric
        /// memory does not have.
        #[track_caller]
        pub fn as_slice<'a>(&'a self, phase: &'a Phase) -> LocalRef<'a, [I]>
        where
            I: Plain,
        {
            phase.slice(self)
        }

        /// Borrows this PE's part as a mutable slice, in a [local phase](crate::phase). Not collective.
        ///
        /// As [`as_slice`](crate::GlobalArray::as_slice).
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) -> Result<(), shmem::Error> {
        ///     let grid = world.global_array::<u32, 2>([4, 3], Distribution::Block)?;
        ///     world.local_phase(|p| {
        ///         let mut rows = grid.as_mut_slice(p);
        ///         for row in rows.chunks_mut(3) {
        ///             row[0] = 7;
        ///         }
        ///     });
        ///     let sum = world.local_phase(|p| grid.as_slice(p).iter().sum::<u32>());
        ///     assert_eq!(collective!(sum sum), 4 * 7);
        ///     Ok(())
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When the part is borrowed already, and when the elements need an alignment that symmetric
        /// memory does not have.
        #[track_caller]
        pub fn as_mut_slice<'a>(&'a self, phase: &'a Phase) -> LocalMut<'a, [I]>
        where
            I: Plain,
        {
            phase.slice_mut(self)
        }

        /// Borrows this PE's part mutably, for a loop over its elements with their indices, in a [local
        /// phase](crate::phase). Not collective.
        ///
        /// A loop over the borrow itself, as here, borrows the part until the phase ends. A loop over
        /// `&mut` of it can be followed by others:
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[shmem::main(npes = 3)]
        /// fn main(world: &World) -> Result<(), shmem::Error> {
        ///     let line = world.global_array::<usize, 1>([10], Distribution::Cyclic)?;
        ///     world.local_phase(|p| {
        ///         for (i, x) in line.mine_mut(p) {
        ///             *x = 10 * i;
        ///         }
        ///     });
        ///     world.local_phase(|p| {
        ///         let mut mine = line.mine_mut(p);
        ///         for (i, x) in &mut mine {
        ///             *x += i;
        ///         }
        ///         for (i, x) in &mut mine {
        ///             assert_eq!(*x, 11 * i);
        ///         }
        ///     });
        ///     Ok(())
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// As [`as_mut_slice`](crate::GlobalArray::as_mut_slice).
        #[track_caller]
        pub fn mine_mut<'a>(&'a self, phase: &'a Phase) -> MineMut<'a, I, $index>
        where
            I: Plain,
        {
            MineMut { part: phase.slice_mut(self), indices: self.mine() }
        }
    };
}

impl<I: Item, const R: usize> GlobalArray<I, R>
where
    Rank<R>: Ranked,
{
    part_slices!(<Rank<R> as Ranked>::Index);
}

impl<T: DividedType<Item = I>, D: StaticDistribution, I: Item> Whole for GlobalStatic<T, D> {
    type Item = I;
    fn whole(&self) -> (usize, usize, &ObjectInfo) {
        self.part()
    }
}

impl<T: DividedType<Item = I>, D: StaticDistribution, I: Item> GlobalStatic<T, D> {
    part_slices!(T::Index);
}

/// The mutable borrow of this PE's part of a global array, for loops over `(index, &mut element)`:
/// [`GlobalArray::mine_mut`].
///
/// ```
/// use shmem::prelude::*;
/// use shmem::phase::MineMut;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let line = world.global_array::<usize, 1>([5], Distribution::Block)?;
///     world.local_phase(|p| {
///         let mut mine: MineMut<'_, usize, usize> = line.mine_mut(p);
///         for (i, x) in &mut mine {
///             *x = 10 * i;
///         }
///     });
///     assert_eq!(remote!(line[@4]), 40);
///     Ok(())
/// }
/// ```
#[must_use = "the borrow does nothing until it is iterated over"]
pub struct MineMut<'a, T, X> {
    part: LocalMut<'a, [T]>,
    indices: Mine<X>,
}

impl<T: fmt::Debug, X> fmt::Debug for MineMut<'_, T, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.part.fmt(f)
    }
}

impl<'a, T, X: GlobalIndex> IntoIterator for MineMut<'a, T, X> {
    type Item = (X, &'a mut T);
    type IntoIter = Zip<Mine<X>, slice::IterMut<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.indices.zip(self.part.leak())
    }
}

impl<'m, T, X: GlobalIndex> IntoIterator for &'m mut MineMut<'_, T, X> {
    type Item = (X, &'m mut T);
    type IntoIter = Zip<Mine<X>, slice::IterMut<'m, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.indices.clone().zip(self.part.iter_mut())
    }
}
