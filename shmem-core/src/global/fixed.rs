//! `#[symmetric(block)] static`: global arrays whose extents the compiler knows.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::AtomicUsize;

use crate::runtime::direct;
use crate::runtime::parts::{Distribution, Parts, StaticParts};
use crate::runtime::statics::{DividedStatic, StaticEntry};
use crate::symmetric::shape::{GlobalIndex, MAX_RANK, Shape, StaticShape};
use crate::symmetric::statics::{Checked, ElementOf, Init, InitialLayout, NOWHERE, ends_below_nowhere};
use crate::symmetric::{Item, ObjectInfo, Slot, StaticType};
use crate::text::Text;
use crate::transport::word::load_usize;

/// A static that is one array, whose elements are divided over the PEs.
///
/// [`#[symmetric(block)]`](macro@crate::symmetric) makes it; also `cyclic`, `block_cyclic(k)` and
/// `block2d`. It is as a [`GlobalArray`](crate::GlobalArray), with extents that the compiler knows. So
/// constant indices are checked when the program is compiled. `T` is the type in the declaration, and `D`
/// says how it is divided:
///
/// ```
/// use shmem::distribution::{BlockParts, StaticDistribution};
/// use shmem::prelude::*;
/// use shmem::GlobalStatic;
///
/// #[symmetric(block)]
/// static HITS: [Atomic<u64>; 1000] = [Atomic::new(0); 1000];
///
/// /// Whatever the distribution is.
/// fn first<D: StaticDistribution>(array: &GlobalStatic<[Atomic<u64>; 1000], D>) -> u64 {
///     remote!((*array)[@0])
/// }
///
/// #[shmem::main(npes = 3)]
/// fn main(world: &World) {
///     let hits: &GlobalStatic<[Atomic<u64>; 1000], BlockParts> = &HITS;
///     assert_eq!(hits.owner(999), 2);
///     remote!(HITS[@0]) += 1;
///     world.barrier_all();
///     assert_eq!(first(hits), 3);
/// }
/// ```
pub struct GlobalStatic<T, D> {
    pub(super) offset: AtomicUsize,
    parts: StaticParts,
    info: ObjectInfo,
    holds: PhantomData<fn() -> (T, D)>,
}

/// How a global static is divided, as a type: [`BlockParts`], [`CyclicParts`], [`BlockCyclicParts`] or
/// [`Block2dParts`].
///
/// ```
/// use shmem::GlobalStatic;
/// use shmem::distribution::StaticDistribution;
/// use shmem::prelude::*;
///
/// #[symmetric(cyclic)]
/// static LINE: [u32; 5] = [0; 5];
///
/// /// Whatever the distribution is.
/// fn owner<D: StaticDistribution>(array: &GlobalStatic<[u32; 5], D>) -> usize {
///     array.owner(3)
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main() {
///     assert_eq!(owner(&LINE), 1);
/// }
/// ```
pub trait StaticDistribution: 'static + sealed::SealedDistribution {
    /// The same as a value.
    const DISTRIBUTION: Distribution;
}

mod sealed {
    /// An implementation outside of this crate could be another one at each look.
    pub trait SealedDistribution {}
}

