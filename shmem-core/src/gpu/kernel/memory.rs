//! What `remote!`, `local!` and `wait!` do in a kernel on the back end `host`.
//!
//! The threads of a block, the blocks of other PEs and the streams of this one access the same memory
//! at the same time. Nothing here makes a reference to it: an element of a device array moves as any
//! element of a symmetric object does, by relaxed loads and stores, and a cell by atomic operations.
//! An element of shared memory is a relaxed atomic word. So a race in a kernel yields unspecified
//! values, and no undefined behaviour.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shmem_gpu::kernel;
use shmem_gpu::nvshmem::Device;

use super::source::KernelScalar;
use crate::gpu::{DeviceArray, DeviceObject};
use crate::remote::{Arithmetic, AtOnce, Bitwise, DeviceMemory, Remote};
use crate::select::{Form as _, One, index_out_of_bounds};
use crate::symmetric::{Atomic, AtomicBits, AtomicInteger, AtomicValue, Item, ObjectInfo, Rank, Ranked};
use crate::transport::Ctx;
use crate::wait::{Comparison, Waitable};

/// A device array in a kernel: the type of the parameter for which a launch takes `&array`.
///
/// In a kernel it is written `Global<T>`, or `Global<T, RANK>`. `remote!(A[pe, i])` reads an element of
/// the copy on a PE, and `local!(A[i])` one of this PE's copy. `= v` after it writes. A parameter that
/// the kernel writes to is declared `mut`. `A.len()` is the number of elements of a copy, and
/// `A.extent(axis)` the extent of an axis.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::gpu::kernel]
/// fn transpose(from: Global<u32, 2>, mut to: Global<u32, 2>, pe: usize) {
///     let i = global_index();
///     if i < from.len() {
///         let (row, column) = (i / from.extent(1), i % from.extent(1));
///         remote!(to[pe, column, row]) = local!(from[row, column]);
///     }
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let (gpu, right) = (world.gpu()?, (world.my_pe() + 1) % world.n_pes());
///     let stream = gpu.stream()?;
///     let from = gpu.from_fn([2, 3], |[i, j]| (10 * i + j) as u32)?;
///     let to = gpu.zeros::<u32, 2>([3, 2])?;
///     transpose.launch(&stream, 1, 6, (&from, &to, right))?;
///     collective!(stream; barrier);
///     assert_eq!(to.to_vec(&stream)?, [0, 10, 1, 11, 2, 12]);
///     stream.synchronize()
/// }
/// ```
pub struct GlobalMemory<'a, I, const R: usize = 1> {
    pub(super) offset: usize,
    pub(super) extents: [usize; R],
    pub(super) info: &'a ObjectInfo,
    holds: PhantomData<fn() -> I>,
}

impl<I, const R: usize> Clone for GlobalMemory<'_, I, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, const R: usize> Copy for GlobalMemory<'_, I, R> {}

impl<I, const R: usize> fmt::Debug for GlobalMemory<'_, I, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
    }
}

/// A device array that a launch keeps.
pub struct HeldArray<I, const R: usize> {
    offset: usize,
    extents: [usize; R],
    memory: DeviceMemory,
    holds: PhantomData<fn() -> I>,
}

impl<I: Item, const R: usize> HeldArray<I, R>
where
    Rank<R>: Ranked,
{
    pub(super) fn of(array: &DeviceArray<I, R>) -> HeldArray<I, R> {
        let (place, memory) = array.device_place();
        HeldArray {
            offset: place.offset,
            extents: array.extents(),
            memory: memory.clone(),
            holds: PhantomData,
        }
    }

    /// As `rs::Global` of the text in C++ has it: where the elements begin, and the extents.
    pub(super) fn words(&self, device: &Device) -> Vec<u64> {
        let extents = self.extents.iter().map(|&extent| extent as u64);
        [device.address(self.offset)].into_iter().chain(extents).collect()
    }

    pub(super) fn global(&self) -> GlobalMemory<'_, I, R> {
        let HeldArray { offset, extents, ref memory, holds } = *self;
        GlobalMemory { offset, extents, info: memory.info(), holds }
    }
}

/// The element at `index` on `pe`.
///
/// # Panics
///
/// When there is no such element.
#[track_caller]
pub(super) fn element<'a, I: Item, const R: usize>(
    object: &GlobalMemory<'a, I, R>,
    pe: usize,
    index: [usize; R],
) -> Remote<'a, I, One> {
    let mut place = 0;
    for (&index_here, &extent) in index.iter().zip(&object.extents) {
        if index_here >= extent {
            index_out_of_bounds(object.info, pe, &index, &object.extents);
        }
        // The extents of an object multiply without overflow.
        place = place * extent + index_here;
    }
    let offset = object.offset + place * size_of::<I::Value>();
    // SAFETY: each index is below its extent, so the element lies in the array, which the launch keeps
    // for as long as a thread has the parameter.
    unsafe { Remote::new(pe, One::one(offset), object.info) }
}

