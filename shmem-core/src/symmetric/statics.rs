//! `#[symmetric] static`.
//!
//! The attribute leaves a static of type [`Static`] under the user's name. It holds no data: only
//! the offset in the symmetric heap, filled in when the job is joined, and the names that messages
//! use. Its type has the type that the user wrote, and so element, rank and extents
//! ([`StaticType`]): a selection can be checked where it is written, by constants that refer to the
//! static. The initial value is a second static beside it, and both register with `inventory`.
//!
//! A type of its own for each static, under the static's name, was the first plan: a selection
//! would name it. A constant can take the static itself by reference as well, and that says more
//! when the name is not a symmetric static's, needs no second name to be imported, and leaves a
//! type that can be written in a signature.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::sealed::SealedSlot;
use super::shape::{Fix, MAX_RANK, PerPe, PerPeDim, Shape, StaticShape};
use super::{Item, Object, ObjectInfo, ObjectPlace, Slot};
use crate::remedies::{Direct, Unlock};
use crate::runtime::statics::{StaticEntry, StaticSlots};
use crate::text::Text;
use crate::transport::word;

/// A symmetric static: every PE has a copy of it, and all PEs can access every copy.
///
/// [`#[symmetric]`](macro@crate::symmetric) makes it. [`remote!`](crate::remote!) and
/// [`local!`](crate::local!) take it, and a PE can borrow its copy as a slice in a [local
/// phase](crate::phase). `T` is the type in the declaration, so that a function can take such a
/// static:
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Static;
///
/// #[symmetric]
/// static LEFT: [f64; 8] = [0.0; 8];
/// #[symmetric]
/// static RIGHT: [f64; 8] = [1.0; 8];
///
/// fn first(halo: &Static<[f64; 8]>) -> f64 {
///     local!((halo)[0])
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main() {
///     assert_eq!(first(&LEFT) + first(&RIGHT), 1.0);
/// }
/// ```
pub struct Static<T> {
    offset: AtomicUsize,
    info: ObjectInfo,
    holds: PhantomData<fn() -> T>,
}

/// The offset of a static that is not laid out: a reference was made to it before the job, or a
/// part of the program that holds it was loaded later. No process has memory so far from a heap,
/// unless it asks the system for just that address, so an access ends this one, and never meets the
/// memory of another object. It costs nothing, where a check in [`Object::place`] would cost every
/// access.
pub(crate) const NOWHERE: usize = 1 << 52;

/// Whether an object of this shape, with a slot for each of 2^16 PEs where it has those, ends
/// before the address space wraps around, when it begins at [`NOWHERE`]. One that is laid out does,
/// since its initial value is in the executable file. One without bytes counts as if it had some, so that
/// the number of its elements, and of those along some of its axes, is a `usize`.
pub(crate) const fn ends_below_nowhere<T: StaticType>() -> bool {
    let mut bytes = at_least_one(size_of::<T::Item>());
    let mut axis = 0;
    while axis < MAX_RANK {
        let extent = match T::Shape::EXTENTS[axis] {
            Some(extent) => at_least_one(extent),
            None => 1 << 16,
        };
        bytes = bytes.saturating_mul(extent);
        axis += 1;
    }
    bytes <= NOWHERE as u128
}

const fn at_least_one(n: usize) -> u128 {
    if n == 0 { 1 } else { n as u128 }
}

impl<T> Static<T> {
    /// The value of a static.
    ///
    /// # Safety
    ///
    /// The static that it becomes the value of is registered by [`register`]: else it is never laid
    /// out, and an access ends the PE by a signal. That is what `symmetric_static!` is for.
    #[doc(hidden)]
    pub const unsafe fn new(info: ObjectInfo) -> Static<T> {
        Static { offset: AtomicUsize::new(NOWHERE), info, holds: PhantomData }
    }

    /// The place of a static without items, and its description for messages.
    #[inline(always)]
    pub(crate) fn lies_at(&self) -> (usize, &ObjectInfo) {
        (self.offset.load(Ordering::Relaxed), &self.info)
    }
}

#[diagnostic::do_not_recommend]
impl<T: StaticType<Item: Item>> Object for Static<T> {
    type Item = T::Item;
    type Shape = T::Shape;
    #[inline(always)]
    fn place(&self) -> ObjectPlace<'_, T::Shape> {
        const { assert!(ends_below_nowhere::<T>(), "this static is larger than any symmetric memory") };
        ObjectPlace { offset: word::load_usize(&self.offset), shape: T::Shape::VALUE, info: &self.info }
    }
}

