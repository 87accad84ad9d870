//! Elements that an operation of a stream holds: it is done when the reference that issued it is
//! gone, so it owns what says where they lie, and keeps their array alive.

use std::fmt;
use std::sync::Arc;

use shmem_gpu::nvshmem::{Piece, Spot};

use super::Remote;
use super::target::Mode;
use crate::runtime::moves::{MoveSide, move_elements};
use crate::runtime::placed::PlacedTarget;
use crate::runtime::places::{OwnedPlaces, Shadowed};
use crate::runtime::{direct, far};
use crate::select::Form;
use crate::symmetric::{Item, ObjectInfo, Symmetric};
use crate::transport::{Amo, Ctx, Width, cell};

/// What has the memory of a device array: as long as one of these lives, the memory is its own.
pub(crate) trait Held: Send + Sync {
    /// How to speak of it.
    fn info(&self) -> &ObjectInfo;
}

/// The memory of a device array.
#[doc(hidden)]
#[derive(Clone)]
pub struct DeviceMemory(Arc<dyn Held>);

impl fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.info().fmt(f)
    }
}

impl DeviceMemory {
    /// The memory that `held` keeps.
    pub(crate) fn new(held: Arc<dyn Held>) -> DeviceMemory {
        DeviceMemory(held)
    }

    /// Whether both are the memory of one array.
    pub(crate) fn is(&self, other: &DeviceMemory) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How to speak of it.
    pub(crate) fn info(&self) -> &ObjectInfo {
        self.0.info()
    }
}

/// Elements of a device array on a PE, without their type.
pub(crate) struct HeldSpot {
    pe: usize,
    places: OwnedPlaces,
    elem: usize,
    atomic: bool,
    memory: DeviceMemory,
}

impl HeldSpot {
    /// The elements of a reference to `memory`.
    ///
    /// # Panics
    ///
    /// When there is no such PE, and in a local phase.
    #[track_caller]
    pub(crate) fn of<I: Item, F: Form, D>(elements: &Remote<'_, I, F, D>, memory: &DeviceMemory) -> HeldSpot {
        let Remote { pe, at, info, .. } = *elements;
        direct::heap(pe, info);
        let places = OwnedPlaces::of(&at.places());
        HeldSpot { pe, places, elem: size_of::<I::Value>(), atomic: I::ATOMIC, memory: memory.clone() }
    }

    /// How many elements.
    pub(crate) fn len(&self) -> usize {
        self.places.places().len()
    }

    /// The memory in which they lie.
    pub(crate) fn memory(&self) -> &DeviceMemory {
        &self.memory
    }

    /// The size of an element.
    pub(crate) fn elem(&self) -> usize {
        self.elem
    }

    /// The elements as those of a device. `is_written` says that they get values, of which the last
    /// stays where two are at one place.
    pub(crate) fn on_a_device(&self, is_written: bool) -> Spot {
        let places = self.places.places();
        let shadowed = if is_written { places.shadowed() } else { Shadowed::NONE };
        let pieces = places.stretches_without(self.elem, &shadowed).map(|stretch| Piece {
            offset: stretch.offset,
            count: stretch.run.count,
            stride: stretch.run.stride.cast_signed(),
            position: stretch.position,
        });
        Spot { pe: self.pe, pieces: pieces.collect(), elem: self.elem, count: self.len() }
    }

