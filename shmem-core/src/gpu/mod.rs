//! GPUs: arrays in the memory of devices, and streams that move them.
//!
//! A program asks for its GPU with [`World::gpu`](crate::World::gpu), makes arrays and streams with
//! it, and issues operations on a stream in the language of [`remote!`](crate::remote!),
//! [`wait!`](crate::wait!) and [`collective!`](crate::collective!):
//!
//! | written | means | NVSHMEM |
//! |---|---|---|
//! | `remote!(stream; D[pe, a..b;s] = &E[..])` | from this PE's copy of `E` to PE `pe`'s copy of `D` | `nvshmemx_putmem_on_stream`, … |
//! | `remote!(stream; D[pe, sel] = values)` | the same with values of the host: an array, a slice, a `Vec`, or one value for all places | |
//! | `remote!(stream; E[me, ..] = remote!(stream; &D[pe, ..]))` | from any PE to any | `nvshmemx_getmem_on_stream`, … |
//! | `remote!(stream; D[pe, sel])`, `=> &mut buf` | read to the host, and wait for it | |
//! | `remote!(stream; C[pe, i] += v)`, `-=` `&=` `\|=` `^=` | atomic update of a cell | |
//! | `remote!(stream; D[me, i] = remote!(stream; &C[pe, j]).fetch_add(v))` | the same, and the old value goes to an element: [`FetchOnStream`] | |
//! | `remote!(stream; &D[pe, sel]).put_signal(source, signal, op)` | put and signal | `nvshmemx_putmem_signal_on_stream` |
//! | `wait!(stream; FLAG[0] >= v)`, `wait!(stream; all FLAGS[..] >= v)` | what follows on the stream waits | `nvshmemx_signal_wait_until_on_stream`, … |
//! | `collective!(stream; D[..] = sum E[..])`, `; on team` | reduction by `sum`, `prod`, `min`, `max`, `and`, `or`, `xor` | `nvshmemx_float_sum_reduce_on_stream`, … |
//! | `collective!(stream; D[..] = broadcast E[..] from 0)`, `fcollect`, `alltoall` | exchange | `nvshmemx_broadcastmem_on_stream`, … |
//! | `collective!(stream; D[..] = reduce_scatter sum E[..])` | a block of a reduction for each PE | `nvshmemx_float_sum_reducescatter_on_stream`, … |
//! | `collective!(stream; barrier)`, `sync` | synchronisation of streams | `nvshmemx_barrier_all_on_stream`, … |
//!
//! The caller does not wait, except for values that it reads. The compiler checks ranks, element
//! types and constant lengths. Bounds, PEs and other lengths are checked when an operation is
//! issued. What goes wrong later is returned by the next [`synchronize`](Stream::synchronize), with
//! the place where the program issued the operation. A read by `remote!` on a stream that has
//! failed panics.
//!
//! Collective calls are [`World::gpu`](crate::World::gpu), [`Gpu::team`], what makes arrays, and
//! `collective!(stream; …)`.
//!
//! # Back ends
//!
//! `SHMEM_GPU=host` runs streams as threads of the PE, and device arrays lie in the symmetric heap of
//! the job: it needs no GPU. `SHMEM_GPU=nvshmem` runs them on GPUs, with CUDA's driver and NVSHMEM. It
//! was tested on libraries that stand in for these, and has never run on a GPU. So `auto`, the
//! default, takes the host in this version. With `SHMEM_INFO=1` each PE says what it uses and why.
//!
//! # Memory
//!
//! A device array is no object of the host's language: without a stream, `remote!` and `local!` do
//! not take it, and a stream takes nothing else. Operations hold the arrays that they use. So an array
//! may be dropped while streams still use it: its memory is free when their operations are complete, on
//! every PE.
//!
//! ```
//! use shmem::prelude::*;
//!
//! #[shmem::main(npes = 2)]
//! fn main(world: &World) -> Result<(), shmem::Error> {
//!     let gpu = world.gpu()?;
//!     let (stream, row) = (gpu.stream()?, gpu.full([4], world.my_pe() as f64)?);
//!     collective!(stream; row[..] = sum row[..]);
//!     assert_eq!(row.to_vec(&stream)?, [1.0; 4]);
//!     stream.synchronize()
//! }
//! ```

