//! Arrays allocated at run time.
//!
//! * `mod.rs`: [`SymmetricArray`];
//! * `allocation.rs`: its constructors and their options.

mod allocation;

use std::any::type_name;
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};
use std::panic::Location;

pub use self::allocation::{Allocation, Hint};
use crate::remedies::{Direct, never};
use crate::remote::{Mode, Remote};
use crate::runtime::block::{Block, Request, Wishes};
use crate::runtime::direct;
use crate::runtime::heap::SavedAs;
use crate::runtime::region::Region;
use crate::runtime::{self, Runtime};
use crate::select::{Form as _, Many};
use crate::symmetric::shape::{MAX_RANK, Rank, Ranked};
use crate::symmetric::{Item, Object, ObjectInfo, ObjectPlace, sealed};
use crate::system::error::Error;
use crate::transport::Run;

/// A symmetric array whose extents are known at run time: rank 1 to 4, row-major.
///
/// [`World::symmetric_array`](crate::World::symmetric_array), [`zeros`](crate::World::zeros),
/// [`ones`](crate::World::ones), [`array_from_slice`](crate::World::array_from_slice) and
/// [`array_from_fn`](crate::World::array_from_fn) make it. [`remote!`](crate::remote!) and
/// [`local!`](crate::local!) take it in the same way as a `#[symmetric] static`. The compiler
/// checks rank and element type. Bounds are checked at run time. In a [local phase](crate::phase),
/// this PE can borrow its copy as a slice.
///
/// Dropping the array is local and never waits. Other PEs may use the copy on this PE until every
/// PE has dropped its handle. Then the next collective allocation or
/// [`World::reclaim`](crate::World::reclaim) frees the memory, or the end of the job.
/// [`free`](SymmetricArray::free) frees it at once.
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
    block: Block,
    extents: [usize; MAX_RANK],
    info: ObjectInfo,
    holds: PhantomData<fn() -> I>,
}

impl<I: Item, const R: usize> sealed::SealedObject for SymmetricArray<I, R> where Rank<R>: Ranked {}

#[diagnostic::do_not_recommend]
impl<I: Item, const R: usize> Object for SymmetricArray<I, R>
where
    Rank<R>: Ranked,
{
    type Item = I;
    type Shape = <Rank<R> as Ranked>::Shape;
    #[inline(always)]
    fn place(&self) -> ObjectPlace<'_, Self::Shape> {
        ObjectPlace { offset: self.block.offset(), shape: Rank::<R>::shape(&self.extents), info: &self.info }
    }
}

// Nothing here asks for `Rank<R>: Ranked`, so that code can be generic over the rank: an array
// whose rank is none cannot be made.
impl<I: Item, const R: usize> SymmetricArray<I, R> {
    /// Sets every element to `init`; see [`World::symmetric_array`](crate::World::symmetric_array).
    #[track_caller]
    pub(crate) fn full(
        runtime: &Runtime,
        extents: [usize; R],
        wishes: Wishes,
        init: I,
        caller: &'static Location<'static>,
    ) -> Result<SymmetricArray<I, R>, Error> {
        let (array, fresh) = SymmetricArray::make(runtime, extents, wishes, is_zeros(&init), caller)?;
        array.fill(0..array.len(), fresh, init);
        runtime.barrier_on_heap();
        Ok(array)
    }

    /// Sets each element to the result of `value` for its index; see
    /// [`World::array_from_fn`](crate::World::array_from_fn).
    #[track_caller]
    pub(crate) fn from_fn(
        runtime: &Runtime,
        extents: [usize; R],
        wishes: Wishes,
        mut value: impl FnMut([usize; R]) -> I,
        caller: &'static Location<'static>,
    ) -> Result<SymmetricArray<I, R>, Error> {
        let (array, _) = SymmetricArray::make(runtime, extents, wishes, false, caller)?;
        let len = array.len();
        let part = part_of::<I>(len);
        let mut values = Vec::with_capacity(part);
        let mut index = [0; R];
        for at in 0..len {
            values.push(into_value(value(index)));
            if values.len() == part || at + 1 == len {
                array.write(at + 1 - values.len(), &values);
                values.clear();
            }
            next(&mut index, &extents);
        }
        runtime.barrier_on_heap();
        Ok(array)
    }

