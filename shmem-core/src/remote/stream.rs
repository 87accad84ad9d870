//! Operations on device arrays, which are issued on a stream: the caller does not wait for them.
//!
//! [`StreamLane`] is the seam between the back ends: what a stream is to the language. [`StreamWork`]
//! is what the language asks of it, without element types. A back end does that work in the order
//! in which it was issued, each after the one before is complete on this PE. What is under way to
//! other PEs is complete after a quiet or a barrier of the stream.

use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

use shmem_gpu::nvshmem::DeviceStream;
use shmem_gpu::worker::{Failure, Ticket};

use super::Remote;
use super::buffers::{Source, Target};
use super::delivery::{AtOnce, Delivery};
use super::held::{DeviceMemory, HeldElements, HeldSpot, Staged, StagedSource};
use crate::select::{Elements, Form, FormOf, One};
use crate::symmetric::{AtomicValue, Item, ObjectInfo, Symmetric};
use crate::transport::{Amo, Ctx};

/// A stream of a back end.
pub(crate) trait StreamLane: Send + Sync {
    /// Issues work: `what` it is, for messages, at `place` in the program.
    fn issue(&self, what: &'static str, place: &'static Location<'static>, work: StreamWork) -> Ticket;
}

/// What a stream is asked to do. PEs are numbers in the job.
pub(crate) enum StreamWork {
    /// Copies elements to as many others of the same type, or one element to all of them.
    Move { to: HeldSpot, from: HeldSpot },
    /// Writes values of this PE's private memory.
    Write { to: HeldSpot, values: Vec<u128>, every: bool },
    /// Reads into this PE's private memory.
    Read { from: HeldSpot, to: ReadRoom },
    /// Writes from memory of the program, where there is an element for each of `to`.
    Put { to: HeldSpot, from: ProgramMemory },
    /// Reads to memory of the program, where there is room for each of `from`.
    Get { from: HeldSpot, to: ProgramMemory },
    /// Updates a cell. `announces` says that who sees the update sees what the stream wrote before.
    Update { cell: HeldSpot, op: Amo, announces: bool },
    /// Updates a cell, and leaves what it held before.
    Fetch { cell: HeldSpot, op: Amo, to: FetchRoom },
    /// Completes the operations of the stream at their targets.
    Quiet,
    /// What each back end does in a way of its own. The writes of the stream are complete before.
    Joint(Box<dyn JointWork>),
}

/// A collective call, a wait, or the launch of a kernel. An error is the reason why it cannot be done.
pub(crate) trait JointWork: Send {
    /// Does it on the back end `host`.
    fn on_the_host(self: Box<Self>) -> Result<(), String>;

    /// Does it on the back end `nvshmem`, and returns when it is done on this PE.
    fn on_a_device(self: Box<Self>, stream: &DeviceStream) -> Result<(), String>;
}

/// Where a fetch leaves the value.
pub(crate) enum FetchRoom {
    /// In elements of its type.
    Elements(HeldSpot),
    /// In private memory.
    Value(ReadRoom),
}

/// Memory of the program on this PE's device, where elements lie side by side.
pub(crate) struct ProgramMemory {
    first: *mut u8,
    /// Keeps it.
    _owner: Arc<dyn Any + Send + Sync>,
}

// SAFETY: who has registered the memory promises that nobody else uses it until the work is done, and
// its owner may be dropped by any thread.
unsafe impl Send for ProgramMemory {}

impl ProgramMemory {
    /// The elements from `first` on, which `owner` keeps.
    pub(crate) fn new(first: *mut u8, owner: Arc<dyn Any + Send + Sync>) -> ProgramMemory {
        ProgramMemory { first, _owner: owner }
    }

    /// Where they begin.
    pub(crate) fn first(&self) -> *mut u8 {
        self.first
    }
}

/// Where a read leaves the elements.
pub(crate) struct ReadRoom(pub(crate) *mut u8);

// SAFETY: the one who issued the read waits for its end before anybody uses the room again.
unsafe impl Send for ReadRoom {}

/// What a reference holds whose operations are issued on a stream.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct OnStream<'a> {
    lane: &'a dyn StreamLane,
    memory: &'a DeviceMemory,
}