mod array;
mod buffer;
mod collective;
mod dlpack;
mod fetch;
mod host;
#[doc(hidden)]
pub mod kernel;
mod lane;
mod nvshmem;
mod registered;
mod signal;
mod stream;
mod team;

pub use array::DeviceArray;
#[doc(hidden)]
pub use array::DeviceObject;
#[doc(hidden)]
pub use collective::calls;
pub use dlpack::{DlpackElement, DlpackTensor};
pub use fetch::FetchOnStream;
pub use kernel::{CudaKernel, GlobalMemory, LaunchKernel};
pub use registered::RegisteredMemory;
pub use shmem_gpu::choice::BackEnd;
#[doc(inline)]
pub use shmem_macros::gpu_kernel as kernel;
#[doc(hidden)]
pub use stream::Streaming;
pub use stream::{Stream, StreamEvent};
pub use team::GpuTeam;

// Bounds that messages of the compiler name, and that no program writes.
#[doc(hidden)]
pub use crate::remote::{DeviceMemory, OnStream, Staged};

use std::fmt;
use std::io::Write as _;
use std::panic::Location;

use shmem_gpu::choice::{self, Choice, Wish};
use shmem_gpu::nvshmem::Places;

use crate::number::HasOne;
use crate::runtime;
use crate::runtime::team::Team;
use crate::symmetric::{Item, Rank, Ranked};
use crate::system::env;
use crate::system::error::Error;
use crate::system::threads::ThreadLevel;
use crate::world::World;

/// The GPU of this PE; [`World::gpu`](crate::World::gpu) makes it.
///
/// It makes [arrays](DeviceArray) in the memory of the device, [streams](Stream), and
/// [teams](GpuTeam) for collectives on streams.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     let (stream, me) = (gpu.stream()?, world.my_pe());
///     let mine = gpu.from_fn([4, 3], |[i, j]| (100 * me + 10 * i + j) as f32)?;
///     let theirs = gpu.zeros::<f32, 2>([4, 3])?;
///     let right = (me + 1) % world.n_pes();
///     remote!(stream; theirs[right, .., 0] = &mine[.., 2]); // a column, to the right neighbour
///     collective!(stream; barrier);
///     let left = (100 * (1 - me)) as f32;
///     assert_eq!(remote!(stream; theirs[me, 1..3, 0]), [left + 12.0, left + 22.0]);
///     stream.synchronize()
/// }
/// ```
pub struct Gpu {
    back_end: BackEnd,
    device: usize,
    /// All PEs, for the collectives of streams.
    world: GpuTeam,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {} of the back end {}", self.device, self.back_end)
    }
}

impl World {
    /// Returns the GPU of this PE, and prepares it (`nvshmem_init`). Collective.
    ///
    /// `SHMEM_GPU` decides the [back end](crate::gpu), the same for all PEs. The device is number
    /// `SHMEM_GPU_DEVICE`, or else the number of the PE on its host, modulo the number of devices. The
    /// back end `host` has one device, number 0.
    ///
    /// ```
    /// use shmem::gpu::BackEnd;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     assert_eq!((gpu.back_end(), gpu.device()), (BackEnd::Host, 0)); // in this version
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When a variable is not understood, when the back end or the device cannot be had, when the PEs
    /// do not choose the same back end, when there can be no more teams, and when the C library lets
    /// only one thread call it.
    #[track_caller]
    #[doc(alias = "nvshmem_init")]
    #[doc(alias = "nvshmemx_init_attr")]
    #[doc(alias = "nvshmemx_hostlib_init_attr")]
    pub fn gpu(&self) -> Result<Gpu, Error> {
        let chosen = self.choose();
        // All PEs come here, also those that have an error: otherwise the others would wait.
        let codes = self.team().fcollect_value(match &chosen {
            Ok((choice, ..)) => 1 + choice.back_end() as u8,
            Err(_) => 0,
        });
        let (choice, device, why) = chosen?;
        let back_end = choice.back_end();
        if let Some(pe) = codes.iter().position(|&code| code != 1 + back_end as u8) {
            let other = match codes[pe] {
                0 => "has none".to_owned(),
                code if code == 1 + BackEnd::Host as u8 => "has `host`".to_owned(),
                _ => "has `nvshmem`".to_owned(),
            };
            let reason = format!(
                "this PE takes the GPU back end `{back_end}`, and PE {pe} {other}: set SHMEM_GPU to the same on all hosts"
            );
            return Err(Error::Disagreement { reason });
        }
        let started = nvshmem::start(self, choice, device)?;
        if env::Env::read()?.info {
            let (me, n) = (self.my_pe(), self.n_pes());
            let details = match started {
                Some(device) => device.to_string(),
                None => format!("device {device}"),
            };
            // The announcement is for people: nothing depends on it.
            let _ = writeln!(
                std::io::stderr(),
                "shmem: PE {me} of {n}: GPU back end {back_end}, {details} ({why})"
            );
        }
        let world = match started {
            Some(_) => nvshmem::team_of_world(self.team())?,
            None => GpuTeam::of_world(self.team())?,
        };
        Ok(Gpu { back_end, device, world })
    }

