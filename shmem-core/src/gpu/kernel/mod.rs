//! Kernels: functions of Rust that run in many threads of the device.
//!
//! `#[shmem::gpu::kernel]` makes two things of a function: one of Rust, which the compiler checks and
//! the back end `host` runs, and a text in CUDA C++, which [`LaunchKernel::cuda_source`] returns. What
//! a kernel may contain is in the documentation of the attribute. `docs/decisions/0010-kernels.md` has the reasons.
//!
//! * `memory.rs`: what `remote!`, `local!` and `wait!` do in a kernel;
//! * `ranges.rs`: the same for several elements, of a thread, a warp or a block;
//! * `collectives.rs`: collective calls of a thread, a warp or a block;
//! * `source.rs`: the text in CUDA C++, with that of the functions that a kernel calls;
//! * `cuda.rs`: kernels that the program has written in CUDA C++;
//! * `compile.rs`: machine code of a GPU, made of that text;
//! * `arguments.rs`: what a launch hands to a kernel;
//! * `rust.cuh`: Rust's numbers in C++, and NVSHMEM for the words of the language.

mod arguments;
mod collectives;
mod compile;
mod cuda;
mod memory;
mod ranges;
mod source;

use std::any::TypeId;
use std::panic::Location;

pub use arguments::{KernelParameter, Parameters};
pub use cuda::{CudaKernel, CudaParameter, CudaParameters};
pub use memory::{GlobalMemory, SharedArray};
use shmem_gpu::kernel::{self, LaunchGrid, ThreadPlace};
use shmem_gpu::nvshmem::{DeviceFunction, DeviceStream};
pub use source::{ConstantList, KernelScalar, KernelText};

use super::nvshmem;
use super::stream::Stream;
use super::team::{GpuTeam, Turn};
use crate::remote::stream::JointWork;
use crate::runtime::{self, direct};
use crate::system::error::Error;
use crate::transport::Ctx;

/// A function that `#[shmem::gpu::kernel]` has translated; the attribute implements it.
#[doc(hidden)]
pub trait KernelFunction {
    /// Whether the threads of a block need each other.
    const TOGETHER: bool;
    /// Whether it makes collective calls of all PEs.
    const MEETS: bool;
    /// The text in C++.
    const TEXT: &'static KernelText;
}

/// A function that can be launched; the attribute implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a function that returns `{Self}` is no kernel, and cannot be launched",
    label = "not a kernel",
    note = "mark the function with `#[shmem::gpu::kernel]`; a kernel that is launched returns nothing, and writes its results to device arrays"
)]
pub trait Kernel: KernelFunction + 'static {
    /// What it is called in messages.
    const TITLE: &'static str;
    /// The types of its parameters.
    type Parameters: Parameters;
    /// Calls the function, in a thread of the back end `host`.
    fn call(arguments: <Self::Parameters as Parameters>::Values<'_>);
}

