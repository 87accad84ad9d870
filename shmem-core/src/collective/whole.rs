//! What every global array says of itself, reductions and scans over the whole, and redistribution.

use super::elements::zeros;
use super::joined::{extents_of, joined, located, met, scanned};
use crate::global::{
    Distribution, DividedType, GlobalArray, GlobalObject, GlobalStatic, Mine, StaticDistribution, owner,
    part_extents, read_part,
};
use crate::number::{HasOne, Reduce, ReduceOrdered, ReducedBy};
use crate::runtime::direct;
use crate::symmetric::shape::{Rank, Ranked};
use crate::symmetric::{Item, Slot};
use crate::transport::operation::{Max, Min, Prod, Sum};

/// What is the same in every global array: of a [`GlobalArray`](crate::GlobalArray), of a
/// [`GlobalStatic`](crate::GlobalStatic), and, without their ghost cells, of a
/// [`HaloArray`](crate::HaloArray) and a [`HaloStatic`](crate::HaloStatic).
///
/// It is in the prelude. No other type has it. It is also the bound of functions that take any of them:
/// `Value` is the type of an element, `Index` is `usize` if the array has one axis, and `[usize; R]`
/// otherwise, and `Extents` is `[usize; R]`.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric(block)]
/// static WEIGHTS: [f64; 6] = [0.5; 6];
///
/// /// The mean, of any number of axes and in any distribution.
/// fn mean(array: &impl Global<Value = f64>) -> f64 {
///     array.sum() / array.len() as f64
/// }
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let grid = world.global_array::<f64, 2>([2, 3], Distribution::Block2d)?;
///     assert_eq!((mean(&WEIGHTS), mean(&grid)), (0.5, 0.0));
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a global array",
    label = "not an array that is divided over the PEs",
    note = "a global array is made by `world.global_array` or `world.halo_array`, or declared with `#[symmetric(block)]`; in an object that has a copy on every PE, all elements are those of one copy"
)]
pub trait Global: GlobalObject {
    /// Returns the extents of the whole array, the outermost axis first. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.global_array::<f64, 2>([100, 8], Distribution::Block)?;
    ///     assert_eq!(grid.extents(), [100, 8]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// Outside of a job, of a static. So does each of the methods that follow.
    #[must_use]
    #[track_caller]
    fn extents(&self) -> Self::Extents {
        Self::extents_of(self.parts().axes.map(|axis| axis.extent))
    }

    /// Returns the number of elements of the whole array: the product of the extents. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.global_array::<f64, 2>([100, 8], Distribution::Block)?;
    ///     assert_eq!(grid.len(), 800);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[track_caller]
    fn len(&self) -> usize {
        self.parts().axes.iter().map(|axis| axis.extent).product()
    }

    /// Returns whether the whole array has no elements. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let few = world.global_array::<u8, 1>([1], Distribution::Block)?;
    ///     // PE 1 holds none of them, and still the array has one.
    ///     assert!(!few.is_empty());
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[track_caller]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how the array is divided. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let work = world.global_array::<u64, 1>([100], Distribution::BlockCyclic(8))?;
    ///     assert_eq!(work.distribution(), Distribution::BlockCyclic(8));
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[track_caller]
    fn distribution(&self) -> Distribution {
        self.parts().distribution
    }

    /// Returns the number of the PE that holds the element at `index`. Not collective.
    ///
    /// The index is a `usize` if the array has rank 1, and an array of one number for each axis
    /// otherwise.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.global_array::<f64, 1>([10], Distribution::Cyclic)?;
    ///     assert_eq!(line.owner(7), 3);
    ///     let grid = world.halo_array::<f64, 2>([10, 10], Distribution::Block2d, shmem::Halo::fixed(1))?;
    ///     assert_eq!(grid.owner([0, 9]), 1);
    ///     assert_eq!(grid.owner([9, 0]), 2);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the index is out of bounds.
    #[must_use]
    #[track_caller]
    fn owner(&self, index: Self::Index) -> usize {
        owner(self.parts(), self.whole().1, index)
    }

