//! Selections: one selector `i`, `a..b;s`, `a..`, `..` or `[i, j]` for each axis, on objects of any
//! rank.
//!
//! A selection becomes a *form* and a `Region`. The form is a type: [`One`] element, a [`Grid`]
//! whose lengths the compiler knows, or [`Many`] elements. It decides what a read returns and which
//! sources a write takes. The `Region` has the offset of the first element and one `Run` for each
//! range. A selection with a list of indices, or with a range that descends, has the form
//! [`Picked`], and `Places` instead of a region. A selection that is out of bounds becomes a
//! message.
//!
//! Everything here is inlined into the call, so that the optimiser folds the constant parts of a
//! selection.
//!
//! ```
//! use shmem::prelude::*;
//!
//! #[symmetric]
//! static GRID: [[u32; 4]; 3] = [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]];
//!
//! #[shmem::main(npes = 2)]
//! fn main(world: &World) {
//!     let pe = world.my_pe();
//!     let one: u32 = remote!(GRID[pe, 1, 2]);
//!     let row: [u32; 4] = remote!(GRID[pe, 1, ..]);
//!     let corners: [[u32; 2]; 2] = remote!(GRID[pe, ..;2, [0, 3]]);
//!     assert_eq!((one, row, corners), (12, [10, 11, 12, 13], [[0, 3], [20, 23]]));
//! }
//! ```

pub(crate) mod lists;
mod picked;
pub(crate) mod selectors;
pub(crate) mod spread;
mod written;

use std::marker::PhantomData;
use std::mem::MaybeUninit;

// Expansions make selectors, which is why they are public.
#[doc(hidden)]
pub use self::lists::*;
#[doc(hidden)]
pub use self::picked::Irregular;
pub use self::picked::Picked;
#[doc(hidden)]
pub use self::selectors::*;
#[doc(hidden)]
pub use self::spread::{Across, GlobalSelector};
pub use self::spread::{OnOnePe, Spread};
#[doc(hidden)]
pub use self::written::Written;

use crate::runtime::across::{AxisPick, GlobalPlaces};
use crate::runtime::places::{AxisLine, Places};
use crate::runtime::region::{MAX_RANK, Region};
use crate::symmetric::shape::{Dim, Shape};
use crate::symmetric::{ObjectInfo, ObjectPlace, Symmetric};
use crate::transport::Run;

/// Form of a selection: one element.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Remote;
/// use shmem::select::One;
///
/// #[symmetric]
/// static ROW: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let element: Remote<'_, u64, One> = remote!(&ROW[world.my_pe(), 3]);
///     assert_eq!(element.get(), 3);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct One {
    offset: usize,
}

/// Form of a selection: `N` times the form `F`, with `N` known to the compiler.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Remote;
/// use shmem::select::{Grid, One};
///
/// #[symmetric]
/// static ROW: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let part: Remote<'_, u64, Grid<3, One>> = remote!(&ROW[world.my_pe(), 2..5]);
///     let values: [u64; 3] = part.get();
///     assert_eq!(values, [2, 3, 4]);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Grid<const N: usize, F> {
    region: Region,
    inner: PhantomData<F>,
}

/// Form of a selection: a number of elements that is known at run time.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Remote;
/// use shmem::select::Many;
///
/// #[symmetric]
/// static ROW: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let end = world.n_pes() + 2;
///     let part: Remote<'_, u64, Many> = remote!(&ROW[world.my_pe(), 2..end]);
///     let values: Vec<u64> = part.get();
///     assert_eq!(values, [2, 3]);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Many {
    region: Region,
}

