//! Kernels that the program has written in CUDA C++ itself.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

use shmem_gpu::kernel::LaunchGrid;
use shmem_gpu::nvshmem::{DeviceFunction, DeviceStream};

use super::arguments::{KernelParameter, Parameters};
use super::collectives::KernelTeam;
use super::memory::GlobalMemory;
use super::{Kernel, LaunchKernel, compile, run_on_the_host};
use crate::gpu::stream::Stream;
use crate::gpu::team::{GpuTeam, Turn};
use crate::gpu::{DeviceArray, nvshmem};
use crate::remote::stream::JointWork;
use crate::symmetric::{Item, Rank, Ranked};
use crate::system::error::Error;

/// A kernel that is written in CUDA C++, with the types of its parameters.
///
/// `P` is a tuple: a number where the kernel has that number, `&DeviceArray<T, RANK>` where it has
/// a pointer to the elements of this PE's copy, and [`&GpuTeam`](GpuTeam) where it has an
/// `nvshmem_team_t`. The compiler checks the arguments of a launch against it. The back end
/// `nvshmem` compares how many parameters the kernel has, and their sizes, where the driver is one
/// for CUDA 12.4 or later.
///
/// The text is compiled as that of [kernels in Rust](macro@crate::gpu::kernel), at the first
/// launch, and kept on disk. It may include `nvshmem.h` and `nvshmemx.h`, and call NVSHMEM.
/// [`include_str!`] takes it from a file.
///
/// The back end `host` runs Rust: [`or`](CudaKernel::or) names the kernel that it runs in place of
/// this one.
///
/// ```
/// use shmem::gpu::{CudaKernel, DeviceArray};
/// use shmem::prelude::*;
///
/// const AXPY: CudaKernel<(&DeviceArray<f32, 1>, &DeviceArray<f32, 1>, f32, usize)> = CudaKernel::new(
///     "axpy",
///     r#"
///     extern "C" __global__ void axpy(float *y, const float *x, float a, size_t n) {
///         size_t i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) y[i] += a * x[i];
///     }
///     "#,
/// );
///
/// #[shmem::gpu::kernel]
/// fn axpy(mut y: Global<f32>, x: Global<f32>, a: f32, n: usize) {
///     let i = global_index();
///     if i < n {
///         local!(y[i]) = local!(y[i]) + a * local!(x[i]);
///     }
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     let (stream, y, x) = (gpu.stream()?, gpu.full([100], 0.5_f32)?, gpu.full([100], 2.0_f32)?);
///     // SAFETY: `y` and `x` have 100 elements.
///     unsafe { AXPY.or(axpy).launch(&stream, 2, 64, (&y, &x, 3.0, 100))? };
///     assert_eq!(y.to_vec(&stream)?, [6.5; 100]);
///     stream.synchronize()
/// }
/// ```
pub struct CudaKernel<P: CudaParameters> {
    name: &'static str,
    text: &'static str,
    is_collective: bool,
    /// What the back end `host` runs.
    run: Option<HostRun<P>>,
}

/// Runs a launch in threads.
type HostRun<P> = fn(
    LaunchGrid,
    &<<P as CudaParameters>::InRust as Parameters>::Held,
    Option<&GpuTeam>,
) -> Result<(), String>;

impl<P: CudaParameters> Clone for CudaKernel<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: CudaParameters> Copy for CudaKernel<P> {}

