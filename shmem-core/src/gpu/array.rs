//! Arrays in the memory of devices.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

use super::job;
use super::nvshmem;
use super::stream::Stream;
use super::team::GpuTeam;
use crate::array::{SymmetricArray, padded};
use crate::context::{Context, Issuing};
use crate::remote::held::Held;
use crate::remote::{DeviceMemory, OnContext, OnStream, Pe, Remote, SourceOn, Staged};
use crate::runtime::block::Wishes;
use crate::runtime::direct;
use crate::runtime::region::Region;
use crate::select::{Form as _, Many, Selection};
use crate::symmetric::shape::{Dim, MAX_RANK, Shape};
use crate::symmetric::{Item, ObjectInfo, ObjectPlace, Rank, Ranked};
use crate::system::error::Error;
use crate::transport::Run;

/// A symmetric array in the memory of the device of each PE: rank 1 to 4, row-major.
///
/// [`Gpu::zeros`](super::Gpu::zeros), [`ones`](super::Gpu::ones), [`full`](super::Gpu::full),
/// [`from_slice`](super::Gpu::from_slice) and [`from_fn`](super::Gpu::from_fn) make it, and
/// [`view`](DeviceArray::view) of a [buffer](super::Gpu::buffer). It is accessed on a [stream](Stream), in the language of [`remote!`](crate::remote!): see
/// [`shmem::gpu`](crate::gpu). The compiler checks rank and element type. Bounds are checked when an
/// operation is issued.
///
/// Dropping it is local and never waits, also while streams use it. The memory is free when every PE
/// has dropped the array and all operations on it are complete, from the next collective allocation
/// on. A write is complete after a [`quiet`](Stream::quiet), a [`synchronize`](Stream::synchronize), a
/// wait or a collective call of its stream, and after the drop of the stream.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     let stream = gpu.stream()?;
///     let inbox = gpu.zeros::<u32, 1>([8])?;
///     let right = (world.my_pe() + 1) % world.n_pes();
///     remote!(stream; inbox[right, 0..8;2] = [1, 2, 3, 4]);
///     collective!(stream; barrier);
///     assert_eq!(inbox.to_vec(&stream)?, [1, 0, 2, 0, 3, 0, 4, 0]);
///     Ok(())
/// }
/// ```
///
/// Without a stream, the language does not take it:
///
/// ```compile_fail,E0277
/// # use shmem::prelude::*;
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let inbox = world.gpu()?.zeros::<u32, 1>([8])?;
///     remote!(inbox[0, 3]) = 1;
///     Ok(())
/// }
/// ```
pub struct DeviceArray<I, const R: usize> {
    /// Where it begins. With the back end `host`, device memory lies in the symmetric heap.
    offset: usize,
    extents: [usize; MAX_RANK],
    memory: DeviceMemory,
    holds: PhantomData<fn() -> I>,
}

impl<I: Item, const R: usize> Held for SymmetricArray<I, R> {
    fn info(&self) -> &ObjectInfo {
        self.lies_at().1
    }
}

impl<I, const R: usize> fmt::Debug for DeviceArray<I, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.memory.fmt(f)
    }
}

impl<I: Item, const R: usize> DeviceArray<I, R> {
    #[track_caller]
    pub(super) fn new(array: SymmetricArray<I, R>) -> Result<DeviceArray<I, R>, Error> {
        let array = array.on_a_device();
        let (offset, extents) = (array.lies_at().0, array.extents());
        nvshmem::begin_with(offset, size_of::<I::Value>() * array.len())?;
        // SAFETY: the array has the elements, and is kept.
        Ok(unsafe { DeviceArray::at(offset, extents, DeviceMemory::new(Arc::new(array))) })
    }

    /// The array whose elements begin at `offset`.
    ///
    /// # Safety
    ///
    /// `memory` keeps these elements, on every PE.
    pub(super) unsafe fn at(offset: usize, extents: [usize; R], memory: DeviceMemory) -> DeviceArray<I, R> {
        DeviceArray { offset, extents: padded(extents), memory, holds: PhantomData }
    }

