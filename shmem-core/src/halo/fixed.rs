//! `#[symmetric(block, halo = …)] static`: arrays with ghost cells whose extents the compiler knows.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Halo, HaloArray};
use crate::collective::{Global, OneAxis};
use crate::global::{
    DividedLayout, DividedType, GlobalObject, IsArray, StaticDistribution, extents_of, sealed,
};
use crate::phase::Plain;
use crate::runtime::direct;
use crate::runtime::parts::{GhostRoom, Parts};
use crate::runtime::statics::{DividedStatic, StaticEntry};
use crate::symmetric::shape::{MAX_RANK, Shape, StaticShape};
use crate::symmetric::statics::{Checked, ElementOf, Init, NOWHERE};
use crate::symmetric::{Item, ObjectInfo, Slot, StaticType};
use crate::text::Text;

/// A static with ghost cells: a [`HaloArray`] whose extents the compiler knows.
///
/// [`#[symmetric(block, halo = Halo::fixed(1))]`](macro@crate::symmetric) makes it, also with `block2d`. It
/// derefs to the [`HaloArray`], so all methods are those of the array. Constant indices in
/// [`remote!`](crate::remote!) are checked when the program is compiled. `T` is the type in the
/// declaration, and `D` says how it is divided. The ghost cells begin as zeros.
///
/// ```
/// use shmem::Halo;
/// use shmem::prelude::*;
///
/// #[symmetric(block, halo = Halo::periodic(1))]
/// static RING: [usize; 9] = [5; 9];
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) {
///     world.local_phase(|p| {
///         for (i, x) in RING.view_mut(p).mine_mut() {
///             *x += i;
///         }
///     });
///     RING.refresh();
///     let before = world.local_phase(|p| RING.view(p)[-1]);
///     assert_eq!(before, [13, 7, 10][world.my_pe()]);
///     assert_eq!(remote!(RING[@8]), 13); // the compiler checks the index
///     assert_eq!(RING.sum(), 9 * 5 + 36);
/// }
/// ```
pub struct HaloStatic<T, D> {
    offset: AtomicUsize,
    halo: Halo,
    info: ObjectInfo,
    /// The array, made at the first use in a job.
    array: OnceLock<Box<dyn Any + Send + Sync>>,
    holds: PhantomData<fn() -> (T, D)>,
}

/// The types of statics with ghost cells: arrays and arrays of arrays, of plain elements.
///
/// ```
/// use shmem::distribution::StaticDistribution;
/// use shmem::prelude::*;
/// use shmem::{Halo, HaloStatic, HaloType};
///
/// #[symmetric(block, halo = Halo::fixed(1))]
/// static LINE: [f64; 8] = [0.0; 8];
///
/// /// A static with ghost cells, of any type.
/// fn bytes<T: HaloType, D: StaticDistribution>(_: &HaloStatic<T, D>) -> usize {
///     size_of::<T>()
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main() {
///     assert_eq!(bytes(&LINE), 64);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a static of type `{Self}` cannot have ghost cells",
    label = "not an array of one or two axes of plain elements",
    note = "write `[T; N]` or `[[T; M]; N]`; atomic cells have no ghost cells, and other axes are divided among the elements: `T` may be an array"
)]
pub trait HaloType: DividedType {
    /// The array that the static derefs to: a [`HaloArray`] of its elements and its rank.
    type Array: GlobalObject<
            Item = Self::Item,
            Value = <Self::Item as Item>::Value,
            Index = Self::Index,
            Extents = Self::Extents,
        > + Send
        + Sync
        + 'static;
    /// The array, in the memory of a static at these offsets.
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "called by this crate only")]
    fn array(at: [usize; 2], made: (Parts, GhostRoom, Halo), info: ObjectInfo) -> Self::Array;
}

macro_rules! halo_types {
    ($([$($n:ident)*] $rank:literal $ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        #[allow(private_interfaces, reason = "called by this crate only")]
        impl<I: Slot + Plain, $(const $n: usize),*> HaloType for $ty {
            type Array = HaloArray<I, $rank>;
            fn array(at: [usize; 2], made: (Parts, GhostRoom, Halo), info: ObjectInfo) -> Self::Array {
                HaloArray::new(None, at, made, info)
            }
        }
    )*};
}

halo_types! {
    [A] 1 [I; A];
    [A B] 2 [[I; B]; A];
}