    /// Allocates, and leaves the elements to the caller, who ends with a barrier. Collective.
    ///
    /// `zeros` says that no element will be anything else. The array's memory from the offset that
    /// is returned on was never used, and reads as zeros.
    #[track_caller]
    fn make(
        runtime: &Runtime,
        extents: [usize; R],
        wishes: Wishes,
        zeros: bool,
        caller: &'static Location<'static>,
    ) -> Result<(SymmetricArray<I, R>, usize), Error> {
        let request = request::<I, R>(extents, zeros, caller);
        let (block, fresh) = Block::claim(runtime, request, identity::<I, R>(&extents), wishes)?;
        let info = info_of::<I, R>(block.slot(), extents, caller);
        let array = SymmetricArray { block, extents: padded(extents), info, holds: PhantomData };
        Ok((array, fresh))
    }

    /// The `count` elements from number `start` on, in row-major order, of the copy of `pe`.
    pub(crate) fn elements(&self, pe: usize, start: usize, count: usize) -> Remote<'_, I, Many> {
        assert!(
            start.checked_add(count).is_some_and(|end| end <= self.len()),
            "these are elements of the array"
        );
        let stride = size_of::<I::Value>();
        let region = Region::range(self.block.offset() + start * stride, Run { count, stride });
        // SAFETY: they are elements of the array, which is live.
        unsafe { Remote::new(pe, Many::several(region), &self.info) }
    }

    /// Writes `values` to this PE's copy, from element number `start` on.
    fn write(&self, start: usize, values: &[I::Value]) {
        let (me, heap) = mine();
        // SAFETY: the heap is that of this PE; blocking.
        unsafe { self.elements(me, start, values.len()).by(heap).put(Mode::Blocking, values) };
    }

    /// Writes `value` to the elements of this PE's copy whose numbers are in `which`. The array's
    /// memory reads as zeros from the offset `fresh` on.
    fn fill(&self, which: Range<usize>, fresh: usize, value: I) {
        let elem = size_of::<I::Value>();
        let Range { start, mut end } = which;
        // What was never used reads as zeros already, and stays uncommitted until somebody touches
        // it.
        if elem > 0 && is_zeros(&value) {
            end = end.min(fresh.saturating_sub(self.block.offset()).div_ceil(elem));
        }
        if elem == 0 || start >= end {
            return;
        }
        let (me, heap) = mine();
        // SAFETY: the heap is that of this PE; blocking.
        unsafe { self.elements(me, start, end - start).by(heap).fill(Mode::Blocking, &into_value(value)) };
    }

    /// Moves the elements whose index there is in both shapes to their new places, on this PE: from
    /// an array of `before` at the offset `from` to one of `after` at `to`, whose memory may
    /// overlap. Then writes `value` to all others; from the offset `fresh` on the new memory reads
    /// as zeros.
    ///
    /// # Safety
    ///
    /// Both places have as many bytes as their shapes, in the heap of this PE, and no other object
    /// has a byte of them; no PE accesses them meanwhile.
    unsafe fn rearrange(&self, from: usize, before: [usize; R], fresh: usize, value: I) {
        let elem = size_of::<I::Value>();
        if elem == 0 || self.is_empty() {
            // The extents may be any, and there is nothing to write.
            return;
        }
        let (to, after) = (self.block.offset(), self.extents());
        let common: [usize; R] = std::array::from_fn(|axis| before[axis].min(after[axis]));
        let runtime = runtime::get();
        let shift = |start: usize, end: usize, bytes: usize| {
            // SAFETY: rows of the old and the new place, which are this array's alone.
            unsafe { runtime.shift(start, end, bytes) };
        };
        // Where only the outermost extent changes, what is kept is the start of the array.
        if before[1..] == after[1..] {
            let kept: usize = common.iter().product();
            if from != to {
                shift(from, to, kept * elem);
            }
            self.fill(kept..self.len(), fresh, value);
            return;
        }
        // Along the last axis the elements lie side by side in both.
        let row = common[R - 1];
        let outer = &common[..R - 1];
        let rows = if row == 0 { 0 } else { outer.iter().product() };
        let place = |mut number: usize, extents: &[usize; R], offset: usize| {
            let (mut stride, mut at) = (extents[R - 1], 0);
            for axis in (0..R - 1).rev() {
                at += number % outer[axis] * stride;
                number /= outer[axis];
                stride *= extents[axis];
            }
            offset + at * elem
        };
        // The rows lie in the same order in both, so a row that moves down can only meet rows
        // before it, and one that moves up rows after it: in this order none is overwritten before
        // it has moved.
        for number in 0..rows {
            let (start, end) = (place(number, &before, from), place(number, &after, to));
            if end < start {
                shift(start, end, row * elem);
            }
        }
        for number in (0..rows).rev() {
            let (start, end) = (place(number, &before, from), place(number, &after, to));
            if end > start {
                shift(start, end, row * elem);
            }
        }
        // Row by row of the new shape.
        let mut outer_shape = after;
        outer_shape[R - 1] = 1;
        let mut index = [0; R];
        for number in 0..outer_shape.iter().product() {
            let kept = if index.iter().zip(&common).all(|(at, extent)| at < extent) { row } else { 0 };
            let start = number * after[R - 1];
            self.fill(start + kept..start + after[R - 1], fresh, value);
            next(&mut index, &outer_shape);
        }
    }

    /// Changes the extents of the array, on every PE (`shmem_realloc`). Collective.
    ///
    /// An element keeps its value if its index is inside both the old and the new extents. In an
    /// array of rank 1, these are the elements at the start. In an array of a higher rank, they are
    /// the block that both shapes have in common. All other elements become `fill`, which may
    /// differ from PE to PE. Alignment and hints stay the same.
    ///
    /// The array grows and shrinks in place if the memory after it is free. Otherwise it moves to
    /// the smallest free place that has room for it. This place may overlap the old one, so the
    /// heap does not need room for both.
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
    /// As [`World::symmetric_array`](crate::World::symmetric_array), and when the PEs resize
    /// different arrays. After an error, the array is unchanged.
    #[track_caller]
    #[doc(alias = "shmem_realloc")]
    #[doc(alias = "shrealloc")]
    pub fn resize(&mut self, extents: [usize; R], fill: I) -> Result<(), Error> {
        let runtime = runtime::get();
        let caller = Location::caller();
        let zeros = is_zeros(&fill);
        let request = request::<I, R>(extents, zeros, caller);
        // Every PE's puts to the old copies have arrived when this returns: all PEs meet there.
        let (from, fresh) = self.block.resize(runtime, request, identity::<I, R>(&extents))?;
        let before = self.extents();
        self.extents = padded(extents);
        self.info = info_of::<I, R>(self.block.slot(), extents, caller);
        // SAFETY: both places are the array's own, of which this PE has the one handle, mutably
        // borrowed; so has every other PE, and all are between the meeting in `Block::resize` and
        // the one below.
        unsafe { self.rearrange(from, before, fresh, fill) };
        runtime.barrier_on_heap();
        Ok(())
    }

    /// The same memory as that of a device, for messages.
    #[cfg(feature = "gpu")]
    pub(crate) fn on_a_device(mut self) -> SymmetricArray<I, R> {
        const NOUN: &str = "device array";
        self.info.name = Cow::Owned(format!("{NOUN} #{}", self.block.slot()));
        self.info.kind = Cow::Owned(self.info.kind.replacen("SymmetricArray<", "DeviceArray<", 1));
        runtime::block::rename(&self.block, NOUN);
        self
    }

    /// Where its copies lie, and how to speak of it.
    pub(crate) fn lies_at(&self) -> (usize, &ObjectInfo) {
        (self.block.offset(), &self.info)
    }

    /// Returns the extents, the outermost axis first. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let grid = world.zeros::<f64, 2>([4, 8])?;
    ///     let [rows, columns] = grid.extents();
    ///     assert_eq!((rows, columns), (4, 8));
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn extents(&self) -> [usize; R] {
        std::array::from_fn(|axis| self.extents[axis])
    }

    /// Returns the number of elements of each PE's copy: the product of the extents. Not
    /// collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     // 32 elements on each PE.
    ///     let grid = world.zeros::<f64, 2>([4, 8])?;
    ///     assert_eq!(grid.len(), 32);
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.extents().iter().product()
    }

    /// Returns whether the copies have no elements. Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let mut queue = world.zeros::<u64, 1>([0])?;
    ///     assert!(queue.is_empty());
    ///     queue.resize([16], 0)?;
    ///     assert!(!queue.is_empty());
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Frees the memory at once (`shmem_free`). Collective: every PE frees its handle of the same
    /// array.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2, heap = "16M")]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     // The heap has room for one of the two.
    ///     let first = world.zeros::<u8, 1>([10 << 20])?;
    ///     assert!(world.zeros::<u8, 1>([10 << 20]).is_err());
    ///     first.free()?;
    ///     let second = world.zeros::<u8, 1>([10 << 20])?;
    ///     second.free()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls, and when they free different arrays.
    #[doc(alias = "shmem_free")]
    #[doc(alias = "shfree")]
    #[track_caller]
    pub fn free(self) -> Result<(), Error> {
        self.block.release(runtime::get())
    }

    /// Says what a checkpoint stores of it.
    pub(crate) fn save_as(&self, saved: SavedAs) {
        runtime::get().heap().save_as(self.block.slot(), saved);
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
        let (array, _) = SymmetricArray::make(runtime, [values.len()], wishes, false, caller)?;
        // SAFETY: an item is its value, `repr(transparent)` where it is a cell, so as many values
        // lie there.
        let values = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<I::Value>(), values.len()) };
        array.write(0, values);
        runtime.barrier_on_heap();
        Ok(array)
    }
}