/// The forms of a selection: [`One`], [`Grid`], [`Many`], [`Picked`] and [`Spread`]. The bound of functions that take any
/// selection, to ask what is selected or to hand it to a collective.
///
/// A form says where the elements lie. The form of one element has only the offset. A region
/// instead would cost a hundred instructions more in a build without optimisation, and would be
/// much to fold in a build with it.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Remote;
/// use shmem::select::Form;
///
/// #[symmetric]
/// static ROW: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
///
/// /// Any selection.
/// fn count<F: Form>(selection: Remote<'_, u64, F>) -> usize {
///     selection.len()
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     assert_eq!((count(remote!(&ROW[0, 3])), count(remote!(&ROW[0, ..;2]))), (1, 4));
///     world.barrier_all();
/// }
/// ```
#[allow(private_interfaces, reason = "called by this crate only")]
pub trait Form: Copy + sealed::SealedForm {
    /// Whether it is one element.
    #[doc(hidden)]
    const ONE: bool;
    /// The number of elements, if the compiler knows it.
    #[doc(hidden)]
    const LEN: Option<usize>;
    /// Whether it has places instead of a region.
    #[doc(hidden)]
    const PICKED: bool = false;
    /// Whether the elements may lie on several PEs. Such a form has a [`spread`](Form::spread) and the
    /// number of elements, and nothing else.
    #[doc(hidden)]
    const SPREAD: bool = false;
    /// The element at `offset`, of a form that is [`ONE`](Form::ONE).
    #[doc(hidden)]
    fn one(offset: usize) -> Self;
    /// The elements of a region, of any other form that is not [`PICKED`](Form::PICKED).
    #[doc(hidden)]
    fn several(region: Region) -> Self;
    /// The elements of axes, the first `rank` of `lines`, of a form that is `PICKED`.
    ///
    /// # Safety
    ///
    /// The lists live as long as the form says.
    #[doc(hidden)]
    unsafe fn picked(_offset: usize, _rank: usize, _lines: [AxisLine; MAX_RANK]) -> Self {
        unreachable!("a region is no list")
    }
    /// Where the first element lies, if there is one.
    #[doc(hidden)]
    fn offset(self) -> usize;
    /// The same elements, each moved on by `bytes`.
    #[doc(hidden)]
    fn behind(self, bytes: usize) -> Self;
    /// The elements as a region, of a form that is not `PICKED`.
    #[doc(hidden)]
    fn region(self) -> Region;
    /// How many elements.
    #[doc(hidden)]
    #[inline(always)]
    fn count(self) -> usize {
        self.region().len()
    }
    /// Where the element at position `i` lies, row-major.
    ///
    /// # Panics
    ///
    /// When there is none.
    #[doc(hidden)]
    #[inline(always)]
    fn element(self, i: usize) -> usize {
        self.region().element(i)
    }
    /// The elements, of any form.
    #[doc(hidden)]
    #[inline(always)]
    fn places<'p>(self) -> Places<'p>
    where
        Self: 'p,
    {
        Places::of(&self.region())
    }
    /// The elements, of a form that is [`SPREAD`](Form::SPREAD).
    #[doc(hidden)]
    fn spread(&self) -> &GlobalPlaces<'_> {
        unreachable!("the elements are on one PE")
    }
}

#[allow(private_interfaces, reason = "called by this crate only")]
impl Form for One {
    const ONE: bool = true;
    const LEN: Option<usize> = Some(1);
    #[inline(always)]
    fn one(offset: usize) -> One {
        One { offset }
    }
    fn several(_: Region) -> One {
        unreachable!("one element is no range")
    }
    #[inline(always)]
    fn offset(self) -> usize {
        self.offset
    }
    #[inline(always)]
    fn behind(self, bytes: usize) -> One {
        One { offset: self.offset + bytes }
    }
    #[inline(always)]
    fn region(self) -> Region {
        Region::one(self.offset)
    }
}

macro_rules! several_elements {
    ($([$($generics:tt)*] $form:ty, $len:expr, |$region:ident| $make:expr;)*) => {$(
        #[allow(private_interfaces, reason = "called by this crate only")]
        impl<$($generics)*> Form for $form {
            const ONE: bool = false;
            const LEN: Option<usize> = $len;
            fn one(_: usize) -> Self {
                unreachable!("a range is not one element")
            }
            #[inline(always)]
            fn several($region: Region) -> Self {
                $make
            }
            #[inline(always)]
            fn offset(self) -> usize {
                self.region.offset
            }
            #[inline(always)]
            fn behind(mut self, bytes: usize) -> Self {
                self.region.offset = self.region.offset.wrapping_add(bytes);
                self
            }
            #[inline(always)]
            fn region(self) -> Region {
                self.region
            }
        }
    )*};
}