impl<T> std::fmt::Debug for Static<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "symmetric {}", self.info)
    }
}

/// The expansion of `#[symmetric]`: a static, and the entry that registers it.
///
/// The one way to make a [`Static`] without `unsafe`, here in the real crate with paths that begin
/// with `$crate`. It takes nothing on trust: what is made is what is registered, and [`ElementOf`]
/// says that symmetric memory can hold its elements. The two texts are for messages.
#[doc(hidden)]
#[macro_export]
macro_rules! __symmetric_static {
    (
        $(#[$attribute:meta])* $vis:vis static $name:ident: [$ty:ty] of [$element:ty] = $init:expr;
        $text:literal, $type_text:literal
    ) => {
        $(#[$attribute])*
        $vis static $name: $crate::Static<$ty> = {
            static __SHMEM_INIT: $crate::__private::Init<$ty> = $crate::__private::Init::new($init);
            $crate::__private::inventory::submit! {
                $crate::__private::register::<$ty>(
                    &$name,
                    &__SHMEM_INIT,
                    <$element as $crate::__private::ElementOf<$ty>>::LAYOUT,
                )
            }
            // SAFETY: the entry above registers this static.
            unsafe {
                $crate::__private::Static::new($crate::__private::StaticInfo::new(
                    $text,
                    $crate::__private::module_path!(),
                    $crate::__private::file!(),
                    $crate::__private::line!(),
                    $crate::__private::column!(),
                    $type_text,
                ))
            }
        };
    };
}

/// The initial value of a static.
///
/// The cell is there for the linker alone: without interior mutability a value of zeros would take
/// its whole size in the executable file, with it the value lies in `.bss`.
#[doc(hidden)]
pub struct Init<T>(UnsafeCell<T>);

impl<T> Init<T> {
    /// Takes the initialiser.
    pub const fn new(value: T) -> Init<T> {
        Init(UnsafeCell::new(value))
    }
}

// SAFETY: nothing ever writes to the cell, so threads share it as they would share a `&T`; and `T`
// is a slot or an array of slots (see `StaticType`), which are plain data.
unsafe impl<T> Sync for Init<T> {}

/// The type of a static, as it is written: an element, an [`Atomic`](crate::Atomic) cell or a
/// [`Lock`](crate::Lock), an array of them or nested arrays of up to 4 axes, or [`PerPe`] of one of
/// these.
///
/// It is the bound of a function that takes statics of several types. An alias of an array is that
/// array.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::{Static, StaticType};
///
/// #[symmetric]
/// static ROW: [u64; 4] = [0; 4];
/// #[symmetric]
/// static COUNT: Atomic<u64> = Atomic::new(0);
///
/// /// A symmetric static of any type.
/// fn bytes<T: StaticType>(_: &Static<T>) -> usize {
///     size_of::<T>()
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     assert_eq!((bytes(&ROW), bytes(&COUNT)), (32, 8));
///     world.barrier_all();
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot live in symmetric memory",
    label = "not a symmetric element type",
    note = "any PE may overwrite a symmetric object at any time, so its type must be valid for every bit pattern and hold no address",
    note = "elements are integers, floats, arrays of elements and structs with `#[derive(Symmetric)]`; cells are `Atomic<T>` of integers of up to 8 bytes, f32 and f64; a lock is a `Lock`, and an event an `Event`"
)]
pub trait StaticType: Copy + 'static + sealed::SealedStaticType {
    /// The type of a slot.
    type Item: Slot;
    /// The extents, as a tuple of one type for each axis.
    #[doc(hidden)]
    type Shape: StaticShape;
}

mod sealed {
    use super::{PerPe, Slot};

    /// An implementation outside of this crate could claim more memory than the initial value has.
    pub trait SealedStaticType {}
    impl<I: Slot> SealedStaticType for I {}
    impl<T: SealedStaticType, const N: usize> SealedStaticType for [T; N] {}
    impl<T: SealedStaticType> SealedStaticType for PerPe<T> {}
}