    /// Calls `use_them` with the way to the elements on `ctx`, a context that lives.
    fn with<R>(&self, ctx: Ctx, use_them: impl FnOnce(PlacedTarget<'_>) -> R) -> R {
        let info = self.memory.info();
        let heap = if self.atomic { direct::cells(self.pe, info) } else { direct::heap(self.pe, info) };
        let places = self.places.places();
        // SAFETY: `of` was given a reference, whose elements are those of a symmetric object; `memory`
        // keeps it. `heap` is that of the PE, which there is. The caller says that the context lives.
        use_them(unsafe { PlacedTarget::new(heap, ctx, self.pe, &places, self.elem, self.atomic) })
    }

    /// Writes the values at `from`, one for each element, or one for `every` element.
    ///
    /// # Safety
    ///
    /// As many values of the type of the elements lie there. The context lives.
    pub(crate) unsafe fn write(&self, ctx: Ctx, from: *const u8, every: bool) {
        let step = if every { 0 } else { self.elem };
        // SAFETY: the caller's promise; blocking.
        self.with(ctx, |target| unsafe { target.put(Mode::Blocking, from, step) });
    }

    /// Reads the elements to `to`, side by side.
    ///
    /// # Safety
    ///
    /// There is room for all of them, of their type. The context lives.
    pub(crate) unsafe fn read(&self, ctx: Ctx, to: *mut u8) {
        // SAFETY: the caller's promise; blocking.
        self.with(ctx, |target| unsafe { target.get(Mode::Blocking, to) });
    }

    /// Copies the elements of `from`, which are as many of the same type, to these. One element of
    /// `from` goes to all of these.
    ///
    /// # Safety
    ///
    /// The elements are of the same type, and as many, or `from` is one. The context lives.
    pub(crate) unsafe fn take(&self, ctx: Ctx, from: &HeldSpot) {
        if from.len() == 1 && self.len() != 1 {
            // Room for an element of any alignment that there is.
            let mut element = vec![0_u128; self.elem.div_ceil(size_of::<u128>())];
            // SAFETY: there is room for the one element, which is then there.
            return unsafe {
                from.read(ctx, element.as_mut_ptr().cast());
                self.write(ctx, element.as_ptr().cast(), true);
            };
        }
        let (to_info, from_info) = (self.memory.info(), from.memory.info());
        self.with(ctx, |target| {
            from.with(ctx, |source| {
                let to = MoveSide { target, object: to_info };
                let from = MoveSide { target: source, object: from_info };
                // SAFETY: the caller's promise; blocking, and both are kept.
                unsafe { move_elements(&to, &from, Mode::Blocking) }
            });
        });
    }

    /// Of the one element: the heap that it is in, null where the transport carries the update, its place
    /// there, and its width.
    fn cell(&self) -> (*mut u8, usize, Width) {
        let heap = direct::cells(self.pe, self.memory.info());
        (heap, self.places.places().first(), Width::of(self.elem))
    }

    /// Performs `op`, which is no [`Amo::Fetch`], on the one element.
    ///
    /// # Safety
    ///
    /// It is one atomic cell. The context lives.
    pub(crate) unsafe fn update(&self, ctx: Ctx, op: Amo) {
        let (heap, offset, width) = self.cell();
        // SAFETY: the PE has a cell there, aligned to its width, as `with` says; the context lives.
        unsafe {
            if heap.is_null() {
                far::update(ctx, self.pe, offset, width, op);
            } else {
                cell::amo(heap.add(offset), width, op);
            }
        }
    }

    /// Performs `op` on the one element, and returns what was there.
    ///
    /// # Safety
    ///
    /// It is one atomic cell. The context lives.
    pub(crate) unsafe fn fetch(&self, ctx: Ctx, op: Amo) -> FetchedBits {
        let (heap, offset, width) = self.cell();
        // SAFETY: as in `update`.
        let bits = unsafe {
            if heap.is_null() {
                far::amo(ctx, self.pe, offset, width, op)
            } else {
                cell::amo(heap.add(offset), width, op)
            }
        };
        // The value is in the low bytes.
        let word = if cfg!(target_endian = "big") { bits << (64 - 8 * self.elem) } else { bits };
        FetchedBits { word, len: self.elem }
    }
}

/// A value of a cell as it lies in memory.
pub(crate) struct FetchedBits {
    /// The value is in the first bytes.
    word: u64,
    len: usize,
}

impl FetchedBits {
    /// Writes the value to each of the elements of `to`.
    ///
    /// # Safety
    ///
    /// They are of the type of the value. The context lives.
    pub(crate) unsafe fn write(&self, ctx: Ctx, to: &HeldSpot) {
        assert!(to.elem == self.len, "both are of one type");
        // SAFETY: the word begins with one value; the caller's promise.
        unsafe { to.write(ctx, (&raw const self.word).cast(), true) };
    }

    /// Writes the value to `to`.
    ///
    /// # Safety
    ///
    /// There is room for it.
    pub(crate) unsafe fn store(&self, to: *mut u8) {
        // SAFETY: the word begins with as many bytes; the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping((&raw const self.word).cast(), to, self.len) };
    }
}

/// Elements of a device array with their type, in this PE's own copy: for collectives and waits.
pub(crate) struct HeldElements<I, F> {
    pe: usize,
    at: F,
    memory: DeviceMemory,
    holds: std::marker::PhantomData<fn() -> I>,
}

impl<I: Item, F: Form> HeldElements<I, F> {
    /// The elements of a reference to `memory`.
    pub(crate) fn of<D>(elements: &Remote<'_, I, F, D>, memory: &DeviceMemory) -> HeldElements<I, F> {
        let Remote { pe, at, .. } = *elements;
        HeldElements { pe, at, memory: memory.clone(), holds: std::marker::PhantomData }
    }

    /// A reference to them, on the default context.
    pub(crate) fn elements(&self) -> Remote<'_, I, F> {
        // SAFETY: `of` was given a reference to them, and `memory` keeps the object.
        unsafe { Remote::new(self.pe, self.at, self.memory.info()) }
    }
}

/// A source as an operation of a stream takes it along.
#[doc(hidden)]
pub struct Staged(pub(crate) StagedSource);

/// What a source holds.
pub(crate) enum StagedSource {
    /// A copy of its values.
    Values {
        /// Aligned for every type of elements.
        bytes: Vec<u128>,
        count: usize,
        /// Whether it is one for all elements.
        every: bool,
    },
    /// Elements of a device array.
    Device {
        from: HeldSpot,
        /// Whether it is one for all elements.
        every: bool,
    },
    /// What a cell of a device array holds before an update, which is part of the operation.
    Fetched { cell: HeldSpot, op: Amo },
}

impl Staged {
    /// A copy of `values`, of which the one stands for `every` element.
    pub(crate) fn of<T: Symmetric>(values: &[T], every: bool) -> Staged {
        const {
            assert!(
                align_of::<T>() <= align_of::<u128>(),
                "an element of a stream is aligned to 16 bytes or less"
            )
        }
        let len = size_of_val(values);
        let mut bytes = vec![0_u128; len.div_ceil(size_of::<u128>())];
        // SAFETY: there is room for `len` bytes, and elements have no padding.
        unsafe {
            std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), bytes.as_mut_ptr().cast(), len)
        };
        Staged(StagedSource::Values { bytes, count: values.len(), every })
    }
}
