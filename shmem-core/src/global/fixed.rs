//! `#[symmetric(block)] static`: global arrays whose extents the compiler knows.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::AtomicUsize;

use super::{Mine, methods, owner, part_extents};
use crate::runtime::direct;
use crate::runtime::parts::{Distribution, Parts, StaticParts};
use crate::runtime::statics::{DividedStatic, StaticEntry};
use crate::symmetric::shape::{GlobalIndex, MAX_RANK, Shape, StaticShape};
use crate::symmetric::statics::{Checked, Init, InitialLayout, NOWHERE, ends_below_nowhere};
use crate::symmetric::{Item, ObjectInfo, Slot, StaticType};
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
#[diagnostic::on_unimplemented(
    message = "a global static of type `{Self}` cannot be divided",
    label = "not an array of elements or cells",
    note = "a global static is `[T; N]`, or nested arrays of up to 4 axes, of elements or `Atomic` cells; a `PerPe` has a slot for each PE already, and `Lock`s and `Event`s are on every PE"
)]
pub trait DividedType: StaticType<Item: Item> {
    /// An index: `usize` on one axis, and an array of one number for each of several.
    type Index: GlobalIndex;
    /// One extent for each axis.
    #[doc(hidden)]
    type Extents;
    /// The first ones.
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
const fn extents_of<T: DividedType>() -> [usize; MAX_RANK] {
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

    /// How it is divided, and how to speak of it.
    ///
    /// # Panics
    ///
    /// Outside of a job.
    #[track_caller]
    fn divided(&self) -> (Parts, &ObjectInfo) {
        (self.parts(), &self.info)
    }

    /// How it is divided: what every walk over several of its elements begins with, which would find
    /// none outside of a job.
    ///
    /// # Panics
    ///
    /// Outside of a job.
    #[track_caller]
    pub(super) fn parts(&self) -> Parts {
        assert!(
            direct::is_in_a_job(),
            "{} was used outside of a job: it is divided over the PEs of a job, inside `#[shmem::main]` and \
             `#[shmem::test]` functions and what they call",
            self.info
        );
        self.parts.parts(D::DISTRIBUTION, const { extents_of::<T>() })
    }

    /// How to speak of it.
    #[inline(always)]
    pub(super) fn info(&self) -> &ObjectInfo {
        &self.info
    }

    /// The PE that holds the element at an index, and which element of its part it is.
    #[inline(always)]
    pub(super) fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize) {
        self.parts.locate(
            const { D::DISTRIBUTION },
            const { <T::Shape as Shape>::RANK },
            const { extents_of::<T>() },
            index,
        )
    }

    /// Where the part of each PE begins, how many elements that of this PE has, and how to speak of
    /// the array.
    pub(crate) fn part(&self) -> (usize, usize, &ObjectInfo) {
        let (parts, info) = self.divided();
        (self.start(), parts.held(direct::my_pe()).iter().product(), info)
    }

    methods! { T::Index, T::Extents, |extents| T::extents(extents) }
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

/// Registers a global static whose initial value is a whole array.
#[doc(hidden)]
pub const fn register_divided<T: DividedType, D: StaticDistribution>(
    object: &'static GlobalStatic<T, D>,
    init: &'static Init<T>,
    layout: InitialLayout<T>,
) -> StaticEntry {
    // SAFETY: the value is that of an `Init`, of so many bytes.
    unsafe { entry(object, init.start(), size_of::<T>(), layout, false) }
}

/// Registers a global static whose elements all begin with one value.
#[doc(hidden)]
pub const fn register_filled<T: DividedType, D: StaticDistribution>(
    object: &'static GlobalStatic<T, D>,
    init: &'static Init<T::Item>,
    layout: InitialLayout<T>,
) -> StaticEntry {
    // SAFETY: the value is that of an `Init`, of so many bytes.
    unsafe { entry(object, init.start(), size_of::<T::Item>(), layout, true) }
}

/// # Safety
///
/// `init` is the value of an `Init` of `bytes` bytes: the whole array, or one slot where `is_one_value`
/// says so.
const unsafe fn entry<T: DividedType, D: StaticDistribution>(
    object: &'static GlobalStatic<T, D>,
    init: *const u8,
    bytes: usize,
    layout: InitialLayout<T>,
    is_one_value: bool,
) -> StaticEntry {
    match D::DISTRIBUTION {
        Distribution::BlockCyclic(0) => {
            panic!("the blocks of `block_cyclic(0)` have no indices: write 1 or more")
        }
        Distribution::Block2d if <T::Shape as Shape>::RANK != 2 => {
            panic!("`block2d` divides two axes, and this static does not have two: write `block`")
        }
        _ => {}
    }
    let divided = DividedStatic { parts: &object.parts, distribution: D::DISTRIBUTION, is_one_value };
    let (slots, align) = (layout.slots(), align_of::<T>());
    // SAFETY: nothing ever writes to the cell of an `Init`. `InitialLayout<T>` exists where the slots of
    // `T` are plain data, whose bytes are all initialised.
    unsafe { StaticEntry::new(&object.info, &object.offset, init, bytes, align, slots, Some(divided)) }
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
            [<$ty as $crate::StaticType>::Item] register_filled; $($names)*
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
                $crate::__private::$register::<$ty, $distribution>(
                    &$name,
                    &__SHMEM_INIT,
                    <$element as $crate::__private::ElementOf<$ty>>::LAYOUT,
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