    /// Where it begins, and its memory.
    pub(super) fn lies_at(&self) -> (usize, &DeviceMemory) {
        (self.offset, &self.memory)
    }

    #[track_caller]
    pub(super) fn full(
        extents: [usize; R],
        value: I,
        caller: &'static Location<'static>,
    ) -> Result<DeviceArray<I, R>, Error> {
        SymmetricArray::full(job(), extents, Wishes::default(), value, caller).and_then(DeviceArray::new)
    }

    #[track_caller]
    pub(super) fn from_fn(
        extents: [usize; R],
        value: impl FnMut([usize; R]) -> I,
        caller: &'static Location<'static>,
    ) -> Result<DeviceArray<I, R>, Error> {
        SymmetricArray::from_fn(job(), extents, Wishes::default(), value, caller).and_then(DeviceArray::new)
    }

    /// Returns the extents, the outermost axis first. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let [rows, columns] = world.gpu()?.zeros::<f64, 2>([4, 8])?.extents();
    ///     assert_eq!((rows, columns), (4, 8));
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn extents(&self) -> [usize; R] {
        std::array::from_fn(|axis| self.extents[axis])
    }

    /// Returns the number of elements of each PE's copy: the product of the extents. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     assert_eq!(world.gpu()?.zeros::<f64, 2>([4, 8])?.len(), 32);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Returns whether the copies have no elements. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     assert!(!world.gpu()?.zeros::<u8, 1>([1])?.is_empty());
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads this PE's copy to the host, in row-major order, and waits for it: the stream has done all
    /// that was issued on it before (`cudaMemcpyAsync`, `cudaStreamSynchronize`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     assert_eq!(gpu.full([2, 2], 7_u8)?.to_vec(&gpu.stream()?)?, [7; 4]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The failure that the stream has stopped with.
    #[track_caller]
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<I::Value>, Error> {
        self.whole(stream).try_fetched().map_err(|failure| shmem_gpu::Error::Stream(failure).into())
    }

    /// Reads this PE's copy to `values`, in row-major order, and waits for it: the stream has done all
    /// that was issued on it before (`cudaMemcpyAsync`, `cudaStreamSynchronize`). Not collective.
    ///
    /// It is [`to_vec`](DeviceArray::to_vec) without an allocation.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, array) = (gpu.stream()?, gpu.full([2, 2], 7_u8)?);
    ///     let mut values = [0; 4];
    ///     array.copy_to(&stream, &mut values)?;
    ///     assert_eq!(values, [7; 4]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The failure that the stream has stopped with. Then `values` may be unchanged.
    ///
    /// # Panics
    ///
    /// When the number of values is not that of the elements.
    #[track_caller]
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_to(&self, stream: &Stream, values: &mut [I::Value]) -> Result<(), Error> {
        self.whole(stream).try_read_into(values).map_err(|failure| shmem_gpu::Error::Stream(failure).into())
    }

    /// Writes `values`, one for each element in row-major order, to this PE's copy when the stream comes
    /// to it (`cudaMemcpyAsync`). Not collective.
    ///
    /// The values are copied at once, so the slice may be used again when the call returns.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, array) = (gpu.stream()?, gpu.zeros::<u8, 2>([2, 2])?);
    ///     array.copy_from(&stream, &[1, 2, 3, 4]);
    ///     assert_eq!(array.to_vec(&stream)?, [1, 2, 3, 4]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the number of values is not that of the elements.
    #[track_caller]
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_from(&self, stream: &Stream, values: &[I::Value]) {
        self.whole(stream).write("copy from the host", Staged::of(values, false));
    }

