//! Atomic updates on a stream whose old value is wanted.

use std::fmt;

use crate::remedies::{AtomicElement, Integer};
use crate::remote::stream::OnStream;
use crate::remote::{Mode, OneElement, Remote, Source, Staged};
use crate::select::{FormOf, Grid, Many, One};
use crate::symmetric::{Atomic, AtomicBits, AtomicInteger, AtomicValue, Item, Symmetric};
use crate::transport::{Amo, Combine};

/// An atomic update on a stream and the value before it, which is a source; `fetch_add` and the other
/// methods of a cell on a stream make it.
///
/// Nothing is done before it is used. As the source of a write on a stream, the update is part of the
/// write: when the stream comes to it, it updates the cell, and writes the old value to the elements.
/// [`get`](FetchOnStream::get) waits for the value. A cell is updated once for each use.
///
/// NVSHMEM has no such operation for hosts.
///
/// ```
/// use shmem::prelude::*;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let (gpu, me) = (world.gpu()?, world.my_pe());
///     let stream = gpu.stream()?;
///     let (next, ticket) = (gpu.zeros::<Atomic<u64>, 1>([1])?, gpu.zeros::<u64, 1>([1])?);
///     // Each PE draws a number that no other gets. The host does not wait for it.
///     remote!(stream; ticket[me, 0] = remote!(stream; &next[0, 0]).fetch_add(1));
///     collective!(stream; ticket[..] = sum ticket[..]);
///     assert_eq!(ticket.to_vec(&stream)?, [0 + 1]);
///     stream.synchronize()
/// }
/// ```
#[must_use = "nothing is updated before the old value is used: write it to an element, or call `get`; without the value, write `+=`"]
#[derive(Clone, Copy)]
pub struct FetchOnStream<'a, C> {
    cell: Remote<'a, C, One, OnStream<'a>>,
    op: Amo,
}

impl<C> fmt::Debug for FetchOnStream<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of a cell", self.op)
    }
}

impl<T: AtomicValue> FetchOnStream<'_, Atomic<T>> {
    /// Updates the cell when the stream comes to it, and returns the value before, for which it waits.
    /// Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let (stream, next) = (gpu.stream()?, gpu.zeros::<Atomic<u64>, 1>([1])?);
    ///     let ticket = remote!(stream; &next[0, 0]).fetch_add(1).get();
    ///     assert_eq!(collective!(sum ticket), 0 + 1);
    ///     stream.synchronize()
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the stream has failed.
    #[track_caller]
    pub fn get(self) -> T {
        self.cell.fetch_and_wait(self.op)
    }
}

/// The value before the update, for one element or for each of several. One implementation for each shape: the
/// compiler would show a single one to those who write to elements of another type.
macro_rules! sources {
    ($([$($n:ident)*] $shape:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: AtomicValue, Cell: Item<Value = T>, $(const $n: usize),*> Source<T, $shape> for FetchOnStream<'_, Cell> {
            #[track_caller]
            #[allow(private_interfaces, reason = "called by this crate only")]
            unsafe fn put_to<I: Item<Value = T>, F: FormOf<T, Shape = $shape>>(&self, to: Remote<'_, I, F>, _: Mode) {
                to.fill(self.cell.fetch_and_wait(self.op));
            }

            #[track_caller]
            fn staged(&self) -> Staged {
                self.cell.fetched_source(self.op)
            }
        }
    )*};
}

sources! {
    [] T;
    [] [T];
    [A] [T; A];
    [A B] [[T; B]; A];
    [A B C] [[[T; C]; B]; A];
    [A B C D] [[[[T; D]; C]; B]; A];
}