impl<'a> OnStream<'a> {
    /// On `lane`, to elements in `memory`.
    pub(crate) fn new(lane: &'a dyn StreamLane, memory: &'a DeviceMemory) -> OnStream<'a> {
        OnStream { lane, memory }
    }

    /// Issues work for its stream.
    #[track_caller]
    pub(crate) fn issue(self, what: &'static str, work: StreamWork) -> Ticket {
        self.lane.issue(what, Location::caller(), work)
    }
}

/// Ends the PE with the failure of the stream: of a call that returns a value.
#[cold]
#[track_caller]
fn failed(failure: &Failure) -> ! {
    panic!("a value cannot be read on a stream that has failed: {failure}")
}

impl<I: Item, F: Form> Remote<'_, I, F, OnStream<'_>> {
    /// The PE, the object, and the stream.
    pub(crate) fn whereabouts(&self) -> (usize, &ObjectInfo, OnStream<'_>) {
        (self.pe, self.info, self.ctx)
    }

    /// The elements, for an operation.
    #[track_caller]
    pub(crate) fn spot(&self) -> HeldSpot {
        HeldSpot::of(self, self.ctx.memory)
    }

    /// The elements as a source.
    #[track_caller]
    pub(super) fn held_source(&self) -> Staged {
        Staged(StagedSource::Device { from: self.spot(), every: F::ONE })
    }

    /// Reads the elements to `to`, and waits for them.
    ///
    /// # Safety
    ///
    /// There is room for all of them.
    ///
    /// # Errors
    ///
    /// The failure of the stream: then nothing may have been read.
    #[track_caller]
    unsafe fn try_read_to_room(&self, to: *mut I::Value) -> Result<(), Failure> {
        let work = StreamWork::Read { from: self.spot(), to: ReadRoom(to.cast()) };
        // The room is the caller's alone until this has returned, also where the stream leaves the read
        // out.
        self.ctx.issue("read", work).wait()
    }

    /// The same.
    ///
    /// # Safety
    ///
    /// As there.
    ///
    /// # Panics
    ///
    /// When the stream has failed.
    #[track_caller]
    unsafe fn read_to_room(&self, to: *mut I::Value) {
        // SAFETY: the caller's promise.
        if let Err(failure) = unsafe { self.try_read_to_room(to) } {
            failed(&failure);
        }
    }

    /// The values of the elements, which it waits for.
    ///
    /// # Errors
    ///
    /// The failure of the stream.
    #[track_caller]
    pub(crate) fn try_fetched(&self) -> Result<Vec<I::Value>, Failure> {
        let mut values = Vec::with_capacity(self.at.count());
        // SAFETY: there is room for all elements, which are read before they are used.
        unsafe {
            self.try_read_to_room(values.as_mut_ptr())?;
            values.set_len(self.at.count());
        }
        Ok(values)
    }

    /// Reads the elements to `values`, which are as many, and waits for them.
    ///
    /// # Errors
    ///
    /// The failure of the stream: then nothing may have been read.
    ///
    /// # Panics
    ///
    /// When they are not as many.
    #[track_caller]
    pub(crate) fn try_read_into(&self, values: &mut [I::Value]) -> Result<(), Failure> {
        self.asks_for_length(values.len(), "the buffer to read into");
        // SAFETY: there is room for all elements.
        unsafe { self.try_read_to_room(values.as_mut_ptr()) }
    }

    /// The same as [`try_fetched`](Remote::try_fetched).
    ///
    /// # Panics
    ///
    /// When the stream has failed.
    #[track_caller]
    pub(super) fn fetched(&self) -> Vec<I::Value> {
        // No closure, which would not be of the caller's place.
        match self.try_fetched() {
            Ok(values) => values,
            Err(failure) => failed(&failure),
        }
    }

    /// How many elements are selected.
    pub(crate) fn count(&self) -> usize {
        self.at.count()
    }

    /// Asks that `what` has as many elements as are selected.
    ///
    /// # Panics
    ///
    /// When it has not.
    #[track_caller]
    pub(crate) fn asks_for_length(&self, len: usize, what: &str) {
        self.on(Ctx::DEFAULT).same_length(len, what);
    }