macro_rules! static_types {
    ($([$($n:ident)*] $ty:ty => ($($axis:ty),*);)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<I: Slot, $(const $n: usize),*> StaticType for $ty {
            type Item = I;
            type Shape = ($($axis,)*);
        }
    )*};
}

static_types! {
    [] I => ();
    [A] [I; A] => (Fix<A>);
    [A B] [[I; B]; A] => (Fix<A>, Fix<B>);
    [A B C] [[[I; C]; B]; A] => (Fix<A>, Fix<B>, Fix<C>);
    [A B C D] [[[[I; D]; C]; B]; A] => (Fix<A>, Fix<B>, Fix<C>, Fix<D>);
    [] PerPe<I> => (PerPeDim);
    [A] PerPe<[I; A]> => (PerPeDim, Fix<A>);
    [A B] PerPe<[[I; B]; A]> => (PerPeDim, Fix<A>, Fix<B>);
    [A B C] PerPe<[[[I; C]; B]; A]> => (PerPeDim, Fix<A>, Fix<B>, Fix<C>);
}

/// What holds data of type `T` in its slots: the proof that [`register`] asks for.
///
/// It asks for the element, so that the compiler names the element where that is what is wrong; and
/// it is a trait whose constant is taken by its path, so that it names no place in this crate.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot live in symmetric memory",
    label = "not a symmetric element type",
    note = "any PE may overwrite a symmetric object at any time, so its type must be valid for every bit pattern and hold no address",
    note = "elements are integers, floats, arrays of elements and structs with `#[derive(Symmetric)]`; cells are `Atomic<T>` of integers of up to 8 bytes, f32 and f64; a lock is a `Lock`, and an event an `Event`"
)]
pub trait ElementOf<T> {
    /// How the initial value lies in memory.
    const LAYOUT: InitialLayout<T>;
}

/// How an initial value lies in memory. Only where its slots are plain data is there one.
#[doc(hidden)]
pub struct InitialLayout<T> {
    slots: StaticSlots,
    of: PhantomData<fn() -> T>,
}

// Of `I` it is asked for the message alone.
#[diagnostic::do_not_recommend]
impl<I: StaticType, T: StaticType> ElementOf<T> for I {
    const LAYOUT: InitialLayout<T> = InitialLayout {
        slots: StaticSlots {
            element: std::any::type_name::<T::Item>,
            size: size_of::<T::Item>(),
            rank: T::Shape::RANK,
            extents: T::Shape::EXTENTS,
            are_locks: <T::Item as SealedSlot>::IS_LOCK,
            are_part: false,
        },
        of: PhantomData,
    };
}

impl<T> Init<T> {
    /// Where the value lies.
    pub(crate) const fn start(&self) -> *const u8 {
        self.0.get().cast_const().cast()
    }
}

impl<T> InitialLayout<T> {
    /// What lies in the static.
    pub(crate) const fn slots(&self) -> StaticSlots {
        self.slots
    }
}

/// Registers a static: ties it to its initial value.
#[doc(hidden)]
pub const fn register<T>(
    object: &'static Static<T>,
    init: &'static Init<T>,
    layout: InitialLayout<T>,
) -> StaticEntry {
    let start = init.start();
    // SAFETY: nothing ever writes to the cell of an `Init`. `InitialLayout<T>` exists where the slots of
    // `T` are plain data, whose bytes are all initialised.
    unsafe {
        let (bytes, align) = (size_of::<T>(), align_of::<T>());
        StaticEntry::new(&object.info, &object.offset, start, bytes, align, layout.slots, None)
    }
}

/// The facts about a static that a constant check needs.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a symmetric object",
    label = "not declared with `#[symmetric]`",
    note = "a name in capitals is taken for a static: write `#[symmetric]` above its declaration; another object goes in parentheses"
)]
pub trait Checked {
    /// The number of axes.
    const RANK: usize;
    /// The extents that the compiler knows.
    const EXTENTS: [Option<usize>; MAX_RANK];
    /// The size of an element.
    const BYTES: usize;
}