several_elements! {
    [const N: usize, F: Form] Grid<N, F>, match F::LEN {
        Some(len) => Some(N * len),
        None => None,
    }, |region| Grid { region, inner: PhantomData };
    [] Many, None, |region| Many { region };
}

/// Forms of elements of type `T`: the bound of functions that read and write any selection.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::select::FormOf;
///
/// /// Reads what is selected, and writes it to the same place on PE 0.
/// fn send_home<T: Symmetric, F: FormOf<T>>(from: Remote<'_, T, F>, home: Remote<'_, T, F>) -> F::Owned
/// where
///     F::Owned: shmem::Source<T, F::Shape> + Clone,
/// {
///     let values = from.get();
///     home.put(values.clone());
///     values
/// }
///
/// #[symmetric]
/// static ROW: [u32; 4] = [7; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main() {
///     let seen: [u32; 2] = send_home(local!(&ROW[0..2]), remote!(&ROW[0, 0..2]));
///     assert_eq!(seen, [7, 7]);
///     assert_eq!(send_home(local!(&ROW[3]), remote!(&ROW[0, 3])), 7);
/// }
/// ```
#[allow(private_bounds, reason = "called by this crate only")]
pub trait FormOf<T: Symmetric>: Form {
    /// The shape of sources and buffers: `T`, nested arrays, or `[T]`.
    type Shape: ?Sized;
    /// The result of a read: `T`, nested arrays, or `Vec<T>`.
    type Owned;
    /// Reads the elements.
    #[doc(hidden)]
    #[track_caller]
    fn get<R: Elements<T, Form = Self>>(from: R) -> Self::Owned;
}

/// Elements that [`Form::get`] can read.
///
/// # Safety
///
/// `read_to` writes all of the elements.
pub(crate) unsafe trait Elements<T>: Copy {
    /// The form of the selection.
    type Form: Form;
    /// How many they are.
    fn len(self) -> usize;
    /// Reads the element.
    ///
    /// # Safety
    ///
    /// The form is [`ONE`](Form::ONE): a region may be empty, and have no first element.
    unsafe fn read_one(self) -> T;
    /// Reads the elements to `to`, contiguously.
    ///
    /// # Safety
    ///
    /// `to` has room for as many elements as [`len`](Elements::len) says.
    #[track_caller]
    unsafe fn read_to(self, to: *mut T);
    /// Reads the elements to a value that is nothing but them.
    ///
    /// # Safety
    ///
    /// An `A` is as many elements as [`len`](Elements::len) says, contiguously: a `T`, or nested arrays of
    /// it. Every bit pattern of a `T` is a valid one.
    #[inline(always)]
    #[track_caller]
    unsafe fn read_all<A>(self) -> A {
        let mut room = MaybeUninit::<A>::uninit();
        // SAFETY: there is room for all elements, each of which is written.
        unsafe {
            self.read_to(room.as_mut_ptr().cast());
            room.assume_init()
        }
    }
}

#[allow(private_bounds, reason = "called by this crate only")]
impl<T: Symmetric> FormOf<T> for One {
    type Shape = T;
    type Owned = T;
    #[inline(always)]
    #[track_caller]
    fn get<R: Elements<T, Form = One>>(from: R) -> T {
        // SAFETY: the form is one element.
        unsafe { from.read_one() }
    }
}

#[allow(private_bounds, reason = "called by this crate only")]
impl<T: Symmetric, F: FormOf<T, Shape = S, Owned = S>, S: Symmetric, const N: usize> FormOf<T>
    for Grid<N, F>
{
    type Shape = [S; N];
    type Owned = [S; N];
    #[inline(always)]
    #[track_caller]
    fn get<R: Elements<T, Form = Self>>(from: R) -> [S; N] {
        // SAFETY: a `Grid` is built by `Axis` implementations that select exactly `N` indices, so the
        // nested arrays are as many elements as there are; every bit pattern is a valid one.
        unsafe { from.read_all() }
    }
}

