//! Selections of global arrays: their form, and the selector after `@`.

use std::marker::PhantomData;
use std::ops;

use super::picked::AsShape;
use super::selectors::{Number, Position, Range, Selector};
use super::{Elements, Form, FormOf, Grid, Many, One, Picked, sealed};
use crate::runtime::across::GlobalPlaces;
use crate::runtime::region::Region;
use crate::symmetric::Symmetric;

/// Form of a selection of several elements of a [global array](crate::GlobalArray), which may lie on
/// several PEs. `F` is its shape: the form that the same numbers of indices have on one PE. It borrows
/// lists of indices for `'i`.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Remote;
/// use shmem::select::Spread;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let line = world.global_array::<u64, 1>([8], Distribution::Block)?;
///     let middle: Remote<'_, u64, Spread<'_, _>> = remote!(&line[@3..5]); // of two PEs
///     assert_eq!(middle.get(), [0, 0]);
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spread<'i, F> {
    places: GlobalPlaces<'i>,
    shape: PhantomData<F>,
}

impl<F> sealed::SealedForm for Spread<'_, F> {}

const ON_ONE_PE: &str = "what is on several PEs has no place on one";

#[allow(private_interfaces, private_bounds, reason = "called by this crate only")]
impl<'i, F: Form> Form for Spread<'i, F> {
    const ONE: bool = false;
    const LEN: Option<usize> = F::LEN;
    const SPREAD: bool = true;
    fn one(_: usize) -> Self {
        unreachable!("{ON_ONE_PE}")
    }
    fn several(_: Region) -> Self {
        unreachable!("{ON_ONE_PE}")
    }
    fn offset(self) -> usize {
        unreachable!("{ON_ONE_PE}")
    }
    #[inline(always)]
    fn behind(self, bytes: usize) -> Self {
        Spread { places: self.places.behind(bytes), ..self }
    }
    fn region(self) -> Region {
        unreachable!("{ON_ONE_PE}")
    }
    #[inline(always)]
    fn count(self) -> usize {
        match const { F::LEN } {
            Some(len) => len,
            None => self.places.len(),
        }
    }
    #[inline(always)]
    fn spread(&self) -> &GlobalPlaces<'_> {
        &self.places
    }
}

#[allow(private_bounds, reason = "called by this crate only")]
impl<T: Symmetric, F: FormOf<T>> FormOf<T> for Spread<'_, F> {
    type Shape = F::Shape;
    type Owned = F::Owned;
    #[inline(always)]
    #[track_caller]
    fn get<R: Elements<T, Form = Self>>(from: R) -> F::Owned {
        F::get(AsShape::of(from))
    }
}

/// The form that a selection has on a global array.
#[doc(hidden)]
#[allow(private_interfaces, private_bounds, reason = "called by this crate only")]
pub trait Across: Form {
    /// [`One`], or [`Spread`] of the shape.
    type Form: Form;
    /// The form of the elements: of one at the offset, or of those at the places, which all other forms
    /// have.
    ///
    /// # Safety
    ///
    /// The lists of the places live as long as the form of the selection says, which is `Self`.
    #[doc(hidden)]
    unsafe fn across<'i>(offset: usize, places: Option<GlobalPlaces<'i>>) -> Self::Form
    where
        Self: 'i;
}

#[allow(private_interfaces, private_bounds, reason = "called by this crate only")]
impl Across for One {
    type Form = One;
    #[inline(always)]
    unsafe fn across<'i>(offset: usize, _: Option<GlobalPlaces<'i>>) -> One
    where
        Self: 'i,
    {
        One::one(offset)
    }
}

macro_rules! spread {
    ($([$($generics:tt)*] $form:ty => $lists:lifetime $shape:ty;)*) => {$(
        #[allow(private_interfaces, private_bounds, reason = "called by this crate only")]
        impl<$($generics)*> Across for $form {
            type Form = Spread<$lists, $shape>;
            #[inline(always)]
            unsafe fn across<'p>(_: usize, places: Option<GlobalPlaces<'p>>) -> Self::Form
            where
                Self: 'p,
            {
                let Some(places) = places else { unreachable!("several elements have places") };
                // SAFETY: the caller's promise.
                Spread { places: unsafe { places.with_lists() }, shape: PhantomData }
            }
        }
    )*};
}

spread! {
    [const N: usize, F: Form] Grid<N, F> => 'static Grid<N, F>;
    [] Many => 'static Many;
    ['i, F: Form] Picked<'i, F> => 'i F;
}

/// Forms whose elements are on one PE: all but [`Spread`]. The bound of functions that take any
/// selection and ask for its PE, or hand it to a collective.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Remote;
/// use shmem::select::OnOnePe;
///
/// #[symmetric]
/// static ROW: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
///
/// /// Of any selection but one of a whole global array.
/// fn holder<F: OnOnePe>(selection: Remote<'_, u64, F>) -> usize {
///     selection.pe()
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     assert_eq!(holder(remote!(&ROW[1, 2..4])), 1);
///     world.barrier_all();
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "this selection of a global array may lie on several PEs",
    label = "elements on one PE are needed here",
    note = "a PE has its own part as a slice in a local phase; one element, `T[@i]`, is on one PE; `.get()` and `.put()` take all"
)]
pub trait OnOnePe: Form {}

#[diagnostic::do_not_recommend]
impl OnOnePe for One {}
#[diagnostic::do_not_recommend]
impl<const N: usize, F: Form> OnOnePe for Grid<N, F> {}
#[diagnostic::do_not_recommend]
impl OnOnePe for Many {}
#[diagnostic::do_not_recommend]
impl<F: Form> OnOnePe for Picked<'_, F> {}

/// What stands after the `@` of a global array: an index, or a range or a list in a variable. The lists are
/// those of [`List`](super::lists::List).
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a selector of a global array",
    label = "not a `usize`, and not a range or a list of `usize`",
    note = "after `@` comes an index, a range, or a list of `usize`; another number is converted, as in `@(i as usize)`"
)]
pub trait GlobalSelector<'i, S> {
    /// Takes a reference: a range or a list in a variable can be used again.
    fn global_selector(&'i self) -> S;
}

#[diagnostic::do_not_recommend]
impl<N: Number> GlobalSelector<'_, Position> for N {
    #[inline(always)]
    fn global_selector(&self) -> Position {
        Position(self.index())
    }
}

macro_rules! ranges {
    ($($range:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl GlobalSelector<'_, Range> for $range {
            #[inline(always)]
            fn global_selector(&self) -> Range {
                Selector::selector(self)
            }
        }

        // A loop over ranges has references to them.
        #[diagnostic::do_not_recommend]
        impl GlobalSelector<'_, Range> for &$range {
            #[inline(always)]
            fn global_selector(&self) -> Range {
                Selector::selector(*self)
            }
        }
    )*};
}

ranges! {
    ops::Range<usize> ops::RangeFrom<usize> ops::RangeTo<usize> ops::RangeInclusive<usize>
    ops::RangeToInclusive<usize> ops::RangeFull
}