    /// Returns the indices of the elements that this PE holds, in the order of its part. Not
    /// collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.global_array::<f64, 1>([8], Distribution::BlockCyclic(2))?;
    ///     let mine: Vec<usize> = line.mine().collect();
    ///     assert_eq!(mine, [vec![0, 1, 6, 7], vec![2, 3], vec![4, 5]][world.my_pe()]);
    ///     let grid = world.global_array::<f64, 2>([4, 2], Distribution::Cyclic)?;
    ///     assert_eq!(grid.mine().next(), [Some([0, 0]), Some([1, 0]), Some([2, 0])][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    #[track_caller]
    fn mine(&self) -> Mine<Self::Index> {
        Mine::new(*self.parts(), direct::my_pe())
    }

    /// Returns the extents of the part of PE `pe`: how many indices of each axis it holds. Not
    /// collective.
    ///
    /// A slice of the part has as many elements as the product of these, row-major. Ghost cells are not
    /// counted.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.global_array::<f64, 2>([5, 7], Distribution::Block2d)?;
    ///     assert_eq!(grid.part_extents(0), [3, 4]);
    ///     assert_eq!(grid.part_extents(3), [2, 3]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[must_use]
    #[track_caller]
    fn part_extents(&self, pe: usize) -> Self::Extents {
        Self::extents_of(part_extents(self.parts(), self.whole().1, pe))
    }

    /// Reduces all elements by a function of the program, and returns the result on all PEs, or `None`
    /// if there are no elements. Collective.
    ///
    /// Every PE joins the elements of its part from left to right, in the order of
    /// [`mine`](Global::mine). The results of the parts are joined in the order of the PEs. So the
    /// result depends on the distribution and on the number of PEs alone, if `join` gives the same
    /// results everywhere: all PEs get the same bits, every time. In an array of rank 1 in blocks, the
    /// order is that of the indices.
    ///
    /// The values are those that the elements had when the last PE called. `join` may do what it likes
    /// but call collectives.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.global_array::<u64, 1>([10], Distribution::Block)?;
    ///     world.local_phase(|p| {
    ///         for (i, x) in line.mine_mut(p) {
    ///             *x = i as u64;
    ///         }
    ///     });
    ///     assert_eq!(line.reduce_with(|_, later| later), Some(9)); // the last one
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In a local phase; in checked runs, when the PEs do not make the same call.
    #[track_caller]
    fn reduce_with(&self, join: impl Fn(Self::Value, Self::Value) -> Self::Value) -> Option<Self::Value> {
        joined(self, "reduce_with", join)
    }

