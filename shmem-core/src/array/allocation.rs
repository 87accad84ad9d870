//! The constructors of arrays and their options.

use std::panic::Location;

use super::SymmetricArray;
use crate::number::HasOne;
use crate::runtime;
pub use crate::runtime::block::Hint;
use crate::runtime::block::Wishes;
use crate::symmetric::Item;
use crate::symmetric::shape::{Rank, Ranked};
use crate::system::error::Error;

/// An allocation with an alignment and hints; [`World::allocate`](crate::World::allocate) begins
/// it.
///
/// It has the same constructors as [`World`](crate::World). Each of them is collective, and all PEs
/// give the same alignment and hints.
///
/// ```
/// use shmem::Hint;
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let page = world.allocate().align(4096).zeros::<f64, 1>([512])?;
///     let counts = world.allocate().hint(Hint::AtomicsRemote).zeros::<Atomic<u64>, 1>([8])?;
///     remote!(counts[0, 3]) += 1;
///     remote!(page[0, world.my_pe()]) = 1.0;
///     world.barrier_all();
///     if world.my_pe() == 0 {
///         assert_eq!(local!(counts[3]), 2);
///         assert_eq!(local!(page[0..2]), [1.0, 1.0]);
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "this allocates nothing: call a constructor, such as `zeros`"]
pub struct Allocation {
    wishes: Wishes,
}

impl Allocation {
    pub(crate) fn new() -> Allocation {
        Allocation { wishes: Wishes::default() }
    }

    /// What was asked for.
    pub(crate) fn wishes(self) -> Wishes {
        self.wishes
    }

    /// Makes each PE's copy start at a multiple of `bytes` (`shmem_align`). Not collective.
    ///
    /// `bytes` is a power of two. If the alignment of the element is larger, the constructor uses
    /// that one. Every array starts at a multiple of 64 in any case. The largest possible alignment
    /// is that of the symmetric heap: the largest power of two that is not larger than the heap,
    /// and at most 1 TiB. Over a C library, it is 2 MiB. The constructor returns an error for any
    /// other alignment.
    ///
    /// The alignment holds for the address at which a PE reaches its own copy, also in a local
    /// phase.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let page = world.allocate().align(4096).zeros::<f64, 1>([512])?;
    ///     let address = world.local_phase(|p| page.as_slice(p).as_ptr().addr());
    ///     assert_eq!(address % 4096, 0);
    ///     assert!(world.allocate().align(1000).zeros::<f64, 1>([512]).is_err());
    ///     Ok(())
    /// }
    /// ```
    #[doc(alias = "shmem_align")]
    pub fn align(mut self, bytes: usize) -> Allocation {
        self.wishes.align = Some(bytes);
        self
    }

    /// Announces the use of the array (`shmem_malloc_with_hints`). Not collective.
    ///
    /// Call it once for each hint. A hint may change the place of the array, but never its
    /// behaviour. If the PEs are processes of one machine, a hint changes nothing, because no two
    /// arrays share a cache line there.
    ///
    /// ```
    /// use shmem::Hint;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let options = world.allocate().hint(Hint::AtomicsRemote).hint(Hint::SignalRemote);
    ///     let arrived = options.zeros::<Atomic<u64>, 1>([1])?;
    ///     remote!(arrived[0, 0]) += 1;
    ///     world.barrier_all();
    ///     assert_eq!(remote!(arrived[0, 0]), 2);
    ///     Ok(())
    /// }
    /// ```
    #[doc(alias = "shmem_malloc_with_hints")]
    pub fn hint(mut self, hint: Hint) -> Allocation {
        self.wishes.hints |= hint.bit();
        self
    }

    /// Allocates an array whose elements are all `init`, with these options. Collective.
    ///
    /// Otherwise as [`World::symmetric_array`](crate::World::symmetric_array).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let image = world.allocate().align(4096).symmetric_array([2, 3], 255_u8)?;
    ///     assert_eq!(remote!(image[1, 0, ..]), [255; 3]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`World::symmetric_array`](crate::World::symmetric_array); also when the alignment is not
    /// possible, and when the PEs give different alignments or hints.
    #[track_caller]
    #[doc(alias = "full")]
    pub fn symmetric_array<I: Item, const R: usize>(
        self,
        extents: [usize; R],
        init: I,
    ) -> Result<SymmetricArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        SymmetricArray::full(runtime::get(), extents, self.wishes, init, Location::caller())
    }

    /// Allocates an array of zeros, with these options (`shmem_calloc`). Collective.
    ///
    /// Otherwise as [`World::zeros`](crate::World::zeros).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     // Each row of 8 numbers is a cache line.
    ///     let rows = world.allocate().align(64).zeros::<f64, 2>([4, 8])?;
    ///     assert_eq!(remote!(rows[1, 3, ..]), [0.0; 8]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`symmetric_array`](Allocation::symmetric_array).
    #[track_caller]
    #[doc(alias = "shmem_calloc")]
    #[doc(alias = "empty")]
    pub fn zeros<I: Item, const R: usize>(self, extents: [usize; R]) -> Result<SymmetricArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        // SAFETY: an item is its value, which is `Symmetric`: every bit pattern is a valid one.
        let zero: I = unsafe { std::mem::zeroed() };
        self.symmetric_array(extents, zero)
    }

    /// Allocates an array of ones, with these options. Collective.
    ///
    /// Otherwise as [`World::ones`](crate::World::ones).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let factors = world.allocate().align(4096).ones::<f32, 1>([4])?;
    ///     assert_eq!(remote!(factors[1, ..]), [1.0; 4]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`symmetric_array`](Allocation::symmetric_array).
    #[track_caller]
    pub fn ones<I: Item + HasOne, const R: usize>(
        self,
        extents: [usize; R],
    ) -> Result<SymmetricArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        self.symmetric_array(extents, I::ONE)
    }

    /// Allocates an array of rank 1 with these options; each PE gives the values of its own copy.
    /// Collective.
    ///
    /// Otherwise as [`World::array_from_slice`](crate::World::array_from_slice).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let me = world.my_pe() as u64;
    ///     let pair = world.allocate().align(128).array_from_slice(&[me, 10 + me])?;
    ///     assert_eq!(remote!(pair[1, ..]), [1, 11]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`symmetric_array`](Allocation::symmetric_array); also when the slices have different
    /// lengths.
    #[track_caller]
    #[doc(alias = "array")]
    pub fn array_from_slice<I: Item>(self, values: &[I]) -> Result<SymmetricArray<I, 1>, Error> {
        SymmetricArray::from_slice(runtime::get(), self.wishes, values, Location::caller())
    }

    /// Allocates an array with these options, and sets each element to the result of `value` for
    /// its index. Collective.
    ///
    /// Otherwise as [`World::array_from_fn`](crate::World::array_from_fn).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.allocate().align(128).array_from_fn([2, 3], |[i, j]| 10 * i + j)?;
    ///     assert_eq!(remote!(grid[1, .., ..]), [0, 1, 2, 10, 11, 12]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`symmetric_array`](Allocation::symmetric_array).
    #[track_caller]
    pub fn array_from_fn<I: Item, const R: usize>(
        self,
        extents: [usize; R],
        value: impl FnMut([usize; R]) -> I,
    ) -> Result<SymmetricArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        SymmetricArray::from_fn(runtime::get(), extents, self.wishes, value, Location::caller())
    }
}