#[allow(private_bounds, reason = "called by this crate only")]
impl<T: Symmetric> FormOf<T> for Many {
    type Shape = [T];
    type Owned = Vec<T>;
    #[inline(always)]
    #[track_caller]
    fn get<R: Elements<T, Form = Many>>(from: R) -> Vec<T> {
        let len = from.len();
        let mut room = Vec::with_capacity(len);
        // SAFETY: there is room for `len` elements, as many as there are, and each of them is
        // written.
        unsafe {
            from.read_to(room.as_mut_ptr());
            room.set_len(len);
        }
        room
    }
}

/// A selector on an axis of `extent` indices.
#[doc(hidden)]
pub trait Axis<D: Dim>: Copy + sealed::SealedSelector {
    /// Whether it selects one index or several, and whether the compiler knows how many.
    type Extent: Stack<One> + Stack<Many>;
    /// Whether it is an index, which removes its axis.
    const IS_INDEX: bool;
    /// Whether all of its indices are in bounds.
    fn fits(self, extent: usize) -> bool;
    /// The first index, where they fit.
    fn first(self, extent: usize) -> usize;
    /// The number of indices, if they are in bounds.
    fn count(self, extent: usize) -> usize;
    /// The distance of the indices; negative, as the two's complement, where they descend.
    fn step(self) -> usize;
    /// The axis, of which neighbouring indices are `stride` bytes apart, if they are in bounds.
    #[inline(always)]
    #[allow(private_interfaces, reason = "called by this crate only")]
    fn line(self, extent: usize, stride: usize) -> AxisLine {
        AxisLine::range(Run { count: self.count(extent), stride: self.step().wrapping_mul(stride) })
    }
    /// How it was written, for messages.
    fn written(self, extent: usize) -> Written;
}

mod sealed {
    /// An implementation outside of this crate could select elements that do not exist.
    pub trait SealedSelector {}

    /// An implementation outside of this crate could place a form outside of the object.
    pub trait SealedSelection {}
    impl SealedSelection for () {}
    impl<A: SealedSelector> SealedSelection for (A,) {}
    impl<A: SealedSelector, B: SealedSelector> SealedSelection for (A, B) {}
    impl<A: SealedSelector, B: SealedSelector, C: SealedSelector> SealedSelection for (A, B, C) {}
    impl<A: SealedSelector, B: SealedSelector, C: SealedSelector, D: SealedSelector> SealedSelection
        for (A, B, C, D)
    {
    }

    /// An implementation outside of this crate could return an address without room for the
    /// elements.
    pub trait SealedForm {}
    impl SealedForm for super::One {}
    impl<const N: usize, F> SealedForm for super::Grid<N, F> {}
    impl SealedForm for super::Many {}
}

/// Puts an axis in front of a form.
#[doc(hidden)]
pub trait Stack<F> {
    /// The form with the axis.
    type Form;
}

/// An index: the form has no such axis.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Gone;

/// The axis has `N` indices.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Exactly<const N: usize>;

/// The number of indices of the axis is known at run time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct AtRunTime;

impl<F> Stack<F> for Gone {
    type Form = F;
}
impl<const N: usize> Stack<One> for Exactly<N> {
    type Form = Grid<N, One>;
}
impl<const N: usize, const M: usize, F> Stack<Grid<M, F>> for Exactly<N> {
    type Form = Grid<N, Grid<M, F>>;
}
impl<const N: usize> Stack<Many> for Exactly<N> {
    type Form = Many;
}
impl Stack<One> for AtRunTime {
    type Form = Many;
}
impl<const M: usize, F> Stack<Grid<M, F>> for AtRunTime {
    type Form = Many;
}
impl Stack<Many> for AtRunTime {
    type Form = Many;
}