    /// Reduces all elements, and returns the result on all PEs, or `None` if there are no elements.
    /// Collective.
    ///
    /// The operation is one of [`reduction`](crate::reduction). The order is that of
    /// [`reduce_with`](Global::reduce_with).
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Xor;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let bits = world.global_array::<u8, 1>([6], Distribution::Cyclic)?;
    ///     world.local_phase(|p| bits.mine_mut(p).into_iter().for_each(|(i, x)| *x = 1 << i));
    ///     assert_eq!(bits.reduce(Xor), Some(63));
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce_with`](Global::reduce_with).
    #[track_caller]
    fn reduce<O>(&self, operation: O) -> Option<Self::Value>
    where
        Self::Value: ReducedBy<O>,
    {
        let _ = operation;
        joined(self, Self::Value::NAME, |a, b| ReducedBy::<O>::join(a, b))
    }

    /// Returns the sum of all elements on all PEs; 0 if there are none. Collective.
    ///
    /// Integers wrap around. The order is that of [`reduce_with`](Global::reduce_with).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let hits = world.global_array::<Atomic<u64>, 1>([10], Distribution::Block)?;
    ///     remote!(hits[@7]) += 2;
    ///     assert_eq!(hits.sum(), 6); // of atomic cells as well
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce_with`](Global::reduce_with).
    #[track_caller]
    fn sum(&self) -> Self::Value
    where
        Self::Value: Reduce,
    {
        self.reduce(Sum).unwrap_or_else(|| zeros(1)[0])
    }

    /// Returns the product of all elements on all PEs; 1 if there are none. Collective.
    ///
    /// Integers wrap around. The order is that of [`reduce_with`](Global::reduce_with).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.global_array::<u32, 1>([5], Distribution::Cyclic)?;
    ///     world.local_phase(|p| line.as_mut_slice(p).fill(3));
    ///     assert_eq!(line.prod(), 243);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce_with`](Global::reduce_with).
    #[track_caller]
    #[doc(alias = "product")]
    fn prod(&self) -> Self::Value
    where
        Self::Value: Reduce + HasOne,
    {
        self.reduce(Prod).unwrap_or(Self::Value::ONE)
    }

    /// Returns the smallest element on all PEs, or `None` if there are none. Collective.
    ///
    /// A NaN is left out, unless there is nothing else.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.global_array::<f64, 2>([3, 4], Distribution::Block)?;
    ///     if world.my_pe() == 0 {
    ///         remote!(grid[@2, 1]) = -1.5;
    ///     }
    ///     assert_eq!(grid.min(), Some(-1.5));
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce_with`](Global::reduce_with).
    #[track_caller]
    fn min(&self) -> Option<Self::Value>
    where
        Self::Value: ReduceOrdered,
    {
        self.reduce(Min)
    }

    /// Returns the largest element on all PEs, or `None` if there are none. Collective.
    ///
    /// A NaN is left out, unless there is nothing else.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let none = world.global_array::<i32, 1>([0], Distribution::Block)?;
    ///     assert_eq!(none.max(), None);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce_with`](Global::reduce_with).
    #[track_caller]
    fn max(&self) -> Option<Self::Value>
    where
        Self::Value: ReduceOrdered,
    {
        self.reduce(Max)
    }

    /// Returns the smallest element and its index on all PEs, or `None` if there are no elements.
    /// Collective.
    ///
    /// Of equal elements it is the first in row-major order, whatever the distribution. A NaN is left
    /// out, unless there is nothing else.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.global_array::<i32, 2>([3, 4], Distribution::Cyclic)?;
    ///     if world.my_pe() == 0 {
    ///         remote!(grid[@1..3, 2]) = [-5, -5];
    ///     }
    ///     assert_eq!(grid.minloc(), Some((-5, [1, 2])));
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce_with`](Global::reduce_with).
    #[track_caller]
    #[doc(alias = "MPI_MINLOC")]
    #[doc(alias = "argmin")]
    fn minloc(&self) -> Option<(Self::Value, Self::Index)>
    where
        Self::Value: ReduceOrdered,
    {
        located::<Min, Self>(self, "minloc")
    }

    /// Returns the largest element and its index on all PEs, or `None` if there are no elements.
    /// Collective.
    ///
    /// As [`minloc`](Global::minloc).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.global_array::<f32, 1>([9], Distribution::Cyclic)?;
    ///     if world.my_pe() == 1 {
    ///         remote!(line[@6]) = 2.5;
    ///     }
    ///     assert_eq!(line.maxloc(), Some((2.5, 6)));
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce_with`](Global::reduce_with).
    #[track_caller]
    #[doc(alias = "MPI_MAXLOC")]
    #[doc(alias = "argmax")]
    fn maxloc(&self) -> Option<(Self::Value, Self::Index)>
    where
        Self::Value: ReduceOrdered,
    {
        located::<Max, Self>(self, "maxloc")
    }

    /// Joins each element with all before it, and writes the results to `to`: an inclusive scan.
    /// Collective.
    ///
    /// Element `i` of `to` becomes the join of elements `0` to `i`. `to` has the same extent, any
    /// distribution, and may be this array. The operation is one of [`reduction`](crate::reduction).
    ///
    /// The indices are divided into one run for each PE, of [equal length](crate::Distribution::Block), in
    /// whatever distribution the arrays are. Each run is joined from left to right, and so are the
    /// results of the runs; element `i` is that of the runs before its own, joined with that of the
    /// elements of its run up to it. So all results depend on the number of PEs alone. Every PE needs
    /// memory for one run.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.global_array::<u32, 1>([7], Distribution::Cyclic)?;
    ///     let sums = world.global_array::<u32, 1>([7], Distribution::Cyclic)?;
    ///     world.local_phase(|p| line.mine_mut(p).into_iter().for_each(|(i, x)| *x = i as u32));
    ///     line.scan(Sum, &sums);
    ///     assert_eq!(remote!(sums[@..]), [0, 1, 3, 6, 10, 15, 21]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the extents differ, and as [`reduce_with`](Global::reduce_with).
    #[track_caller]
    fn scan<O, J: Global<Value = Self::Value, Index = usize>>(&self, operation: O, to: &J)
    where
        Self: OneAxis,
        Self::Value: ReducedBy<O>,
    {
        let _ = operation;
        scanned::<O, Self, J>("scan", self, to, None);
    }

    /// Sums all elements before each one, and writes the sums to `to`: an exclusive scan. Collective.
    ///
    /// Element `i` of `to` becomes the sum of elements `0` to `i - 1`, and element 0 becomes 0.
    /// Otherwise as [`scan`](Global::scan).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     // Where each list begins, from the lengths of the lists.
    ///     let lists = world.global_array::<usize, 1>([5], Distribution::Block)?;
    ///     world.local_phase(|p| lists.mine_mut(p).into_iter().for_each(|(i, x)| *x = i + 1));
    ///     lists.exscan(&lists);
    ///     assert_eq!(remote!(lists[@..]), [0, 1, 3, 6, 10]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`scan`](Global::scan).
    #[track_caller]
    fn exscan<J: Global<Value = Self::Value, Index = usize>>(&self, to: &J)
    where
        Self: OneAxis,
        Self::Value: Reduce,
    {
        scanned::<Sum, Self, J>("exscan", self, to, Some(zeros(1)[0]));
    }

    /// Copies all elements of `from`, which has the same extents and any distribution, to those of this
    /// array. Collective.
    ///
    /// Each PE reads what its part needs. What another PE holds of it is one transfer where it is
    /// contiguous or at one distance on both sides, as from blocks to cyclic, and from cyclic to blocks.
    /// The transfers from several PEs overlap. The values are those that the elements had when the last
    /// PE called, and all are there when the call returns.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let blocks = world.global_array::<usize, 1>([10], Distribution::Block)?;
    ///     let cyclic = world.global_array::<usize, 1>([10], Distribution::Cyclic)?;
    ///     world.local_phase(|p| blocks.mine_mut(p).into_iter().for_each(|(i, x)| *x = i));
    ///     cyclic.assign_from(&blocks);
    ///     let first = world.local_phase(|p| cyclic.as_slice(p)[1]);
    ///     assert_eq!(first, [3, 4, 5][world.my_pe()]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the extents differ, and in a local phase.
    #[track_caller]
    fn assign_from<J: Global<Value = Self::Value, Index = Self::Index>>(&self, from: &J) {
        let (extents, others) = (extents_of(self), extents_of(from));
        assert!(
            extents == others,
            "`assign_from` of {}, whose extents are {others:?}, to {}, whose extents are {extents:?}",
            from.whole().1,
            self.whole().1
        );
        let world = met(self);
        read_part(self, from);
        world.barrier_all();
    }
}

