//! Memory of the program that streams put from and read to where it lies.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::ptr;
use std::sync::{Arc, Mutex};

use super::Gpu;
use super::dlpack::{DlpackElement, DlpackTensor};
use super::nvshmem;
use crate::remote::Remote;
use crate::remote::stream::{OnStream, ProgramMemory, StreamWork};
use crate::select::Form;
use crate::symmetric::{Item, Symmetric};
use crate::system::error::Error;

/// What NVSHMEM knows of memory, and what owns it.
struct Registration {
    /// Where the device has it.
    on_a_device: Option<u64>,
    /// Dropped last. Nobody uses it: the lock makes it `Sync`.
    _owner: Mutex<Box<dyn Any + Send>>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some((device, address)) = nvshmem::device().zip(self.on_a_device) {
            // SAFETY: `register` has registered it, and each operation on it has held this until its end.
            unsafe { device.unregister(address) };
        }
    }
}

/// Memory of the program on the device of this PE, which streams put from and read to where it lies.
///
/// [`Gpu::register`] and [`register_dlpack`](Gpu::register_dlpack) make it, and
/// [`slice`](RegisteredMemory::slice) makes a part of it. Its owner is dropped when the last part is
/// dropped and the last operation on it is done. A clone is the same memory.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     let (stream, inbox) = (gpu.stream()?, gpu.zeros::<u32, 1>([8])?);
///     // With the back end `host`, the memory of the device is that of the host.
///     let mut mine = vec![1, 2, 3, 4];
///     let first = mine.as_mut_ptr();
///     // SAFETY: the vector owns four numbers, and nobody uses it but streams.
///     let mine = unsafe { gpu.register(mine, first, 4)? };
///     mine.slice(1..3).put_to(remote!(stream; &inbox[1 - world.my_pe(), 0..8;4]));
///     collective!(stream; barrier);
///     assert_eq!(inbox.to_vec(&stream)?, [2, 0, 0, 0, 3, 0, 0, 0]);
///     Ok(())
/// }
/// ```
#[doc(alias = "nvshmemx_buffer_register")]
pub struct RegisteredMemory<T> {
    registration: Arc<Registration>,
    first: *mut T,
    len: usize,
    holds: PhantomData<fn() -> T>,
}

// SAFETY: it accesses no element, and its owner may be dropped by any thread.
unsafe impl<T> Send for RegisteredMemory<T> {}
// SAFETY: as above: a shared reference only issues operations.
unsafe impl<T> Sync for RegisteredMemory<T> {}

impl<T> Clone for RegisteredMemory<T> {
    fn clone(&self) -> Self {
        RegisteredMemory { registration: Arc::clone(&self.registration), ..*self }
    }
}

impl<T> fmt::Debug for RegisteredMemory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} registered elements at {:?}", self.len, self.first)
    }
}

