//! Arrays that other libraries use where they lie: DLPack.

use std::ffi::c_void;
use std::fmt;
use std::ptr::{self, NonNull};

use super::array::DeviceArray;
use super::job;
use super::nvshmem;
use super::stream::Stream;
use crate::remote::DeviceMemory;
use crate::runtime::direct;
use crate::symmetric::Item;
use crate::system::error::Error;

/// `DLDevice`
#[repr(C)]
struct Device {
    kind: i32,
    number: i32,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            1 => f.write_str("the host"),
            Device::CUDA => write!(f, "CUDA device {}", self.number),
            kind => write!(f, "device {} of the kind {kind}", self.number),
        }
    }
}

impl Device {
    /// That of this PE's streams.
    fn of_this_pe() -> Device {
        match nvshmem::device() {
            Some(device) => Device { kind: Device::CUDA, number: device.number() as i32 },
            None => Device::HOST,
        }
    }

    /// `kDLCPU`
    const HOST: Device = Device { kind: 1, number: 0 };
    /// `kDLCUDA`
    const CUDA: i32 = 2;
}

/// `DLDataType`, of an element that is no vector.
#[repr(C)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// `DLTensor`
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: Device,
    rank: i32,
    element: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

impl Tensor {
    /// A number for each axis; none where there is no such list.
    fn numbers(&self, list: *const i64) -> Vec<i64> {
        let axes = usize::try_from(self.rank).unwrap_or(0);
        if list.is_null() || axes == 0 {
            return Vec::new();
        }
        // SAFETY: `shape` and `strides` of a valid tensor have a number for each axis.
        unsafe { std::slice::from_raw_parts(list, axes) }.to_vec()
    }
}

/// The strides of a row-major array, in elements.
fn row_major(extents: &[usize]) -> impl Iterator<Item = i64> {
    (0..extents.len()).map(|axis| extents[axis + 1..].iter().product::<usize>() as i64)
}

/// `DLManagedTensor`, the form of all versions before 1. Its capsule is named `dltensor`.
#[repr(C)]
struct ManagedTensor {
    tensor: Tensor,
    owner: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedTensor)>,
}

/// What an export owns. It is at one address as long as it lives.
struct Owner {
    managed: ManagedTensor,
    axes: Vec<i64>,
    /// Kept.
    _memory: DeviceMemory,
}

/// Elements that DLPack has a type for: integers of 8 to 64 bits, `f32`, `f64`, `f16`, `bf16`, and
/// `Complex<f32>` and `Complex<f64>` with the features `half` and `num-complex`.
///
/// ```compile_fail,E0277
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     gpu.zeros::<[u32; 3], 1>([8])?.to_dlpack(&gpu.stream()?)?; // an array is no element
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "DLPack has no type for `{Self}`",
    label = "not an element of DLPack",
    note = "it has integers of 8 to 64 bits, `f32`, `f64`, `f16`, `bf16` and complex numbers of `f32` and `f64`: give an array of arrays one more axis"
)]
pub trait DlpackElement: sealed::Coded {}

mod sealed {
    /// The number of the kind of an element in `DLDataTypeCode`.
    pub trait Coded {
        const CODE: u8;
    }
}

macro_rules! elements {
    ($($code:literal: $($element:ty),*;)*) => {$($(
        impl sealed::Coded for $element {
            const CODE: u8 = $code;
        }
        impl DlpackElement for $element {}
    )*)*};
}

elements! {
    0: i8, i16, i32, i64, isize;
    1: u8, u16, u32, u64, usize;
    2: f32, f64;
}
#[cfg(feature = "half")]
elements! {
    2: half::f16;
    4: half::bf16;
}
#[cfg(feature = "num-complex")]
elements! { 5: num_complex::Complex<f32>, num_complex::Complex<f64>; }

/// A tensor that libraries hand to each other where it lies (`DLManagedTensor`).
///
/// [`DeviceArray::to_dlpack`] and [`peer_to_dlpack`](DeviceArray::peer_to_dlpack) make it of a PE's copy
/// of a device array. As long as it lives, or what has taken it over, the array keeps its memory, on
/// every PE. [`from_raw`](DlpackTensor::from_raw) takes that of another library, for
/// [`Gpu::register_dlpack`](super::Gpu::register_dlpack). Dropping it is local.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let gpu = world.gpu()?;
///     let tensor = gpu.ones::<f32, 2>([4, 8])?.to_dlpack(&gpu.stream()?)?;
///     std::thread::spawn(|| drop(tensor)); // any thread may have it
///     Ok(())
/// }
/// ```
pub struct DlpackTensor(NonNull<ManagedTensor>);