impl<T: StaticType> Checked for Static<T> {
    const RANK: usize = T::Shape::RANK;
    const EXTENTS: [Option<usize>; MAX_RANK] = T::Shape::EXTENTS;
    const BYTES: usize = size_of::<T::Item>();
}

impl<O: Checked> Checked for &O {
    const RANK: usize = O::RANK;
    const EXTENTS: [Option<usize>; MAX_RANK] = O::EXTENTS;
    const BYTES: usize = O::BYTES;
}

/// Plain statics without `#[symmetric]`: nothing is checked, so that the only error is that of
/// [`Object`], at the object.
macro_rules! plain_statics_pass {
    ($($plain:ty),*) => {$(
        impl Checked for $plain {
            const RANK: usize = 0;
            const EXTENTS: [Option<usize>; MAX_RANK] = [None; MAX_RANK];
            const BYTES: usize = 0;
        }
    )*};
}

plain_statics_pass!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool, char);

impl<T, const N: usize> Checked for [T; N] {
    const RANK: usize = 0;
    const EXTENTS: [Option<usize>; MAX_RANK] = [None; MAX_RANK];
    const BYTES: usize = 0;
}

#[cfg(test)]
mod tests {
    use super::ends_below_nowhere;

    /// The number of elements is a `usize`, also where none has a byte.
    #[test]
    fn statics_have_as_many_elements_as_can_be_counted() {
        const MANY: usize = 1 << 33;
        assert!(ends_below_nowhere::<[[u8; 1 << 20]; 1 << 20]>());
        assert!(ends_below_nowhere::<[[[u8; 0]; 1 << 20]; 1 << 20]>());
        assert!(!ends_below_nowhere::<[[[u8; 0]; MANY]; MANY]>());
        assert!(!ends_below_nowhere::<[[[u8; MANY]; 0]; MANY]>());
    }
}

/// The most bytes that a read may return by value: a main thread's stack has 8 MiB as a rule,
/// another thread's 2, and a build without optimisation keeps several copies.
const BY_VALUE: usize = 64 << 10;

/// Fails the build when a read of `lens` elements on the axes returns more than a stack should
/// hold. A length that the compiler does not know is 0 here: then the result is a `Vec`.
#[track_caller]
pub const fn check_read<O: Checked>(_: &O, name: &str, lens: &[usize]) {
    let mut bytes = O::BYTES;
    let mut axis = 0;
    while axis < lens.len() {
        bytes = bytes.saturating_mul(lens[axis]);
        axis += 1;
    }
    let mut all = O::BYTES;
    let mut axis = 0;
    while axis < O::RANK {
        all = all.saturating_mul(match O::EXTENTS[axis] {
            Some(extent) => extent,
            None => usize::MAX,
        });
        axis += 1;
    }
    // More elements than the object has: the checks of the bounds report this.
    if bytes > BY_VALUE && bytes <= all {
        too_large(Text::new().str("this read of `").str(name).str("`"), bytes)
    }
}

/// Fails the build when a read returns a `T` that is more than a stack should hold: the same for
/// selections that the macros cannot see through.
#[track_caller]
pub(crate) const fn check_value<T>() {
    if size_of::<T>() > BY_VALUE {
        too_large(Text::new().str("a read"), size_of::<T>())
    }
}

#[track_caller]
const fn too_large(what: Text, bytes: usize) -> ! {
    what.str(" returns ")
        .num(bytes)
        .str(" bytes by value, on the stack, where the most is ")
        .num(BY_VALUE)
        .str(": write `=> &mut buffer` after the selection, with a buffer on the heap, such as a `Vec` of as many elements")
        .panic()
}

crate::remedies::methods! {
    [T] Static<T>, [T: Direct] =>
        len() is_empty() iter() iter_mut() to_vec() sum() min() max() get(A) set(A) put(A) load(A) store(A B) swap(A)
        fetch_add(A) fetch_sub(A) fetch_and(A) fetch_or(A) fetch_xor(A) compare_exchange(A B) wait_until(A B)
        post() wait() wait_for(A) try_wait(A);
    [T] Static<T>, [for<'x> &'x Self: Unlock] => unlock();
}
