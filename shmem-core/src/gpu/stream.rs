//! Streams and events.

use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::thread;
use std::time::Duration;

use shmem_gpu::nvshmem::DeviceStream;
use shmem_gpu::worker::{Failure, Ticket};

use super::host::HostPerformer;
use super::job;
use super::lane::Lane;
use super::nvshmem::{self, NvshmemPerformer};
use super::team::GpuTeam;
use crate::context::{AnyThreads, Context, Issuing, OperationStream};
use crate::remote::stream::{JointWork, StreamLane, StreamWork};
use crate::remote::{DeviceMemory, OnStream};
use crate::system::error::Error;

/// A stream of the GPU: it begins what was issued on it in this order, and the caller does not
/// wait; [`Gpu::stream`](super::Gpu::stream) makes it.
///
/// Write it where a context stands: `remote!(stream; …)`, `wait!(stream; …)`, `collective!(stream; …)`;
/// see [`shmem::gpu`](crate::gpu). PEs have their numbers in the world. Several streams work at the same
/// time. Any thread may issue on a stream.
///
/// What follows on the stream sees what the stream has done to this PE's own copies. To the copies
/// of other PEs, a stream promises no more than a [context](crate::context): puts and updates may
/// be under way when the next operation begins, and arrive in any order. A
/// [`quiet`](Stream::quiet), a [`synchronize`](Stream::synchronize) and a barrier on the stream
/// complete them. A PE that sees the signal of a `put_signal` also sees the data of that put.
///
/// # Failures
///
/// An operation that fails stops the stream: what was issued after it is left out. The next
/// [`synchronize`](Stream::synchronize) returns the failure, and so does every later one, with the
/// place where the program issued the operation. A read by `remote!` panics then, and
/// [`DeviceArray::to_vec`](super::DeviceArray::to_vec) returns the failure.
///
/// Dropping a stream waits until its work is done. If it has failed and no call has returned the failure,
/// the drop panics with it. While the thread panics, a drop does not wait.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     let stream = gpu.stream()?;
///     let total = gpu.full([4], 1.5_f64)?;
///     collective!(stream; total[..] = sum total[..]);
///     remote!(stream; total[world.my_pe(), 0] = 0.0);
///     assert_eq!(total.to_vec(&stream)?, [0.0, 3.0, 3.0, 3.0]);
///     stream.synchronize()
/// }
/// ```
#[doc(alias = "cudaStream_t")]
pub struct Stream {
    context: Context<'static, Streaming>,
}

/// The kind of the context that a stream is.
#[doc(hidden)]
#[derive(Debug)]
pub struct Streaming(());

/// What a stream holds.
#[doc(hidden)]
pub struct StreamState {
    lane: Lane,
    world: GpuTeam,
}

impl OperationStream for Streaming {
    type Users = AnyThreads;
    type State = StreamState;
}

/// The kinds of contexts that are streams. It is one, but the compiler would show that one and its place in
/// this crate to everybody who uses another.
#[doc(hidden)]
pub trait StreamKind: OperationStream<State = StreamState> {}

impl StreamKind for Streaming {}

#[diagnostic::do_not_recommend]
impl<'a, K: StreamKind> Issuing<'a, DeviceMemory> for K {
    type Delivery = OnStream<'a>;

    fn delivery(state: &'a StreamState, memory: &'a DeviceMemory) -> OnStream<'a> {
        OnStream::new(&state.lane, memory)
    }
}

#[doc(hidden)]
impl Deref for Stream {
    type Target = Context<'static, Streaming>;

    fn deref(&self) -> &Context<'static, Streaming> {
        &self.context
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lane().worker().fmt(f)
    }
}

fn error(failure: Failure) -> Error {
    shmem_gpu::Error::Stream(failure).into()
}

impl Stream {
    /// A stream whose collective calls without a team are those of `world`.
    pub(super) fn start(world: GpuTeam) -> Result<Stream, Error> {
        let lane = match nvshmem::device() {
            Some(device) => Lane::start(NvshmemPerformer::create(device)?)?,
            None => Lane::start(HostPerformer::create()?)?,
        };
        let state = StreamState { lane, world };
        Ok(Stream { context: Context::of(job().team(), state) })
    }

    fn lane(&self) -> &Lane {
        &self.context.state().lane
    }

    /// Waits until the stream has done all that was issued on it, and until other PEs see it
    /// (`cudaStreamSynchronize`, `nvshmemx_quiet_on_stream`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, array) = (gpu.stream()?, gpu.zeros::<u8, 1>([4])?);
    ///     remote!(stream; array[1 - world.my_pe(), ..] = 7);
    ///     stream.synchronize()?;
    ///     world.barrier_all();
    ///     assert_eq!(array.to_vec(&stream)?, [7; 4]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The failure that the stream has stopped with.
    #[track_caller]
    #[doc(alias = "cudaStreamSynchronize")]
    pub fn synchronize(&self) -> Result<(), Error> {
        self.quiet();
        self.lane().worker().synchronize().map_err(error)
    }

    /// Returns whether the stream has done all that was issued on it (`cudaStreamQuery`). Not
    /// collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     assert!(world.gpu()?.stream()?.is_idle());
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[doc(alias = "cudaStreamQuery")]
    pub fn is_idle(&self) -> bool {
        self.lane().worker().is_idle()
    }

