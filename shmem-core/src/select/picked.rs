//! The form of selections with a list of indices, or with a range that descends.

use std::marker::PhantomData;

use super::{AtRunTime, Elements, Exactly, Form, FormOf, Grid, Many, One, Stack, Stacked, sealed};
use crate::runtime::places::{AxisLine, Places};
use crate::runtime::region::{MAX_RANK, Region};
use crate::symmetric::Symmetric;

/// Form of a selection with a list of indices, or with a range that descends. `F` is its shape: the
/// form that the same numbers of indices have in ranges. It borrows the lists for `'i`.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::Remote;
/// use shmem::select::Picked;
///
/// #[symmetric]
/// static ROW: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let some: Remote<'_, u64, Picked<'_, _>> = remote!(&ROW[world.my_pe(), [6, 0, 3]]);
///     assert_eq!(some.get(), [6, 0, 3]);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Picked<'i, F> {
    places: Places<'i>,
    shape: PhantomData<F>,
}

impl<F> sealed::SealedForm for Picked<'_, F> {}

#[allow(private_interfaces, reason = "called by this crate only")]
impl<'i, F: Form> Form for Picked<'i, F> {
    const ONE: bool = false;
    const LEN: Option<usize> = F::LEN;
    const PICKED: bool = true;
    fn one(_: usize) -> Self {
        unreachable!("a list is not one element")
    }
    fn several(_: Region) -> Self {
        unreachable!("a list is no region")
    }
    #[inline(always)]
    unsafe fn picked(offset: usize, rank: usize, lines: [AxisLine; MAX_RANK]) -> Self {
        // SAFETY: the caller's promise.
        Picked { places: unsafe { Places::new(offset, rank, lines) }, shape: PhantomData }
    }
    fn offset(self) -> usize {
        self.places.first()
    }
    #[inline(always)]
    fn behind(self, bytes: usize) -> Self {
        Picked { places: self.places.behind(bytes), ..self }
    }
    fn region(self) -> Region {
        unreachable!("a list is no region")
    }
    #[inline(always)]
    fn count(self) -> usize {
        match const { F::LEN } {
            Some(len) => len,
            None => self.places.len(),
        }
    }
    #[inline(always)]
    fn element(self, i: usize) -> usize {
        self.places.element(i)
    }
    #[inline(always)]
    fn places<'p>(self) -> Places<'p>
    where
        Self: 'p,
    {
        self.places
    }
}

impl<'p> Picked<'p, Many> {
    /// The form that any selection has.
    pub(crate) fn of<F: Form + 'p>(form: F) -> Picked<'p, Many> {
        Picked { places: form.places(), shape: PhantomData }
    }
}

/// The elements of a selection, as if their form were its shape.
pub(super) struct AsShape<R, F> {
    elements: R,
    shape: PhantomData<F>,
}

impl<R, F> AsShape<R, F> {
    #[inline(always)]
    pub(super) fn of(elements: R) -> Self {
        AsShape { elements, shape: PhantomData }
    }
}

impl<R: Copy, F> Clone for AsShape<R, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Copy, F> Copy for AsShape<R, F> {}

// SAFETY: they are the same elements, and `read_to` writes all of them.
unsafe impl<T, R: Elements<T>, F: Form> Elements<T> for AsShape<R, F> {
    type Form = F;
    #[inline(always)]
    fn len(self) -> usize {
        self.elements.len()
    }
    #[inline(always)]
    unsafe fn read_one(self) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.elements.read_one() }
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn read_to(self, to: *mut T) {
        // SAFETY: the caller's promise.
        unsafe { self.elements.read_to(to) }
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn read_all<A>(self) -> A {
        // SAFETY: the caller's promise.
        unsafe { self.elements.read_all() }
    }
}

#[allow(private_bounds, reason = "called by this crate only")]
impl<T: Symmetric, F: FormOf<T>> FormOf<T> for Picked<'_, F> {
    type Shape = F::Shape;
    type Owned = F::Owned;
    #[inline(always)]
    #[track_caller]
    fn get<R: Elements<T, Form = Self>>(from: R) -> F::Owned {
        F::get(AsShape::of(from))
    }
}

/// The axis has as many indices as `E` says, in a list that lives for `'i`, or descending.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Irregular<'i, E> {
    lists: PhantomData<&'i [usize]>,
    extent: PhantomData<E>,
}

impl<'i, E: Stack<One>> Stack<One> for Irregular<'i, E> {
    type Form = Picked<'i, Stacked<E, One>>;
}
impl<'i, E: Stack<Many>> Stack<Many> for Irregular<'i, E> {
    type Form = Picked<'i, Stacked<E, Many>>;
}
impl<'i, const M: usize, F, E: Stack<Grid<M, F>>> Stack<Grid<M, F>> for Irregular<'i, E> {
    type Form = Picked<'i, Stacked<E, Grid<M, F>>>;
}
impl<'i, F, E: Stack<F>> Stack<Picked<'i, F>> for Irregular<'i, E> {
    type Form = Picked<'i, Stacked<E, F>>;
}

// An axis that is a range, outside of one that is a list. An index is as outside of all others.
impl<'i, const N: usize, F> Stack<Picked<'i, F>> for Exactly<N>
where
    Exactly<N>: Stack<F>,
{
    type Form = Picked<'i, Stacked<Exactly<N>, F>>;
}
impl<'i, F> Stack<Picked<'i, F>> for AtRunTime {
    type Form = Picked<'i, Many>;
}
