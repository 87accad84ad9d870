//! `remote!(T[@selection])`: references to elements of the whole of a global array.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::{DividedType, GlobalArray, GlobalStatic, StaticDistribution};
use crate::context::{Context, HostMemory, Issuing};
use crate::remote::Remote;
use crate::runtime::across::GlobalPlaces;
use crate::runtime::direct;
use crate::runtime::parts::Parts;
use crate::select::{Across, Selection};
use crate::symmetric::shape::{Dim, GlobalIndex, MAX_RANK, Rank, Ranked, Shape, StaticShape};
use crate::symmetric::{Item, ObjectInfo, Symmetric};

/// A global array, or a pointer to one.
#[doc(hidden)]
#[allow(private_interfaces, reason = "called by this crate only")]
pub trait GlobalObject: sealed::SealedGlobal {
    /// The type of a slot: an element, or an [`Atomic`](crate::Atomic) cell.
    type Item: Item<Value = Self::Value>;
    /// The type of what a slot holds.
    type Value: Symmetric;
    /// An index: `usize` on one axis, and an array of one number for each of several.
    type Index: GlobalIndex;
    /// The extents: one number for each axis.
    type Extents: AsRef<[usize]> + Copy + Eq + fmt::Debug;
    /// Those of the first axes.
    #[doc(hidden)]
    fn extents_of(all: [usize; MAX_RANK]) -> Self::Extents;
    /// The extents of the whole, as a tuple of one type for each axis.
    #[doc(hidden)]
    type Shape: Shape;
    /// The extents of the whole, and the description of the array for messages.
    #[doc(hidden)]
    fn whole(&self) -> (Self::Shape, &ObjectInfo);
    /// Where the part of each PE begins.
    #[doc(hidden)]
    fn offset(&self) -> usize;
    /// How it is divided.
    ///
    /// # Panics
    ///
    /// Outside of a job, of a static.
    #[doc(hidden)]
    #[track_caller]
    fn parts(&self) -> &Parts;
    /// The PE that holds the element at an index, and how many bytes after the start of its part it lies.
    ///
    /// # Safety
    ///
    /// The array has such an index.
    #[doc(hidden)]
    unsafe fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize);
}

pub(crate) mod sealed {
    use super::{Arc, DividedType, GlobalArray, GlobalStatic, Item, Rank, Ranked, Rc, StaticDistribution};

    /// An implementation outside of this crate could claim any place in the heap.
    pub trait SealedGlobal {}
    impl<I: Item, const R: usize> SealedGlobal for GlobalArray<I, R> where Rank<R>: Ranked {}
    impl<T: DividedType, D: StaticDistribution> SealedGlobal for GlobalStatic<T, D> {}
    impl<O: SealedGlobal + ?Sized> SealedGlobal for &O {}
    impl<O: SealedGlobal + ?Sized> SealedGlobal for &mut O {}
    impl<O: SealedGlobal + ?Sized> SealedGlobal for Box<O> {}
    impl<O: SealedGlobal + ?Sized> SealedGlobal for Rc<O> {}
    impl<O: SealedGlobal + ?Sized> SealedGlobal for Arc<O> {}
}

#[diagnostic::do_not_recommend]
#[allow(private_interfaces, reason = "called by this crate only")]
impl<I: Item, const R: usize> GlobalObject for GlobalArray<I, R>
where
    Rank<R>: Ranked,
{
    type Item = I;
    type Value = I::Value;
    type Index = <Rank<R> as Ranked>::Index;
    type Extents = [usize; R];
    fn extents_of(all: [usize; MAX_RANK]) -> [usize; R] {
        std::array::from_fn(|axis| all[axis])
    }
    type Shape = <Rank<R> as Ranked>::Shape;
    #[inline(always)]
    fn whole(&self) -> (Self::Shape, &ObjectInfo) {
        (Rank::<R>::shape(&self.parts.extents()), &self.info)
    }
    #[inline(always)]
    fn offset(&self) -> usize {
        self.block.offset()
    }
    #[inline(always)]
    fn parts(&self) -> &Parts {
        &self.parts
    }
    #[inline(always)]
    unsafe fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize) {
        let index: [usize; R] = std::array::from_fn(|axis| index[axis]);
        // SAFETY: the caller's promise.
        let (pe, element) = unsafe { self.parts.locate(index) };
        (pe, element * const { size_of::<I::Value>() })
    }
}

