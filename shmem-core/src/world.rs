//! The world: all PEs of a job.

use std::fmt;
use std::panic::Location;

use crate::array::{Allocation, SymmetricArray};
use crate::global::{Distribution, GlobalArray};
use crate::number::HasOne;
use crate::remedies::{Collective, Memory, NonBlocking, OfTeam, RankName, Transfer};
use crate::runtime::direct;
use crate::runtime::observe::{self, ObservedCall};
use crate::runtime::team::Team;
use crate::runtime::{self, Runtime};
use crate::runtime::{block, heap};
use crate::symmetric::Item;
use crate::symmetric::shape::{Rank, Ranked};
use crate::system::error::Error;
use crate::system::threads::ThreadLevel;
use crate::transport::Ctx;

/// All PEs of the job, with their collective calls.
///
/// A function marked [`#[shmem::main]`](macro@crate::main) or [`#[shmem::test]`](macro@crate::test)
/// gets a reference to the world.
///
/// Every PE must make the same collective calls in the same order, and only one thread of a PE at a
/// time may make them. Any thread may call the other methods.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static VALUE: u64 = 0;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let right = (world.my_pe() + 1) % world.n_pes();
///     remote!(VALUE[right]) = 7;
///     world.barrier_all();
///     assert_eq!(local!(VALUE), 7);
/// }
/// ```
#[doc(alias = "shmem_query_initialized")]
pub struct World {
    team: &'static Team,
    /// The PEs that address each other's memory, and those on one host.
    shared: &'static Team,
    node: &'static Team,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("team", self.team()).finish_non_exhaustive()
    }
}

impl World {
    /// The world of a process that has joined its job.
    pub(crate) fn new(runtime: &'static Runtime) -> World {
        World { team: runtime.team(), shared: runtime.shared_team(), node: runtime.node_team() }
    }