/// What is asked of the heap for an array of these extents. `zeros` says that no element that is to
/// be written will be anything else.
fn request<I: Item, const R: usize>(
    extents: [usize; R],
    zeros: bool,
    caller: &'static Location<'static>,
) -> Request {
    let elem = size_of::<I::Value>();
    let kind = kind_of::<I, R>(extents);
    let bytes = if is_countable(&extents, elem) {
        Ok(elem * extents.iter().product::<usize>())
    } else {
        Err(impossible(format!("{kind} at {caller}"), &extents, elem))
    };
    let elements = (short_name(type_name::<I>()), elem, extents.to_vec());
    let (noun, align) = ("symmetric array", align_of::<I::Value>());
    Request { noun, kind, bytes, align, is_untouched: zeros, elements, saved: SavedAs::Copies, caller }
}

/// Whether no product of extents overflows, not even where another extent is 0: so no arithmetic on
/// selections does.
pub(crate) fn is_countable(extents: &[usize], elem: usize) -> bool {
    extents
        .iter()
        .try_fold(elem.max(1), |bytes, &extent| bytes.checked_mul(extent.max(1)))
        .is_some_and(|bytes| bytes <= isize::MAX as usize)
}

/// What makes an array the same on all PEs, besides its alignment and hints.
fn identity<I: Item, const R: usize>(extents: &[usize; R]) -> impl Hash + '_ {
    (type_name::<I>(), size_of::<I::Value>(), extents.as_slice())
}