#[diagnostic::do_not_recommend]
#[allow(private_interfaces, reason = "called by this crate only")]
impl<T: DividedType, D: StaticDistribution> GlobalObject for GlobalStatic<T, D> {
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
        (<T::Shape as StaticShape>::VALUE, self.info())
    }
    #[inline(always)]
    fn offset(&self) -> usize {
        self.start()
    }
    #[inline(always)]
    #[track_caller]
    fn parts(&self) -> &Parts {
        self.parts()
    }
    #[inline(always)]
    unsafe fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize) {
        // SAFETY: the caller's promise.
        unsafe { self.locate(index) }
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        #[allow(private_interfaces, reason = "called by this crate only")]
        impl<O: GlobalObject + ?Sized> GlobalObject for $pointer {
            type Item = O::Item;
            type Value = O::Value;
            type Index = O::Index;
            type Extents = O::Extents;
            fn extents_of(all: [usize; MAX_RANK]) -> O::Extents {
                O::extents_of(all)
            }
            type Shape = O::Shape;
            #[inline(always)]
            fn whole(&self) -> (O::Shape, &ObjectInfo) {
                (**self).whole()
            }
            #[inline(always)]
            fn offset(&self) -> usize {
                (**self).offset()
            }
            #[inline(always)]
            #[track_caller]
            fn parts(&self) -> &Parts {
                (**self).parts()
            }
            #[inline(always)]
            unsafe fn locate(&self, index: [usize; MAX_RANK]) -> (usize, usize) {
                // SAFETY: the caller's promise.
                unsafe { (**self).locate(index) }
            }
        }
    )*};
}

forward!(&O, &mut O, Box<O>, Rc<O>, Arc<O>);

/// Global arrays of `N` axes: what takes `@` and `N` selectors. The macro calls its methods by their
/// paths, as those of [`OfRank`](crate::OfRank).
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a global array of rank {N}",
    label = "not a global array of rank {N}, for as many selectors",
    note = "`[@i]` selects from the whole of an array that is divided over the PEs, made by `world.global_array` or declared with `#[symmetric(block)]`: write one selector for each axis",
    note = "a symmetric object has a copy on every PE, so the PE comes first: `A[pe, i]`, and for a list of indices `A[pe, @list]`"
)]
pub trait OfWhole<const N: usize, I, D: Shape> {
    /// `remote!(&array[@selection])`
    ///
    /// # Panics
    ///
    /// When the selection is out of bounds.
    #[track_caller]
    fn whole<S: Selection<D, Form = F>, F: Across>(&self, selection: S) -> Remote<'_, I, F::Form>;

    /// `remote!(context; &array[@selection])`
    ///
    /// # Panics
    ///
    /// When the selection is out of bounds, and when the context's team does not have all PEs.
    #[track_caller]
    fn whole_on<'a, K: Issuing<'a>, S: Selection<D, Form = F>, F: Across>(
        &'a self,
        context: &'a Context<'_, K>,
        selection: S,
    ) -> Remote<'a, I, F::Form, K::Delivery>;
}

macro_rules! ranks {
    ($($rank:literal: $($axis:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<O: GlobalObject<Item = I, Shape = ($($axis,)*)> + ?Sized, I: Item, $($axis: Dim),*>
            OfWhole<$rank, I, ($($axis,)*)> for O
        {
            #[inline(always)]
            #[track_caller]
            fn whole<S: Selection<($($axis,)*), Form = F>, F: Across>(&self, selection: S) -> Remote<'_, I, F::Form> {
                whole(self, selection)
            }

            #[inline(always)]
            #[track_caller]
            fn whole_on<'a, K: Issuing<'a>, S: Selection<($($axis,)*), Form = F>, F: Across>(
                &'a self,
                context: &'a Context<'_, K>,
                selection: S,
            ) -> Remote<'a, I, F::Form, K::Delivery> {
                let team = context.members();
                if team.n_pes() != direct::n_pes() {
                    not_all_pes(team.n_pes(), self.whole().1);
                }
                whole(self, selection).on(context.delivery(&HostMemory))
            }
        }
    )*};
}

ranks! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
}

/// `remote!(&array[@selection])`
///
/// # Panics
///
/// When the selection is out of bounds.
#[inline(always)]
#[track_caller]
fn whole<
    O: GlobalObject<Item = I, Shape = D> + ?Sized,
    S: Selection<D, Form = F>,
    I: Item,
    D: Shape,
    F: Across,
>(
    array: &O,
    selection: S,
) -> Remote<'_, I, F::Form> {
    let (shape, info) = array.whole();
    let slot = const { size_of::<I::Value>() };
    let (mut pe, mut offset, mut places) = (0, 0, None);
    if const { F::ONE } {
        // SAFETY: the selection checks its index, by the extents of this array.
        let (owner, bytes) = unsafe { array.locate(selection.index_of_whole(shape, info)) };
        (pe, offset) = (owner, array.offset() + bytes);
    } else {
        let picks = selection.picks(shape, info);
        // SAFETY: the selection checks its indices, so all of its elements are inside of the array; its
        // lists live as long as it does, and the reference borrows the array, whose parts these are.
        places = Some(unsafe { GlobalPlaces::new(array.parts(), array.offset(), slot, picks) });
    }
    // SAFETY:
    // * the elements are inside of the array, which the reference borrows; the element of one index is
    //   at this offset of this PE;
    // * the lists of the selection live as long as its form says, which is `F`.
    unsafe { Remote::new(pe, F::across(offset, places), info) }
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_all_pes(members: usize, info: &ObjectInfo) -> ! {
    panic!(
        "{info} is divided over all {} PEs, and the team of this context has {members}: use a context of a team of all PEs",
        direct::n_pes()
    )
}
