//! Arrays allocated at run time.

use std::any::type_name;
use std::borrow::Cow;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;

use super::allocation::Wishes;
use super::heap::{Allocated, Call, MAX_LIVE, check_align};
use super::shape::{MAX_RANK, Rank, Ranked};
use super::{Item, Object, ObjectInfo, Place};
use crate::error::Error;
use crate::phase;
use crate::remote::transfer::{self, Via};
use crate::runtime::{self, Runtime};
use crate::select::Region;
use crate::system_memory;
use crate::transport::{Run, Transport};

/// A symmetric array whose extents are known at run time: rank 1 to 4, row-major.
///
/// Made by [`World::symmetric_array`](crate::World::symmetric_array), [`zeros`](crate::World::zeros), [`ones`](crate::World::ones),
/// [`array_from_slice`](crate::World::array_from_slice) and [`array_from_fn`](crate::World::array_from_fn). It is used as a `#[symmetric] static` is, with
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
    wishes: Wishes,
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
    /// Every element `init`; see [`World::symmetric_array`](crate::World::symmetric_array).
    #[track_caller]
    pub(crate) fn full(
        runtime: &Runtime,
        extents: [usize; R],
        wishes: Wishes,
        init: I,
        caller: &'static Location<'static>,
    ) -> Result<SymmetricArray<I, R>, Error> {
        let made = SymmetricArray::make(runtime, extents, wishes, is_zeros(&init), None, caller)?;
        made.fill(runtime.transport(), 0, init);
        runtime.transport().barrier_all();
        Ok(made.array)
    }

    /// Each element what `value` returns for its index; see [`World::array_from_fn`](crate::World::array_from_fn).
    #[track_caller]
    pub(crate) fn from_fn(
        runtime: &Runtime,
        extents: [usize; R],
        wishes: Wishes,
        mut value: impl FnMut([usize; R]) -> I,
        caller: &'static Location<'static>,
    ) -> Result<SymmetricArray<I, R>, Error> {
        let transport = runtime.transport();
        let array = SymmetricArray::make(runtime, extents, wishes, false, None, caller)?.array;
        let len = array.len();
        let part = part_of::<I>(len);
        let mut values = Vec::with_capacity(part);
        let mut index = [0; R];
        for at in 0..len {
            values.push(into_value(value(index)));
            if values.len() == part || at + 1 == len {
                array.write(transport, at + 1 - values.len(), &values);
                values.clear();
            }
            next(&mut index, &extents);
        }
        transport.barrier_all();
        Ok(array)
    }

    /// Allocates, and leaves the elements to the caller, who ends with a barrier. Collective.
    ///
    /// `zeros` says that no element will be anything else, and `replaces` in which slot the array is that this one takes the place of.
    #[track_caller]
    fn make(
        runtime: &Runtime,
        extents: [usize; R],
        wishes: Wishes,
        zeros: bool,
        replaces: Option<usize>,
        caller: &'static Location<'static>,
    ) -> Result<Made<I, R>, Error> {
        phase::refuse("an allocation");
        let elem = size_of::<I::Value>();
        // No product of extents may overflow, not even where another extent is 0: so no arithmetic on selections does.
        let countable = extents
            .iter()
            .try_fold(elem.max(1), |bytes, &extent| bytes.checked_mul(extent.max(1)))
            .is_some_and(|bytes| bytes <= isize::MAX as usize);
        // What is not countable does not fit anywhere, whatever its size.
        let bytes = if countable { elem * extents.iter().product::<usize>() } else { isize::MAX as usize };
        let list: Vec<String> = extents.iter().map(ToString::to_string).collect();
        let kind = format!("SymmetricArray<{}, {R}> of {}", short_type_name::<I>(), list.join(" × "));
        let mut hasher = DefaultHasher::new();
        (type_name::<I>(), extents).hash(&mut hasher);

        let transport = runtime.transport();
        let mut heap = runtime.heap();
        let asked = wishes.align.unwrap_or(align_of::<I::Value>());
        let call = Call {
            sequence: 0,
            bytes: bytes as u64,
            align: asked as u64,
            kind: hasher.finish(),
            hints: wishes.hints,
            replaces: replaces.map_or(0, |slot| slot as u64 + 1),
            // Zeros are committed as they are touched, so that a sparse array may be larger than the memory. Said here, so
            // that all PEs come to one verdict also where only some of them write zeros.
            available: if zeros { u64::MAX } else { system_memory::available() as u64 },
        };
        let everybody = heap.meet(transport, runtime.released(), call)?;
        // Only now, as all PEs ask for the same: one that fails alone would leave the others waiting.
        check_align(transport, asked, || kind.clone())?;
        let align = asked.max(align_of::<I::Value>());
        check_align(transport, align, || kind.clone())?;
        if heap.is_full() {
            return Err(Error::TooManyArrays { what: kind, limit: MAX_LIVE });
        }
        let all_pes = bytes.saturating_mul(transport.n_pes());
        // What no heap could hold is not a matter of memory.
        if bytes <= transport.heap_size() && all_pes as u64 > everybody.available {
            let available = usize::try_from(everybody.available).unwrap_or(usize::MAX);
            return Err(Error::OutOfMemory { what: kind, needed: all_pes, available });
        }
        let Some(Allocated { slot, offset, fresh }) = heap.allocate(bytes, align) else {
            let (total, free, largest) = heap.report();
            let slack = heap.slack(align);
            let suggestion = suggest(bytes.saturating_add(slack), largest, transport.heap_size());
            let what = if slack > 0 { format!("{kind} at a multiple of {align}") } else { kind };
            return Err(Error::HeapExhausted { what, needed: bytes, free, largest, total, suggestion });
        };
        drop(heap);

        let array = SymmetricArray {
            offset,
            extents: std::array::from_fn(|axis| extents.get(axis).copied().unwrap_or(1)),
            slot,
            wishes,
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
        Ok(Made { array, fresh })
    }

    /// The `count` elements from number `start` on, in row-major order, as a place in the heap.
    fn elements(&self, start: usize, count: usize) -> Region {
        assert!(
            start.checked_add(count).is_some_and(|end| end <= self.len()),
            "these are elements of the array"
        );
        let elem = size_of::<I::Value>();
        let mut runs = [Run { count: 1, stride: 0 }; MAX_RANK];
        runs[0] = Run { count, stride: elem };
        Region { offset: self.offset + start * elem, rank: 1, runs }
    }

    /// Writes `values` to this PE's copy, from element number `start` on.
    fn write(&self, transport: &dyn Transport, start: usize, values: &[I::Value]) {
        let region = self.elements(start, values.len());
        let (me, heap) = mine(transport);
        // SAFETY: the region lies inside of the array, which is live, on this PE; `values` has as many elements.
        unsafe { transfer::put::<I>(heap, Via::DEFAULT, me, &region, values.as_ptr()) };
    }

    /// Copies the elements whose index lies within `common` from `old`, on this PE. Both arrays are at least so large.
    fn copy_from(&self, transport: &dyn Transport, old: &SymmetricArray<I, R>, common: [usize; R]) {
        let (me, heap) = mine(transport);
        let number = |array: &SymmetricArray<I, R>, index: &[usize; R]| {
            index.iter().zip(&array.extents).fold(0, |number, (&at, &extent)| number * extent + at)
        };
        // Along the last axis the elements lie side by side in both.
        let row = common[R - 1];
        let part = part_of::<I>(row);
        let mut values: Vec<I::Value> = Vec::with_capacity(part);
        let mut outer = common;
        outer[R - 1] = 1;
        let mut index = [0; R];
        for _ in 0..outer.iter().product() {
            for start in (0..row).step_by(part) {
                let count = part.min(row - start);
                let region = old.elements(number(old, &index) + start, count);
                // SAFETY: the region lies inside of the old array, which is live, on this PE. There is room for `count`
                // elements, as `count <= part`, and `get` writes each of them.
                unsafe {
                    transfer::get::<I>(heap, Via::DEFAULT, me, &region, values.as_mut_ptr());
                    values.set_len(count);
                }
                self.write(transport, number(self, &index) + start, &values);
                values.clear();
            }
            next(&mut index, &outer);
        }
    }

    /// Gives the array other extents, on every PE (`shmem_realloc`). Collective.
    ///
    /// The elements whose index there is before and after are kept: of rank 1 those at the start, of a higher rank those of the
    /// block that both shapes have. All others become `fill`, which each PE may choose for itself. Alignment and hints stay as they were asked for.
    ///
    /// The new memory is allocated before the old is freed, so there must be room for both. The array may lie elsewhere afterwards.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let mut grid = world.array_from_fn([2, 3], |[row, column]| 10 * row + column)?;
    ///     grid.resize([3, 2], 7)?;
    ///     let right = (world.my_pe() + 1) % world.n_pes();
    ///     assert_eq!(remote!(grid[right, .., ..]), [0, 1, 10, 11, 7, 7]);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`World::symmetric_array`](crate::World::symmetric_array), and when the PEs resize different arrays. The array is as it was then.
    #[track_caller]
    #[doc(alias = "shmem_realloc")]
    pub fn resize(&mut self, extents: [usize; R], fill: I) -> Result<(), Error> {
        let runtime = runtime::get();
        let transport = runtime.transport();
        // Every PE's puts to the old copies have arrived when `make` returns: all PEs meet there.
        let made = SymmetricArray::make(
            runtime,
            extents,
            self.wishes,
            is_zeros(&fill),
            Some(self.slot),
            Location::caller(),
        )?;
        let before = self.extents();
        let common: [usize; R] = std::array::from_fn(|axis| before[axis].min(extents[axis]));
        // Where only the outermost extent changes, what is kept is the start of the array.
        let kept = if before[1..] == extents[1..] { common.iter().product() } else { 0 };
        made.fill(transport, kept, fill);
        made.array.copy_from(transport, self, common);
        // From here on nobody uses the old array any more.
        transport.barrier_all();
        let mut heap = runtime.heap();
        let old = std::mem::replace(self, made.array);
        let slot = old.slot;
        drop(old);
        heap.free(slot, runtime.released());
        Ok(())
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

impl<I: Item> SymmetricArray<I, 1> {
    /// The values of a slice; see [`World::array_from_slice`](crate::World::array_from_slice).
    #[track_caller]
    pub(crate) fn from_slice(
        runtime: &Runtime,
        wishes: Wishes,
        values: &[I],
        caller: &'static Location<'static>,
    ) -> Result<SymmetricArray<I, 1>, Error> {
        let array = SymmetricArray::make(runtime, [values.len()], wishes, false, None, caller)?.array;
        // SAFETY: an item is its value, `repr(transparent)` where it is a cell, so as many values lie there.
        let values = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<I::Value>(), values.len()) };
        array.write(runtime.transport(), 0, values);
        runtime.transport().barrier_all();
        Ok(array)
    }
}