/// The selectors of all axes, on an object of shape `D`.
#[doc(hidden)]
pub trait Selection<D: Shape>: Copy + sealed::SealedSelection {
    /// The form of the selected elements.
    type Form: Form;
    /// Which selectors are an index.
    #[doc(hidden)]
    const IS_INDEX: &'static [bool];
    /// Where the elements lie, as large as `V` each, in the copy of `pe`.
    ///
    /// # Panics
    ///
    /// When a selector is out of bounds; the message names the object, its extents, the PE and the
    /// selection.
    #[doc(hidden)]
    #[track_caller]
    fn locate<V>(self, object: &ObjectPlace<'_, D>, pe: usize) -> Self::Form;
    /// Ends the PE with that message.
    #[doc(hidden)]
    #[track_caller]
    fn out_of_bounds(self, object: &ObjectPlace<'_, D>, pe: usize) -> !;
    /// What it takes of each axis of a global array.
    ///
    /// # Panics
    ///
    /// When a selector is out of bounds.
    #[doc(hidden)]
    #[track_caller]
    #[allow(private_interfaces, reason = "called by this crate only")]
    fn picks(self, shape: D, info: &ObjectInfo) -> [AxisPick; MAX_RANK];
    /// The index of the element of a global array, where all selectors are an index.
    ///
    /// # Panics
    ///
    /// When it is out of bounds.
    #[doc(hidden)]
    #[track_caller]
    fn index_of_whole(self, shape: D, info: &ObjectInfo) -> [usize; MAX_RANK];
    /// Ends the PE with a message for a global array.
    #[doc(hidden)]
    #[track_caller]
    fn out_of_whole(self, shape: D, info: &ObjectInfo) -> !;
}

/// The place of a range among those of a selection: how many of the axes before it are ranges.
const fn slot(is_index: &[bool], axis: usize) -> usize {
    let mut slot = 0;
    let mut before = 0;
    while before < axis {
        if !is_index[before] {
            slot += 1;
        }
        before += 1;
    }
    slot
}

/// The tuple of selectors `$axis` on the tuple of axes `$dim`, and the same axes from the last to
/// the first.
///
/// One statement after the other for each axis, and no loop: this is easy for the optimiser, and
/// fast in a build without it.
macro_rules! selections {
    ($($rank:literal: $form:ty, [$($axis:ident on $dim:ident),*], [$($number:literal $last:ident on $last_dim:ident),*]
        where [$($bound:tt)*];)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($axis: Axis<$dim>, $dim: Dim),*> Selection<($($dim,)*)> for ($($axis,)*)
        where $($bound)*
        {
            type Form = $form;
            const IS_INDEX: &'static [bool] = &[$(<$axis as Axis<$dim>>::IS_INDEX),*];

            #[inline(always)]
            #[track_caller]
            #[allow(non_snake_case, unused_assignments, unused_variables, unused_mut,
                    reason = "one name for each type parameter and its value; rank 0 has none of them")]
            fn locate<V>(self, object: &ObjectPlace<'_, ($($dim,)*)>, pe: usize) -> $form {
                let ($($axis,)*) = self;
                let ($($dim,)*) = object.shape;
                $(let $last_dim = $last_dim.extent();)*
                if !(true $(&& $last.fits($last_dim))*) {
                    self.out_of_bounds(object, pe);
                }
                // Row-major: the distance between neighbours grows from the last axis to the first.
                let mut stride = const { size_of::<V>() };
                let mut offset = object.offset;
                if const { <$form as Form>::ONE } {
                    $(
                        offset += $last.first($last_dim) * stride;
                        if const { $number > 0 } {
                            stride *= $last_dim;
                        }
                    )*
                    return <$form as Form>::one(offset);
                }
                if const { <$form as Form>::PICKED } {
                    check_count(const { size_of::<V>() }, &[$($last.count($last_dim)),*], object.info);
                    let mut lines = [AxisLine::ONE; MAX_RANK];
                    $(
                        // As below.
                        offset = offset.wrapping_add($last.first($last_dim).wrapping_mul(stride));
                        if const { !<$last as Axis<$last_dim>>::IS_INDEX } {
                            lines[const { slot(Self::IS_INDEX, $number) }] = $last.line($last_dim, stride);
                        }
                        stride = stride.wrapping_mul($last_dim);
                    )*
                    let rank = const { slot(Self::IS_INDEX, $rank) };
                    // SAFETY: the lists are those of selectors whose extents are `Irregular<'i, _>`
                    // for as long as they borrow, and the form is stacked from these.
                    return unsafe { <$form as Form>::picked(offset, rank, lines) };
                }
                let mut runs = [Run { count: 1, stride: 0 }; MAX_RANK];
                $(
                    // In bounds if any element is selected. An empty range may start after the end
                    // of the object, and the empty ranges of several axes far after it, but no
                    // access uses these offsets.
                    offset = offset.wrapping_add($last.first($last_dim).wrapping_mul(stride));
                    if const { !<$last as Axis<$last_dim>>::IS_INDEX } {
                        runs[const { slot(Self::IS_INDEX, $number) }] =
                            // A step that overflows is never taken.
                            Run { count: $last.count($last_dim), stride: $last.step().wrapping_mul(stride) };
                    }
                    // The extents of an object multiply without overflow.
                    stride = stride.wrapping_mul($last_dim);
                )*
                let rank = const { slot(Self::IS_INDEX, $rank) };
                <$form as Form>::several(Region { offset, rank, runs })
            }

            #[inline(always)]
            #[track_caller]
            #[allow(non_snake_case, reason = "as above")]
            fn out_of_bounds(self, object: &ObjectPlace<'_, ($($dim,)*)>, pe: usize) -> ! {
                let ($($axis,)*) = self;
                let ($($dim,)*) = object.shape;
                out_of_bounds(object.info, Some(pe), &[$(($axis.written($dim.extent()), $dim.extent())),*])
            }

            #[inline]
            #[track_caller]
            #[allow(private_interfaces, reason = "called by this crate only")]
            #[allow(non_snake_case, unused_variables, unused_mut, reason = "as above")]
            fn picks(self, shape: ($($dim,)*), info: &ObjectInfo) -> [AxisPick; MAX_RANK] {
                let ($($axis,)*) = self;
                let ($($dim,)*) = shape;
                $(let $last_dim = $last_dim.extent();)*
                if !(true $(&& $last.fits($last_dim))*) {
                    self.out_of_whole(shape, info);
                }
                check_count(1, &[$($last.count($last_dim)),*], info);
                let mut picks = [AxisPick::FIRST; MAX_RANK];
                $(picks[$number] = AxisPick { start: $last.first($last_dim), line: $last.line($last_dim, 1) };)*
                picks
            }

            #[inline(always)]
            #[track_caller]
            #[allow(non_snake_case, unused_variables, unused_mut, reason = "as above")]
            fn index_of_whole(self, shape: ($($dim,)*), info: &ObjectInfo) -> [usize; MAX_RANK] {
                let ($($axis,)*) = self;
                let ($($dim,)*) = shape;
                $(let $last_dim = $last_dim.extent();)*
                if !(true $(&& $last.fits($last_dim))*) {
                    self.out_of_whole(shape, info);
                }
                let mut index = [0; MAX_RANK];
                $(index[$number] = $last.first($last_dim);)*
                index
            }

            #[cold]
            #[track_caller]
            #[allow(non_snake_case, unused_variables, reason = "as above")]
            fn out_of_whole(self, shape: ($($dim,)*), info: &ObjectInfo) -> ! {
                let ($($axis,)*) = self;
                let ($($dim,)*) = shape;
                out_of_bounds(info, None, &[$(($axis.written($dim.extent()), $dim.extent())),*])
            }
        }
    )*};
}

