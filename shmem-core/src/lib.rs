//! SPMD programs over symmetric memory, with an indexing language that the compiler checks.
//!
//! A program runs as several processes, its PEs. Each PE has a copy of every *symmetric* object.
//! Any PE can read, write and atomically update the copies of the others. These operations are
//! one-sided: the target makes no call.
//!
//! ```
//! use shmem::prelude::*;
//!
//! #[symmetric]
//! static HALO: [f64; 64] = [0.0; 64];
//! #[symmetric]
//! static ARRIVED: Atomic<u64> = Atomic::new(0);
//!
//! #[shmem::main(npes = 3)]
//! fn main(world: &World) {
//!     let right = (world.my_pe() + 1) % world.n_pes();
//!     remote!(HALO[right, 0..16;2]) = [1.0; 8]; // a strided put; the compiler checks bounds, length and type
//!     remote!(ARRIVED[right]) += 1; // an atomic add
//!     world.barrier_all();
//!     assert_eq!(local!(HALO[0..4]), [1.0, 0.0, 1.0, 0.0]);
//!     assert_eq!(local!(ARRIVED), 1);
//! }
//! ```
//!
//! `cargo run` starts the PEs on this machine, over shared memory. Nothing has to be installed.
//!
//! # What do I need?
//!
//! The last column names a page of the book, which is the folder `book/src` of the repository and
//! shows whole programs.
//!
//! | question | answer | page |
//! |---|---|---|
//! | How does a program begin? | [`#[shmem::main]`](macro@main) starts the PEs, and gives each a [`World`] | `first.md` |
//! | How do I declare what all PEs have? | [`#[symmetric]`](macro@symmetric) statics, of [`Symmetric`] elements, [`Atomic`] cells and [`PerPe`] slots | `statics.md` |
//! | And if I know the size at run time? | [`World::symmetric_array`], [`zeros`](World::zeros), [`ones`](World::ones), [`array_from_slice`](World::array_from_slice), [`array_from_fn`](World::array_from_fn) | `heap.md` |
//! | How do I read and write it? | [`remote!`] on any PE, [`local!`] on this one; [`Remote`] has the operations as methods | `slicing.md` |
//! | How do I update it safely? | [`Atomic`] cells: `remote!(COUNT[pe]) += 1` | `atomics.md` |
//! | When do others see it? | after [`World::barrier_all`], a [`quiet`](World::quiet) and a flag, or a [signal](Remote::put_signal) | `memory-model.md` |
//! | How do I wait for one PE? | [`wait!`] and [`poll!`]; [`Event`] | `waiting.md` |
//! | And for my neighbours? | [`World::sync_with`], [`World::barrier_with`] | `partners.md` |
//! | How do I add up over all PEs? | [`collective!`], on a [`Team`] of some of them too | `collectives.md` |
//! | How do I get a slice of my own copy? | [`World::local_phase`] | `phases.md` |
//! | How do I divide one array over the PEs? | [`GlobalArray`] by a [`Distribution`]; [`HaloArray`] with ghost cells | `global.md` |
//! | How do I compute while data moves? | [`World::nbi`]; a [`Context`](context::Context) | `contexts.md` |
//! | How do I send many small updates? | [`World::batch`] | `batches.md` |
//! | How do I exclude other PEs? | [`Lock`] | `locks.md` |
//! | How do I go on after a failure? | [`World::checkpoint`] and [`World::restore`] | `checkpoints.md` |
//! | How do I test it? | [`#[shmem::test(npes = [1, 2, 4])]`](macro@test) | `testing.md` |
//! | What does a function need? | [`#[shmem::kernel]`](macro@kernel), for `remote!(place) = value` in it | `forms.md` |
//! | Why does it hang, or fail? | `Ctrl-\` prints where each PE is; every error and exit status is listed | `debugging.md`, `exits.md` |
//! | Where are C's routines? | [`Team`], [`World`] and [`Remote`] have them under their OpenSHMEM names in the search | `routines.md` |
//! | How does it run on a cluster? | with the feature `openshmem`, unchanged | `clusters.md` |
//! | And on GPUs? | `World::gpu`, with the feature `gpu`; by default the host runs it | `gpu.md` |
//!
//! # Safety
//!
//! Safe code on one PE cannot cause undefined behaviour on another. Elements are valid for every
//! bit pattern. A PE accesses its own copy by value, and by reference only in a [local
//! phase](phase). Every selection is checked before it is used. A race yields unspecified values,
//! but no undefined behaviour.
//!
//! Between PEs, this depends on the processor. To the compiler of one process, the writes of
//! another process are like those of a device. Between threads of one PE, single elements are
//! atomic accesses, and on x86-64 longer runs are moved by instructions that the compiler does not
//! see. Two cases depend on LLVM and not on the language: threads of a PE that race on the same
//! bytes with two widths, as an element and as a field of it; and, on other processors, threads
//! that race on runs of elements.
//!
//! # Environment
//!
//! The page `variables.md` of the book lists all variables.
//!
//! `SHMEM_NPES` sets the number of PEs, and `SHMEM_SYMMETRIC_SIZE` the size of the symmetric memory
//! of each PE. With `SHMEM_INFO=1` a program lists all variables, and prints which transport it
//! uses and why. With `SHMEM_TIMEOUT=30s` a job in which no PE moves for so long ends, and says where
//! each PE waits; `Ctrl-\` says so at any time.
//!
//! `SHMEM_OUTPUT=label` puts the number of the PE before each line that a program prints, and
//! `SHMEM_OUTPUT=files=FOLDER` gives each PE files of its own. `SHMEM_BIND=core` binds each PE to a
//! processor. `SHMEM_DEBUGGER=gdb:3` starts a debugger on PE 3.
//!
//! A program that is built with the feature `openshmem` runs over the machine's OpenSHMEM library
//! if the library's launcher has started it (`oshrun -np 4 ./program`). Otherwise it runs on this
//! machine only. `SHMEM_TRANSPORT=smp` and `SHMEM_TRANSPORT=openshmem` override this. With
//! `SHMEM_TRANSPORT=openshmem`, a program or test that no launcher has started runs `oshrun`
//! itself, or the command in `SHMEM_LAUNCHER`. `SHMEM_TEST_NPES=1,4` restricts tests to these
//! numbers of PEs, and `SHMEM_TEST_NPES=3/2` runs each test once: at 3 PEs, or where it has no such
//! number at 2.
//!
//! # Features
//!
//! The first three add types of other crates. No feature is on by default.
//!
//! * `num-complex`: elements `num_complex::Complex<T>`; `sum` and `prod` of those of `f32` and
//!   `f64`;
//! * `half`: elements `half::f16` and `half::bf16`; `sum`, `prod`, `min` and `max`;
//! * `ndarray`: views of symmetric objects as `ndarray` arrays in a [local phase](phase);
//! * `tracing`: events and spans for programs that use the crate of this name, see below;
//! * `gpu`: the module `gpu`, with arrays and streams of GPUs in the language; they
//!   run on the host, or with NVSHMEM on GPUs, which was never tried on one;
//! * `openshmem`: the transport over the machine's OpenSHMEM library; the module `raw`, with the
//!   library's handles, for programs that call it themselves.
//!
//! `bench` is for the benchmarks of this repository, and is not part of the API. Nor is `untyped`,
//! which is for other faces of the runtime than the Rust language, nor `tool`, which is for `cargo
//! shmem`.
//!
//! With the feature `tracing`, a subscriber of the program sees, at level DEBUG, a span for each
//! collective call (target `shmem::collective`), each wait for cells or a lock that does not end at
//! once (`shmem::wait`), each local phase (`shmem::phase`) and each collective call on the heap
//! (`shmem::heap`). At level TRACE it sees an event for each put and get (`shmem::rma`), each atomic
//! operation (`shmem::amo`) and each fence and quiet (`shmem::order`). They have the fields
//! `operation`, `pe`, `peer`, `bytes`, `object` and `place`, as far as there is one. From the moment
//! when a subscriber is interested in `shmem::rma` or `shmem::amo`, every operation goes through the
//! transport, which is slower. The book has an example.