impl Gpu {
    /// Registers `len` elements of the device of this PE from `first` on, which the program owns
    /// (`nvshmemx_buffer_register`). Streams then put from there and read to there, and nothing is copied
    /// in between. Not collective.
    ///
    /// `owner` is what frees the memory when it is dropped, such as a `CudaSlice` of `cudarc`, or an `Arc`
    /// of it. It is dropped when the last part is dropped and the last operation on it is done. Any thread
    /// may drop it, also that of a stream, so its drop makes no collective call. With the back end `host`,
    /// the memory is that of the host.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let mut values = vec![7_u64; 4];
    ///     let first = values.as_mut_ptr();
    ///     // SAFETY: the vector owns four numbers, and nobody uses it but streams.
    ///     let registered = unsafe { gpu.register(values, first, 4)? };
    ///     assert_eq!(registered.len(), 4);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// What NVSHMEM says, as of memory that is registered already.
    ///
    /// # Panics
    ///
    /// When `first` is null or not aligned.
    ///
    /// # Safety
    ///
    /// As long as `owner` is not dropped, so many elements of `T` lie there, in memory of this device that
    /// may be read and written. From the issue of an operation until its stream is past it, nobody else, also
    /// no operation on another stream, writes to the elements that it puts, or accesses those that it reads
    /// to.
    #[doc(alias = "nvshmemx_buffer_register")]
    #[doc(alias = "register_external_buffer")]
    #[track_caller]
    pub unsafe fn register<T: Symmetric>(
        &self,
        owner: impl Send + 'static,
        first: *mut T,
        len: usize,
    ) -> Result<RegisteredMemory<T>, Error> {
        assert!(!first.is_null(), "registered memory begins at an address, and this one is null");
        assert!(
            first.addr().is_multiple_of(align_of::<T>()),
            "registered memory begins at a multiple of {} bytes, as its elements ask, and {first:?} is none",
            align_of::<T>()
        );
        let (address, bytes) = (first.addr() as u64, len * size_of::<T>());
        let on_a_device = match nvshmem::device() {
            // NVSHMEM refuses its own.
            Some(device) if bytes > 0 && !device.is_symmetric(address, bytes) => {
                let registered = device.register(address, bytes);
                registered
                    .map_err(|reason| shmem_gpu::Error::unavailable("registration of memory", reason))?;
                Some(address)
            }
            _ => None,
        };
        let registration = Arc::new(Registration { on_a_device, _owner: Mutex::new(Box::new(owner)) });
        Ok(RegisteredMemory { registration, first, len, holds: PhantomData })
    }

    /// Registers the elements of a tensor that another library has exported by DLPack, as
    /// [`register`](Gpu::register) does. Not collective.
    ///
    /// The tensor is on the device of this PE, or on the host with the back end `host`, and its elements
    /// lie side by side in row-major order. They are registered as one row of them.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, inbox) = (gpu.stream()?, gpu.zeros::<f32, 1>([8])?);
    ///     // Another library has made it; here it is of this one.
    ///     let tensor = gpu.full([2, 4], 1.5_f32)?.to_dlpack(&stream)?;
    ///     // SAFETY: nobody else has the tensor.
    ///     let theirs = unsafe { gpu.register_dlpack::<f32>(tensor)? };
    ///     theirs.put_to(remote!(stream; &inbox[1 - world.my_pe(), ..]));
    ///     collective!(stream; barrier);
    ///     assert_eq!(inbox.to_vec(&stream)?, [1.5; 8]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the tensor is on another device, has elements of another type, has gaps between them, or does
    /// not begin at an address that is aligned for them, and what NVSHMEM says.
    ///
    /// # Safety
    ///
    /// The tensor is valid, and may be written. Nobody else uses its elements, as for
    /// [`register`](Gpu::register).
    #[doc(alias = "register_external_tensor")]
    #[track_caller]
    pub unsafe fn register_dlpack<T: Symmetric + DlpackElement>(
        &self,
        tensor: DlpackTensor,
    ) -> Result<RegisteredMemory<T>, Error> {
        let (first, len) = tensor
            .row::<T>()
            .map_err(|reason| shmem_gpu::Error::unavailable("registration of a DLPack tensor", reason))?;
        if len == 0 {
            // It may have no address.
            let none = ptr::NonNull::dangling().as_ptr();
            // SAFETY: there are no elements.
            return unsafe { self.register(tensor, none, 0) };
        }
        // SAFETY: the tensor owns its elements; the caller's promise.
        unsafe { self.register(tensor, first, len) }
    }
}

