//! Extents: a tuple with one type for each axis, known to the compiler or at run time.

use std::fmt;
use std::hash::Hash;

use crate::runtime::direct;
pub(crate) use crate::runtime::region::MAX_RANK;

/// One axis.
#[doc(hidden)]
pub trait Dim: Copy {
    /// The number of its indices.
    fn extent(self) -> usize;
}

/// An axis of `N` indices, known to the compiler.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Fix<const N: usize>;

/// An axis with one index for each PE.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct PerPeDim;

/// An axis whose extent is known at run time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Dyn(pub(crate) usize);

impl<const N: usize> Dim for Fix<N> {
    #[inline(always)]
    fn extent(self) -> usize {
        N
    }
}

impl Dim for PerPeDim {
    #[inline(always)]
    fn extent(self) -> usize {
        direct::n_pes()
    }
}

impl Dim for Dyn {
    #[inline(always)]
    fn extent(self) -> usize {
        self.0
    }
}

/// An axis of a static, of which nothing has to be stored.
#[doc(hidden)]
pub trait StaticDim: Dim {
    /// Its only value.
    const VALUE: Self;
    /// The extent, unless it is the number of PEs.
    const EXTENT: Option<usize>;
}

impl<const N: usize> StaticDim for Fix<N> {
    const VALUE: Self = Fix;
    const EXTENT: Option<usize> = Some(N);
}

impl StaticDim for PerPeDim {
    const VALUE: Self = PerPeDim;
    const EXTENT: Option<usize> = None;
}

/// The extents of an object.
#[doc(hidden)]
pub trait Shape: Copy {
    /// How many axes.
    const RANK: usize;
    /// The extents, 1 for axes that do not exist.
    fn extents(self) -> [usize; MAX_RANK];
}

/// The extents of a static.
#[doc(hidden)]
pub trait StaticShape: Shape {
    /// Its only value.
    const VALUE: Self;
    /// The extents that the compiler knows; `None` is the number of PEs.
    const EXTENTS: [Option<usize>; MAX_RANK];
}

macro_rules! shapes {
    ($($rank:literal: $($dim:ident)*;)*) => {$(
        impl<$($dim: Dim),*> Shape for ($($dim,)*) {
            const RANK: usize = $rank;
            #[inline(always)]
            #[allow(non_snake_case, reason = "one name for each type parameter and its value")]
            fn extents(self) -> [usize; MAX_RANK] {
                let ($($dim,)*) = self;
                let given: [usize; $rank] = [$($dim.extent(),)*];
                let mut extents = [1; MAX_RANK];
                extents[..$rank].copy_from_slice(&given);
                extents
            }
        }

        impl<$($dim: StaticDim),*> StaticShape for ($($dim,)*) {
            const VALUE: Self = ($($dim::VALUE,)*);
            #[allow(unused_comparisons, reason = "rank 0 has no axis to count to")]
            const EXTENTS: [Option<usize>; MAX_RANK] = {
                let given: [Option<usize>; $rank] = [$($dim::EXTENT,)*];
                let mut extents = [Some(1); MAX_RANK];
                let mut i = 0;
                while i < $rank {
                    extents[i] = given[i];
                    i += 1;
                }
                extents
            };
        }
    )*};
}

shapes! {
    0: ;
    1: D0;
    2: D0 D1;
    3: D0 D1 D2;
    4: D0 D1 D2 D3;
}

/// A rank, for [`Ranked`].
///
/// ```
/// use shmem::prelude::*;
/// use shmem::{Rank, Ranked};
///
/// /// The bound says that there are arrays of this rank.
/// fn cube<const R: usize>(world: &World) -> Result<[usize; R], shmem::Error>
/// where
///     Rank<R>: Ranked,
/// {
///     Ok(world.zeros::<u8, R>([2; R])?.extents())
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     assert_eq!(cube::<3>(world)?, [2, 2, 2]);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rank<const R: usize>;

