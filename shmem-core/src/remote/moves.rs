//! References as sources: elements move from symmetric memory to symmetric memory.

use super::Remote;
use super::buffers::{Several, Source};
#[cfg(feature = "gpu")]
use super::held::Staged;
#[cfg(feature = "gpu")]
use super::stream::OnStream;
use super::target::Mode;
use crate::runtime::moves::{MoveSide, move_elements, move_runs};
use crate::select::{Elements as _, Form, FormOf, Grid, Many, One, Picked, Spread};
use crate::symmetric::{Item, ObjectInfo, Symmetric};

impl<I: Item, F: Form> Remote<'_, I, F> {
    /// Copies the elements to those of `to`, which have the same type.
    ///
    /// # Safety
    ///
    /// Where the `mode` is non-blocking, both stay borrowed until a `quiet` of the context of `to`
    /// has returned.
    ///
    /// # Panics
    ///
    /// When there is no such PE, and when `to` has another number of elements.
    #[inline]
    #[track_caller]
    unsafe fn move_to<J: Item<Value = I::Value>, G: Form>(&self, to: Remote<'_, J, G>, mode: Mode) {
        if self.at.count() != to.at.count() {
            // Values, because a reference would keep both in memory.
            other_number(
                (self.at.count(), self.info, self.pe_of_all()),
                (to.at.count(), to.info, to.pe_of_all()),
            );
        }
        // A get in between completes on its own context alone.
        let mode = if self.ctx == to.ctx { mode } else { Mode::Blocking };
        let (source, target) = (self.target(), to.target());
        if const { F::SPREAD || G::SPREAD } {
            // SAFETY: the caller's promise.
            return unsafe { self.move_across(to, mode) };
        }
        if const { !F::PICKED && !G::PICKED && !I::ATOMIC && !J::ATOMIC } {
            let (from, into) = (self.at.region(), to.at.region());
            if from.rank == 1
                && into.rank == 1
                && let (Some(start), Some(room)) = (source.address(), target.address())
            {
                let (room, start) = ((to.pe, room, into.runs[0]), (start.cast_const(), from.runs[0]));
                // SAFETY: the elements of checked targets, which loads and stores reach.
                if unsafe { move_runs(room, start, size_of::<I::Value>()) } {
                    return;
                }
            }
        }
        let (from_places, to_places) = (self.at.places(), to.at.places());
        let from = MoveSide { target: source.placed(&from_places), object: self.info };
        let to = MoveSide { target: target.placed(&to_places), object: to.info };
        // SAFETY: as many elements of one type, of checked targets; the caller's promise.
        unsafe { move_elements(&to, &from, mode) }
    }
}

impl<I: Item, F: Form> Remote<'_, I, F> {
    /// [`move_to`](Remote::move_to), where one of the two or both may lie on several PEs.
    ///
    /// What is dense and near is the local memory of the transfer of the other side. Otherwise the
    /// elements go through a buffer, before any of them is overwritten.
    ///
    /// # Safety
    ///
    /// As `move_to`; they are as many elements.
    #[track_caller]
    unsafe fn move_across<J: Item<Value = I::Value>, G: Form>(&self, to: Remote<'_, J, G>, mode: Mode) {
        let (source, target) = (self.target(), to.target());
        // SAFETY: as many elements of one type; a global array shares no memory with another object.
        // What a buffer holds has been used when the call returns.
        unsafe {
            if const { !F::SPREAD }
                && let Some(from) = source.dense()
            {
                target.spread(to.at.spread()).put(mode, from, size_of::<I::Value>());
            } else if const { !G::SPREAD }
                && let Some(room) = target.dense()
            {
                source.spread(self.at.spread()).get(mode, room);
            } else {
                let mut buffer = Vec::with_capacity(self.at.count());
                source.read_to(buffer.as_mut_ptr());
                buffer.set_len(self.at.count());
                target.put(Mode::Blocking, &buffer);
            }
        }
    }

    /// The PE of all elements, for messages.
    #[inline(always)]
    fn pe_of_all(&self) -> Option<usize> {
        (!F::SPREAD).then_some(self.pe)
    }
}

/// Ends the PE with a message: how many elements, of which object, on which PE if it is one.
#[cold]
#[inline(never)]
#[track_caller]
fn other_number(from: (usize, &ObjectInfo, Option<usize>), to: (usize, &ObjectInfo, Option<usize>)) -> ! {
    let [source, target] = [from, to].map(|(_, info, pe)| match pe {
        Some(pe) => format!("{info} on PE {pe}"),
        None => info.to_string(),
    });
    panic!("the source has {} elements of {source}, and the selection of {target} has {}", from.0, to.0)
}