macro_rules! distributions {
    ($($(#[$about:meta])* [$($generics:tt)*] $name:ident $(<$k:ident>)?, $value:expr;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name $($generics)*;
        impl $($generics)* sealed::SealedDistribution for $name $(<$k>)? {}
        impl $($generics)* StaticDistribution for $name $(<$k>)? {
            const DISTRIBUTION: Distribution = $value;
        }
    )*};
}

distributions! {
    /// [`Distribution::Block`], of a static: `#[symmetric(block)]`.
    [] BlockParts, Distribution::Block;
    /// [`Distribution::Cyclic`], of a static: `#[symmetric(cyclic)]`.
    [] CyclicParts, Distribution::Cyclic;
    /// [`Distribution::BlockCyclic`], of a static: `#[symmetric(block_cyclic(K))]`.
    [<const K: usize>] BlockCyclicParts<K>, Distribution::BlockCyclic(K);
    /// [`Distribution::Block2d`], of a static: `#[symmetric(block2d)]`.
    [] Block2dParts, Distribution::Block2d;
}

/// The types of global statics: arrays, and nested arrays of up to 4 axes.
///
/// ```
/// use shmem::distribution::BlockParts;
/// use shmem::prelude::*;
/// use shmem::{DividedType, GlobalStatic};
///
/// #[symmetric(block)]
/// static GRID: [[u32; 3]; 4] = [[0; 3]; 4];
///
/// /// A global static of any type.
/// fn bytes<T: DividedType>(_: &GlobalStatic<T, BlockParts>) -> usize {
///     size_of::<T>()
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main() {
///     assert_eq!(bytes(&GRID), 48);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a global static of type `{Self}` cannot be divided",
    label = "not an array of elements or cells",
    note = "a global static is `[T; N]`, or nested arrays of up to 4 axes, of elements or `Atomic` cells; a `PerPe` has a slot for each PE already, and `Lock`s and `Event`s are on every PE"
)]
pub trait DividedType: StaticType<Item: Item> {
    /// An index: `usize` on one axis, and an array of one number for each of several.
    type Index: GlobalIndex;
    /// The extents: one number for each axis.
    type Extents: AsRef<[usize]> + Copy + Eq + fmt::Debug;
    /// Those of the first axes.
    #[doc(hidden)]
    fn extents(all: [usize; MAX_RANK]) -> Self::Extents;
}

macro_rules! divided_types {
    ($([$($n:ident)*] $rank:literal $ty:ty, $index:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<I: Slot + Item, $(const $n: usize),*> DividedType for $ty {
            type Index = $index;
            type Extents = [usize; $rank];
            fn extents(all: [usize; MAX_RANK]) -> [usize; $rank] {
                std::array::from_fn(|axis| all[axis])
            }
        }
    )*};
}

divided_types! {
    [A] 1 [I; A], usize;
    [A B] 2 [[I; B]; A], [usize; 2];
    [A B C] 3 [[[I; C]; B]; A], [usize; 3];
    [A B C D] 4 [[[[I; D]; C]; B]; A], [usize; 4];
}

/// The extents of a type of global statics.
pub(crate) const fn extents_of<T: DividedType>() -> [usize; MAX_RANK] {
    let mut extents = [1; MAX_RANK];
    let mut axis = 0;
    while axis < MAX_RANK {
        if let Some(extent) = T::Shape::EXTENTS[axis] {
            extents[axis] = extent;
        }
        axis += 1;
    }
    extents
}

impl<T, D> GlobalStatic<T, D> {
    /// The value of a static.
    ///
    /// # Safety
    ///
    /// The static that it becomes the value of is registered by [`register_divided`] or
    /// [`register_filled`]: else it is never laid out, and an access ends the PE by a signal.
    #[doc(hidden)]
    pub const unsafe fn new(info: ObjectInfo) -> GlobalStatic<T, D> {
        GlobalStatic {
            offset: AtomicUsize::new(NOWHERE),
            parts: StaticParts::new(),
            info,
            holds: PhantomData,
        }
    }
}

impl<T: DividedType, D: StaticDistribution> GlobalStatic<T, D> {
    /// Where the part of each PE begins.
    #[inline(always)]
    pub(super) fn start(&self) -> usize {
        const { assert!(ends_below_nowhere::<T>(), "this static is larger than any symmetric memory") };
        load_usize(&self.offset)
    }

    /// How it is divided: what every walk over several of its elements begins with, which would find
    /// none outside of a job.
    ///
    /// # Panics
    ///
    /// Outside of a job.
    #[inline]
    #[track_caller]
    pub(super) fn parts(&self) -> &Parts {
        match self.parts.whole() {
            Some(parts) if direct::is_in_a_job() => parts,
            _ => direct::not_divided(&self.info),
        }
    }

    /// How to speak of it.
    #[inline(always)]
    pub(super) fn info(&self) -> &ObjectInfo {
        &self.info
    }

    /// The PE that holds the element at an index, and how many bytes after the start of its part it lies.
    ///
    /// # Safety
    ///
    /// The static has such an index.
    #[inline(always)]
    pub(super) unsafe fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize) {
        // SAFETY: the extents are those of the type; the caller's promise.
        unsafe {
            self.parts.locate(
                const { D::DISTRIBUTION },
                const { <T::Shape as Shape>::RANK },
                const { size_of::<<T::Item as Item>::Value>() },
                const { extents_of::<T>() },
                index,
            )
        }
    }

    /// Where the part of each PE begins, how many elements that of this PE has, and how to speak of
    /// the array.
    pub(crate) fn part(&self) -> (usize, usize, &ObjectInfo) {
        (self.start(), self.parts().held(direct::my_pe()).iter().product(), &self.info)
    }
}