    /// Returns the address of PE `pe`'s copy for this PE's loads and stores, if they reach it
    /// (`nvshmem_ptr`). Not collective.
    ///
    /// The elements lie there in row-major order. With the back end `host`, it is an address of the
    /// host: the PEs of one machine reach each other's copies.
    ///
    /// It is safe to make the address, and `unsafe` to use it. Streams and other PEs may write there
    /// at any time. Access it only while every PE has the array.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let array = gpu.full([4], world.my_pe() as u32)?;
    ///     if let Some(theirs) = array.peer_ptr(1 - world.my_pe()) {
    ///         // SAFETY: there are four elements, and nobody writes before the barrier.
    ///         assert_eq!(unsafe { theirs.add(3).read_volatile() }, 1 - world.my_pe() as u32);
    ///     }
    ///     world.barrier_all();
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[must_use]
    #[track_caller]
    #[doc(alias = "nvshmem_ptr")]
    pub fn peer_ptr(&self, pe: usize) -> Option<*mut I::Value> {
        let reached = self.elements(pe).as_ptr();
        match nvshmem::device() {
            Some(device) => device.peer(pe, self.offset).map(|address| address as *mut I::Value),
            None => reached,
        }
    }

    /// Returns the multicast address of the array for `team`, if the devices of its PEs have one
    /// (`nvshmemx_mc_ptr`). Not collective.
    ///
    /// A store there reaches the copies of all PEs of the team, and a load gets what the instruction
    /// makes of them, such as their sum. GPUs with NVLink SHARP have such addresses. They are for
    /// kernels that the program compiles itself, with the `multimem` instructions of PTX. With the back
    /// end `host` there are none: put to each PE.
    ///
    /// It is safe to make the address, and `unsafe` to use it, as that of [`peer_ptr`](DeviceArray::peer_ptr).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, team) = (gpu.stream()?, gpu.team(world.team())?);
    ///     let array = gpu.zeros::<u32, 1>([4])?;
    ///     if let Some(address) = array.multicast_ptr(&team) {
    ///         println!("kernels store to all copies at {address:?}");
    ///     } else if world.my_pe() == 0 {
    ///         (0..world.n_pes()).for_each(|pe| remote!(stream; array[pe, ..]) = 7);
    ///     }
    ///     collective!(stream; barrier; on team);
    ///     assert_eq!(array.to_vec(&stream)?.len(), 4);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    #[doc(alias = "nvshmemx_mc_ptr")]
    pub fn multicast_ptr(&self, team: &GpuTeam) -> Option<*mut I::Value> {
        let device = nvshmem::device()?;
        let team = *team.on_a_device().ok()?;
        device.multicast(team, self.offset).map(|address| address as *mut I::Value)
    }

    /// All elements of the copy of `pe`.
    fn elements(&self, pe: usize) -> Remote<'_, I, Many> {
        let run = Run { count: self.len(), stride: size_of::<I::Value>() };
        let region = Region::range(self.offset, run);
        // SAFETY: they are all elements of the array, whose memory it keeps.
        unsafe { Remote::new(pe, Many::several(region), self.memory.info()) }
    }

    /// All elements of this PE's copy, on a stream.
    fn whole<'a>(&'a self, stream: &'a Stream) -> Remote<'a, I, Many, OnStream<'a>> {
        self.elements(direct::my_pe()).on(stream.delivery(&self.memory))
    }
}

impl<I: Item> DeviceArray<I, 1> {
    #[track_caller]
    pub(super) fn from_slice(
        values: &[I],
        caller: &'static Location<'static>,
    ) -> Result<DeviceArray<I, 1>, Error> {
        SymmetricArray::from_slice(job(), Wishes::default(), values, caller).and_then(DeviceArray::new)
    }
}

