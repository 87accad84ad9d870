//! The world: all PEs of a job.

use std::panic::Location;

use crate::direct;
use crate::error::Error;
use crate::runtime;
use crate::symmetric::shape::{Rank, Ranked};
use crate::symmetric::{Item, SymmetricArray};

/// All PEs of the job, and what they do together.
///
/// A function marked [`#[shmem::main]`](macro@crate::main) or [`#[shmem::test]`](macro@crate::test) gets a reference to it.
///
/// A collective call must be made by every PE, in the same order, and by one thread of a PE at a time. Everything else may be
/// called from any thread.
#[derive(Debug)]
pub struct World {
    _made_by_the_runtime: (),
}

impl World {
    pub(crate) fn new() -> World {
        World { _made_by_the_runtime: () }
    }

    /// The number of this PE, from 0 on (`shmem_my_pe`). Not collective.
    #[inline]
    #[must_use]
    #[doc(alias = "shmem_my_pe")]
    pub fn my_pe(&self) -> usize {
        direct::my_pe()
    }

    /// How many PEs there are (`shmem_n_pes`). Not collective.
    #[inline]
    #[must_use]
    #[doc(alias = "shmem_n_pes")]
    pub fn n_pes(&self) -> usize {
        direct::n_pes()
    }

    /// Waits for all PEs, and completes all puts and atomic updates (`shmem_barrier_all`). Collective.
    ///
    /// Behind it, every PE sees what any PE wrote before it.
    #[doc(alias = "shmem_barrier_all")]
    pub fn barrier_all(&self) {
        runtime::get().transport().barrier_all();
    }

    /// Waits for all PEs (`shmem_sync_all`). Collective.
    ///
    /// It completes local stores only: what was put to other PEs may not have arrived, unless [`quiet`](World::quiet) came first.
    #[doc(alias = "shmem_sync_all")]
    pub fn sync_all(&self) {
        runtime::get().transport().sync_all();
    }

    /// Orders the puts and atomic updates to each PE: those before the fence arrive ahead of those after it
    /// (`shmem_fence`). Not collective.
    #[doc(alias = "shmem_fence")]
    pub fn fence(&self) {
        runtime::get().transport().fence();
    }

    /// Completes all puts and atomic updates of this PE: when it returns, every PE sees them (`shmem_quiet`). Not collective.
    #[doc(alias = "shmem_quiet")]
    pub fn quiet(&self) {
        runtime::get().transport().quiet();
    }

    /// Allocates an array of rank `R`, 1 to 4, on every PE, with every element `init` (`shmem_malloc`, `shmem_calloc`). Collective.
    ///
    /// `extents` are in elements, the outermost axis first; all PEs give the same. The type is the element, or
    /// [`Atomic`](crate::Atomic) of it. When the call returns, the array is there on every PE.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let counts = world.symmetric_array::<Atomic<u64>, 1>([100], Atomic::new(0))?;
    ///     remote!(counts[0, 99]) += 1;
    ///     world.barrier_all();
    ///     assert_eq!(remote!(counts[0, 99]), world.n_pes() as u64);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the symmetric heap has no room for it, when the machine has no memory for it, and when the PEs call with different
    /// types or extents. The error is the same on every PE, and the heap is as it was.
    #[track_caller]
    #[doc(alias = "shmem_malloc")]
    #[doc(alias = "shmem_calloc")]
    #[doc(alias = "shmem_align")]
    pub fn symmetric_array<I: Item, const R: usize>(
        &self,
        extents: [usize; R],
        init: I,
    ) -> Result<SymmetricArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        SymmetricArray::allocate(runtime::get(), extents, init, Location::caller())
    }

    /// Returns the memory of every array that all PEs have dropped. Collective.
    ///
    /// The next allocation does the same; this is for a program that wants the memory back earlier.
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls.
    #[track_caller]
    pub fn reclaim(&self) -> Result<(), Error> {
        crate::symmetric::reclaim(runtime::get())
    }

    /// How many bytes of the symmetric heap are free on each PE, not counting what was dropped and not yet
    /// [reclaimed](World::reclaim). Not collective.
    #[must_use]
    pub fn heap_free(&self) -> usize {
        runtime::get().heap().report().1
    }
}
