//! The world: all PEs of a job.

use std::fmt;
use std::panic::Location;

use crate::array::{Allocation, SymmetricArray};
use crate::number::HasOne;
use crate::remedies::{Collective, Memory, NonBlocking, OfTeam, RankName, Transfer};
use crate::runtime::direct;
use crate::runtime::team::Team;
use crate::runtime::{self, Runtime};
use crate::runtime::{block, heap, statistics};
use crate::symmetric::Item;
use crate::symmetric::shape::{Rank, Ranked};
use crate::system::error::Error;
use crate::system::threads::ThreadLevel;
use crate::transport::Ctx;

/// All PEs of the job, and what they do together.
///
/// A function marked [`#[shmem::main]`](macro@crate::main) or [`#[shmem::test]`](macro@crate::test)
/// gets a reference to it.
///
/// A collective call must be made by every PE, in the same order, and by one thread of a PE at a
/// time. Everything else may be called from any thread.
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

    /// The team of all PEs (`SHMEM_TEAM_WORLD`), whose numbers are those of the world. Not
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

    /// The team of the PEs whose symmetric memory this PE can address (`SHMEM_TEAM_SHARED`). Not
    /// collective.
    ///
    /// On the embedded transport, where all PEs are on one host, these are all PEs. On a C library
    /// they are those of this PE's host whose memory the library maps, which may be this PE alone.
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

    /// The team of the PEs on this PE's host (NVSHMEM's `NVSHMEM_TEAM_NODE`). Not collective.
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

    /// The number of this PE, from 0 on (`shmem_my_pe`). Not collective.
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

    /// How many PEs there are (`shmem_n_pes`). Not collective.
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

    /// Whether there is a PE `pe` that operations reach (`shmem_pe_accessible`). Not collective.
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

    /// Waits for all PEs, and completes all puts and atomic updates (`shmem_barrier_all`).
    /// Collective.
    ///
    /// After it, every PE sees what any PE wrote before it.
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
    /// When another thread of this PE is in a collective call of the same team; and in checked runs
    /// (see [`collective!`](crate::collective!)), when the PEs are in different collective calls.
    #[track_caller]
    #[doc(alias = "shmem_barrier_all")]
    pub fn barrier_all(&self) {
        let runtime = runtime::get();
        let _inside = self.team.enter("barrier_all", Location::caller());
        if runtime.is_watched() {
            self.team.check("barrier_all");
        }
        runtime.barrier_all();
    }

    /// Waits for all PEs (`shmem_sync_all`). Collective.
    ///
    /// It completes local stores only: what was put to other PEs may not have arrived, unless
    /// [`quiet`](World::quiet) came first.
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
        if runtime.is_watched() {
            self.team.check("sync_all");
        }
        runtime.endpoint().meetings.sync_all();
    }

    /// Orders the puts and atomic updates to each PE (`shmem_fence`). Not collective.
    ///
    /// Those before the fence arrive ahead of those after it.
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
    /// When it returns, every PE sees them. [`fence`](World::fence) orders them only as each PE
    /// sees its own copy. Those that were issued on a [`Context`](crate::context::Context) are completed by
    /// [its own `quiet`](crate::context::Context::quiet).
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

    /// How many threads of a PE may call the library (`shmem_query_thread`). Not collective.
    ///
    /// The embedded transport is always at [`ThreadLevel::Multiple`]; a C library is asked for that
    /// at the start, and may grant less.
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
    /// It waits for no other PE: they are stopped wherever they are, and what they have in an
    /// output buffer is lost. This PE's standard output is flushed. The program ends with this very
    /// status; one that is not 0 is reported. Of PEs that end the job at the same time, one
    /// decides. A [`#[shmem::test]`](macro@crate::test) that ends with 0 has passed.
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

    /// Allocates an array of rank `R`, 1 to 4, on every PE, with every element `init`
    /// (`shmem_malloc`, `shmem_calloc`). Collective.
    ///
    /// `extents` are in elements, the outermost axis first; all PEs give the same. The type is the
    /// element, or [`Atomic`](crate::Atomic) of it. When the call returns, the array is there on
    /// every PE.
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
    /// When the symmetric heap has no room for it, when the machine has no memory for it, when its
    /// extents come to more bytes than a machine can address, and when the PEs call with different
    /// types or extents. The error is the same on every PE, and the heap is as it was.
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

    /// Allocates an array of zeros on every PE (`shmem_calloc`). Collective.
    ///
    /// A zero is an element all of whose bytes are 0. Memory that was never used reads as zeros
    /// already and is not touched, so there is no need for an array whose elements are left
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

    /// Allocates an array of rank 1 on every PE, each with the values that it gives. Collective.
    ///
    /// All PEs give slices of one length; the values are each PE's own.
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

    /// Allocates an array on every PE, and asks `value` for each element of this PE's copy.
    /// Collective.
    ///
    /// `value` is called with every index once, in row-major order: the last one runs fastest. The
    /// other PEs wait for it, so it makes no collective call itself.
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
    /// As [`symmetric_array`](World::symmetric_array). `value` is not called then.
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

    /// An allocation with an alignment or hints, to be ended by a constructor. Not collective; the
    /// constructor is.
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

    /// Returns the memory of every array that all PEs have dropped. Collective.
    ///
    /// The next allocation does the same; this is for a program that wants the memory back earlier.
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

    /// How many bytes of the symmetric heap are free on each PE. Not collective.
    ///
    /// What was dropped and not yet [reclaimed](World::reclaim) does not count as free.
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

    /// Controls the counting of operations in a run with `SHMEM_STATS=1` (`shmem_pcontrol`). Not
    /// collective.
    ///
    /// Level 0 stops it on this PE, and 1 resumes it. Level 2 and above prints what this PE has
    /// counted so far, to standard error. In other runs nothing is counted, and this does nothing.
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
        statistics::control(self.my_pe(), level);
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