// Each on its own: with one implementation for all, the compiler would speak of it where a program calls
// `sum` of something else.
#[diagnostic::do_not_recommend]
impl<I: Item, const R: usize> Global for GlobalArray<I, R> where Rank<R>: Ranked {}
#[diagnostic::do_not_recommend]
impl<T: DividedType, D: StaticDistribution> Global for GlobalStatic<T, D> {}

/// Global arrays with one axis, along which a scan goes: the bound of a function that calls
/// [`scan`](Global::scan) of any of them.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::reduction::Sum;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let line = world.global_array::<u32, 1>([5], Distribution::Block)?; // one axis
///     let sums = world.global_array::<u32, 1>([5], Distribution::Block)?;
///     world.local_phase(|p| line.mine_mut(p).into_iter().for_each(|(_, x)| *x = 2));
///     line.scan(Sum, &sums);
///     assert_eq!(remote!(sums[@..]), [2, 4, 6, 8, 10]);
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has several axes, and a scan goes along one",
    label = "more than one axis",
    note = "declare the array with one axis, or write a loop over the rows that a PE holds"
)]
pub trait OneAxis {}
#[diagnostic::do_not_recommend]
impl<I: Item> OneAxis for GlobalArray<I, 1> {}
#[diagnostic::do_not_recommend]
impl<I: Item + Slot, const N: usize, D: StaticDistribution> OneAxis for GlobalStatic<[I; N], D> {}