// The expansions of the macros name `::shmem`, here as everywhere.
#[allow(unused_extern_crates)]
extern crate self as shmem;

mod array;
mod batch;
// Unit tests compile it too, so that they show a change of the transport that breaks it.
#[cfg(any(feature = "bench", test))]
#[doc(hidden)]
pub mod bench;
mod checkpoint;
mod collective;
pub mod context;
mod event;
mod global;
#[cfg(feature = "gpu")]
pub mod gpu;
mod halo;
mod launch;
mod lock;
mod macros;
mod nbi;
mod number;
mod partners;
pub mod phase;
#[cfg(feature = "openshmem")]
pub mod raw;
mod remedies;
mod remote;
mod runtime;
pub mod select;
mod signal;

mod symmetric;
mod system;

mod text;
mod transport;
// Compiled always, so that every build shows a change that breaks it.
#[cfg(feature = "untyped")]
#[doc(hidden)]
pub mod untyped;
#[cfg(not(feature = "untyped"))]
#[allow(dead_code, unreachable_pub, unused_imports)]
mod untyped;
mod wait;

mod world;

#[cfg(test)]
mod far_tests;
#[cfg(all(test, feature = "openshmem"))]
mod message_tests;

/// The examples in the documentation of the attributes and the derive, which are in a crate that
/// cannot run them.
#[cfg(doctest)]
#[doc = include_str!("../../shmem-macros/docs/derive.md")]
#[doc = include_str!("../../shmem-macros/docs/kernel.md")]
#[cfg_attr(feature = "gpu", doc = include_str!("../../shmem-macros/docs/gpu_kernel.md"))]
#[doc = include_str!("../../shmem-macros/docs/main.md")]
#[doc = include_str!("../../shmem-macros/docs/symmetric.md")]
#[doc = include_str!("../../shmem-macros/docs/test.md")]
struct ExamplesOfAttributes;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ExampleOfReadme;

