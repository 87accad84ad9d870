//! Arrays allocated at run time.

use std::any::type_name;
use std::borrow::Cow;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;

use super::heap::{Allocated, Call, FREE_ONLY, MAX_LIVE};
use super::shape::{MAX_RANK, Rank, Ranked};
use super::{Item, Object, ObjectInfo, Place};
use crate::error::Error;
use crate::phase;
use crate::remote::transfer;
use crate::runtime::{self, Runtime};
use crate::select::Region;
use crate::system_memory;
use crate::transport::Run;

/// A symmetric array whose extents are known at run time: rank 1 to 4, row-major.
///
/// Made by [`World::symmetric_array`](crate::World::symmetric_array). It is used as a `#[symmetric] static` is, with
/// [`remote!`](crate::remote!) and [`local!`](crate::local!); rank and element type are checked by the compiler, bounds at run time.
/// In a [local phase](crate::phase) this PE's copy can be borrowed as a slice.
///
/// Dropping it is local and never waits: it marks the array. The memory returns at the next collective allocation,
/// [`World::reclaim`](crate::World::reclaim) or the end of the job, once every PE has dropped its handle; until then other PEs may go on using the copy
/// on this one. [`free`](SymmetricArray::free) returns it at once.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let grid = world.symmetric_array::<f64, 2>([4, 8], 0.0)?;
///     let right = (world.my_pe() + 1) % world.n_pes();
///     remote!(grid[right, 1..3, 0]) = [1.0, 2.0];
///     world.barrier_all();
///     assert_eq!(local!(grid[0..4, 0]), [0.0, 1.0, 2.0, 0.0]);
///     Ok(())
/// }
/// ```
pub struct SymmetricArray<I, const R: usize> {
    offset: usize,
    extents: [usize; MAX_RANK],
    slot: usize,
    info: ObjectInfo,
    holds: PhantomData<fn() -> I>,
}

#[diagnostic::do_not_recommend]
impl<I: Item, const R: usize> Object for SymmetricArray<I, R>
where
    Rank<R>: Ranked,
{
    type Item = I;
    type Shape = <Rank<R> as Ranked>::Shape;
    #[inline(always)]
    fn place(&self) -> Place<'_, Self::Shape> {
        Place { offset: self.offset, shape: Rank::<R>::shape(&self.extents), info: &self.info }
    }
}