impl<P: CudaParameters> fmt::Debug for CudaKernel<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl<P: CudaParameters> CudaKernel<P> {
    /// The kernel that `text` has as `extern "C" __global__ void NAME(…)`. Not collective.
    ///
    /// ```
    /// use shmem::gpu::{CudaKernel, DeviceArray};
    ///
    /// const CLEAR: CudaKernel<(&DeviceArray<f32, 2>, u32)> =
    ///     CudaKernel::new("clear", r#"extern "C" __global__ void clear(float *a, unsigned n) { /* … */ }"#);
    /// assert_eq!(format!("{CLEAR:?}"), "kernel `clear`");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, text: &'static str) -> CudaKernel<P> {
        CudaKernel { name, text, is_collective: false, run: None }
    }

    /// The same kernel, for which the back end `host` runs `kernel`, a function with
    /// [`#[shmem::gpu::kernel]`](macro@crate::gpu::kernel) whose parameters have the same types.
    /// Not collective.
    ///
    /// Nothing compares what the two do.
    ///
    /// ```
    /// use shmem::gpu::{CudaKernel, DeviceArray};
    /// use shmem::prelude::*;
    ///
    /// const SEVENS: CudaKernel<(&DeviceArray<i32, 1>,)> = CudaKernel::new(
    ///     "sevens",
    ///     r#"extern "C" __global__ void sevens(int *a) { a[threadIdx.x] = 7; }"#,
    /// );
    ///
    /// #[shmem::gpu::kernel]
    /// fn sevens(mut a: Global<i32>) {
    ///     local!(a[thread_index()]) = 7;
    /// }
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, a) = (gpu.stream()?, gpu.zeros::<i32, 1>([4])?);
    ///     // SAFETY: there are 4 threads and 4 elements.
    ///     unsafe { SEVENS.or(sevens).launch(&stream, 1, 4, (&a,))? };
    ///     assert_eq!(a.to_vec(&stream)?, [7; 4]);
    ///     stream.synchronize()
    /// }
    /// ```
    #[must_use]
    pub fn or<Q, K>(self, kernel: impl LaunchKernel<Q, K>) -> CudaKernel<P>
    where
        K: Kernel<Parameters = P::InRust>,
    {
        let _ = kernel;
        let is_collective = self.is_collective || K::MEETS;
        CudaKernel { is_collective, run: Some(run_on_the_host::<K>), ..self }
    }

    /// The same kernel, which makes collective calls of all PEs. Not collective.
    ///
    /// A launch is then one of the collective calls of the PEs: all of them launch the kernel, in
    /// the same order as their other calls. A kernel with a team among its parameters needs no mark
    /// for that team: its launch is one call of the team's PEs. A kernel [in Rust](CudaKernel::or)
    /// needs none either, because the macro sees its calls.
    ///
    /// ```
    /// use shmem::gpu::{CudaKernel, DeviceArray};
    /// use shmem::prelude::*;
    ///
    /// const TOTAL: CudaKernel<(&DeviceArray<f32, 1>,)> = CudaKernel::new(
    ///     "total",
    ///     r#"
    ///     #include <nvshmem.h>
    ///     #include <nvshmemx.h>
    ///     extern "C" __global__ void total(float *a) {
    ///         nvshmemx_float_sum_reduce_block(NVSHMEM_TEAM_WORLD, a, a, 4);
    ///     }
    ///     "#,
    /// )
    /// .collective();
    ///
    /// #[shmem::gpu::kernel]
    /// fn total(mut a: Global<f32>) {
    ///     collective!(block; a[..4] = sum a[..4]);
    /// }
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, a) = (gpu.stream()?, gpu.full([4], 1.5_f32)?);
    ///     // SAFETY: `a` has 4 elements.
    ///     unsafe { TOTAL.or(total).launch(&stream, 1, 32, (&a,))? };
    ///     assert_eq!(a.to_vec(&stream)?, [3.0; 4]);
    ///     stream.synchronize()
    /// }
    /// ```
    #[must_use]
    pub const fn collective(self) -> CudaKernel<P> {
        CudaKernel { is_collective: true, ..self }
    }

    /// Launches the kernel on `stream`, in `grid` blocks of `block` threads (`cudaLaunchKernel`).
    /// Not collective, unless the kernel is [`collective`](CudaKernel::collective) or takes a team.
    ///
    /// The caller does not wait. The arguments live until the kernel is done. What the kernel does
    /// with them is not checked: an access that is out of bounds is a failure of the GPU, or a
    /// wrong value.
    ///
    /// ```
    /// use shmem::gpu::{CudaKernel, DeviceArray};
    /// use shmem::prelude::*;
    ///
    /// const CLEAR: CudaKernel<(&DeviceArray<f32, 1>,)> =
    ///     CudaKernel::new("clear", r#"extern "C" __global__ void clear(float *a) { a[threadIdx.x] = 0; }"#);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, a) = (gpu.stream()?, gpu.ones::<f32, 1>([8])?);
    ///     // SAFETY: the kernel writes to the 8 elements of `a`.
    ///     match unsafe { CLEAR.launch(&stream, 1, 8, (&a,)) } {
    ///         Ok(()) => assert_eq!(a.to_vec(&stream)?, [0.0; 8]),
    ///         Err(error) => println!("{error}"), // on the back end `host`: it has no kernel in Rust
    ///     }
    ///     stream.synchronize()
    /// }
    /// ```
    ///
    /// # Safety
    ///
    /// The kernel in the text has the parameters of `P`, in this order. On a GPU, it accesses
    /// nothing but the elements of these arrays on PEs that there are, and it makes no collective
    /// calls but those of its teams, or of all PEs if it is
    /// [`collective`](CudaKernel::collective).
    ///
    /// # Errors
    ///
    /// When the grid or the block has no threads, or more than a GPU runs. On the back end `host`,
    /// when there is no kernel [in Rust](CudaKernel::or). On the back end `nvshmem`, when the text
    /// cannot be compiled for the GPU, or loaded, when the sizes of its parameters are not those of
    /// `P`, and when NVSHMEM has not made a team. As for kernels in Rust, `SHMEM_GPU_COMPILE`
    /// compiles it for other GPUs too.
    #[track_caller]
    #[doc(alias = "cudaLaunchKernel")]
    #[doc(alias = "cuLaunchKernel")]
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        grid: usize,
        block: usize,
        arguments: <P::InRust as Parameters>::Arguments<'_>,
    ) -> Result<(), Error> {
        let title = self.title();
        let refuse = |reason: String| Error::from(shmem_gpu::Error::launch(title, reason));
        let grid = LaunchGrid { blocks: grid, threads: block };
        grid.check().map_err(refuse)?;
        compile::written_as_asked(title, self.name, self.text)?;
        let held = P::InRust::held(arguments);
        let world = self.is_collective.then(|| Stream::world_of(stream).clone());
        let teams: Vec<GpuTeam> = world.iter().chain(P::InRust::teams(&held)).cloned().collect();
        let way = match (nvshmem::device(), self.run) {
            (Some(device), _) => {
                for team in &teams {
                    team.on_a_device().map_err(refuse)?;
                }
                LaunchWay::Device(device.written_function(title, self.name, self.text, P::SIZES)?)
            }
            (None, Some(run)) => LaunchWay::Host(run),
            (None, None) => {
                return Err(refuse(format!(
                    "it is CUDA C++, which the back end `host` does not run: name a kernel in Rust that it runs instead, as in \
                     `kernel.or({})`, or set SHMEM_GPU=nvshmem",
                    self.name
                )));
            }
        };
        GpuTeam::issue_in_turn(&teams, Stream::lane_of(stream), (title, Location::caller()), |turns| {
            Box::new(WrittenLaunch::<P> { grid, held, way, world, turns })
        });
        Ok(())
    }

    /// Compiles the kernel for a GPU, such as `"sm_90"`, and links it with NVSHMEM. Returns the
    /// machine code, a cubin. Not collective.
    ///
    /// Otherwise as [`LaunchKernel::compile`] of a kernel in Rust. A text that includes `nvshmem.h`
    /// takes NVRTC some seconds.
    ///
    /// ```
    /// use shmem::gpu::{CudaKernel, DeviceArray};
    ///
    /// const CLEAR: CudaKernel<(&DeviceArray<f32, 1>,)> =
    ///     CudaKernel::new("clear", r#"extern "C" __global__ void clear(float *a) { a[threadIdx.x] = 0; }"#);
    /// match CLEAR.compile("sm_90") {
    ///     Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF")),
    ///     Err(error) => println!("{error}"), // what is missing, and where it was searched
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`LaunchKernel::compile`].
    #[doc(alias = "nvrtcCompileProgram")]
    pub fn compile(&self, architecture: &str) -> Result<Vec<u8>, Error> {
        compile::written(self.title(), self.text, architecture)
    }

    /// What it is called in messages, which live as long as the process.
    fn title(&self) -> &'static str {
        static TITLES: Mutex<BTreeMap<&str, &str>> = Mutex::new(BTreeMap::new());
        let mut titles = TITLES.lock().unwrap_or_else(PoisonError::into_inner);
        titles.entry(self.name).or_insert_with(|| format!("kernel `{}`", self.name).leak())
    }
}