#[doc(hidden)]
pub mod __private;

#[cfg(feature = "tool")]
#[doc(hidden)]
pub use launch::tool;

pub use array::{Allocation, Hint, SymmetricArray};
pub use batch::Batch;
pub use collective::{Global, OneAxis};
pub use event::Event;
pub use global::{Distribution, DividedType, GlobalArray, GlobalStatic, Mine};
pub use halo::{Halo, HaloArray, HaloStatic, HaloType, HaloView, HaloViewMut};
pub use lock::{Lock, LockGuard, LockRef};
pub use nbi::Nbi;
pub use number::HasOne;
pub use remote::{Remote, Source, Target, Values};
pub use runtime::team::Team;
#[doc(inline)]
pub use shmem_macros::{Symmetric, kernel, main, symmetric, test};
pub use signal::SignalOp;
pub use symmetric::{
    Atomic, AtomicBits, AtomicInteger, AtomicValue, GlobalIndex, Item, PerPe, Rank, Ranked, Static,
    StaticElement, StaticType, Symmetric,
};
pub use system::error::Error;
pub use system::threads::ThreadLevel;
pub use wait::{Comparison, Except, Waitable};
pub use world::World;

// Bounds that messages of the compiler name, and that no program writes.
#[doc(hidden)]
pub use collective::{Fits, Moved, OnTeam};
#[doc(hidden)]
pub use global::{DividedElementOf, GlobalObject, OfWhole, WholeType};
#[doc(hidden)]
pub use halo::{HaloElementOf, HaloRank};
#[doc(hidden)]
pub use lock::{Declared, LockIndex, OneLock};
#[doc(hidden)]
pub use number::{Reduce, ReduceBits, ReduceOrdered};
#[doc(hidden)]
pub use remote::{
    Arithmetic, AtOnce, Bitwise, Deferred, Delivery, OfRank, OnContext, OneElement, SliceForm, SourceOn,
};
#[doc(hidden)]
pub use select::{Across, GlobalSelector, Selector};
#[doc(hidden)]
pub use symmetric::{ElementOf, Object, Slot};
#[doc(hidden)]
pub use wait::OneCell;