    /// Lets other PEs see what was issued before, when the stream comes to it
    /// (`nvshmemx_quiet_on_stream`). The caller does not wait. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, array) = (gpu.stream()?, gpu.zeros::<u8, 1>([4])?);
    ///     let count = gpu.zeros::<Atomic<u32>, 1>([1])?;
    ///     let other = 1 - world.my_pe();
    ///     remote!(stream; array[other, ..] = 7);
    ///     stream.quiet();
    ///     remote!(stream; count[other, 0] += 1); // seen after the elements
    ///     wait!(stream; count[0] == 1);
    ///     assert_eq!(array.to_vec(&stream)?, [7; 4]);
    ///     Ok(())
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "nvshmemx_quiet_on_stream")]
    pub fn quiet(&self) {
        self.lane().issue("quiet", Location::caller(), StreamWork::Quiet);
    }

    /// Returns an event, which says when the stream has done all that was issued before
    /// (`cudaEventRecord`). Not collective.
    ///
    /// Puts and updates on other PEs may be under way then: call [`quiet`](Stream::quiet) before it
    /// where another stream relies on them.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, array) = (gpu.stream()?, gpu.zeros::<f32, 1>([1 << 16])?);
    ///     let before = stream.record();
    ///     remote!(stream; array[0, ..] = 1.0);
    ///     let after = stream.record();
    ///     after.synchronize()?;
    ///     println!("the put has taken {:?}", after.elapsed_since(&before).unwrap());
    ///     Ok(())
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "cudaEventRecord")]
    pub fn record(&self) -> StreamEvent {
        StreamEvent(self.lane().worker().mark())
    }

    /// What is issued from now on begins after `event`, of another stream of this PE
    /// (`cudaStreamWaitEvent`). The caller does not wait. Not collective.
    ///
    /// If the other stream has failed before the event, this one fails too.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (fill, read) = (gpu.stream()?, gpu.stream()?);
    ///     let array = gpu.zeros::<f32, 1>([1000])?;
    ///     remote!(fill; array[world.my_pe(), ..] = 2.5);
    ///     read.wait_for(&fill.record());
    ///     assert_eq!(remote!(read; array[world.my_pe(), 999]), 2.5);
    ///     Ok(())
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "cudaStreamWaitEvent")]
    pub fn wait_for(&self, event: &StreamEvent) {
        // What is before it on this stream is done before what follows anyway.
        if event.0.is_of(self.lane().worker()) {
            return;
        }
        let work = StreamWork::Joint(Box::new(EventWait(event.0.clone())));
        self.lane().issue("wait for an event", Location::caller(), work);
    }

    /// The team of calls without a team.
    pub(super) fn world_of<'a>(context: &'a Context<'static, Streaming>) -> &'a GpuTeam {
        &context.state().world
    }

    /// Where work is issued.
    pub(super) fn lane_of<'a>(context: &'a Context<'static, Streaming>) -> &'a dyn StreamLane {
        &context.state().lane
    }
}

/// A wait for an event of another stream of this PE.
struct EventWait(Ticket);

impl JointWork for EventWait {
    fn on_the_host(self: Box<Self>) -> Result<(), String> {
        let EventWait(ticket) = *self;
        ticket.wait().map_err(|failure| format!("it was for an event of a stream that failed: {failure}"))
    }

    fn on_a_device(self: Box<Self>, _: &DeviceStream) -> Result<(), String> {
        self.on_the_host()
    }
}

impl Drop for Stream {
    #[track_caller]
    fn drop(&mut self) {
        let worker = self.context.state_mut().lane.worker_mut();
        worker.end();
        if let Some(failure) = worker.untold()
            && !thread::panicking()
        {
            panic!("a stream was dropped that has failed, and nobody has synchronised it: {failure}");
        }
    }
}

/// A point in the work of a stream; [`Stream::record`] makes it.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let event = world.gpu()?.stream()?.record();
///     event.synchronize()?;
///     assert!(event.is_over());
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "cudaEvent_t")]
pub struct StreamEvent(Ticket);

impl StreamEvent {
    /// Waits until the stream is there (`cudaEventSynchronize`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let stream = world.gpu()?.stream()?;
    ///     stream.record().synchronize()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The failure of the stream, where it was before the event.
    #[doc(alias = "cudaEventSynchronize")]
    pub fn synchronize(&self) -> Result<(), Error> {
        self.0.wait().map_err(error)
    }

    /// Returns whether the stream is there (`cudaEventQuery`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let stream = world.gpu()?.stream()?;
    ///     let event = stream.record();
    ///     stream.synchronize()?;
    ///     assert!(event.is_over());
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[doc(alias = "cudaEventQuery")]
    pub fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// Returns the time from `earlier` to this event (`cudaEventElapsedTime`); `None` while one of them
    /// is not over, where a stream has failed before it, and where `earlier` was later. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let stream = world.gpu()?.stream()?;
    ///     let (start, end) = (stream.record(), stream.record());
    ///     stream.synchronize()?;
    ///     assert!(end.elapsed_since(&start).is_some());
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[doc(alias = "cudaEventElapsedTime")]
    pub fn elapsed_since(&self, earlier: &StreamEvent) -> Option<Duration> {
        self.0.time()?.checked_duration_since(earlier.0.time()?)
    }
}