    /// The back end, the device, and why.
    fn choose(&self) -> Result<(Choice, usize, &'static str), Error> {
        let wishes = env::gpu()?;
        let level = self.thread_level();
        if level < ThreadLevel::Multiple {
            let reason = format!(
                "the streams of a PE are threads, and the program or the C library allows calls at the level {level:?} \
                 only: remove `threads` from #[shmem::main], use a library that is built for THREAD_MULTIPLE, or \
                 SHMEM_TRANSPORT=smp"
            );
            return Err(shmem_gpu::Error::unavailable("a GPU", reason).into());
        }
        let (choice, why) =
            choice::choose(wishes.back_end.unwrap_or(Wish::Auto), &Places::of_this_process())?;
        let device = choice::device(self.node_team().my_pe(), choice.devices(), wishes.device)?;
        Ok((choice, device, why))
    }
}

impl Gpu {
    /// Returns which back end it is. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     println!("{}", world.gpu()?.back_end()); // `host`, in this version
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn back_end(&self) -> BackEnd {
        self.back_end
    }

    /// Returns the number of the device on this host. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     assert_eq!(world.gpu()?.device(), 0); // the back end `host` has one
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn device(&self) -> usize {
        self.device
    }

    /// Makes a stream. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (one, two) = (gpu.stream()?, gpu.stream()?); // they work at the same time
    ///     one.synchronize()?;
    ///     two.synchronize()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the system starts no thread, and when the C library has no more contexts.
    #[doc(alias = "cudaStreamCreate")]
    pub fn stream(&self) -> Result<Stream, Error> {
        Stream::start(self.world.clone())
    }

    /// Makes a team for collectives on streams, of the PEs of `team`. Collective over `team`.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let stream = gpu.stream()?;
    ///     let value = gpu.from_slice(&[world.my_pe()])?;
    ///     if let Some(even) = world.team().split_strided(0, 2, 2)? {
    ///         let even = gpu.team(&even)?;
    ///         collective!(stream; value[..] = sum value[..]; on even);
    ///         assert_eq!(value.to_vec(&stream)?, [2]); // 0 + 2
    ///     }
    ///     stream.synchronize()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When there can be no more teams.
    #[track_caller]
    #[doc(alias = "nvshmem_team_split_strided")]
    #[doc(alias = "nvshmem_team_split_2d")]
    pub fn team(&self, team: &Team) -> Result<GpuTeam, Error> {
        GpuTeam::of(team)
    }