/// The form of `$axis` in front of `$form`.
type Stacked<E, F> = <E as Stack<F>>::Form;

selections! {
    0: One, [], [] where [];
    1: Stacked<S0::Extent, One>,
       [S0 on D0],
       [0 S0 on D0]
       where [S0::Extent: Stack<One, Form: Form>];
    2: Stacked<S0::Extent, Stacked<S1::Extent, One>>,
       [S0 on D0, S1 on D1],
       [1 S1 on D1, 0 S0 on D0]
       where [S1::Extent: Stack<One>, S0::Extent: Stack<Stacked<S1::Extent, One>, Form: Form>];
    3: Stacked<S0::Extent, Stacked<S1::Extent, Stacked<S2::Extent, One>>>,
       [S0 on D0, S1 on D1, S2 on D2],
       [2 S2 on D2, 1 S1 on D1, 0 S0 on D0]
       where [S2::Extent: Stack<One>, S1::Extent: Stack<Stacked<S2::Extent, One>>,
              S0::Extent: Stack<Stacked<S1::Extent, Stacked<S2::Extent, One>>, Form: Form>];
    4: Stacked<S0::Extent, Stacked<S1::Extent, Stacked<S2::Extent, Stacked<S3::Extent, One>>>>,
       [S0 on D0, S1 on D1, S2 on D2, S3 on D3],
       [3 S3 on D3, 2 S2 on D2, 1 S1 on D1, 0 S0 on D0]
       where [S3::Extent: Stack<One>, S2::Extent: Stack<Stacked<S3::Extent, One>>,
              S1::Extent: Stack<Stacked<S2::Extent, Stacked<S3::Extent, One>>>,
              S0::Extent: Stack<Stacked<S1::Extent, Stacked<S2::Extent, Stacked<S3::Extent, One>>>, Form: Form>];
}