    /// Issues a write of what a source holds.
    #[track_caller]
    pub(crate) fn write(self, what: &'static str, Staged(source): Staged) {
        let to = self.spot();
        let work = match source {
            StagedSource::Values { bytes, count, every } => {
                if !every {
                    self.asks_for_length(count, "the source");
                }
                StreamWork::Write { to, values: bytes, every }
            }
            StagedSource::Device { from, every } => {
                if !every {
                    self.asks_for_length(from.len(), "the source");
                }
                assert!(from.elem() == to.elem(), "both have elements of one type");
                StreamWork::Move { to, from }
            }
            StagedSource::Fetched { cell, op } => {
                assert!(cell.elem() == to.elem(), "both have elements of one type");
                StreamWork::Fetch { cell, op, to: FetchRoom::Elements(to) }
            }
        };
        self.ctx.issue(what, work);
    }
}

impl<T: AtomicValue, I: Item<Value = T>> Remote<'_, I, One, OnStream<'_>> {
    /// What the cell holds before `op`, as a source.
    #[track_caller]
    pub(crate) fn fetched_source(&self, op: Amo) -> Staged {
        Staged(StagedSource::Fetched { cell: self.spot(), op })
    }

    /// Performs `op` when the stream comes to it, and waits for what the cell held before.
    ///
    /// # Panics
    ///
    /// When the stream has failed.
    #[track_caller]
    pub(crate) fn fetch_and_wait(&self, op: Amo) -> T {
        let mut value = T::from_bits(0);
        let room = ReadRoom((&raw mut value).cast());
        let work = StreamWork::Fetch { cell: self.spot(), op, to: FetchRoom::Value(room) };
        // The value is this call's alone until the stream is past the work.
        match self.ctx.issue("atomic fetch", work).wait() {
            Ok(()) => value,
            Err(failure) => failed(&failure),
        }
    }
}

impl<'s> Delivery<'s> for OnStream<'_> {
    #[allow(private_interfaces, reason = "called by this crate only")]
    #[track_caller]
    fn update<I: Item<Value: AtomicValue>>(cell: Remote<'_, I, One, Self>, op: Amo) {
        let work = StreamWork::Update { cell: cell.spot(), op, announces: false };
        cell.ctx.issue("atomic update", work);
    }

    #[track_caller]
    fn put<I: Item, F: FormOf<I::Value>, S: Source<I::Value, F::Shape>>(
        to: Remote<'_, I, F, Self>,
        source: S,
    ) {
        to.write("put", source.staged());
    }

    #[track_caller]
    fn fill<I: Item, F: FormOf<I::Value>>(to: Remote<'_, I, F, Self>, value: I::Value) {
        to.write("put", Staged::of(&[value], true));
    }

    #[track_caller]
    fn get_into<I: Item, F: FormOf<I::Value>, B: Target<I::Value, F::Shape> + 's>(
        from: Remote<'_, I, F, Self>,
        mut buffer: B,
    ) {
        let slots = buffer.slots();
        from.asks_for_length(slots.len(), "the buffer to read into");
        // SAFETY: the buffer has room for as many elements.
        unsafe { from.read_to_room(slots.as_mut_ptr()) };
    }
}

impl AtOnce for OnStream<'_> {
    #[track_caller]
    fn get<I: Item, F: FormOf<I::Value>>(elements: &Remote<'_, I, F, Self>) -> F::Owned {
        F::get(AwaitedRead(elements))
    }
}

/// Elements that are read on their stream, and awaited.
struct AwaitedRead<'e, 'r, 's, I, F>(&'e Remote<'r, I, F, OnStream<'s>>);

impl<I, F> Clone for AwaitedRead<'_, '_, '_, I, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, F> Copy for AwaitedRead<'_, '_, '_, I, F> {}

// SAFETY: `read_to_room` writes all elements, or panics.
unsafe impl<T: Symmetric, I: Item<Value = T>, F: Form> Elements<T> for AwaitedRead<'_, '_, '_, I, F> {
    type Form = F;

    fn len(self) -> usize {
        self.0.at.count()
    }

    #[track_caller]
    unsafe fn read_one(self) -> T {
        self.0.fetched()[0]
    }

    #[track_caller]
    unsafe fn read_to(self, to: *mut T) {
        // SAFETY: the caller's promise.
        unsafe { self.0.read_to_room(to) };
    }
}

impl<I: Item, F: Form + Send + 'static> Remote<'_, I, F, OnStream<'_>> {
    /// The elements with their type, for work of the host.
    pub(crate) fn held(&self) -> HeldElements<I, F> {
        HeldElements::of(self, self.ctx.memory)
    }
}