/// Who runs a launch.
enum LaunchWay<P: CudaParameters> {
    Host(HostRun<P>),
    Device(DeviceFunction),
}

/// A kernel on its way to the end of a stream.
struct WrittenLaunch<P: CudaParameters> {
    grid: LaunchGrid,
    held: <P::InRust as Parameters>::Held,
    way: LaunchWay<P>,
    /// The team of calls without a team, if there are any.
    world: Option<GpuTeam>,
    turns: Vec<Turn>,
}

impl<P: CudaParameters> JointWork for WrittenLaunch<P> {
    fn on_the_host(self: Box<Self>) -> Result<(), String> {
        let WrittenLaunch { grid, held, way, world, turns } = *self;
        let LaunchWay::Host(run) = way else { return Err("the kernel was launched for a device".to_owned()) };
        Turn::all(turns, || run(grid, &held, world.as_ref()))
    }

    fn on_a_device(self: Box<Self>, stream: &DeviceStream) -> Result<(), String> {
        let WrittenLaunch { grid, held, way, turns, .. } = *self;
        let LaunchWay::Device(function) = way else {
            return Err("the kernel was launched before the device was started".to_owned());
        };
        let words = P::InRust::words(&held, stream.device());
        // SAFETY: the caller of `launch` promises that the parameters are those of `P`, and says
        // what the kernel accesses. `words` follows `P`. The arrays are kept.
        Turn::all(turns, || unsafe { stream.launch(function, grid, &words) })
    }
}