/// What kernels have: `shift.launch(…)`, for a function marked with `#[shmem::gpu::kernel]`.
///
/// `P` and `K` are found by the compiler.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::gpu::kernel]
/// fn double(mut row: Global<f64>) {
///     let i = global_index();
///     local!(row[i]) = 2.0 * local!(row[i]);
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     let (stream, row) = (gpu.stream()?, gpu.full([4], 1.5)?);
///     double.launch(&stream, 1, 4, (&row,))?;
///     assert_eq!(row.to_vec(&stream)?, [3.0; 4]);
///     stream.synchronize()
/// }
/// ```
pub trait LaunchKernel<P, K>: Sized {
    /// Launches the kernel on `stream`, in `grid` blocks of `block` threads (`cudaLaunchKernel`). Not
    /// collective, unless the kernel makes collective calls or takes a team.
    ///
    /// The caller does not wait: the stream runs the kernel when it comes to it. The arguments are
    /// a tuple: a number where the kernel has a number, a reference to a device array where it has
    /// a `Global` ([`GlobalMemory`]), and a `&GpuTeam` where it has a `GpuTeam`. The compiler
    /// checks types and ranks.
    ///
    /// A failure in a thread, such as an index that is out of bounds, stops the stream. The next
    /// [`synchronize`](Stream::synchronize) returns it, with PE, block, thread, the line of the kernel
    /// and that of the launch. On the back end `nvshmem` it has the line of the launch, and the GPU prints
    /// the others.
    ///
    /// Where the kernel makes collective calls, or has a team as an argument, the launch is like a
    /// collective call on the stream: all PEs of these teams launch the kernel, in the same order
    /// as their other collective calls.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::gpu::kernel]
    /// fn fill(mut row: Global<f64>, step: f64) {
    ///     let i = global_index();
    ///     if i < row.len() {
    ///         local!(row[i]) = i as f64 * step;
    ///     }
    /// }
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, row) = (gpu.stream()?, gpu.zeros::<f64, 1>([5])?);
    ///     fill.launch(&stream, 2, 4, (&row, 0.5))?; // 2 blocks of 4 threads
    ///     assert_eq!(row.to_vec(&stream)?, [0.0, 0.5, 1.0, 1.5, 2.0]);
    ///     stream.synchronize()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the grid or the block has no threads, or more than a GPU runs. On the back end
    /// `nvshmem`, when the kernel cannot be compiled for the GPU, or loaded, and when it makes
    /// collective calls of a team that NVSHMEM does not have. With `SHMEM_GPU_COMPILE=sm_80,sm_90`,
    /// also when the kernel cannot be compiled for one of these GPUs, as
    /// [`compile`](LaunchKernel::compile) does.
    #[track_caller]
    #[doc(alias = "cudaLaunchKernel")]
    fn launch(
        &self,
        stream: &Stream,
        grid: usize,
        block: usize,
        arguments: <K::Parameters as Parameters>::Arguments<'_>,
    ) -> Result<(), Error>
    where
        K: Kernel,
    {
        let grid = LaunchGrid { blocks: grid, threads: block };
        grid.check().map_err(|reason| shmem_gpu::Error::launch(K::TITLE, reason))?;
        compile::as_asked::<K>()?;
        let held = K::Parameters::held(arguments);
        let world = K::MEETS.then(|| Stream::world_of(stream).clone());
        let teams: Vec<GpuTeam> = world.iter().chain(K::Parameters::teams(&held)).cloned().collect();
        let function = match nvshmem::device() {
            Some(device) => {
                for team in &teams {
                    team.on_a_device().map_err(|reason| shmem_gpu::Error::launch(K::TITLE, reason))?;
                }
                let name = K::TEXT.name;
                Some(device.function(TypeId::of::<K>(), K::TITLE, name, source::cuda_source::<K>)?)
            }
            None => None,
        };
        let call = (K::TITLE, Location::caller());
        GpuTeam::issue_in_turn(&teams, Stream::lane_of(stream), call, |turns| {
            Box::new(KernelLaunch::<K> { grid, held, function, world, turns })
        });
        Ok(())
    }

    /// Returns the kernel in CUDA C++, with all that it calls. Not collective.
    ///
    /// The text needs C++17 and the headers of NVSHMEM, and has the kernel as `extern "C"` under its
    /// own name. Indices, PEs and divisors are checked there too; overflow is where the program was
    /// built with `debug_assertions`. [`compile`](LaunchKernel::compile) compiles it.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::gpu::kernel]
    /// fn ring(mut inbox: Global<i32>, pe: usize) {
    ///     if thread_index() == 0 {
    ///         remote!(inbox[pe, 0]) = my_pe() as i32;
    ///     }
    /// }
    ///
    /// assert!(ring.cuda_source().contains("__global__ void ring(rs::Global<rs::i32, 1> inbox, rs::usize pe)"));
    /// ```
    #[must_use]
    fn cuda_source(&self) -> String
    where
        K: Kernel,
    {
        source::cuda_source::<K>()
    }

    /// Compiles the kernel for a GPU, with all that it calls, and links it with the device library of
    /// NVSHMEM. Returns the machine code, a cubin. Not collective.
    ///
    /// `architecture` is that of the GPU, such as `"sm_80"` for an A100 and `"sm_90"` for an H100. This
    /// needs CUDA's compiler NVRTC, its linker nvJitLink, and NVSHMEM, but no GPU and no driver. They are
    /// searched in `NVSHMEM_HOME`, `CUDA_HOME` or `CUDA_PATH`, in the path of the system's loader, and in
    /// the wheels of an active virtual environment.
    ///
    /// The first kernel for an architecture takes some seconds, because NVSHMEM's headers are compiled
    /// once. Everything that was compiled is kept in the folder `shmem/kernels` of `XDG_CACHE_HOME` or
    /// `~/.cache`, up to 256 MiB. PEs that compile the same kernel at the same time do it once.
    ///
    /// With `SHMEM_GPU_COMPILE=sm_80,sm_90` the first launch of each kernel compiles it for these GPUs too:
    /// so a program that runs on the back end `host` finds out whether its kernels compile.
    ///
    /// No GPU has run such machine code yet.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::gpu::kernel]
    /// fn ring(mut inbox: Global<i32>, pe: usize) {
    ///     if thread_index() == 0 {
    ///         remote!(inbox[pe, 0]) = my_pe() as i32;
    ///     }
    /// }
    ///
    /// match ring.compile("sm_90") {
    ///     Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF")),
    ///     Err(error) => println!("{error}"), // what is missing, and where it was searched
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When a library or a header is missing or cannot be used, when there is no such architecture, and when
    /// the compiler or the linker does not take the kernel.
    #[doc(alias = "nvrtcCompileProgram")]
    #[doc(alias = "nvJitLinkComplete")]
    fn compile(&self, architecture: &str) -> Result<Vec<u8>, Error>
    where
        K: Kernel,
    {
        compile::compile::<K>(architecture)
    }
}