impl<I: Item, const R: usize> SymmetricArray<I, R>
where
    Rank<R>: Ranked,
{
    /// Allocates; see [`World::symmetric_array`](crate::World::symmetric_array).
    #[track_caller]
    pub(crate) fn allocate(
        runtime: &Runtime,
        extents: [usize; R],
        init: I,
        caller: &'static Location<'static>,
    ) -> Result<SymmetricArray<I, R>, Error> {
        phase::refuse("an allocation");
        let elem = size_of::<I::Value>();
        // No product of extents may overflow, not even where another extent is 0: so no arithmetic on selections does.
        let countable = extents
            .iter()
            .try_fold(elem.max(1), |bytes, &extent| bytes.checked_mul(extent.max(1)))
            .is_some_and(|bytes| bytes <= isize::MAX as usize);
        // What is not countable does not fit anywhere, whatever its size.
        let bytes = if countable { elem * extents.iter().product::<usize>() } else { isize::MAX as usize };
        let zeros = is_zeros(&init);
        let list: Vec<String> = extents.iter().map(ToString::to_string).collect();
        let kind = format!("SymmetricArray<{}, {R}> of {}", short_type_name::<I>(), list.join(" × "));
        let mut hasher = DefaultHasher::new();
        (type_name::<I>(), extents).hash(&mut hasher);

        let transport = runtime.transport();
        let mut heap = runtime.heap();
        let call = Call {
            sequence: 0,
            bytes: bytes as u64,
            align: align_of::<I::Value>() as u64,
            kind: hasher.finish(),
            // Zeros are committed as they are touched, so that a sparse array may be larger than the memory. Said here, so
            // that all PEs come to one verdict also where only some of them write zeros.
            available: if zeros { u64::MAX } else { system_memory::available() as u64 },
        };
        let everybody = heap.meet(transport, runtime.released(), call)?;
        if heap.is_full() {
            return Err(Error::TooManyArrays { what: kind, limit: MAX_LIVE });
        }
        let all_pes = bytes.saturating_mul(transport.n_pes());
        // What no heap could hold is not a matter of memory.
        if bytes <= transport.heap_size() && all_pes as u64 > everybody.available {
            let available = usize::try_from(everybody.available).unwrap_or(usize::MAX);
            return Err(Error::OutOfMemory { what: kind, needed: all_pes, available });
        }
        let Some(Allocated { slot, offset, fresh }) = heap.allocate(bytes, align_of::<I::Value>()) else {
            let (total, free, largest) = heap.report();
            let suggestion = suggest(bytes, largest, transport.heap_size());
            return Err(Error::HeapExhausted { what: kind, needed: bytes, free, largest, total, suggestion });
        };
        drop(heap);

        let array = SymmetricArray {
            offset,
            extents: std::array::from_fn(|axis| extents.get(axis).copied().unwrap_or(1)),
            slot,
            info: ObjectInfo {
                name: Cow::Owned(format!("symmetric array #{slot}")),
                kind: Cow::Owned(kind),
                module: "",
                file: caller.file(),
                line: caller.line(),
                column: caller.column(),
            },
            holds: PhantomData,
        };
        // What was never used reads as zeros already, and stays uncommitted until somebody touches it.
        let written = if zeros { (fresh - offset).min(bytes) } else { bytes };
        let count = if elem == 0 { 0 } else { written.div_ceil(elem) };
        if count > 0 {
            let mut runs = [Run { count: 1, stride: 0 }; MAX_RANK];
            runs[0] = Run { count, stride: elem };
            let me = transport.my_pe();
            let region = Region { offset, rank: 1, runs };
            let heap = transport.peer(me).unwrap_or(std::ptr::null_mut());
            // SAFETY: an item is its value, `repr(transparent)` where it is a cell.
            let value = unsafe { std::mem::transmute_copy::<I, I::Value>(&init) };
            // SAFETY: the region is the array on this PE, or its start, and it was just allocated for it.
            unsafe { transfer::fill::<I>(heap, me, &region, &value) };
        }
        transport.barrier_all();
        Ok(array)
    }

    /// The extents, the outermost axis first.
    #[must_use]
    pub fn extents(&self) -> [usize; R] {
        std::array::from_fn(|axis| self.extents[axis])
    }

    /// How many elements each PE's copy has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.extents().iter().product()
    }

    /// Whether the copies have no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the memory at once (`shmem_free`). Collective: every PE must free its handle of the same array.
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls, and when they free different arrays.
    #[doc(alias = "shmem_free")]
    #[track_caller]
    pub fn free(self) -> Result<(), Error> {
        let slot = self.slot;
        drop(self);
        release(runtime::get(), slot as u64 + 1)
    }
}

/// Frees what every PE has dropped; see [`World::reclaim`](crate::World::reclaim).
#[track_caller]
pub(crate) fn reclaim(runtime: &Runtime) -> Result<(), Error> {
    release(runtime, 0)
}

/// A call that only frees; for `kind` see [`Call`].
#[track_caller]
fn release(runtime: &Runtime, kind: u64) -> Result<(), Error> {
    phase::refuse("a collective release of memory");
    let call = Call { sequence: 0, bytes: FREE_ONLY, align: 0, kind, available: u64::MAX };
    runtime.heap().meet(runtime.transport(), runtime.released(), call)?;
    Ok(())
}

impl<I, const R: usize> Drop for SymmetricArray<I, R> {
    fn drop(&mut self) {
        runtime::get().released().mark(self.slot);
    }
}

impl<I, const R: usize> fmt::Debug for SymmetricArray<I, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.info)
    }
}

/// Whether all bytes of an item are 0.
fn is_zeros<I: Item>(item: &I) -> bool {
    // SAFETY: an item has no padding, so all of its bytes are initialised.
    let bytes = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(item).cast::<u8>(), size_of::<I>()) };
    bytes.iter().all(|&byte| byte == 0)
}

/// A type's name without the modules.
fn short_type_name<T>() -> String {
    let mut short = String::new();
    for part in type_name::<T>().split_inclusive(['<', '>', ',', ' ', '[', ']', ';']) {
        short.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    short
}

/// A value for `SHMEM_SYMMETRIC_SIZE` with which `bytes` more would have fitted.
pub(crate) fn suggest(bytes: usize, free: usize, heap_size: usize) -> String {
    let enough = heap_size.saturating_add(bytes.saturating_sub(free)).saturating_add(bytes / 8);
    format!("{}M", (enough >> 20) + 2)
}