    /// Returns the team of all PEs (`SHMEM_TEAM_WORLD`). Its numbers are those of the world. Not
    /// collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     assert_eq!(world.team().my_pe(), world.my_pe());
    ///     // Every other team comes from a split of this one.
    ///     let first = world.team().split_list(&[0])?;
    ///     assert_eq!(first.is_some(), world.my_pe() == 0);
    ///     Ok(())
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "SHMEM_TEAM_WORLD")]
    pub fn team(&self) -> &Team {
        self.team
    }

    /// Returns the team of the PEs that are directly addressable from this PE
    /// (`SHMEM_TEAM_SHARED`). Not collective.
    ///
    /// On the embedded transport, all PEs are on one host and in this team. Over a C library, the
    /// team has the PEs of this host whose memory the library maps. This may be only the calling
    /// PE.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // PE 1, where loads and stores reach it.
    ///     let near = world.team().translate(1, world.shared_team());
    ///     println!("PE 1 is directly addressable: {}", near.is_some());
    ///     // Its own memory a PE can always address.
    ///     assert!(world.shared_team().world_pes().any(|pe| pe == world.my_pe()));
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "SHMEM_TEAM_SHARED")]
    pub fn shared_team(&self) -> &Team {
        self.shared
    }

    /// Returns the team of the PEs on this PE's host (NVSHMEM's `NVSHMEM_TEAM_NODE`). Not
    /// collective.
    ///
    /// On the embedded transport these are all PEs.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // One PE of each host counts it.
    ///     let is_first = world.node_team().my_pe() == 0;
    ///     let hosts = collective!(sum u64::from(is_first));
    ///     assert!((1..=world.n_pes() as u64).contains(&hosts));
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "NVSHMEM_TEAM_NODE")]
    pub fn node_team(&self) -> &Team {
        self.node
    }

    /// Returns the number of this PE, from 0 on (`shmem_my_pe`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INPUT: u64 = 0;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     if world.my_pe() == 0 {
    ///         remote!(INPUT[1]) = 42; // PE 0 alone does this
    ///     }
    ///     world.barrier_all();
    ///     assert_eq!(local!(INPUT), if world.my_pe() == 1 { 42 } else { 0 });
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "shmem_my_pe")]
    #[doc(alias = "_my_pe")]
    pub fn my_pe(&self) -> usize {
        direct::my_pe()
    }

    /// Returns the number of PEs of the job (`shmem_n_pes`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // The PEs deal the numbers 0 to 99 out among themselves.
    ///     let mine: u64 = (0..100).skip(world.my_pe()).step_by(world.n_pes()).sum();
    ///     assert_eq!(collective!(sum mine), 4950);
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "shmem_n_pes")]
    #[doc(alias = "_num_pes")]
    pub fn n_pes(&self) -> usize {
        direct::n_pes()
    }

    /// Returns whether there is a PE `pe`, which operations can then reach (`shmem_pe_accessible`).
    /// Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     assert!(world.pe_accessible(world.n_pes() - 1));
    ///     assert!(!world.pe_accessible(world.n_pes())); // numbers begin with 0
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "shmem_pe_accessible")]
    pub fn pe_accessible(&self, pe: usize) -> bool {
        pe < direct::n_pes()
    }

    /// Synchronises all PEs, and completes all puts and atomic updates (`shmem_barrier_all`).
    /// Collective.
    ///
    /// After the barrier, every PE sees everything that any PE wrote before it.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: usize = 0;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let (me, n) = (world.my_pe(), world.n_pes());
    ///     remote!(INBOX[(me + 1) % n]) = me;
    ///     world.barrier_all();
    ///     assert_eq!(local!(INBOX), (me + n - 1) % n); // what the left neighbour has put
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When another thread of this PE is in a collective call of the same team. In a checked run
    /// (see [`collective!`](crate::collective!)), also when the PEs are in different collective
    /// calls.
    #[track_caller]
    #[doc(alias = "shmem_barrier_all")]
    pub fn barrier_all(&self) {
        let runtime = runtime::get();
        let _inside = self.team.enter("barrier_all", Location::caller());
        let _span = if runtime.is_watched() { self.team.check("barrier_all") } else { ObservedCall::none() };
        runtime.barrier_all();
    }

    /// Synchronises all PEs (`shmem_sync_all`). Collective.
    ///
    /// It completes local stores only. Puts to other PEs may not have arrived, unless this PE
    /// called [`quiet`](World::quiet) before.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static MINE: usize = 0;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     local!(MINE) = 10 * world.my_pe();
    ///     world.sync_all(); // enough: every PE has written to its own copy alone
    ///     assert_eq!(remote!(MINE[2]), 20);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`barrier_all`](World::barrier_all).
    #[track_caller]
    #[doc(alias = "shmem_sync_all")]
    pub fn sync_all(&self) {
        let runtime = runtime::get();
        let _inside = self.team.enter("sync_all", Location::caller());
        let _span = if runtime.is_watched() { self.team.check("sync_all") } else { ObservedCall::none() };
        runtime.endpoint().meetings.sync_all();
    }

    /// Orders the puts and atomic updates to each PE (`shmem_fence`). Not collective.
    ///
    /// Operations before the fence arrive earlier than operations after it.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static DATA: [f64; 4] = [0.0; 4];
    /// #[symmetric]
    /// static READY: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     if world.my_pe() == 0 {
    ///         remote!(DATA[1, ..]) = [1.0, 2.0, 3.0, 4.0];
    ///         world.fence(); // the data arrive before the flag
    ///         remote!(READY[1]) = 1;
    ///     } else {
    ///         wait!(READY == 1);
    ///         assert_eq!(local!(DATA[..]), [1.0, 2.0, 3.0, 4.0]);
    ///     }
    /// }
    /// ```
    #[doc(alias = "shmem_fence")]
    pub fn fence(&self) {
        runtime::get().transport().fence(Ctx::DEFAULT);
    }

    /// Completes all puts and atomic updates of this PE (`shmem_quiet`). Not collective.
    ///
    /// When it returns, every PE sees them. A [`fence`](World::fence) orders them only for the PE
    /// whose copy they change. The [`quiet` of a context](crate::context::Context::quiet) completes
    /// the operations that were issued on that context.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static DATA: u64 = 0;
    /// #[symmetric]
    /// static READY: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     match world.my_pe() {
    ///         0 => {
    ///             remote!(DATA[2]) = 7;
    ///             world.quiet(); // a fence would not do: the flag goes to another PE
    ///             remote!(READY[1]) = 1;
    ///         }
    ///         1 => {
    ///             wait!(READY == 1);
    ///             assert_eq!(remote!(DATA[2]), 7);
    ///         }
    ///         _ => {}
    ///     }
    /// }
    /// ```
    #[doc(alias = "shmem_quiet")]
    #[doc(alias = "shmem_udcflush")]
    #[doc(alias = "shmem_udcflush_line")]
    #[doc(alias = "shmem_clear_cache_inv")]
    #[doc(alias = "shmem_set_cache_inv")]
    #[doc(alias = "shmem_clear_cache_line_inv")]
    #[doc(alias = "shmem_set_cache_line_inv")]
    pub fn quiet(&self) {
        runtime::get().transport().quiet(Ctx::DEFAULT);
    }

    /// Completes all puts and atomic updates of this PE to the PEs in `pes` (`shmem_pe_quiet`). Not
    /// collective.
    ///
    /// On the embedded transport it completes everything, as [`quiet`](World::quiet).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static DATA: u64 = 0;
    /// #[symmetric]
    /// static READY: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     match world.my_pe() {
    ///         0 => {
    ///             remote!(DATA[1]) = 6;
    ///             remote!(DATA[2]) = 7;
    ///             world.pe_quiet(&[2]); // does not wait for the put to PE 1
    ///             remote!(READY[1]) = 1;
    ///         }
    ///         1 => {
    ///             wait!(READY == 1);
    ///             assert_eq!(remote!(DATA[2]), 7);
    ///         }
    ///         _ => {}
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[track_caller]
    #[doc(alias = "shmem_pe_quiet")]
    pub fn pe_quiet(&self, pes: &[usize]) {
        for &pe in pes {
            self.team.check_pe(pe, "a PE to complete operations to");
        }
        runtime::get().transport().pe_quiet(Ctx::DEFAULT, pes);
    }

    /// Returns how the threads of a PE may call the library (`shmem_query_thread`). Not collective.
    ///
    /// This is the level that the program declares, as in `#[shmem::main(threads = single)]`, or
    /// [`ThreadLevel::Multiple`]. A C library is asked for this level at the start, but may provide a lower
    /// one.
    ///
    /// ```
    /// use shmem::ThreadLevel;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     assert!(world.thread_level() >= ThreadLevel::Serialized);
    /// }
    /// ```
    #[must_use]
    #[doc(alias = "shmem_query_thread")]
    #[doc(alias = "shmem_init_thread")]
    pub fn thread_level(&self) -> ThreadLevel {
        runtime::get().endpoint().facts.thread_level
    }

    /// Ends the whole job with exit status `status`, from any thread of any PE
    /// (`shmem_global_exit`). Not collective.
    ///
    /// It does not wait for the other PEs. They are stopped at any point, and their buffered output
    /// is lost. The standard output of this PE is flushed. The program ends with exactly this
    /// status, and reports it if it is not 0. If several PEs end the job at the same time, the
    /// status of one of them counts. A [`#[shmem::test]`](macro@crate::test) that ends with 0 has
    /// passed.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     if world.my_pe() == 1 {
    ///         println!("found");
    ///         world.global_exit(0);
    ///     }
    ///     // The others would search for ever.
    ///     loop {
    ///         std::thread::yield_now();
    ///     }
    /// }
    /// ```
    #[doc(alias = "shmem_global_exit")]
    pub fn global_exit(&self, status: u8) -> ! {
        crate::system::process::end_job(status)
    }

    /// Allocates an array of rank `R`, 1 to 4, on every PE, and sets every element to `init`
    /// (`shmem_malloc`, `shmem_calloc`). Collective.
    ///
    /// `extents` are in elements, the outermost axis first. All PEs give the same extents. `I` is
    /// the element type, or [`Atomic`](crate::Atomic) of it. When the call returns, the array
    /// exists on every PE.
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
    /// When the symmetric heap has no room for the array, when the machine has no memory for it,
    /// when the array needs more bytes than a machine can address, and when the PEs give different
    /// types or extents. Every PE gets the same error, and the heap does not change.
    #[track_caller]
    #[doc(alias = "shmem_malloc")]
    #[doc(alias = "shmalloc")]
    #[doc(alias = "full")]
    pub fn symmetric_array<I: Item, const R: usize>(
        &self,
        extents: [usize; R],
        init: I,
    ) -> Result<SymmetricArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        self.allocate().symmetric_array(extents, init)
    }

    /// Allocates one array of zeros whose elements are divided over all PEs (`shmem_calloc` of the
    /// parts). Collective.
    ///
    /// `extents` are those of the whole array, and `distribution` says which PE holds an index. Each
    /// PE allocates as much as the largest part needs. All PEs give the same extents and
    /// distribution. See [`GlobalArray`].
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let line = world.global_array::<f64, 1>([1000], Distribution::Block)?;
    ///     assert_eq!(line.part_extents(3), [250]);
    ///     let grid = world.global_array::<f64, 2>([100, 60], Distribution::Block2d)?;
    ///     assert_eq!(grid.part_extents(3), [50, 30]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the symmetric heap has no room for the part of a PE, when the whole array needs more bytes
    /// than a machine can address, when the array cannot be divided so, and when the PEs give
    /// different types, extents or distributions. Every PE gets the same error, and the heap does not
    /// change.
    #[track_caller]
    #[doc(alias = "shmem_calloc")]
    #[doc(alias = "distributed")]
    pub fn global_array<I: Item, const R: usize>(
        &self,
        extents: [usize; R],
        distribution: Distribution,
    ) -> Result<GlobalArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        self.allocate().global_array(extents, distribution)
    }

    /// Allocates an array of zeros on every PE (`shmem_calloc`). Collective.
    ///
    /// A zero is an element whose bytes are all 0. Memory that was never used reads as zeros, so
    /// this call does not touch it. Therefore there is no constructor that leaves elements
    /// uninitialised.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.zeros::<f64, 2>([100, 100])?;
    ///     let counts = world.zeros::<Atomic<u64>, 1>([8])?;
    ///     remote!(counts[0, 7]) += 1;
    ///     assert_eq!(local!(grid[99, 98..]), [0.0, 0.0]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`symmetric_array`](World::symmetric_array).
    #[track_caller]
    #[doc(alias = "shmem_calloc")]
    #[doc(alias = "empty")]
    // A name in full, which the compiler says where the element cannot be inferred.
    pub fn zeros<Element: Item, const R: usize>(
        &self,
        extents: [usize; R],
    ) -> Result<SymmetricArray<Element, R>, Error>
    where
        Rank<R>: Ranked,
    {
        self.allocate().zeros(extents)
    }

    /// Allocates an array of ones on every PE. Collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let weights = world.ones::<f32, 1>([4])?;
    ///     assert_eq!(remote!(weights[0, ..]), [1.0; 4]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`symmetric_array`](World::symmetric_array).
    #[track_caller]
    pub fn ones<I: Item + HasOne, const R: usize>(
        &self,
        extents: [usize; R],
    ) -> Result<SymmetricArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        self.allocate().ones(extents)
    }

    /// Allocates an array of rank 1 on every PE; each PE gives the values of its own copy.
    /// Collective.
    ///
    /// All PEs give slices of the same length. The values may differ.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let me = world.my_pe();
    ///     let squares = world.array_from_slice(&[me, me * me])?;
    ///     assert_eq!(remote!(squares[1, ..]), [1, 1]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`symmetric_array`](World::symmetric_array); also when the slices have different lengths.
    #[track_caller]
    #[doc(alias = "array")]
    pub fn array_from_slice<I: Item>(&self, values: &[I]) -> Result<SymmetricArray<I, 1>, Error> {
        self.allocate().array_from_slice(values)
    }

    /// Allocates an array on every PE, and calls `value` for each element of this PE's copy.
    /// Collective.
    ///
    /// `value` is called once with every index, in row-major order: the last index changes fastest.
    /// The other PEs wait meanwhile, so `value` must not make a collective call.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let me = world.my_pe();
    ///     let identity = world.array_from_fn([3, 3], |[i, j]| if i == j { me as f64 } else { 0.0 })?;
    ///     assert_eq!(remote!(identity[1, 0..2, ..]), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`symmetric_array`](World::symmetric_array). After an error, `value` has not been called.
    #[track_caller]
    pub fn array_from_fn<I: Item, const R: usize>(
        &self,
        extents: [usize; R],
        value: impl FnMut([usize; R]) -> I,
    ) -> Result<SymmetricArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        self.allocate().array_from_fn(extents, value)
    }

    /// Begins an allocation with an alignment or hints; a constructor completes it. Not collective,
    /// but the constructor is.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let page = world.allocate().align(4096).zeros::<f64, 1>([512])?;
    ///     assert_eq!(remote!(page[1, 511]), 0.0);
    ///     Ok(())
    /// }
    /// ```
    #[doc(alias = "shmem_align")]
    #[doc(alias = "shmemalign")]
    #[doc(alias = "shmem_malloc_with_hints")]
    pub fn allocate(&self) -> Allocation {
        Allocation::new()
    }

    /// Frees the memory of every array that all PEs have dropped. Collective.
    ///
    /// The next allocation does the same. Call this to free the memory earlier.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let before = world.heap_free();
    ///     drop(world.zeros::<f64, 1>([1000])?);
    ///     world.reclaim()?;
    ///     assert_eq!(world.heap_free(), before);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls.
    #[track_caller]
    pub fn reclaim(&self) -> Result<(), Error> {
        block::reclaim(runtime::get())
    }

    /// Returns how many bytes of the symmetric heap are free on each PE. Not collective.
    ///
    /// Memory that was dropped and not yet [reclaimed](World::reclaim) does not count as free.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let before = world.heap_free();
    ///     let array = world.zeros::<u8, 1>([1 << 16])?;
    ///     assert!(world.heap_free() <= before - (1 << 16));
    ///     drop(array);
    ///     assert!(world.heap_free() < before); // until it is reclaimed
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn heap_free(&self) -> usize {
        runtime::get();
        heap::free_bytes()
    }

    /// Controls the counting of operations in a run with `SHMEM_STATS=1`, and what is traced in one with
    /// `SHMEM_TRACE` (`shmem_pcontrol`). Not collective.
    ///
    /// Level 0 stops both on this PE, and level 1 resumes them. Level 2 and above prints the
    /// counts of this PE so far to standard error. In other runs, this call does nothing.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static A: [u8; 4] = [0; 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     world.pcontrol(0);
    ///     remote!(A[0, world.my_pe()]) = 1; // is not counted
    ///     world.pcontrol(1);
    /// }
    /// ```
    #[doc(alias = "shmem_pcontrol")]
    pub fn pcontrol(&self, level: u32) {
        observe::control(self.my_pe(), level);
    }
}

crate::remedies::methods! {
    [] World, [for<'x> &'x Self: NonBlocking] => put_nbi(A B C) get_nbi(A B C);
    [] World, [for<'x> &'x Self: Transfer] => put(A B C) get(A B C) p(A B C) g(A B) iput(A B C) iget(A B C);
    [] World, [for<'x> &'x Self: Memory] => malloc(A) calloc(A B) align(A B) realloc(A B) free(A);
    [] World, [for<'x> &'x Self: Collective] =>
        all_reduce(A) allreduce(A) reduce(A B) broadcast(A B) collect(A) fcollect(A) alltoall(A) all_gather(A) sum_reduce(A);
    [] World, [for<'x> &'x Self: OfTeam] => barrier() sync();
    [] World, [for<'x> &'x Self: RankName] => rank() size();
}
