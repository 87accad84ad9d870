//! Reductions and scans over the whole of a global array.
//!
//! Every PE joins the elements of its part, from copies of some at a time: another thread may do
//! anything meanwhile. Then all PEs join the results of all parts in the order of the PEs.

use super::elements::zeros;
use crate::global::GlobalArray;
use crate::number::{HasOne, Reduce, ReduceOrdered, ReducedBy};
use crate::runtime::{self, direct};
use crate::symmetric::shape::{GlobalIndex, MAX_RANK, Rank, Ranked};
use crate::symmetric::{Item, Symmetric};
use crate::transport::operation::{Max, Min, Prod, Sum};
use crate::world::World;

/// How many elements are copied at a time.
const AT_A_TIME: usize = 1024;

impl<I: Item, const R: usize> GlobalArray<I, R>
where
    Rank<R>: Ranked,
{
    /// Calls `each` with the elements of this PE's part, in their order.
    fn each_of_mine(&self, mut each: impl FnMut(I::Value)) {
        let len = self.len_here();
        let mut copies = zeros::<I::Value>(Ord::min(len, AT_A_TIME));
        for start in (0..len).step_by(AT_A_TIME) {
            let end = Ord::min(len, start + AT_A_TIME);
            let copies = &mut copies[..end - start];
            self.part_here(start..end).get_into(&mut *copies);
            copies.iter().for_each(|value| each(*value));
        }
    }

    /// Reduces all elements by a function of the program, and returns the result on all PEs, or `None`
    /// if there are no elements. Collective.
    ///
    /// Every PE joins the elements of its part from left to right, in the order of
    /// [`mine`](GlobalArray::mine). The results of the parts are joined in the order of the PEs. So the
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
    pub fn reduce_with(&self, join: impl Fn(I::Value, I::Value) -> I::Value) -> Option<I::Value> {
        self.joined("reduce_with", join)
    }

    #[track_caller]
    fn joined(&self, what: &'static str, join: impl Fn(I::Value, I::Value) -> I::Value) -> Option<I::Value> {
        World::new(runtime::get()).barrier_all();
        let mut mine = None;
        self.each_of_mine(|value| mine = Some(mine.map_or(value, |mine| join(mine, value))));
        self.of_each_part(what, mine).map(|(_, value)| value).reduce(join)
    }

    /// What each PE has found that holds elements, with its number.
    #[track_caller]
    fn of_each_part<T: Symmetric>(
        &self,
        what: &'static str,
        mine: Option<T>,
    ) -> impl Iterator<Item = (usize, T)> {
        let mine = mine.unwrap_or_else(|| zeros(1)[0]);
        let all = runtime::get().team().values_of_each(what, &[mine]);
        let holds = |pe: usize| self.part_extents(pe).iter().all(|&extent| extent > 0);
        all.into_iter().enumerate().filter(move |(pe, _)| holds(*pe))
    }

    /// Reduces all elements, and returns the result on all PEs, or `None` if there are no elements.
    /// Collective.
    ///
    /// The operation is one of [`reduction`](crate::reduction). The order is that of
    /// [`reduce_with`](GlobalArray::reduce_with).
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
    /// As [`reduce_with`](GlobalArray::reduce_with).
    #[track_caller]
    pub fn reduce<O>(&self, operation: O) -> Option<I::Value>
    where
        I::Value: ReducedBy<O>,
    {
        let _ = operation;
        self.joined(I::Value::NAME, |a, b| ReducedBy::<O>::join(a, b))
    }

    /// Returns the sum of all elements on all PEs; 0 if there are none. Collective.
    ///
    /// Integers wrap around. The order is that of [`reduce_with`](GlobalArray::reduce_with).
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
    /// As [`reduce_with`](GlobalArray::reduce_with).
    #[track_caller]
    pub fn sum(&self) -> I::Value
    where
        I::Value: Reduce,
    {
        self.reduce(Sum).unwrap_or_else(|| zeros(1)[0])
    }

    /// Returns the product of all elements on all PEs; 1 if there are none. Collective.
    ///
    /// Integers wrap around. The order is that of [`reduce_with`](GlobalArray::reduce_with).
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
    /// As [`reduce_with`](GlobalArray::reduce_with).
    #[track_caller]
    #[doc(alias = "product")]
    pub fn prod(&self) -> I::Value
    where
        I::Value: Reduce + HasOne,
    {
        self.reduce(Prod).unwrap_or(I::Value::ONE)
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
    /// As [`reduce_with`](GlobalArray::reduce_with).
    #[track_caller]
    pub fn min(&self) -> Option<I::Value>
    where
        I::Value: ReduceOrdered,
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
    /// As [`reduce_with`](GlobalArray::reduce_with).
    #[track_caller]
    pub fn max(&self) -> Option<I::Value>
    where
        I::Value: ReduceOrdered,
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
    /// As [`reduce_with`](GlobalArray::reduce_with).
    #[track_caller]
    #[doc(alias = "MPI_MINLOC")]
    #[doc(alias = "argmin")]
    pub fn minloc(&self) -> Option<(I::Value, <Rank<R> as Ranked>::Index)>
    where
        I::Value: ReduceOrdered,
    {
        self.located::<Min>("minloc")
    }

    /// Returns the largest element and its index on all PEs, or `None` if there are no elements.
    /// Collective.
    ///
    /// As [`minloc`](GlobalArray::minloc).
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
    /// As [`reduce_with`](GlobalArray::reduce_with).
    #[track_caller]
    #[doc(alias = "MPI_MAXLOC")]
    #[doc(alias = "argmax")]
    pub fn maxloc(&self) -> Option<(I::Value, <Rank<R> as Ranked>::Index)>
    where
        I::Value: ReduceOrdered,
    {
        self.located::<Max>("maxloc")
    }

    #[track_caller]
    fn located<O>(&self, what: &'static str) -> Option<(I::Value, <Rank<R> as Ranked>::Index)>
    where
        I::Value: ReducedBy<O>,
    {
        // NaNs are not equal to anything, and are replaced by everything else.
        let is_better = |one: I::Value, other: I::Value| {
            let joined = one.join(other);
            joined == other && joined != one
        };
        World::new(runtime::get()).barrier_all();
        let (mut mine, mut at) = (None, 0);
        self.each_of_mine(|value| {
            if mine.is_none_or(|(best, _)| is_better(best, value)) {
                mine = Some((value, at));
            }
            at += 1;
        });
        let number = |place: usize| -> u64 {
            let index = self.mine().nth(place).expect("a place of the part");
            let number =
                index.numbers().into_iter().zip(self.extents()).fold(0, |number, (i, n)| number * n + i);
            number as u64
        };
        let values = self.of_each_part(what, mine.map(|(value, _)| value));
        let numbers = self.of_each_part(what, mine.map(|(_, place)| number(place)));
        let (value, number) = values
            .zip(numbers)
            .map(|((_, value), (_, number))| (value, number as usize))
            .reduce(|one, other| {
            let is_first = || other.1 < one.1 && (other.0 == one.0 || !is_better(other.0, one.0));
            if is_better(one.0, other.0) || is_first() { other } else { one }
        })?;
        let (mut index, mut rest) = ([0; MAX_RANK], number);
        for (axis, extent) in self.extents().into_iter().enumerate().rev() {
            index[axis] = rest % extent;
            rest /= extent;
        }
        Some((value, GlobalIndex::of(index)))
    }
}

impl<I: Item> GlobalArray<I, 1> {
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
    /// When the extents differ, and as [`reduce_with`](GlobalArray::reduce_with).
    #[track_caller]
    pub fn scan<O, J: Item<Value = I::Value>>(&self, operation: O, to: &GlobalArray<J, 1>)
    where
        I::Value: ReducedBy<O>,
    {
        let _ = operation;
        self.scanned::<O, J>("scan", to, None);
    }

    /// Sums all elements before each one, and writes the sums to `to`: an exclusive scan. Collective.
    ///
    /// Element `i` of `to` becomes the sum of elements `0` to `i - 1`, and element 0 becomes 0.
    /// Otherwise as [`scan`](GlobalArray::scan).
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
    /// As [`scan`](GlobalArray::scan).
    #[track_caller]
    pub fn exscan<J: Item<Value = I::Value>>(&self, to: &GlobalArray<J, 1>)
    where
        I::Value: Reduce,
    {
        self.scanned::<Sum, J>("exscan", to, Some(zeros(1)[0]));
    }

    /// `first` is what index 0 gets, in a scan that leaves out each element itself.
    #[track_caller]
    fn scanned<O, J: Item<Value = I::Value>>(
        &self,
        what: &'static str,
        to: &GlobalArray<J, 1>,
        first: Option<I::Value>,
    ) where
        I::Value: ReducedBy<O>,
    {
        let ([n], [other]) = (self.extents(), to.extents());
        assert!(n == other, "`{what}` of {self:?}, which has {n} elements, to {to:?}, which has {other}");
        let world = World::new(runtime::get());
        world.barrier_all();
        let len = n.div_ceil(direct::n_pes());
        let start = |pe: usize| Ord::min(pe.saturating_mul(len), n);
        let of = |pe: usize| start(pe)..start(pe + 1);
        let mine = of(direct::my_pe());
        let mut values = crate::remote!(self[@mine]);
        let mut joined = None;
        for value in &mut values {
            let next = joined.map_or(*value, |joined: I::Value| joined.join(*value));
            joined = Some(next);
            *value = next;
        }
        let all = world.team().values_of_each(what, &[joined.unwrap_or_else(|| zeros(1)[0])]);
        let before = &all[..direct::my_pe()];
        let before = before.iter().enumerate().filter(|(pe, _)| !of(*pe).is_empty());
        let before = before.map(|(_, total)| *total).reduce(|a, b| a.join(b));
        if let Some(before) = before {
            values.iter_mut().for_each(|value| *value = before.join(*value));
        }
        if let (Some(first), false) = (first, values.is_empty()) {
            values.rotate_right(1);
            values[0] = before.unwrap_or(first);
        }
        crate::remote!(&to[@mine]).put(&values);
        world.barrier_all();
    }
}