#[doc(hidden)]
impl<I: Item, const R: usize> GlobalMemory<'_, I, R> {
    /// `remote!(object[pe, index])`
    #[track_caller]
    pub fn read(&self, pe: usize, index: [usize; R]) -> I::Value {
        <Ctx as AtOnce>::get(&element(self, pe, index))
    }

    /// `remote!(object[pe, index]) = value`
    ///
    /// The macro asks [`written`] for the `mut`, so that the value may read the same object.
    #[track_caller]
    pub fn write(&self, value: I::Value, pe: usize, index: [usize; R]) {
        element(self, pe, index).fill(value);
    }

    /// `wait!(object[index] >= value)`
    #[track_caller]
    pub fn wait(&self, comparison: Comparison, value: I::Value, index: [usize; R])
    where
        I: Waitable,
    {
        // The thread that was to set the cell may have failed.
        let cell = element(self, crate::my_pe(), index);
        if !cell.wait_until_or(comparison, value, kernel::is_abandoned) {
            kernel::abandon();
        }
    }

    /// `object.len()`
    pub fn elements(&self) -> usize {
        self.extents.iter().product()
    }

    /// `object.extent(axis)`, of an axis that there is: the macro knows.
    pub fn extent_of(&self, axis: usize) -> usize {
        self.extents[axis]
    }
}

/// A kernel writes to `object`, which it has declared `mut`.
pub fn written<T>(object: &mut T) {
    let _ = object;
}

/// `remote!(object[pe, index]) += value`, and so on.
macro_rules! updates {
    ($($name:ident $of:ident;)*) => {$(
        #[doc(hidden)]
        impl<I: $of, const R: usize> GlobalMemory<'_, I, R> {
            #[track_caller]
            pub fn $name(&self, value: I::Value, pe: usize, index: [usize; R]) {
                I::$name(value, element(self, pe, index));
            }
        }
    )*};
}

updates! { add Arithmetic; sub Arithmetic; and Bitwise; or Bitwise; xor Bitwise; }

/// `remote!(&object[pe, index]).fetch_add(value)`, and so on.
macro_rules! fetches {
    ($($name:ident $of:ident;)*) => {$(
        #[doc(hidden)]
        impl<T: $of, const R: usize> GlobalMemory<'_, Atomic<T>, R> {
            #[track_caller]
            pub fn $name(&self, value: T, pe: usize, index: [usize; R]) -> T {
                element(self, pe, index).$name(value)
            }
        }
    )*};
}

#[doc(hidden)]
impl<T: AtomicInteger + PartialEq, const R: usize> GlobalMemory<'_, Atomic<T>, R> {
    /// `remote!(&object[pe, index]).compare_swap(current, new)`: the value before.
    #[track_caller]
    pub fn compare_swap(&self, (current, new): (T, T), pe: usize, index: [usize; R]) -> T {
        match element(self, pe, index).compare_exchange(current, new) {
            Ok(found) | Err(found) => found,
        }
    }
}

fetches! { swap AtomicValue; fetch_add AtomicValue; fetch_and AtomicBits; fetch_or AtomicBits; fetch_xor AtomicBits; }

/// Shared memory of a block: `N` elements.
pub struct SharedArray<T, const N: usize> {
    words: Arc<[AtomicU64]>,
    holds: PhantomData<fn() -> T>,
}

impl<T, const N: usize> fmt::Debug for SharedArray<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{N} elements of shared memory")
    }
}

/// `let mut tile = shared::<[T; N]>();`
#[track_caller]
pub fn shared<T: KernelScalar, const N: usize>() -> SharedArray<T, N> {
    SharedArray { words: kernel::shared(N, size_of::<T>()), holds: PhantomData }
}

#[track_caller]
fn word<T, const N: usize>(array: &SharedArray<T, N>, index: usize) -> &AtomicU64 {
    match array.words.get(index) {
        Some(word) => word,
        None => panic!("index {index} is out of bounds of {N} elements of shared memory"),
    }
}

#[doc(hidden)]
impl<T: KernelScalar, const N: usize> SharedArray<T, N> {
    /// `local!(tile[index])`
    #[track_caller]
    pub fn read(&self, index: usize) -> T {
        T::of_word(word(self, index).load(Ordering::Relaxed))
    }

    /// `local!(tile[index]) = value`
    #[track_caller]
    pub fn write(&self, value: T, index: usize) {
        word(self, index).store(value.word(), Ordering::Relaxed);
    }
}