/// One element: it moves to one place, or to all places of a range.
#[diagnostic::do_not_recommend]
impl<T: Symmetric, I: Item<Value = T>, S: ?Sized> Source<T, S> for Remote<'_, I, One> {
    #[inline]
    #[track_caller]
    #[allow(private_interfaces, reason = "called by this crate only")]
    unsafe fn put_to<J: Item<Value = T>, F: FormOf<T, Shape = S>>(&self, to: Remote<'_, J, F>, mode: Mode) {
        if const { F::ONE } {
            // SAFETY: the caller's promise.
            return unsafe { self.move_to(to, mode) };
        }
        // On the heap, because an element may be large.
        let mut element = Vec::<T>::with_capacity(1);
        // SAFETY: there is room for one element, which is read before it is used; blocking.
        unsafe {
            self.target().read_to(element.as_mut_ptr());
            element.set_len(1);
            to.target().fill(Mode::Blocking, &element[0]);
        }
    }

    #[cfg(feature = "gpu")]
    fn staged(&self) -> Staged {
        self.stage()
    }
}

#[cfg(feature = "gpu")]
impl<T: Symmetric, I: Item<Value = T>, F: Form> Remote<'_, I, F> {
    /// A copy of the elements, for an operation that is done later.
    #[track_caller]
    fn stage(&self) -> Staged {
        let mut values = Vec::<T>::with_capacity(self.at.count());
        // SAFETY: there is room for all elements, which are read before they are used.
        unsafe {
            self.target().read_to(values.as_mut_ptr());
            values.set_len(self.at.count());
        }
        Staged::of(&values, F::ONE)
    }
}

/// Several elements: they move to as many.
macro_rules! several {
    ($([$($generics:tt)*] $form:ty => $shape:ty $(where [$($bound:tt)*])?;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, T: Symmetric, I: Item<Value = T>> Source<T, $shape> for Remote<'_, I, $form>
        $(where $($bound)*)?
        {
            #[inline]
            #[track_caller]
            #[allow(private_interfaces, reason = "called by this crate only")]
            unsafe fn put_to<J: Item<Value = T>, F: FormOf<T, Shape = $shape>>(&self, to: Remote<'_, J, F>, mode: Mode) {
                // SAFETY: the caller's promise.
                unsafe { self.move_to(to, mode) }
            }

            #[cfg(feature = "gpu")]
            fn staged(&self) -> Staged {
                self.stage()
            }
        }

        #[cfg(feature = "gpu")]
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, T: Symmetric, I: Item<Value = T>> Source<T, $shape> for Remote<'_, I, $form, OnStream<'_>>
        $(where $($bound)*)?
        {
            #[track_caller]
            #[allow(private_interfaces, reason = "called by this crate only")]
            unsafe fn put_to<J: Item<Value = T>, F: FormOf<T, Shape = $shape>>(&self, to: Remote<'_, J, F>, _: Mode) {
                let values = self.fetched();
                to.same_length(values.len(), "the source");
                // SAFETY: blocking.
                unsafe { to.put_values(Mode::Blocking, &values, false) }
            }

            fn staged(&self) -> Staged {
                self.held_source()
            }
        }
    )*};
}

/// One element of a device array.
#[cfg(feature = "gpu")]
#[diagnostic::do_not_recommend]
impl<T: Symmetric, I: Item<Value = T>, S: ?Sized> Source<T, S> for Remote<'_, I, One, OnStream<'_>> {
    #[track_caller]
    #[allow(private_interfaces, reason = "called by this crate only")]
    unsafe fn put_to<J: Item<Value = T>, F: FormOf<T, Shape = S>>(&self, to: Remote<'_, J, F>, _: Mode) {
        to.fill(self.fetched()[0]);
    }

    fn staged(&self) -> Staged {
        self.held_source()
    }
}

several! {
    [const N: usize, G: Form, A] Grid<N, G> => [A; N] where [Grid<N, G>: FormOf<T, Shape = [A; N]>];
    [const N: usize, G: Form] Grid<N, G> => [T];
    [S: Several<T> + ?Sized] Many => S;
    ['i, const N: usize, G: Form, A] Picked<'i, Grid<N, G>> => [A; N] where [Grid<N, G>: FormOf<T, Shape = [A; N]>];
    ['i, const N: usize, G: Form] Picked<'i, Grid<N, G>> => [T];
    ['i, S: Several<T> + ?Sized] Picked<'i, Many> => S;
    ['i, const N: usize, G: Form, A] Spread<'i, Grid<N, G>> => [A; N] where [Grid<N, G>: FormOf<T, Shape = [A; N]>];
    ['i, const N: usize, G: Form] Spread<'i, Grid<N, G>> => [T];
    ['i, S: Several<T> + ?Sized] Spread<'i, Many> => S;
}