macro_rules! functions {
    ($(($($parameter:ident)*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<F: Fn($($parameter),*) -> K, K, $($parameter),*> LaunchKernel<($($parameter,)*), K> for F {}
    )*};
}

functions! {
    () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F0) (A B C D E F0 G) (A B C D E F0 G H)
    (A B C D E F0 G H I) (A B C D E F0 G H I J) (A B C D E F0 G H I J L) (A B C D E F0 G H I J L M)
}

/// Runs a kernel in threads of this PE. Its collective calls without a team are those of `world`.
fn run_on_the_host<K: Kernel>(
    grid: LaunchGrid,
    held: &<K::Parameters as Parameters>::Held,
    world: Option<&GpuTeam>,
) -> Result<(), String> {
    let body = || collectives::in_world(world, || K::call(K::Parameters::values(held)));
    let result = kernel::run(grid, K::TOGETHER, &body);
    // The stream's own quiet is that of its context.
    runtime::get().transport().quiet(Ctx::DEFAULT);
    result.map_err(|failure| {
        let kernel::ThreadFailure { block, thread, text } = failure;
        format!("PE {}, block {block}, thread {thread}: {text}", direct::my_pe())
    })
}

/// A kernel on its way to the end of a stream.
struct KernelLaunch<K: Kernel> {
    grid: LaunchGrid,
    held: <K::Parameters as Parameters>::Held,
    /// The machine code, on a device.
    function: Option<DeviceFunction>,
    /// The team of calls without a team, if there are any.
    world: Option<GpuTeam>,
    /// Those of all teams.
    turns: Vec<Turn>,
}

impl<K: Kernel> JointWork for KernelLaunch<K> {
    fn on_the_host(self: Box<Self>) -> Result<(), String> {
        let KernelLaunch { grid, held, world, turns, .. } = *self;
        Turn::all(turns, || run_on_the_host::<K>(grid, &held, world.as_ref()))
    }

    fn on_a_device(self: Box<Self>, stream: &DeviceStream) -> Result<(), String> {
        let function = self.function.ok_or("the kernel was launched before the device was started")?;
        let words = K::Parameters::words(&self.held, stream.device());
        Turn::all(self.turns, || {
            // SAFETY: the macro has made the parameters of both texts of the same types, whose
            // layout `words` follows. The kernel accesses the arrays of its arguments alone, which
            // are kept, and checks indices and PEs.
            unsafe { stream.launch(function, self.grid, &words) }
        })
    }
}

/// What expansions name: the words of kernels.
#[doc(hidden)]
pub mod device {
    pub use shmem_gpu::kernel::ThreadScope;

    pub use super::collectives::{KernelTeam, team_barrier, team_sync};
    pub use super::memory::{shared, written};
    pub use super::ranges::KernelAxis;
    pub use super::{
        ConstantList, GlobalMemory, Kernel, KernelFunction, KernelScalar, KernelText, Parameters, SharedArray,
    };
    use super::{ThreadPlace, kernel, runtime};
    pub use crate::symmetric::Atomic;
    use crate::transport::Ctx;
    pub use crate::transport::operation::{And, Max, Min, Or, Prod, Sum, Xor};
    pub use crate::wait::Comparison;

    #[track_caller]
    fn place(word: &str) -> ThreadPlace {
        kernel::place().unwrap_or_else(|| {
            panic!("`{word}()` was called outside of a launch: a kernel runs by `kernel.launch(…)`")
        })
    }

    /// The number of this thread in its block.
    #[track_caller]
    pub fn thread_index() -> usize {
        place("thread_index").thread
    }

    /// The number of this thread's block.
    #[track_caller]
    pub fn block_index() -> usize {
        place("block_index").block
    }

    /// How many threads a block has.
    #[track_caller]
    pub fn block_size() -> usize {
        place("block_size").grid.threads
    }

    /// How many blocks there are.
    #[track_caller]
    pub fn grid_size() -> usize {
        place("grid_size").grid.blocks
    }

    /// The number of this thread among those of all blocks.
    #[track_caller]
    pub fn global_index() -> usize {
        let place = place("global_index");
        place.block * place.grid.threads + place.thread
    }

    /// The number of this PE.
    #[track_caller]
    pub fn my_pe() -> usize {
        crate::my_pe()
    }

    /// How many PEs there are.
    #[track_caller]
    pub fn n_pes() -> usize {
        crate::n_pes()
    }

    /// Waits until all threads of the block are here.
    #[track_caller]
    pub fn block_barrier() {
        place("block_barrier");
        kernel::barrier();
    }

    /// Orders the writes of this thread to each PE.
    #[track_caller]
    pub fn fence() {
        place("fence");
        runtime::get().transport().fence(Ctx::DEFAULT);
    }

    /// Completes the writes of this thread.
    #[track_caller]
    pub fn quiet() {
        place("quiet");
        runtime::get().transport().quiet(Ctx::DEFAULT);
    }
}