    /// Allocates an array of zeros on the device of every PE (`nvshmem_calloc`). Collective.
    ///
    /// All PEs give the same extents: rank 1 to 4, the outermost axis first. When the call returns, every
    /// PE may use the copies of all PEs.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let grid = gpu.zeros::<f32, 2>([4, 8])?;
    ///     assert_eq!(grid.to_vec(&gpu.stream()?)?, [0.0; 32]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the PEs do not agree, and when there is not enough memory.
    #[track_caller]
    #[doc(alias = "nvshmem_calloc")]
    #[doc(alias = "nvshmem_malloc")]
    #[doc(alias = "nvshmem_free")]
    pub fn zeros<I: Item, const R: usize>(&self, extents: [usize; R]) -> Result<DeviceArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        // SAFETY: an item is its value, which is `Symmetric`: every bit pattern is a valid one.
        let zero: I = unsafe { std::mem::zeroed() };
        self.full(extents, zero)
    }

    /// Allocates a buffer of `bytes` zeros on the device of every PE: an array of bytes, aligned to 256
    /// (`nvshmem_align`). Collective.
    ///
    /// [`view`](DeviceArray::view) returns parts of it as arrays of other types. Otherwise as
    /// [`zeros`](Gpu::zeros).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, buffer) = (gpu.stream()?, gpu.buffer(1 << 10)?);
    ///     let numbers = buffer.view::<i32, 1>(512, [8]);
    ///     collective!(stream; numbers[..] = sum numbers[..]);
    ///     assert_eq!(buffer.to_vec(&stream)?, [0; 1 << 10]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`zeros`](Gpu::zeros).
    #[track_caller]
    #[doc(alias = "nvshmem_align")]
    pub fn buffer(&self, bytes: usize) -> Result<DeviceArray<u8, 1>, Error> {
        DeviceArray::buffer(bytes, Location::caller())
    }

    /// Allocates an array of ones on the device of every PE. Collective.
    ///
    /// Otherwise as [`zeros`](Gpu::zeros).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     assert_eq!(gpu.ones::<i32, 1>([3])?.to_vec(&gpu.stream()?)?, [1; 3]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`zeros`](Gpu::zeros).
    #[track_caller]
    pub fn ones<I: Item + HasOne, const R: usize>(
        &self,
        extents: [usize; R],
    ) -> Result<DeviceArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        self.full(extents, I::ONE)
    }

    /// Allocates an array on the device of every PE; each PE sets the elements of its own copy to
    /// `value`. Collective.
    ///
    /// Otherwise as [`zeros`](Gpu::zeros).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let array = gpu.full([3], 10 * world.my_pe())?;
    ///     let stream = gpu.stream()?;
    ///     assert_eq!(remote!(stream; array[1, ..]), [10; 3]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`zeros`](Gpu::zeros).
    #[track_caller]
    pub fn full<I: Item, const R: usize>(
        &self,
        extents: [usize; R],
        value: I,
    ) -> Result<DeviceArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        DeviceArray::full(extents, value, Location::caller())
    }

    /// Allocates an array of rank 1 on the device of every PE; each PE gives the values of its own
    /// copy. Collective.
    ///
    /// All PEs give as many values.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let (gpu, me) = (world.gpu()?, world.my_pe() as u64);
    ///     let pair = gpu.from_slice(&[me, 10 + me])?;
    ///     let stream = gpu.stream()?;
    ///     assert_eq!(remote!(stream; pair[1, ..]), [1, 11]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`zeros`](Gpu::zeros); also when the slices have different lengths.
    #[track_caller]
    pub fn from_slice<I: Item>(&self, values: &[I]) -> Result<DeviceArray<I, 1>, Error> {
        DeviceArray::from_slice(values, Location::caller())
    }

    /// Allocates an array on the device of every PE; each PE sets each element of its own copy to the
    /// result of `value` for its index. Collective.
    ///
    /// Otherwise as [`zeros`](Gpu::zeros). The function runs on the host.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let grid = gpu.from_fn([2, 3], |[i, j]| 10 * i + j)?;
    ///     assert_eq!(grid.to_vec(&gpu.stream()?)?, [0, 1, 2, 10, 11, 12]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`zeros`](Gpu::zeros).
    #[track_caller]
    pub fn from_fn<I: Item, const R: usize>(
        &self,
        extents: [usize; R],
        value: impl FnMut([usize; R]) -> I,
    ) -> Result<DeviceArray<I, R>, Error>
    where
        Rank<R>: Ranked,
    {
        DeviceArray::from_fn(extents, value, Location::caller())
    }
}

/// Ends what this PE has of GPUs. Collective: all PEs are at the end of the job, and issue nothing
/// any more.
pub(crate) fn finish() {
    nvshmem::finish();
}

/// The job of this process, for the parts of this module.
fn job() -> &'static runtime::Runtime {
    runtime::get()
}