impl<T, D> HaloStatic<T, D> {
    /// The value of a static.
    ///
    /// # Safety
    ///
    /// The static that it becomes the value of is registered by [`register_halo`] or
    /// [`register_filled_halo`]: else it is never laid out, and an access ends the PE by a signal.
    #[doc(hidden)]
    pub const unsafe fn new(info: ObjectInfo, halo: Halo) -> HaloStatic<T, D> {
        HaloStatic {
            offset: AtomicUsize::new(NOWHERE),
            halo,
            info,
            array: OnceLock::new(),
            holds: PhantomData,
        }
    }
}

impl<T: HaloType, D: StaticDistribution> HaloStatic<T, D> {
    /// The array in the memory of the static.
    fn make(&self) -> T::Array {
        let extents = const { extents_of::<T>() };
        let rank = <T::Shape as Shape>::RANK;
        let parts = Parts::new(D::DISTRIBUTION, &extents[..rank], direct::n_pes());
        let parts = parts.unwrap_or_else(|reason| panic!("{}: {reason}", self.info));
        let room = GhostRoom::of(&parts, rank, self.halo.width());
        // So an access to one that is not laid out never wraps around to other memory: see `NOWHERE`.
        let bytes = room.all().and_then(|all| all.checked_mul(size_of::<T::Item>()));
        assert!(
            bytes.is_some_and(|bytes| bytes <= NOWHERE),
            "{} is larger than any symmetric memory",
            self.info
        );
        let cells = self.offset.load(Ordering::Relaxed);
        let inbox = cells + room.cells() * size_of::<T::Item>();
        T::array([cells, inbox], (parts, room, self.halo), self.info.same())
    }
}

impl<T: HaloType, D: StaticDistribution> Deref for HaloStatic<T, D> {
    type Target = T::Array;

    #[track_caller]
    fn deref(&self) -> &T::Array {
        if !direct::is_in_a_job() {
            direct::not_divided(&self.info);
        }
        let array = self.array.get_or_init(|| Box::new(self.make()));
        array.downcast_ref().expect("the static made it")
    }
}

impl<T, D> fmt::Debug for HaloStatic<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "global {}", self.info)
    }
}

impl<T: StaticType, D> Checked for HaloStatic<T, D> {
    const RANK: usize = T::Shape::RANK;
    const EXTENTS: [Option<usize>; MAX_RANK] = T::Shape::EXTENTS;
    const BYTES: usize = size_of::<T::Item>();
}

#[diagnostic::do_not_recommend]
impl<T: HaloType, D: StaticDistribution> Global for HaloStatic<T, D> {}
#[diagnostic::do_not_recommend]
impl<I: Slot + Plain, const N: usize, D: StaticDistribution> OneAxis for HaloStatic<[I; N], D> {}

impl<T: HaloType, D: StaticDistribution> sealed::SealedGlobal for HaloStatic<T, D> {}

#[diagnostic::do_not_recommend]
#[allow(private_interfaces, reason = "called by this crate only")]
impl<T: HaloType, D: StaticDistribution> GlobalObject for HaloStatic<T, D> {
    type Item = T::Item;
    type Value = <T::Item as Item>::Value;
    type Index = T::Index;
    type Extents = T::Extents;
    fn extents_of(all: [usize; MAX_RANK]) -> T::Extents {
        T::extents(all)
    }
    type Shape = T::Shape;
    #[inline(always)]
    fn whole(&self) -> (T::Shape, &ObjectInfo) {
        (<T::Shape as StaticShape>::VALUE, &self.info)
    }
    #[track_caller]
    fn offset(&self) -> usize {
        (**self).offset()
    }
    #[track_caller]
    fn parts(&self) -> &Parts {
        (**self).parts()
    }
    #[track_caller]
    unsafe fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize) {
        // SAFETY: the caller's promise.
        unsafe { (**self).locate(index) }
    }
}

/// What holds data of type `T` in its slots, with ghost cells.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a static with ghost cells",
    label = "not a plain element",
    note = "elements are integers, floats, arrays of elements and structs with `#[derive(Symmetric)]`; a local phase lends them as slices, and atomic cells have none"
)]
pub trait HaloElementOf<T>: Sized {
    /// How the initial value lies in memory.
    const LAYOUT: DividedLayout<T, Self>;
}