/// `$name` of 6 and 3 leaves `$after`.
macro_rules! fetches {
    ($($bound:ident: $($does:literal, $name:ident($($value:ident),*) $op:expr, $given:literal leaves $after:literal;)*)*) => {$($(
        impl<'a, T: $bound> Remote<'a, Atomic<T>, One, OnStream<'a>> {
            #[doc = $does]
            /// Not collective.
            ///
            /// It is done when the result is written to an element of a device array, or asked for with
            /// [`get`](FetchOnStream::get).
            ///
            /// ```
            /// use shmem::prelude::*;
            ///
            /// #[shmem::main(npes = 1)]
            /// fn main(world: &World) -> Result<(), shmem::Error> {
            ///     let gpu = world.gpu()?;
            ///     let (stream, cell) = (gpu.stream()?, gpu.full([1], Atomic::new(6_u64))?);
            ///     let before = gpu.zeros::<u64, 1>([1])?;
            #[doc = concat!("    remote!(stream; before[0, 0] = remote!(stream; &cell[0, 0]).", stringify!($name), "(", $given, "));")]
            #[doc = concat!("    assert_eq!((before.to_vec(&stream)?, cell.to_vec(&stream)?), (vec![6], vec![", $after, "]));")]
            ///     stream.synchronize()
            /// }
            /// ```
            pub fn $name(self, $($value: T),*) -> FetchOnStream<'a, Atomic<T>> {
                FetchOnStream { cell: self, op: $op }
            }
        }
    )*)*};
}

fetches! {
    AtomicValue:
        "Writes `value`; the result is the value before.", swap(value) Amo::Swap(value.to_bits()), "3" leaves "3";
        "Adds `value`, wrapping around; the result is the value before.", fetch_add(value) value.adding(), "3" leaves "9";
        "Subtracts `value`, wrapping around; the result is the value before.",
            fetch_sub(value) value.subtracting(), "3" leaves "3";
        "Writes the smaller of the value and `value`; the result is the value before.",
            fetch_min(value) Amo::Combine(Combine::Min(T::KIND), value.to_bits()), "3" leaves "3";
        "Writes the larger of the value and `value`; the result is the value before.",
            fetch_max(value) Amo::Combine(Combine::Max(T::KIND), value.to_bits()), "3" leaves "6";
    AtomicBits:
        "Clears the bits that are 0 in `value`; the result is the value before.",
            fetch_and(value) Amo::And(value.to_bits()), "3" leaves "2";
        "Sets the bits that are 1 in `value`; the result is the value before.",
            fetch_or(value) Amo::Or(value.to_bits()), "3" leaves "7";
        "Inverts the bits that are 1 in `value`; the result is the value before.",
            fetch_xor(value) Amo::Xor(value.to_bits()), "3" leaves "5";
    AtomicInteger:
        "Writes `new` if the value is `current`; the result is the value before, which tells.",
            compare_exchange(current, new) Amo::CompareSwap { expected: current.to_bits(), new: new.to_bits() },
            "6, 3" leaves "3";
}

crate::remedies::methods! {
    [I: Symmetric, F] Remote<'_, I, F, OnStream<'_>>, [I: AtomicElement] =>
        fetch_add(A) fetch_sub(A) fetch_and(A) fetch_or(A) fetch_xor(A) fetch_min(A) fetch_max(A) swap(A)
        compare_exchange(A B);
    [T, const N: usize, F] Remote<'_, Atomic<T>, Grid<N, F>, OnStream<'_>>, [Grid<N, F>: OneElement] =>
        fetch_add(A) fetch_sub(A) fetch_and(A) fetch_or(A) fetch_xor(A) fetch_min(A) fetch_max(A) swap(A)
        compare_exchange(A B);
    [] Remote<'_, Atomic<f32>, One, OnStream<'_>>, [for<'x> &'x f32: Integer] =>
        fetch_and(A) fetch_or(A) fetch_xor(A) compare_exchange(A B);
    [] Remote<'_, Atomic<f64>, One, OnStream<'_>>, [for<'x> &'x f64: Integer] =>
        fetch_and(A) fetch_or(A) fetch_xor(A) compare_exchange(A B);
    [T] Remote<'_, Atomic<T>, Many, OnStream<'_>>, [for<'x> &'x Many: OneElement] =>
        fetch_add(A) fetch_sub(A) fetch_and(A) fetch_or(A) fetch_xor(A) fetch_min(A) fetch_max(A) swap(A)
        compare_exchange(A B);
}