/// An array whose elements are still to be written.
struct Made<I: Item, const R: usize> {
    array: SymmetricArray<I, R>,
    /// From this offset on its memory was never used, and reads as zeros.
    fresh: usize,
}

impl<I: Item, const R: usize> Made<I, R>
where
    Rank<R>: Ranked,
{
    /// Writes `value` to this PE's copy, from element number `start` to the last.
    fn fill(&self, transport: &dyn Transport, start: usize, value: I) {
        let elem = size_of::<I::Value>();
        let mut end = self.array.len();
        // What was never used reads as zeros already, and stays uncommitted until somebody touches it.
        if elem > 0 && is_zeros(&value) {
            end = end.min((self.fresh - self.array.offset).div_ceil(elem));
        }
        if elem == 0 || start >= end {
            return;
        }
        let region = self.array.elements(start, end - start);
        let (me, heap) = mine(transport);
        // SAFETY: the region lies inside of the array, which is live, on this PE.
        unsafe { transfer::fill::<I>(heap, Via::DEFAULT, me, &region, &into_value(value)) };
    }
}

/// This PE, and the start of its heap or null. Atomic cells too are reached by loads and stores there: of an array that nobody else uses yet,
/// or any more.
fn mine(transport: &dyn Transport) -> (usize, *mut u8) {
    let me = transport.my_pe();
    (me, transport.peer(me).unwrap_or(std::ptr::null_mut()))
}

/// The value that an item holds.
fn into_value<I: Item>(item: I) -> I::Value {
    // SAFETY: an item is its value, `repr(transparent)` where it is a cell.
    unsafe { std::mem::transmute_copy::<I, I::Value>(&item) }
}

/// How many of `len` elements are moved at a time through private memory; at least 1.
fn part_of<I: Item>(len: usize) -> usize {
    const BYTES: usize = 64 << 10;
    (BYTES / size_of::<I::Value>().max(1)).min(len).max(1)
}

/// The index behind `index`, in row-major order; behind the last comes the first.
fn next<const R: usize>(index: &mut [usize; R], extents: &[usize; R]) {
    for (at, extent) in index.iter_mut().zip(extents).rev() {
        *at += 1;
        if *at < *extent {
            return;
        }
        *at = 0;
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
    runtime.heap().meet(runtime.transport(), runtime.released(), Call::free_only(kind))?;
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
