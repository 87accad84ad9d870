//! The sources of writes and the buffers of reads. A source that is a reference to symmetric memory is
//! in `moves.rs`.
//!
//! `S` is the shape of the selection: `T` for one element, `[T; N]` or nested arrays where the
//! compiler knows the lengths, `[T]` else. An array of another length has no implementation, so it
//! is a type error.

use std::convert::Infallible;

use super::Remote;
use super::delivery::Delivery;
#[cfg(feature = "gpu")]
use super::held::Staged;
use super::target::Mode;
use crate::select::FormOf;
use crate::symmetric::{Item, Symmetric};

/// Sources that a selection of shape `S` with elements `T` takes.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static ROW: [u32; 4] = [0; 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     local!(ROW[..]) = [1, 2, 3, 4]; // an array
///     local!(ROW[1..3]) = vec![7, 8]; // a `Vec`, and slices
///     local!(ROW[3]) = 9; // one value
///     local!(ROW[0..2]) = local!(&ROW[2..4]); // a reference
///     assert_eq!((local!(ROW[..]), world.n_pes()), ([8, 9, 8, 9], 2));
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a source of type `{Self}` does not fit a selection of shape `{S}`",
    label = "expected `{S}`",
    note = "a source has the type of the elements, which are `{T}`; a range takes an array of its shape, a slice or `Vec` of its length, or one element for all places"
)]
pub trait Source<T, S: ?Sized> {
    /// Writes the source to elements, as `mode` says.
    ///
    /// # Safety
    ///
    /// Where the mode is non-blocking, the source stays borrowed until a `quiet` of the context has
    /// returned.
    #[doc(hidden)]
    #[track_caller]
    #[allow(private_interfaces, reason = "called by this crate only")]
    unsafe fn put_to<I: Item<Value = T>, F: FormOf<T, Shape = S>>(&self, to: Remote<'_, I, F>, mode: Mode)
    where
        T: Symmetric;

    /// The source for an operation that is done later: a copy of its values, or where they lie.
    #[doc(hidden)]
    #[cfg(feature = "gpu")]
    #[track_caller]
    fn staged(&self) -> Staged
    where
        T: Symmetric;

    /// `remote!(place = source)`; the source comes first because Rust evaluates it first.
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    fn write<'s, I: Item<Value = T>, F: FormOf<T, Shape = S>, D: Delivery<'s>>(self, to: Remote<'_, I, F, D>)
    where
        Self: Sized,
        T: Symmetric,
    {
        D::put(to, self);
    }
}

/// Sources that are values on this PE: an array, a slice, a `Vec`, or one value for all elements.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static FLAGS: [Atomic<u64>; 2] = [Atomic::new(0); 2];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     remote!(FLAGS[1 - world.my_pe(), 0]) = 3;
///     remote!(FLAGS[1 - world.my_pe(), 1]) = 4;
///     wait!(all FLAGS[..] == [3, 4]); // an array: a value for each cell
///     wait!(all FLAGS[..] > 2); // one value for all
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` do not fit a selection of shape `{S}`",
    label = "expected `{S}`",
    note = "the values have the type of the elements, which are `{T}`; a range takes an array of its shape, a slice or `Vec` of its length, or one value for all places"
)]
pub trait Values<T, S: ?Sized>: Source<T, S> {
    /// Whether it is one value for all elements.
    #[doc(hidden)]
    const EVERY: bool = false;
    /// The one value, or a value for each element, in row-major order.
    #[doc(hidden)]
    fn elements(&self) -> &[T];
}

/// [`Source::put_to`] of [`Values`].
macro_rules! put_values {
    ($element:ty, $shape:ty) => {
        #[inline(always)]
        #[track_caller]
        #[allow(private_interfaces, reason = "called by this crate only")]
        unsafe fn put_to<I: Item<Value = $element>, F: FormOf<$element, Shape = $shape>>(
            &self,
            to: Remote<'_, I, F>,
            mode: Mode,
        ) where
            $element: Symmetric,
        {
            let every = const { <Self as Values<$element, $shape>>::EVERY };
            // SAFETY: the caller's promise.
            unsafe { to.put_values(mode, Values::<$element, $shape>::elements(self), every) }
        }

        #[cfg(feature = "gpu")]
        fn staged(&self) -> Staged
        where
            $element: Symmetric,
        {
            Staged::of(Values::<$element, $shape>::elements(self), <Self as Values<$element, $shape>>::EVERY)
        }
    };
}

/// Buffers into which a selection of shape `S` with elements `T` can be read.
#[diagnostic::on_unimplemented(
    message = "a selection of shape `{S}` cannot be read into a `{Self}`",
    label = "expected `&mut {S}`",
    note = "a buffer has the type of the elements, which are `{T}`; a range is read into `&mut` of an array of its shape, or of a slice or `Vec` of its length"
)]
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static ROW: [u32; 4] = [1, 2, 3, 4];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let (mut array, mut list, mut one) = ([0; 2], vec![0; 4], 0);
///     remote!(ROW[0, 1..3] => &mut array);
///     remote!(ROW[0, ..] => &mut list[..]);
///     remote!(ROW[0, 3] => &mut one);
///     assert_eq!((array, list, one), ([2, 3], vec![1, 2, 3, 4], 4));
///     world.barrier_all();
/// }
/// ```
///
/// # Safety
///
/// The elements lie in memory that the implementor borrows, not in itself: if it is moved or
/// dropped, they stay at their place as long as its borrow lasts. A non-blocking read relies on
/// this.
pub unsafe trait Target<T, S: ?Sized> {
    /// Room for the elements, in row-major order.
    #[doc(hidden)]
    fn slots(&mut self) -> &mut [T];

    /// `remote!(place => buffer)`
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    fn read<'s, I: Item<Value = T>, F: FormOf<T, Shape = S>, D: Delivery<'s>>(self, from: Remote<'_, I, F, D>)
    where
        Self: Sized + 's,
        T: Symmetric,
    {
        D::get_into(from, self);
    }
}

/// An element type that no object has.
#[doc(hidden)]
pub struct NoElement<const WHICH: bool, T>(Infallible, T);

/// With one implementation for `f64`, say, the compiler would take the element type of the object
/// from the source `1.5` before it looks at the object, and would then blame the object. With
/// several, for any type, it looks first.
macro_rules! undecided {
    ($($which:literal)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, S: ?Sized> Source<NoElement<$which, T>, S> for T {
            #[allow(private_interfaces, reason = "called by this crate only")]
            unsafe fn put_to<I: Item<Value = NoElement<$which, T>>, F: FormOf<NoElement<$which, T>, Shape = S>>(
                &self,
                _: Remote<'_, I, F>,
                _: Mode,
            )
            where
                NoElement<$which, T>: Symmetric,
            {
            }

            #[cfg(feature = "gpu")]
            fn staged(&self) -> Staged
            where
                NoElement<$which, T>: Symmetric,
            {
                unreachable!("there are no elements")
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T, S: ?Sized> Values<NoElement<$which, T>, S> for T {
            fn elements(&self) -> &[NoElement<$which, T>] {
                &[]
            }
        }

        // SAFETY: there are no elements.
        #[diagnostic::do_not_recommend]
        unsafe impl<T, S: ?Sized> Target<NoElement<$which, T>, S> for T {
            fn slots(&mut self) -> &mut [NoElement<$which, T>] {
                &mut []
            }
        }
    )*};
}

undecided!(false true);

#[diagnostic::do_not_recommend]
impl<T: Symmetric, S: ?Sized> Values<T, S> for T {
    const EVERY: bool = true;
    #[inline(always)]
    fn elements(&self) -> &[T] {
        std::slice::from_ref(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Symmetric, S: ?Sized> Source<T, S> for T {
    put_values!(T, S);

    #[inline(always)]
    #[track_caller]
    fn write<'s, I: Item<Value = T>, F: FormOf<T, Shape = S>, D: Delivery<'s>>(
        self,
        to: Remote<'_, I, F, D>,
    ) {
        D::fill(to, self);
    }
}

// SAFETY: a reference.
#[diagnostic::do_not_recommend]
unsafe impl<T: Symmetric> Target<T, T> for &mut T {
    #[inline(always)]
    fn slots(&mut self) -> &mut [T] {
        std::slice::from_mut(self)
    }
}

/// The shapes of more than one element.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a slice is the source or the target of a range, and this selection is one element",
    label = "expected one element"
)]
pub trait Several<T> {}

impl<T> Several<T> for [T] {}

/// Nested arrays as one slice, a level at a time.
macro_rules! flattened {
    ($slice:expr, ) => { $slice };
    ($slice:expr, $level:ident $($rest:ident)*) => { flattened!($slice.as_flattened(), $($rest)*) };
    (mut $slice:expr, ) => { $slice };
    (mut $slice:expr, $level:ident $($rest:ident)*) => { flattened!(mut $slice.as_flattened_mut(), $($rest)*) };
}

macro_rules! sources {
    ($([$($n:ident)*] $source:ty => $shape:ty, $($flat:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Symmetric, $(const $n: usize),*> Source<T, $shape> for $source {
            put_values!(T, $shape);
        }

        #[diagnostic::do_not_recommend]
        impl<T: Symmetric, $(const $n: usize),*> Values<T, $shape> for $source {
            #[inline(always)]
            fn elements(&self) -> &[T] {
                flattened!(self.as_slice(), $($flat)*)
            }
        }
    )*};
}

macro_rules! arrays {
    ($([$($n:ident)*] $array:ty, $($flat:ident)*;)*) => {$(
        impl<T, $(const $n: usize),*> Several<T> for $array {}
        sources! {
            [$($n)*] $array => $array, $($flat)*;
            [$($n)*] $array => [T], $($flat)*;
            [$($n)*] &$array => $array, $($flat)*;
            [$($n)*] &$array => [T], $($flat)*;
        }
        // SAFETY: a reference.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: Symmetric, $(const $n: usize),*> Target<T, $array> for &mut $array {
            #[inline(always)]
            fn slots(&mut self) -> &mut [T] {
                flattened!(mut self.as_mut_slice(), $($flat)*)
            }
        }
        // SAFETY: a reference.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: Symmetric, $(const $n: usize),*> Target<T, [T]> for &mut $array {
            #[inline(always)]
            fn slots(&mut self) -> &mut [T] {
                flattened!(mut self.as_mut_slice(), $($flat)*)
            }
        }
    )*};
}

macro_rules! slices {
    ($($slice:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Symmetric, S: Several<T> + ?Sized> Source<T, S> for $slice {
            put_values!(T, S);
        }

        #[diagnostic::do_not_recommend]
        impl<T: Symmetric, S: Several<T> + ?Sized> Values<T, S> for $slice {
            #[inline(always)]
            fn elements(&self) -> &[T] {
                self
            }
        }
    )*};
}

macro_rules! slice_targets {
    ($($slice:ty),*) => {$(
        // SAFETY: a reference.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: Symmetric, S: Several<T> + ?Sized> Target<T, S> for $slice {
            #[inline(always)]
            fn slots(&mut self) -> &mut [T] {
                self
            }
        }
    )*};
}

arrays! {
    [A] [T; A], ;
    [A B] [[T; B]; A], level;
    [A B C] [[[T; C]; B]; A], level level;
    [A B C D] [[[[T; D]; C]; B]; A], level level level;
}
slices!([T], &[T], &mut [T], Vec<T>, &Vec<T>, Box<[T]>);
slice_targets!(&mut [T], &mut Vec<T>, &mut Box<[T]>);