/// The ranks of arrays, 1 to 4: the bound of a function that makes arrays of any rank.
///
/// A function that makes no array needs no such bound: without it, it can read the extents of an
/// array of any rank, borrow it in a [local phase](crate::phase), resize it and free it.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::{Error, Rank, Ranked};
///
/// /// As many elements, with the same values, on this PE.
/// fn copy<const R: usize>(world: &World, from: &SymmetricArray<f64, R>) -> Result<SymmetricArray<f64, R>, Error>
/// where
///     Rank<R>: Ranked,
/// {
///     let copy = world.zeros(from.extents())?;
///     world.local_phase(|p| copy.as_mut_slice(p).copy_from_slice(&from.as_slice(p)));
///     Ok(copy)
/// }
///
/// fn sum<const R: usize>(world: &World, array: &SymmetricArray<f64, R>) -> f64 {
///     world.local_phase(|p| array.as_slice(p).iter().sum())
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), Error> {
///     let line = world.ones::<f64, 1>([5])?;
///     let grid = world.ones::<f64, 2>([3, 4])?;
///     assert_eq!((sum(world, &copy(world, &line)?), sum(world, &copy(world, &grid)?)), (5.0, 12.0));
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a symmetric array has rank 1 to 4",
    label = "not a rank",
    note = "for a single value, allocate rank 1 with extent 1, or declare a `#[symmetric] static`"
)]
pub trait Ranked {
    /// A tuple with one [`Dyn`] for each axis.
    #[doc(hidden)]
    type Shape: Shape;
    /// The tuple, from the first extents.
    #[doc(hidden)]
    fn shape(extents: &[usize; MAX_RANK]) -> Self::Shape;
    /// An index of a [`GlobalArray`](crate::GlobalArray) of this rank: `usize` for rank 1, and
    /// `[usize; R]` otherwise.
    type Index: GlobalIndex;
}

/// An index of a global array: `usize` on one axis, and an array of one number for each of several.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::GlobalIndex;
///
/// /// Indices of arrays of any rank have an order.
/// fn largest<X: GlobalIndex>(indices: Vec<X>) -> X {
///     indices.into_iter().max().expect("this PE holds some")
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let line = world.global_array::<u8, 1>([6], Distribution::Block)?;
///     let grid = world.global_array::<u8, 2>([3, 2], Distribution::Block)?;
///     let line: Vec<usize> = line.mine().collect();
///     let grid: Vec<[usize; 2]> = grid.mine().collect();
///     assert_eq!((largest(line) % 3, largest(grid)[1]), (2, 1));
///     Ok(())
/// }
/// ```
pub trait GlobalIndex: Copy + Eq + Ord + Hash + fmt::Debug + sealed::SealedIndex {
    /// The numbers, 0 on axes that there are not.
    #[doc(hidden)]
    fn numbers(self) -> [usize; MAX_RANK];
    /// The index of the first numbers.
    #[doc(hidden)]
    fn of(numbers: [usize; MAX_RANK]) -> Self;
}

mod sealed {
    /// An implementation outside of this crate would find no array.
    pub trait SealedIndex {}
    impl SealedIndex for usize {}
    impl<const R: usize> SealedIndex for [usize; R] {}
}

impl GlobalIndex for usize {
    #[inline(always)]
    fn numbers(self) -> [usize; MAX_RANK] {
        [self, 0, 0, 0]
    }
    #[inline(always)]
    fn of(numbers: [usize; MAX_RANK]) -> usize {
        numbers[0]
    }
}

macro_rules! indices {
    ($($rank:literal)*) => {$(
        impl GlobalIndex for [usize; $rank] {
            #[inline(always)]
            fn numbers(self) -> [usize; MAX_RANK] {
                std::array::from_fn(|axis| self.get(axis).copied().unwrap_or(0))
            }
            #[inline(always)]
            fn of(numbers: [usize; MAX_RANK]) -> [usize; $rank] {
                std::array::from_fn(|axis| numbers[axis])
            }
        }
    )*};
}

indices! { 1 2 3 4 }

macro_rules! ranks {
    ($($rank:literal: $($at:literal)*, $index:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Ranked for Rank<$rank> {
            type Index = $index;
            type Shape = ($(ranks!(@dyn $at),)*);
            #[inline(always)]
            fn shape(extents: &[usize; MAX_RANK]) -> Self::Shape {
                ($(Dyn(extents[$at]),)*)
            }
        }
    )*};
    (@dyn $at:literal) => { Dyn };
}

ranks! {
    1: 0, usize;
    2: 0 1, [usize; 2];
    3: 0 1 2, [usize; 3];
    4: 0 1 2 3, [usize; 4];
}

/// One slot for each PE: the outermost type of a static whose first extent is the number of PEs.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static SCORES: PerPe<f64> = PerPe::new(0.0);
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) {
///     // Each PE writes to its own slot on PE 0.
///     let me = world.my_pe();
///     remote!(SCORES[0, me]) = 1.5 * me as f64;
///     world.barrier_all();
///     if me == 0 {
///         assert_eq!(local!(SCORES[..]), vec![0.0, 1.5, 3.0]);
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct PerPe<T>(#[allow(dead_code, reason = "read as bytes, when the static is laid out")] T);

impl<T> PerPe<T> {
    /// Makes the initial value of a static in which every slot starts as `value`.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: PerPe<[i32; 2]> = PerPe::new([-1, -2]);
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main() {
    ///     assert_eq!(local!(INBOX[2, ..]), [-1, -2]);
    ///     assert_eq!(local!(INBOX[.., 0]), [-1; 3]);
    /// }
    /// ```
    pub const fn new(value: T) -> PerPe<T> {
        PerPe(value)
    }
}