impl<T, D> fmt::Debug for GlobalStatic<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "global {}", self.info)
    }
}

impl<T: StaticType, D> Checked for GlobalStatic<T, D> {
    const RANK: usize = T::Shape::RANK;
    const EXTENTS: [Option<usize>; MAX_RANK] = T::Shape::EXTENTS;
    const BYTES: usize = size_of::<T::Item>();
}

/// Arrays: the types of statics that can be divided. The expansion asks for it, and for the elements, by
/// the paths of constants, so that the compiler names no place in this crate.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a global static of type `{Self}` cannot be divided over the PEs",
    label = "not an array",
    note = "a global static is `[T; N]`, or nested arrays of up to 4 axes; what each PE has of its own is declared with `#[symmetric]` alone"
)]
pub trait WholeType: Sized {
    /// The proof of it.
    const IS_ARRAY: IsArray<Self>;
}

/// That a type is an array.
#[doc(hidden)]
pub struct IsArray<T>(PhantomData<fn() -> T>);

#[diagnostic::do_not_recommend]
impl<I, const N: usize> WholeType for [I; N] {
    const IS_ARRAY: IsArray<[I; N]> = IsArray(PhantomData);
}

/// What holds data of type `T` in its slots, each of which is an element or a cell.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a global static",
    label = "not an element that is on one PE alone",
    note = "elements are integers, floats, arrays of elements and structs with `#[derive(Symmetric)]`; cells are `Atomic<T>` of integers of up to 8 bytes, f32 and f64",
    note = "a `Lock` and an `Event` are on every PE: declare these with `#[symmetric]` alone"
)]
pub trait DividedElementOf<T>: Sized {
    /// How the initial value lies in memory.
    const LAYOUT: DividedLayout<T, Self>;
}

/// How the initial value of a global static of type `T` lies in memory: of one whose elements are written
/// as `I`, which may be an alias of an array.
#[doc(hidden)]
pub struct DividedLayout<T, I>(InitialLayout<T>, PhantomData<fn() -> I>);

impl<T, I> DividedLayout<T, I> {
    /// Of this layout of elements.
    pub(crate) const fn new(layout: InitialLayout<T>) -> DividedLayout<T, I>
    where
        I: StaticType<Item: Item>,
    {
        DividedLayout(layout, PhantomData)
    }

    /// How many axes there are.
    pub(crate) const fn rank(&self) -> usize {
        self.0.slots().rank
    }
}

// Of `I` it is asked for the message alone.
#[diagnostic::do_not_recommend]
impl<I: StaticType<Item: Item>, T: StaticType> DividedElementOf<T> for I {
    const LAYOUT: DividedLayout<T, I> = DividedLayout::new(<I as ElementOf<T>>::LAYOUT);
}

/// Fails the build where a static of type `T`, which is called `name`, cannot be divided in this way.
#[doc(hidden)]
#[track_caller]
pub const fn check_division<D: StaticDistribution, T, I>(name: &str, layout: &DividedLayout<T, I>) {
    match D::DISTRIBUTION {
        Distribution::BlockCyclic(0) => {
            Text::new().str("a block of `").str(name).str("` has no indices: write 1 or more").panic()
        }
        Distribution::Block2d if layout.rank() != 2 => Text::new()
            .str("`block2d` divides two axes, and `")
            .str(name)
            .str("` has ")
            .num(layout.rank())
            .str(": write `block`, `cyclic` or `block_cyclic(k)`, which divide the first axis")
            .panic(),
        _ => {}
    }
}

/// Registers a global static whose initial value is a whole array.
#[doc(hidden)]
pub const fn register_divided<T, D: StaticDistribution, I>(
    object: &'static GlobalStatic<T, D>,
    init: &'static Init<T>,
    _: IsArray<T>,
    layout: DividedLayout<T, I>,
) -> StaticEntry {
    layout.entry_of_whole((&object.info, &object.offset), init, divided(object))
}

