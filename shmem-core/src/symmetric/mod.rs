//! Symmetric objects: the types that symmetric memory can hold, and symmetric statics. Arrays are
//! in [`array`](crate::array).
//!
//! * [`element`](self): [`Symmetric`], the types whose values any PE may overwrite at any time;
//! * `atomic`: [`Atomic`] cells, which only atomic operations access;
//! * `shape`: extents, known to the compiler or at run time;
//! * `statics`: `#[symmetric] static`;
//! * `operators`: operators on statics, which exist only for their error messages.

mod atomic;
mod element;
mod operators;
pub(crate) mod shape;
pub(crate) mod statics;

use std::rc::Rc;
use std::sync::Arc;

pub(crate) use atomic::sealed::Bits;
pub use atomic::{Atomic, AtomicBits, AtomicInteger, AtomicValue};
pub use element::{StaticElement, Symmetric, check_padding, field_has_type};
pub use shape::{GlobalIndex, PerPe, Rank, Ranked};
pub use statics::{ElementOf, Static, StaticType};

pub use crate::runtime::statics::ObjectInfo;
use shape::Shape;

/// The types of a slot of a symmetric object: elements, and [`Atomic`] cells.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Item;
///
/// /// Of elements and of cells.
/// fn bytes<I: Item>(array: &SymmetricArray<I, 1>) -> usize {
///     array.len() * size_of::<I>()
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let (row, cells) = (world.zeros::<f64, 1>([3])?, world.zeros::<Atomic<u64>, 1>([2])?);
///     assert_eq!((bytes(&row), bytes(&cells)), (24, 16));
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read and written in symmetric memory",
    label = "not a symmetric element type",
    note = "any PE may overwrite a symmetric object at any time, so its type must be valid for every bit pattern and hold no address",
    note = "elements are integers, floats, arrays of elements and structs with `#[derive(Symmetric)]`; cells are `Atomic<T>` of integers of up to 8 bytes, f32 and f64",
    note = "a `Lock` is a static that holds no data: take it with `.lock()` or `.try_lock()`, one of several with `.at(index).lock()`"
)]
pub trait Item: Copy + 'static + sealed::SealedItem {
    /// The type of the values that are read and written.
    type Value: Symmetric;
    /// Whether only atomic operations may access it.
    #[doc(hidden)]
    const ATOMIC: bool;
}

#[diagnostic::do_not_recommend]
impl<T: Symmetric> Item for T {
    type Value = T;
    const ATOMIC: bool = false;
}

#[diagnostic::do_not_recommend]
impl<T: AtomicValue> Item for Atomic<T> {
    type Value = T;
    const ATOMIC: bool = true;
}

/// The types of a slot of a static: [`StaticElement`]s, [`Atomic`] cells, and
/// [`Lock`](crate::Lock)s, which are not data and have operations of their own.
///
/// To the layout, a slot is plain data: all of its bytes are initialised, and are copied from the
/// initial value.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot live in symmetric memory",
    label = "not a symmetric element type",
    note = "any PE may overwrite a symmetric object at any time, so its type must be valid for every bit pattern and hold no address",
    note = "elements are integers, floats, arrays of elements and structs with `#[derive(Symmetric)]`; cells are `Atomic<T>` of integers of up to 8 bytes, f32 and f64; a lock is a `Lock`, and an event an `Event`"
)]
pub trait Slot: Copy + 'static + sealed::SealedSlot {}

#[diagnostic::do_not_recommend]
impl<T: Symmetric + StaticElement> Slot for T {}

#[diagnostic::do_not_recommend]
impl<T: AtomicValue> Slot for Atomic<T> {}

/// A symmetric object, or a pointer to one: the name before the brackets in
/// [`remote!`](crate::remote!).
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a symmetric object",
    label = "not a symmetric object",
    note = "`remote!` and `local!` select from what is declared with `#[symmetric] static` or made by `world.symmetric_array`, and from references to it"
)]
pub trait Object: sealed::SealedObject {
    /// The type of a slot.
    type Item: Item;
    /// The extents, as a tuple of one type for each axis.
    #[doc(hidden)]
    type Shape: Shape;
    /// Where it lies.
    #[doc(hidden)]
    fn place(&self) -> ObjectPlace<'_, Self::Shape>;
}

/// The place of a symmetric object, and its description for messages.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ObjectPlace<'a, D> {
    pub(crate) offset: usize,
    pub(crate) shape: D,
    pub(crate) info: &'a ObjectInfo,
}

macro_rules! forward_object {
    ($($pointer:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<O: Object + ?Sized> Object for $pointer {
            type Item = O::Item;
            type Shape = O::Shape;
            #[inline(always)]
            fn place(&self) -> ObjectPlace<'_, O::Shape> {
                (**self).place()
            }
        }
    )*};
}

forward_object!(&O, &mut O, Box<O>, Rc<O>, Arc<O>);

/// Only this crate implements these traits: each of them says why.
pub(crate) mod sealed {
    use super::{Arc, Atomic, AtomicValue, Rc, Static, StaticElement, StaticType, Symmetric};

    /// An implementation outside of this crate could claim any place in the heap.
    pub trait SealedObject {}
    impl<T: StaticType<Item: super::Item>> SealedObject for Static<T> {}
    impl<O: SealedObject + ?Sized> SealedObject for &O {}
    impl<O: SealedObject + ?Sized> SealedObject for &mut O {}
    impl<O: SealedObject + ?Sized> SealedObject for Box<O> {}
    impl<O: SealedObject + ?Sized> SealedObject for Rc<O> {}
    impl<O: SealedObject + ?Sized> SealedObject for Arc<O> {}

    /// An implementation outside of this crate could have padding, and be initialised from it.
    pub trait SealedSlot {
        /// Whether it is a lock, which holds no data.
        const IS_LOCK: bool = false;
    }
    impl<T: Symmetric + StaticElement> SealedSlot for T {}
    impl<T: AtomicValue> SealedSlot for Atomic<T> {}

    /// An implementation outside of this crate could mark an atomic cell as a plain one.
    pub trait SealedItem {}
    impl<T: Symmetric> SealedItem for T {}
    impl<T: AtomicValue> SealedItem for Atomic<T> {}
}