// SAFETY: its deleter may be called by any thread, as `from_raw` asks, and `delete` may. It does not
// access the elements.
unsafe impl Send for DlpackTensor {}

impl fmt::Debug for DlpackTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: this owns it.
        let tensor = unsafe { &self.0.as_ref().tensor };
        write!(f, "DlpackTensor({:?} at {:?})", tensor.numbers(tensor.shape), tensor.data)
    }
}

impl DlpackTensor {
    fn new<T: DlpackElement>(
        data: *mut c_void,
        device: Device,
        extents: &[usize],
        memory: DeviceMemory,
    ) -> Self {
        let bits = u8::try_from(8 * size_of::<T>()).expect("no element has more than 16 bytes");
        // The extents, and then the strides, in elements.
        let mut axes: Vec<i64> = extents.iter().map(|&extent| extent as i64).collect();
        axes.extend(row_major(extents));
        let tensor = Tensor {
            data,
            device,
            rank: extents.len() as i32,
            element: DataType { code: T::CODE, bits, lanes: 1 },
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        let managed = ManagedTensor { tensor, owner: ptr::null_mut(), deleter: Some(delete) };
        let owner = Box::into_raw(Box::new(Owner { managed, axes, _memory: memory }));
        // SAFETY: it was just made, and nobody else has it. There are two numbers for each axis.
        unsafe {
            let axes = (*owner).axes.as_mut_ptr();
            (*owner).managed.owner = owner.cast();
            (*owner).managed.tensor.shape = axes;
            (*owner).managed.tensor.strides = axes.add(extents.len());
            DlpackTensor(NonNull::new_unchecked(&raw mut (*owner).managed))
        }
    }

    /// Returns the address of the `DLManagedTensor`, whose deleter the caller calls once it is no longer
    /// used, as DLPack has it. Not collective.
    ///
    /// In Python, a capsule named `dltensor` with this address is what `from_dlpack` takes. Who calls no
    /// deleter keeps the memory until the job ends.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let tensor = gpu.full([4, 8], 2.5_f64)?.to_dlpack(&gpu.stream()?)?.into_raw();
    ///     // It begins with the address of the elements.
    ///     // SAFETY: the array has the back end `host`, and nobody writes it.
    ///     let first = unsafe { *tensor.cast::<*const f64>().read() };
    ///     assert_eq!(first, 2.5);
    ///     // SAFETY: it comes from `into_raw`, and is not used any more.
    ///     drop(unsafe { shmem::gpu::DlpackTensor::from_raw(tensor) });
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn into_raw(self) -> *mut c_void {
        let managed = self.0.as_ptr().cast();
        std::mem::forget(self);
        managed
    }

    /// Takes the tensor of another library, or takes back what [`into_raw`](DlpackTensor::into_raw) has
    /// returned. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let address = gpu.ones::<u8, 1>([8])?.to_dlpack(&gpu.stream()?)?.into_raw();
    ///     // SAFETY: it comes from `into_raw`, and nobody else has it.
    ///     let tensor = unsafe { shmem::gpu::DlpackTensor::from_raw(address) };
    ///     drop(tensor); // the memory is free
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Safety
    ///
    /// `tensor` is a valid `DLManagedTensor`, and not null. Its deleter was not called, nobody else calls
    /// it, and any thread may.
    #[must_use]
    pub unsafe fn from_raw(tensor: *mut c_void) -> DlpackTensor {
        // SAFETY: the caller promises that it is not null.
        DlpackTensor(unsafe { NonNull::new_unchecked(tensor.cast()) })
    }

    /// Where its elements begin, and how many lie there side by side in row-major order.
    ///
    /// # Errors
    ///
    /// Why this PE's streams do not take it so.
    pub(super) fn row<T: DlpackElement>(&self) -> Result<(*mut T, usize), String> {
        // SAFETY: this owns it.
        let tensor = unsafe { &self.0.as_ref().tensor };
        let (wanted, found) = (Device::of_this_pe(), &tensor.device);
        if (found.kind, found.number) != (wanted.kind, wanted.number) {
            return Err(format!("it is on {found}, and this PE's streams work on {wanted}: copy it there"));
        }
        let DataType { code, bits, lanes } = tensor.element;
        let size = 8 * size_of::<T>();
        if (code, usize::from(bits), lanes) != (T::CODE, size, 1) {
            return Err(format!(
                "its elements have the code {code}, {bits} bits and {lanes} lanes, and `{}` has {}, {size} and 1",
                std::any::type_name::<T>(),
                T::CODE
            ));
        }
        let shape = tensor.numbers(tensor.shape);
        let Ok(extents) = shape.iter().map(|&extent| usize::try_from(extent)).collect::<Result<Vec<_>, _>>()
        else {
            return Err(format!("its extents are {shape:?}"));
        };
        let Some(len) = extents.iter().try_fold(1_usize, |len, &extent| len.checked_mul(extent)) else {
            return Err(format!("its extents are {shape:?}"));
        };
        // Where there is one element, or none, the distance to the next one does not matter.
        let strides = tensor.numbers(tensor.strides);
        let is_row = len == 0
            || strides.is_empty()
            || shape
                .iter()
                .zip(row_major(&extents))
                .zip(&strides)
                .all(|((&extent, row), &stride)| extent == 1 || row == stride);
        if !is_row {
            return Err(format!(
                "its extents are {shape:?} and its strides {strides:?}, which are not those of a row-major array: make it contiguous"
            ));
        }
        let first: *mut T =
            tensor.data.wrapping_byte_add(usize::try_from(tensor.byte_offset).unwrap_or(usize::MAX)).cast();
        if len > 0 && (tensor.data.is_null() || !first.is_aligned()) {
            return Err(format!(
                "its elements begin at {first:?}, and one of this type lies at a multiple of {} bytes: copy them to such an address",
                align_of::<T>()
            ));
        }
        Ok((first, len))
    }
}

impl Drop for DlpackTensor {
    fn drop(&mut self) {
        // SAFETY: this owns it, and is gone after that. A tensor without a deleter owns nothing.
        unsafe {
            if let Some(deleter) = self.0.as_ref().deleter {
                deleter(self.0.as_ptr());
            }
        }
    }
}

/// The deleter of all exports. Any thread may call it.
///
/// # Safety
///
/// `managed` was made by [`DlpackTensor::new`], and nobody uses it any more.
unsafe extern "C" fn delete(managed: *mut ManagedTensor) {
    if !managed.is_null() {
        // SAFETY: the owner has it inside, and came from a box.
        drop(unsafe { Box::from_raw((*managed).owner.cast::<Owner>()) });
    }
}

impl<I: Item, const R: usize> DeviceArray<I, R>
where
    I::Value: DlpackElement,
{
    /// Returns this PE's copy for a library that takes DLPack, where it lies: nothing is copied. Waits
    /// until the stream has done all that was issued on it before. Not collective.
    ///
    /// The tensor is row-major, on the CUDA device of the PE, or on the host with the back end `host`. It
    /// is safe to make it, and up to the other library when it reads and writes: streams and other PEs may
    /// access the elements at any time, so synchronise with them as with [`peer_ptr`](Self::peer_ptr).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let stream = gpu.stream()?;
    ///     let tensor = gpu.ones::<f32, 2>([4, 8])?.to_dlpack(&stream)?; // keeps the memory of the array
    ///     println!("{tensor:?}");
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The failure that the stream has stopped with.
    #[track_caller]
    #[doc(alias = "DLManagedTensor")]
    pub fn to_dlpack(&self, stream: &Stream) -> Result<DlpackTensor, Error> {
        stream.synchronize()?;
        let (offset, _) = self.lies_at();
        let at = match nvshmem::device() {
            Some(device) => device.address(offset) as *mut c_void,
            None => job().own_heap().wrapping_add(offset).cast(),
        };
        Ok(self.exported(at))
    }

    /// Returns the copy of PE `pe` as [`to_dlpack`](Self::to_dlpack) does, if this PE's loads and stores
    /// reach it (`nvshmem_ptr`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, array) = (gpu.stream()?, gpu.ones::<f32, 2>([4, 8])?);
    ///     let theirs = array.peer_to_dlpack(1 - world.my_pe(), &stream)?;
    ///     assert!(theirs.is_some()); // on one machine
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The failure that the stream has stopped with.
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[track_caller]
    #[doc(alias = "get_peer_array")]
    pub fn peer_to_dlpack(&self, pe: usize, stream: &Stream) -> Result<Option<DlpackTensor>, Error> {
        if pe == direct::my_pe() {
            return self.to_dlpack(stream).map(Some);
        }
        stream.synchronize()?;
        Ok(self.peer_ptr(pe).map(|at| self.exported(at.cast())))
    }

    /// The elements from this address on.
    fn exported(&self, at: *mut c_void) -> DlpackTensor {
        let (_, memory) = self.lies_at();
        DlpackTensor::new::<I::Value>(at, Device::of_this_pe(), &self.extents(), memory.clone())
    }
}