/// The type of a parameter of a kernel in CUDA C++.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel in CUDA C++",
    label = "neither a number nor a device array nor a team",
    note = "such a kernel takes `bool`, the integers from i8 to u64, isize, usize, f32, f64, `&DeviceArray<T, RANK>` for a pointer, and `&GpuTeam`"
)]
pub trait CudaParameter: 'static {
    /// The parameter of a kernel in Rust for which a launch takes the same.
    type InRust: KernelParameter;
    /// Its size in CUDA C++.
    const SIZE: usize;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl CudaParameter for $number {
            type InRust = $number;
            const SIZE: usize = size_of::<$number>();
        }
    )*};
}

numbers!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

// Where the elements begin is the first word of what a kernel in Rust gets.
impl<I: Item, const R: usize> CudaParameter for &'static DeviceArray<I, R>
where
    Rank<R>: Ranked,
{
    type InRust = GlobalMemory<'static, I, R>;
    const SIZE: usize = size_of::<u64>();
}

impl CudaParameter for &'static GpuTeam {
    type InRust = KernelTeam<'static>;
    const SIZE: usize = size_of::<i32>();
}

/// The types of all parameters of a kernel in CUDA C++: a tuple.
#[doc(hidden)]
pub trait CudaParameters: 'static {
    /// Those of a kernel in Rust for which a launch takes the same.
    type InRust: Parameters;
    /// Their sizes.
    const SIZES: &'static [usize];
}

macro_rules! tuples {
    ($(($($parameter:ident)*))*) => {$(
        impl<$($parameter: CudaParameter),*> CudaParameters for ($($parameter,)*) {
            type InRust = ($($parameter::InRust,)*);
            const SIZES: &'static [usize] = &[$($parameter::SIZE),*];
        }
    )*};
}

tuples! {
    () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
    (A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
}