/// A device array, or a pointer to one: what stands before the brackets on a stream.
#[doc(hidden)]
pub trait DeviceObject {
    /// The type of a slot.
    type Item: Item;
    /// The extents.
    type Shape: Shape;
    /// Where it lies, and what keeps it there.
    #[allow(private_interfaces, reason = "called by this crate only")]
    fn device_place(&self) -> (ObjectPlace<'_, Self::Shape>, &DeviceMemory);
}

#[diagnostic::do_not_recommend]
impl<I: Item, const R: usize> DeviceObject for DeviceArray<I, R>
where
    Rank<R>: Ranked,
{
    type Item = I;
    type Shape = <Rank<R> as Ranked>::Shape;
    #[allow(private_interfaces, reason = "called by this crate only")]
    fn device_place(&self) -> (ObjectPlace<'_, Self::Shape>, &DeviceMemory) {
        let shape = Rank::<R>::shape(&self.extents);
        (ObjectPlace { offset: self.offset, shape, info: self.memory.info() }, &self.memory)
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<O: DeviceObject + ?Sized> DeviceObject for $pointer {
            type Item = O::Item;
            type Shape = O::Shape;
            #[allow(private_interfaces, reason = "called by this crate only")]
            fn device_place(&self) -> (ObjectPlace<'_, O::Shape>, &DeviceMemory) {
                (**self).device_place()
            }
        }
    )*};
}

forward!(&O, &mut O, Box<O>, Rc<O>, Arc<O>);

/// The elements of `object` on `pe`, on a stream.
#[track_caller]
fn on_stream<'a, O: DeviceObject + ?Sized, K: Issuing<'a, DeviceMemory>, S: Selection<O::Shape>>(
    object: &'a O,
    context: &'a Context<'_, K>,
    pe: usize,
    selection: S,
) -> Remote<'a, O::Item, S::Form, K::Delivery> {
    let (place, memory) = object.device_place();
    // Before the selection, as for other objects.
    direct::heap(pe, place.info);
    let at = selection.locate::<<O::Item as Item>::Value>(&place, pe);
    // SAFETY: `locate` has checked the selection against the extents of the array, which the reference
    // borrows.
    unsafe { Remote::new(pe, at, place.info) }.on(context.delivery(memory))
}

macro_rules! ranks {
    ($($rank:literal: $($axis:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<O: DeviceObject<Item = I, Shape = ($($axis,)*)> + ?Sized, I: Item, $($axis: Dim),*>
            OnContext<$rank, I, ($($axis,)*), DeviceMemory> for O
        {
            #[track_caller]
            fn remote_on<'a, K: Issuing<'a, DeviceMemory>, S: Selection<($($axis,)*), Form = F>, F>(
                &'a self,
                context: &'a Context<'_, K>,
                pe: Pe,
                selection: S,
            ) -> Remote<'a, I, F, K::Delivery> {
                on_stream(self, context, pe.pe, selection)
            }

            #[track_caller]
            fn local_on<'a, K: Issuing<'a, DeviceMemory>, S: Selection<($($axis,)*), Form = F>, F>(
                &'a self,
                context: &'a Context<'_, K>,
                selection: S,
            ) -> Remote<'a, I, F, K::Delivery> {
                on_stream(self, context, direct::my_pe(), selection)
            }
        }

        /// The source `&E[..]` of a write on a stream.
        #[diagnostic::do_not_recommend]
        impl<O: DeviceObject<Item = I, Shape = ($($axis,)*)> + ?Sized, I: Item, S: Selection<($($axis,)*)>, $($axis: Dim),*>
            SourceOn<$rank, ($($axis,)*), S, DeviceMemory> for O
        {
            type Taken<'a, K>
                = Remote<'a, I, S::Form, K>
            where
                Self: 'a;

            #[track_caller]
            fn source_on<'a, K: Issuing<'a, DeviceMemory>>(
                &'a self,
                context: &'a Context<'_, K>,
                selection: S,
            ) -> Remote<'a, I, S::Form, K::Delivery> {
                on_stream(self, context, direct::my_pe(), selection)
            }
        }
    )*};
}

ranks! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
}