// Of `I` it is asked for the message alone.
#[diagnostic::do_not_recommend]
impl<I: StaticType<Item: Plain>, T: StaticType> HaloElementOf<T> for I {
    const LAYOUT: DividedLayout<T, I> = DividedLayout::new(<I as ElementOf<T>>::LAYOUT);
}

/// Fails the build where a static, which is called `name`, cannot have these ghost cells.
#[doc(hidden)]
#[track_caller]
pub const fn check_halo<T, I>(name: &str, layout: &DividedLayout<T, I>) {
    if layout.rank() > 2 {
        Text::new()
            .str("ghost cells are for one or two axes, and `")
            .str(name)
            .str("` has ")
            .num(layout.rank())
            .str(": make the others part of the element, as in `[[f64; 8]; 100]` of 8 values each, or leave `halo` out")
            .panic()
    }
}

/// Registers a static with ghost cells, whose initial value is the whole.
#[doc(hidden)]
pub const fn register_halo<T, D: StaticDistribution, I>(
    object: &'static HaloStatic<T, D>,
    init: &'static Init<T>,
    _: IsArray<T>,
    layout: DividedLayout<T, I>,
) -> StaticEntry {
    layout.entry_of_whole((&object.info, &object.offset), init, divided(object))
}

/// Registers a static with ghost cells, whose initial value is one value, over and over.
#[doc(hidden)]
pub const fn register_filled_halo<T, D: StaticDistribution, I>(
    object: &'static HaloStatic<T, D>,
    init: &'static Init<I>,
    _: IsArray<T>,
    layout: DividedLayout<T, I>,
) -> StaticEntry {
    layout.entry_of_one((&object.info, &object.offset), init, divided(object))
}

const fn divided<T, D: StaticDistribution>(object: &'static HaloStatic<T, D>) -> DividedStatic {
    DividedStatic { parts: None, distribution: D::DISTRIBUTION, halo: Some(&object.halo), is_repeated: false }
}

/// The expansion of `#[symmetric(block, halo = …)]`: a static, and the entry that registers it. As
/// `__symmetric_static`; `filled` says that the value is that of one element, for all.
#[doc(hidden)]
#[macro_export]
macro_rules! __symmetric_halo {
    (
        $(#[$attribute:meta])* $vis:vis static $name:ident: [$ty:ty] of [$element:ty] in [$distribution:ty]
            with [$halo:expr] = filled $init:expr;
        $($names:tt)*
    ) => {
        $crate::__symmetric_halo! {
            @($(#[$attribute])* $vis static $name: [$ty] of [$element] in [$distribution] with [$halo] = $init;)
            [$element] register_filled_halo; $($names)*
        }
    };
    (
        $(#[$attribute:meta])* $vis:vis static $name:ident: [$ty:ty] of [$element:ty] in [$distribution:ty]
            with [$halo:expr] = $init:expr;
        $($names:tt)*
    ) => {
        $crate::__symmetric_halo! {
            @($(#[$attribute])* $vis static $name: [$ty] of [$element] in [$distribution] with [$halo] = $init;)
            [$ty] register_halo; $($names)*
        }
    };
    (
        @($(#[$attribute:meta])* $vis:vis static $name:ident: [$ty:ty] of [$element:ty] in [$distribution:ty]
            with [$halo:expr] = $init:expr;)
        [$initial:ty] $register:ident;
        $text:literal, $type_text:literal
    ) => {
        $(#[$attribute])*
        $vis static $name: $crate::HaloStatic<$ty, $distribution> = {
            static __SHMEM_INIT: $crate::__private::Init<$initial> = $crate::__private::Init::new($init);
            $crate::__private::inventory::submit! {
                $crate::__private::$register(
                    &$name,
                    &__SHMEM_INIT,
                    <$ty as $crate::__private::WholeType>::IS_ARRAY,
                    <$element as $crate::__private::HaloElementOf<$ty>>::LAYOUT,
                )
            }
            const __SHMEM_HALO: $crate::Halo = $halo;
            // SAFETY: the entry above registers this static.
            unsafe {
                $crate::HaloStatic::new(
                    $crate::__private::StaticInfo::new(
                        $text,
                        $crate::__private::module_path!(),
                        $crate::__private::file!(),
                        $crate::__private::line!(),
                        $crate::__private::column!(),
                        $type_text,
                    ),
                    __SHMEM_HALO,
                )
            }
        };
    };
}