/// The error for extents that come to more bytes than can be counted.
pub(crate) fn impossible(what: String, extents: &[usize], elem: usize) -> Error {
    let bytes = extents
        .iter()
        .try_fold(elem.max(1) as u128, |bytes, &extent| bytes.checked_mul(extent.max(1) as u128));
    let mut come_to =
        bytes.map_or_else(|| "more than 2^128 bytes".to_owned(), |bytes| format!("{bytes} bytes"));
    if extents.contains(&0) {
        come_to = format!("no bytes, and those along its other axes {come_to}");
    }
    let negative = extents.iter().position(|&extent| extent > isize::MAX as usize).map(|axis| {
        format!(
            "the extent of axis {axis} is {} as a signed number: a subtraction may have wrapped below 0",
            extents[axis].cast_signed()
        )
    });
    let remedy = negative
        .unwrap_or_else(|| "check how the extents are computed, or divide the data over more PEs".to_owned());
    Error::Extents { what, come_to, remedy }
}

/// `SymmetricArray<f64, 2> of 3 × 4`.
fn kind_of<I, const R: usize>(extents: [usize; R]) -> String {
    // Each allocation asks for it twice: one block of memory does.
    let mut text = String::with_capacity(64);
    // A string takes everything.
    let _ = write!(text, "SymmetricArray<{}, {R}> of ", short_name(type_name::<I>()));
    for (axis, extent) in extents.iter().enumerate() {
        let _ = write!(text, "{}{extent}", if axis == 0 { "" } else { " × " });
    }
    text
}