/// Registers a global static whose initial value is one value, over and over.
#[doc(hidden)]
pub const fn register_filled<T, D: StaticDistribution, I>(
    object: &'static GlobalStatic<T, D>,
    init: &'static Init<I>,
    _: IsArray<T>,
    layout: DividedLayout<T, I>,
) -> StaticEntry {
    layout.entry_of_one((&object.info, &object.offset), init, divided(object))
}

const fn divided<T, D: StaticDistribution>(object: &'static GlobalStatic<T, D>) -> DividedStatic {
    let parts = Some(&object.parts);
    DividedStatic { parts, distribution: D::DISTRIBUTION, halo: None, is_repeated: false }
}

/// The description of a static, and where the start of the job writes its place.
pub(crate) type StaticPlace = (&'static ObjectInfo, &'static AtomicUsize);

impl<T, I> DividedLayout<T, I> {
    /// The entry of a static with this value of the whole.
    pub(crate) const fn entry_of_whole(
        self,
        place: StaticPlace,
        init: &'static Init<T>,
        divided: DividedStatic,
    ) -> StaticEntry {
        let divided = DividedStatic { is_repeated: false, ..divided };
        self.entry(place, init.start(), size_of::<T>(), divided)
    }

    /// The entry of a static with this value, over and over.
    pub(crate) const fn entry_of_one(
        self,
        place: StaticPlace,
        init: &'static Init<I>,
        divided: DividedStatic,
    ) -> StaticEntry {
        let slot = self.0.slots().size;
        assert!(slot == 0 || size_of::<I>().is_multiple_of(slot), "the value is that of some slots");
        let divided = DividedStatic { is_repeated: true, ..divided };
        self.entry(place, init.start(), size_of::<I>(), divided)
    }

    const fn entry(
        self,
        (info, offset): StaticPlace,
        init: *const u8,
        bytes: usize,
        divided: DividedStatic,
    ) -> StaticEntry {
        // SAFETY: the two callers have the value of an `Init` of so many bytes, which is that of the
        // whole or of some slots. Nothing ever writes to it. A `DividedLayout` exists where the slots of
        // `T` and of `I` are plain data, whose bytes are all initialised.
        unsafe { StaticEntry::new(info, offset, init, bytes, align_of::<T>(), self.0.slots(), Some(divided)) }
    }
}

/// The expansion of `#[symmetric(block)]` and its like: a static, and the entry that registers it. As
/// `__symmetric_static`; `filled` says that the value is that of one slot, for all.
#[doc(hidden)]
#[macro_export]
macro_rules! __symmetric_global {
    (
        $(#[$attribute:meta])* $vis:vis static $name:ident: [$ty:ty] of [$element:ty] in [$distribution:ty]
            = filled $init:expr;
        $($names:tt)*
    ) => {
        $crate::__symmetric_global! {
            @($(#[$attribute])* $vis static $name: [$ty] of [$element] in [$distribution] = $init;)
            [$element] register_filled; $($names)*
        }
    };
    (
        $(#[$attribute:meta])* $vis:vis static $name:ident: [$ty:ty] of [$element:ty] in [$distribution:ty]
            = $init:expr;
        $($names:tt)*
    ) => {
        $crate::__symmetric_global! {
            @($(#[$attribute])* $vis static $name: [$ty] of [$element] in [$distribution] = $init;)
            [$ty] register_divided; $($names)*
        }
    };
    (
        @($(#[$attribute:meta])* $vis:vis static $name:ident: [$ty:ty] of [$element:ty] in [$distribution:ty]
            = $init:expr;)
        [$initial:ty] $register:ident;
        $text:literal, $type_text:literal
    ) => {
        $(#[$attribute])*
        $vis static $name: $crate::GlobalStatic<$ty, $distribution> = {
            static __SHMEM_INIT: $crate::__private::Init<$initial> = $crate::__private::Init::new($init);
            $crate::__private::inventory::submit! {
                $crate::__private::$register(
                    &$name,
                    &__SHMEM_INIT,
                    <$ty as $crate::__private::WholeType>::IS_ARRAY,
                    <$element as $crate::__private::DividedElementOf<$ty>>::LAYOUT,
                )
            }
            // SAFETY: the entry above registers this static.
            unsafe {
                $crate::GlobalStatic::new($crate::__private::StaticInfo::new(
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