/// The version of this crate (`shmem_info_get_name`), which `SHMEM_VERSION=1` prints.
///
/// ```
/// assert_eq!(shmem::CRATE_VERSION.split('.').count(), 3);
/// ```
#[doc(alias = "VERSION")]
#[doc(alias = "shmem_info_get_name")]
#[doc(alias = "SHMEM_VENDOR_STRING")]
pub const CRATE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The newest version of the OpenSHMEM specification whose routines this library has, as major and
/// minor number (`shmem_info_get_version`).
///
/// ```
/// let (major, minor) = shmem::OPENSHMEM_VERSION;
/// println!("shmem {}, OpenSHMEM {major}.{minor}", shmem::CRATE_VERSION);
/// assert_eq!((major, minor), (1, 6));
/// ```
#[doc(alias = "VERSION")]
#[doc(alias = "shmem_info_get_version")]
#[doc(alias = "SHMEM_MAJOR_VERSION")]
#[doc(alias = "SHMEM_MINOR_VERSION")]
pub const OPENSHMEM_VERSION: (u32, u32) = (1, 6);

/// Returns the number of this PE, from 0 on (`shmem_my_pe`). It is [`World::my_pe`] for code
/// without a `&World`. Not collective.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static LEFT: u64 = 0;
///
/// fn greet_right() {
///     let right = (shmem::my_pe() + 1) % shmem::n_pes();
///     remote!(LEFT[right] = shmem::my_pe() as u64);
/// }
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) {
///     greet_right();
///     world.barrier_all();
///     assert_eq!(local!(LEFT), (world.my_pe() as u64 + 2) % 3);
/// }
/// ```
///
/// # Panics
///
/// Outside of a job, which begins when the function marked [`#[shmem::main]`](macro@main) or
/// [`#[shmem::test]`](macro@test) is called.
#[inline]
#[must_use]
#[track_caller]
#[doc(alias = "shmem_my_pe")]
#[doc(alias = "_my_pe")]
#[doc(alias = "rank")]
pub fn my_pe() -> usize {
    runtime::direct::assert_in_a_job("my_pe");
    runtime::direct::my_pe()
}

/// Returns the number of PEs of the job (`shmem_n_pes`). It is [`World::n_pes`] for code without a
/// `&World`. Not collective.
///
/// ```
/// use shmem::prelude::*;
///
/// /// The part of `0..n` that this PE works on.
/// fn mine(n: usize) -> std::ops::Range<usize> {
///     let (me, n_pes) = (shmem::my_pe(), shmem::n_pes());
///     n * me / n_pes..n * (me + 1) / n_pes
/// }
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) {
///     assert_eq!(mine(10), [0..3, 3..6, 6..10][world.my_pe()]);
/// }
/// ```
///
/// # Panics
///
/// As [`my_pe`].
#[inline]
#[must_use]
#[track_caller]
#[doc(alias = "shmem_n_pes")]
#[doc(alias = "_num_pes")]
#[doc(alias = "size")]
pub fn n_pes() -> usize {
    runtime::direct::assert_in_a_job("n_pes");
    runtime::direct::n_pes()
}

/// The operations of reductions, as types: the first argument of [`Team::reduce`] and similar
/// methods.
pub mod reduction {
    pub use crate::number::ReducedBy;
    pub use crate::transport::operation::{And, Max, Min, Operation, Or, Prod, Sum, Xor};
}

/// The distributions of global statics, as types: the second parameter of [`GlobalStatic`].
pub mod distribution {
    pub use crate::global::{Block2dParts, BlockCyclicParts, BlockParts, CyclicParts, StaticDistribution};
}

/// What a program needs: `use shmem::prelude::*;`
pub mod prelude {
    pub use crate::context::Context;
    #[cfg(feature = "gpu")]
    pub use crate::gpu::LaunchKernel as _;
    pub use crate::phase::Phase;
    #[doc(hidden)]
    pub use crate::remedies::CellMethods as _;
    #[doc(hidden)]
    pub use crate::remote::BatchMethods as _;
    pub use crate::{
        Atomic, Distribution, Event, Global, GlobalArray, Lock, PerPe, Remote, Symmetric, SymmetricArray,
        Team, World, collective, local, remote, symmetric,
    };
    pub use crate::{Comparison, SignalOp, poll, wait};
}