fn info_of<I, const R: usize>(
    slot: usize,
    extents: [usize; R],
    caller: &'static Location<'static>,
) -> ObjectInfo {
    ObjectInfo {
        name: Cow::Owned(format!("symmetric array #{slot}")),
        kind: Cow::Owned(kind_of::<I, R>(extents)),
        module: "",
        file: caller.file(),
        line: caller.line(),
        column: caller.column(),
    }
}

/// How to speak of `bytes` of `whole`, as an array of another type.
#[cfg(feature = "gpu")]
pub(crate) fn info_of_view<I, const R: usize>(
    whole: &ObjectInfo,
    bytes: Range<usize>,
    extents: [usize; R],
    caller: &'static Location<'static>,
) -> ObjectInfo {
    let mut info = info_of::<I, R>(0, extents, caller);
    info.name = Cow::Owned(format!("bytes {} to {} of {}", bytes.start, bytes.end, whole.name));
    info.kind = Cow::Owned(info.kind.replacen("SymmetricArray<", "DeviceArray<", 1));
    info
}

/// Extents of every axis that there may be.
pub(crate) fn padded<const R: usize>(extents: [usize; R]) -> [usize; MAX_RANK] {
    std::array::from_fn(|axis| extents.get(axis).copied().unwrap_or(1))
}

/// This PE, and the start of its heap. Atomic cells too are reached by loads and stores there: of
/// an array that nobody else uses yet, or any more.
fn mine() -> (usize, *mut u8) {
    (direct::my_pe(), runtime::get().own_heap())
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

/// The index after `index`, in row-major order; after the last comes the first.
fn next<const R: usize>(index: &mut [usize; R], extents: &[usize; R]) {
    for (at, extent) in index.iter_mut().zip(extents).rev() {
        *at += 1;
        if *at < *extent {
            return;
        }
        *at = 0;
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

/// The name of a type without the modules.
pub(crate) fn short_name(name: &str) -> String {
    let mut short = String::new();
    for part in name.split_inclusive(['<', '>', ',', ' ', '[', ']', ';']) {
        short.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    short
}

#[doc(hidden)]
impl<I, const R: usize, X> Index<X> for SymmetricArray<I, R>
where
    Self: Direct,
{
    type Output = <Self as Direct>::Data;
    fn index(&self, _: X) -> &Self::Output {
        never()
    }
}

#[doc(hidden)]
impl<I, const R: usize, X> IndexMut<X> for SymmetricArray<I, R>
where
    Self: Direct,
{
    fn index_mut(&mut self, _: X) -> &mut Self::Output {
        never()
    }
}

crate::remedies::methods! {
    [I, const R: usize] SymmetricArray<I, R>, [Self: Direct] =>
        iter() iter_mut() to_vec() sum() min() max() get(A) set(A B) put(A) swap(A B) fetch_add(A);
}