impl<T: Symmetric> RegisteredMemory<T> {
    /// Returns the number of elements. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let mut mine = vec![0_u8; 16];
    ///     let first = mine.as_mut_ptr();
    ///     // SAFETY: the vector owns them, and nobody uses it but streams.
    ///     let mine = unsafe { world.gpu()?.register(mine, first, 16)? };
    ///     assert_eq!(mine.len(), 16);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let mut mine = vec![0_u8; 16];
    ///     let first = mine.as_mut_ptr();
    ///     // SAFETY: the vector owns them, and nobody uses it but streams.
    ///     let mine = unsafe { world.gpu()?.register(mine, first, 16)? };
    ///     assert!(!mine.is_empty() && mine.slice(4..4).is_empty());
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns a part of it, which keeps the owner too. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let mut mine = vec![0_u8; 16];
    ///     let first = mine.as_mut_ptr();
    ///     // SAFETY: the vector owns them, and nobody uses it but streams.
    ///     let mine = unsafe { world.gpu()?.register(mine, first, 16)? };
    ///     assert_eq!(mine.slice(4..).slice(..=3).len(), 4);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the range is out of bounds.
    #[must_use]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize> + fmt::Debug) -> RegisteredMemory<T> {
        let start = match range.start_bound() {
            Bound::Included(&start) => Some(start),
            Bound::Excluded(&before) => before.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.checked_add(1),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => Some(self.len),
        };
        let part = start.zip(end).filter(|&(start, end)| start <= end && end <= self.len);
        let Some((start, end)) = part else {
            panic!("range {range:?} is out of bounds of {} registered elements", self.len)
        };
        // Inside of the memory, or at its end.
        let first = self.first.wrapping_add(start);
        RegisteredMemory { first, len: end - start, ..self.clone() }
    }

    /// Puts the elements to those of a reference, in row-major order, when its stream comes to it
    /// (`nvshmemx_putmem_on_stream`). Not collective.
    ///
    /// They may be used again when the stream is past it, as after a
    /// [`synchronize`](super::Stream::synchronize).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, table) = (gpu.stream()?, gpu.zeros::<f64, 2>([3, 2])?);
    ///     let mut mine = vec![0.5, 1.5, 2.5];
    ///     let first = mine.as_mut_ptr();
    ///     // SAFETY: the vector owns three numbers, and nobody uses it but streams.
    ///     let mine = unsafe { gpu.register(mine, first, 3)? };
    ///     mine.put_to(remote!(stream; &table[1 - world.my_pe(), .., 1])); // a column
    ///     collective!(stream; barrier);
    ///     assert_eq!(table.to_vec(&stream)?, [0.0, 0.5, 0.0, 1.5, 0.0, 2.5]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the reference has another number of elements, when there is no such PE, and in a local phase.
    #[track_caller]
    #[doc(alias = "nvshmemx_putmem_on_stream")]
    pub fn put_to<I: Item<Value = T>, F: Form>(&self, to: Remote<'_, I, F, OnStream<'_>>) {
        to.asks_for_length(self.len, "the registered memory");
        let (_, _, stream) = to.whereabouts();
        stream.issue("put of registered memory", StreamWork::Put { to: to.spot(), from: self.part() });
    }

    /// Reads the elements of a reference to these, in row-major order, when its stream comes to it
    /// (`nvshmemx_getmem_on_stream`). Not collective.
    ///
    /// They are there when the stream is past it, as after a [`synchronize`](super::Stream::synchronize).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, theirs) = (gpu.stream()?, gpu.full([4], world.my_pe())?);
    ///     let (mut mine, copy) = (vec![9; 4], gpu.zeros::<usize, 1>([4])?);
    ///     let first = mine.as_mut_ptr();
    ///     // SAFETY: the vector owns four numbers, and nobody uses it but streams.
    ///     let mine = unsafe { gpu.register(mine, first, 4)? };
    ///     mine.slice(1..3).get_from(remote!(stream; &theirs[1 - world.my_pe(), 0..2]));
    ///     mine.put_to(remote!(stream; &copy[world.my_pe(), ..]));
    ///     let other = 1 - world.my_pe();
    ///     assert_eq!(copy.to_vec(&stream)?, [9, other, other, 9]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`put_to`](RegisteredMemory::put_to).
    #[track_caller]
    #[doc(alias = "nvshmemx_getmem_on_stream")]
    pub fn get_from<I: Item<Value = T>, F: Form>(&self, from: Remote<'_, I, F, OnStream<'_>>) {
        from.asks_for_length(self.len, "the registered memory");
        let (_, _, stream) = from.whereabouts();
        stream.issue("read to registered memory", StreamWork::Get { from: from.spot(), to: self.part() });
    }

    /// The elements, for work of a stream.
    fn part(&self) -> ProgramMemory {
        ProgramMemory::new(self.first.cast(), Arc::clone(&self.registration) as _)
    }
}
