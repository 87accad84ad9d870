//! The elements of one global array into another one that is divided otherwise.

use crate::global::GlobalArray;
use crate::runtime;
use crate::symmetric::Item;
use crate::symmetric::shape::{Rank, Ranked};
use crate::world::World;

impl<I: Item, const R: usize> GlobalArray<I, R>
where
    Rank<R>: Ranked,
{
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
    pub fn assign_from<J: Item<Value = I::Value>>(&self, from: &GlobalArray<J, R>) {
        let (extents, others) = (self.extents(), from.extents());
        assert!(
            extents == others,
            "`assign_from` of {from:?}, whose extents are {others:?}, to {self:?}, whose extents are {extents:?}"
        );
        let world = World::new(runtime::get());
        world.barrier_all();
        self.read_part(from);
        world.barrier_all();
    }
}