/// Checks that a process has room for the elements of a selection, of `size` bytes each: there are so many on each
/// axis. Lists may have an index any number of times, so the extents of the object do not say that.
#[inline(always)]
#[track_caller]
fn check_count(size: usize, counts: &[usize], object: &ObjectInfo) {
    // Saturating, and 0 if there is none on any axis.
    let bytes = counts.iter().fold(size as u128, |bytes, count| bytes.saturating_mul(*count as u128));
    if bytes > isize::MAX as u128 {
        too_many(object, counts);
    }
}

/// Ends the PE with a message that names the object.
#[cold]
#[inline(never)]
#[track_caller]
fn too_many(object: &ObjectInfo, counts: &[usize]) -> ! {
    // The last axis comes first.
    let counts: Vec<String> = counts.iter().rev().map(usize::to_string).collect();
    panic!(
        "the selection of {object} has {} elements, more than the memory of a process holds: shorten the lists, which \
         may have an index more than once",
        counts.join(" * ")
    )
}

/// Ends the PE with a message that names the object, its extents, the PE and the selection: a
/// selector and an extent for each axis. A selection of a global array has no PE.
#[cold]
#[inline(never)]
#[track_caller]
fn out_of_bounds(object: &ObjectInfo, pe: Option<usize>, axes: &[(Written, usize)]) -> ! {
    let selection: Vec<String> = axes.iter().map(|(written, _)| written.to_string()).collect();
    let extents: Vec<String> = axes.iter().map(|(_, extent)| extent.to_string()).collect();
    let wrong = axes.iter().enumerate().find(|(_, (written, extent))| !written.fits(*extent));
    let why = wrong.map(|(axis, &(written, extent))| written.explain(axis, extent)).unwrap_or_default();
    let (name, selection, extents) = (&object.name, selection.join(", "), extents.join(", "));
    match pe {
        Some(pe) => panic!(
            "`{name}[{selection}]` on PE {pe} is out of bounds: {why}; the object is {object}, with extents [{extents}]"
        ),
        None => panic!(
            "`{name}[@{selection}]` is out of bounds: {why}; the array is {object}, with extents [{extents}]"
        ),
    }
}

/// The same for an element, by its indices.
#[cfg(feature = "gpu")]
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn index_out_of_bounds(object: &ObjectInfo, pe: usize, index: &[usize], extents: &[usize]) -> ! {
    let axes: Vec<_> =
        index.iter().map(|&index| Written::Index(index)).zip(extents.iter().copied()).collect();
    out_of_bounds(object, Some(pe), &axes)
}
