//! Waiting for atomic cells that other PEs update, and testing them.
//!
//! * `mod.rs`: the operations, on one cell and on several;
//!
//! # What a wait promises
//!
//! Every look at a cell is an atomic fetch that acquires, and every update of a cell releases. So
//! who sees an update sees all that the updater stored before it. On plain elements there is no
//! such promise, which is why only [`Atomic`] cells have these operations.
//!
//! Each look asks again where the cell is, as every access does: a wait may last, and where its
//! cell may be reached can change meanwhile.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::OneElement;
use crate::remote::{Remote, Source};
use crate::runtime;
use crate::runtime::backoff::Backoff;
use crate::runtime::direct;
use crate::select::{Form, FormOf, Many};
use crate::symmetric::{Atomic, AtomicInteger, Item};

/// How a wait or a test compares a cell with a value: the cell is on the left.
///
/// In [`wait!`](crate::wait!) and [`poll!`](crate::poll!) it is written as an operator. Signed
/// cells compare as signed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `==` (`SHMEM_CMP_EQ`)
    #[doc(alias = "SHMEM_CMP_EQ")]
    Eq,
    /// `!=` (`SHMEM_CMP_NE`)
    #[doc(alias = "SHMEM_CMP_NE")]
    Ne,
    /// `>` (`SHMEM_CMP_GT`)
    #[doc(alias = "SHMEM_CMP_GT")]
    Gt,
    /// `>=` (`SHMEM_CMP_GE`)
    #[doc(alias = "SHMEM_CMP_GE")]
    Ge,
    /// `<` (`SHMEM_CMP_LT`)
    #[doc(alias = "SHMEM_CMP_LT")]
    Lt,
    /// `<=` (`SHMEM_CMP_LE`)
    #[doc(alias = "SHMEM_CMP_LE")]
    Le,
}

impl Comparison {
    /// Whether a cell that holds `seen` satisfies the comparison with `value`.
    #[inline(always)]
    fn holds<T: PartialOrd>(self, seen: T, value: T) -> bool {
        match self {
            Comparison::Eq => seen == value,
            Comparison::Ne => seen != value,
            Comparison::Gt => seen > value,
            Comparison::Ge => seen >= value,
            Comparison::Lt => seen < value,
            Comparison::Le => seen <= value,
        }
    }
}

/// Items that can be waited for: [`Atomic`] cells of integers.
#[diagnostic::on_unimplemented(
    message = "a wait or a test reads `Atomic` cells, and this is a plain `{Self}`",
    label = "not an atomic cell",
    note = "a wait is guaranteed to see atomic updates and signals only, with what was stored before them: declare the object with `Atomic<{Self}>` in place of `{Self}`",
    note = "a cell to wait for is an integer of 4 or 8 bytes: i32, i64, isize, u32, u64 and usize"
)]
pub trait Waitable: Item<Value: AtomicInteger + PartialOrd> {}

#[diagnostic::do_not_recommend]
impl<T: AtomicInteger + PartialOrd> Waitable for Atomic<T> {}

/// Forms of one cell.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this is a wait or a test of one cell, and the selection is a range",
    label = "more than one cell",
    note = "write which of the cells must match: in the macro `all`, `any` or `some` before the place, as in `wait!(any FLAGS[..] != 0)`; as methods `wait_until_all`, `test_any`, …"
)]
pub trait OneCell {}

#[diagnostic::do_not_recommend]
impl<F: OneElement> OneCell for F {}

/// The operations of one cell.
impl<I: Item, F: Form> Remote<'_, I, F> {
    /// Waits until the cell compares with `value` as said, and returns what it saw:
    /// `wait!(FLAG >= 3)`.
    ///
    /// `shmem_wait_until`; on a cell of `u64` also `shmem_signal_wait_until`. Not collective. What
    /// the PE that updated the cell stored before is seen after. A wait that lasts sleeps between
    /// its looks, unless transfers need this process to go on, as those of some C libraries do. A
    /// cell that passes through the awaited value and on between two looks is not seen there.
    ///
    /// The cell may be on any PE: `local!(&FLAG)` or `remote!(&FLAG[pe])`.
    ///
    /// # Panics
    ///
    /// When there is no such PE, and when nobody is left to end the wait: every other PE has
    /// returned, and this one has no other thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static DATA: [f64; 8] = [0.0; 8];
    /// #[symmetric]
    /// static READY: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     if world.my_pe() == 0 {
    ///         remote!(DATA[1, ..]) = 1.5;
    ///         world.fence();
    ///         remote!(READY[1]) += 7;
    ///     } else {
    ///         assert_eq!(local!(&READY).wait_until(Comparison::Ne, 0), 7);
    ///         assert_eq!(local!(DATA[..]), [1.5; 8]);
    ///     }
    /// }
    /// ```
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_wait_until")]
    #[doc(alias = "shmem_wait")]
    #[doc(alias = "shmem_signal_wait_until")]
    pub fn wait_until(self, comparison: Comparison, value: I::Value) -> I::Value
    where
        I: Waitable,
        F: OneCell,
    {
        self.exists();
        until(|| {
            let seen = self.look(0);
            comparison.holds(seen, value).then_some(seen)
        })
    }

    /// Whether the cell compares with `value` as said, without waiting: `poll!(FLAG >= 3)`
    /// (`shmem_test`).
    ///
    /// Not collective. When it returns true, what the PE that updated the cell stored before is
    /// seen after.
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LEVEL: Atomic<i32> = Atomic::new(-3);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main() {
    ///     assert!(local!(&LEVEL).test(Comparison::Lt, 0));
    ///     assert!(!local!(&LEVEL).test(Comparison::Eq, 0));
    /// }
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    #[doc(alias = "shmem_test")]
    pub fn test(self, comparison: Comparison, value: I::Value) -> bool
    where
        I: Waitable,
        F: OneCell,
    {
        let holds = comparison.holds(self.look(0), value);
        if !holds {
            in_vain();
        }
        holds
    }

    /// Ends the PE with a message if there is no PE that this reference names.
    #[inline(always)]
    #[track_caller]
    fn exists(&self) {
        self.watched();
    }

    /// What the cell at position `i` of the selection holds. What its updater stored before is seen
    /// after.
    #[inline(always)]
    #[track_caller]
    fn look(&self, i: usize) -> I::Value
    where
        I: Waitable,
    {
        self.watched().fetch(i)
    }
}

/// The operations of several cells; one cell counts as one of one.
///
/// Positions are those in the selection, row-major, from 0 on.
impl<'a, I: Item, F: FormOf<I::Value>> Remote<'a, I, F> {
    /// Leaves cells out of a wait or a test: those whose entry in `status` is true.
    /// `wait!(any FLAGS[..] != 0; except status)`.
    ///
    /// `status` has an entry for each cell, in row-major order: an array, a slice or a `Vec` of
    /// `bool`. In OpenSHMEM, a status that is not zero excludes a cell just so.
    ///
    /// # Panics
    ///
    /// When `status` has another length than the selection.
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static FROM: PerPe<Atomic<u64>> = PerPe::new(Atomic::new(0));
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     for pe in 0..world.n_pes() {
    ///         remote!(FROM[pe, world.my_pe()]) = 1;
    ///     }
    ///     // Each PE once, in the order of arrival.
    ///     let mut seen = vec![false; world.n_pes()];
    ///     while let Some(pe) = local!(&FROM[..]).except(&seen).wait_until_any(Comparison::Ne, 0) {
    ///         seen[pe] = true;
    ///     }
    ///     assert_eq!(seen, [true; 3]);
    /// }
    /// ```
    #[track_caller]
    pub fn except<'s, M: AsRef<[bool]> + ?Sized>(self, status: &'s M) -> Except<'a, 's, I, F>
    where
        I: Waitable,
    {
        let status = status.as_ref();
        self.same_length(status.len(), "the status");
        Except { cells: self, status }
    }

    /// Waits until each cell has compared with its value as said: `wait!(all FLAGS[..] >= v)`.
    ///
    /// `values` is what [`put`](Remote::put) takes: one value for all cells, or an array, a slice
    /// or a `Vec` with one for each. `shmem_wait_until_all`, `shmem_wait_until_all_vector`. Not
    /// collective. A selection without cells does not wait. A cell that was seen to compare is not
    /// looked at again, so it may have changed when the last one does.
    ///
    /// What the PEs that updated the cells stored before is seen after.
    ///
    /// # Panics
    ///
    /// When there is no such PE, when there are as many values neither as one nor as cells, and
    /// when nobody is left to end the wait.
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static STEPS: [Atomic<u32>; 2] = [Atomic::new(0); 2];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     for pe in 0..world.n_pes() {
    ///         remote!(STEPS[pe, world.my_pe()]) = 5;
    ///     }
    ///     local!(&STEPS[..]).wait_until_all(Comparison::Ge, 5);
    ///     local!(&STEPS[..]).wait_until_all(Comparison::Gt, [3, 4]);
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "shmem_wait_until_all")]
    #[doc(alias = "shmem_wait_until_all_vector")]
    pub fn wait_until_all<S: Source<I::Value, F::Shape>>(self, comparison: Comparison, values: S)
    where
        I: Waitable,
    {
        Watch::new(self, &[], comparison, &values).wait_for_all();
    }

    /// Waits until one of the cells compares with its value as said, and returns its position:
    /// `wait!(any FLAGS[..] != 0)`.
    ///
    /// `None`, at once, when there is no cell. `values` as for
    /// [`wait_until_all`](Remote::wait_until_all). `shmem_wait_until_any`,
    /// `shmem_wait_until_any_vector`. Not collective. What the PE that updated the cell stored
    /// before is seen after.
    ///
    /// It is fair: the search begins elsewhere with every call, and each position comes first again
    /// and again. So a cell that keeps satisfying the comparison is returned before long, however
    /// busy the others are. The first call may begin anywhere.
    ///
    /// # Panics
    ///
    /// As [`wait_until_all`](Remote::wait_until_all).
    ///
    /// # Examples
    ///
    /// A PE that takes messages from all others in the order of their arrival:
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static MAIL: PerPe<Atomic<i64>> = PerPe::new(Atomic::new(0));
    ///
    /// #[shmem::main(npes = 4)]
    /// fn main(world: &World) {
    ///     remote!(MAIL[0, world.my_pe()]) = 10 + world.my_pe() as i64;
    ///     if world.my_pe() == 0 {
    ///         let mut sum = 0;
    ///         for _ in 0..world.n_pes() {
    ///             let from = local!(&MAIL[..]).wait_until_any(Comparison::Ne, 0).unwrap();
    ///             sum += local!(&MAIL[from]).swap(0);
    ///         }
    ///         assert_eq!(sum, 46);
    ///     }
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "shmem_wait_until_any")]
    #[doc(alias = "shmem_wait_until_any_vector")]
    pub fn wait_until_any<S: Source<I::Value, F::Shape>>(
        self,
        comparison: Comparison,
        values: S,
    ) -> Option<usize>
    where
        I: Waitable,
    {
        Watch::new(self, &[], comparison, &values).wait_for_any()
    }

    /// Waits until at least one of the cells compares with its value as said, and returns the
    /// positions of all that do, in ascending order: `wait!(some FLAGS[..] == 1)`.
    ///
    /// Empty, at once, when there is no cell. `values` as for
    /// [`wait_until_all`](Remote::wait_until_all). `shmem_wait_until_some`,
    /// `shmem_wait_until_some_vector`. Not collective. What the PEs that updated these cells stored
    /// before is seen after.
    ///
    /// # Panics
    ///
    /// As [`wait_until_all`](Remote::wait_until_all).
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static DONE: PerPe<Atomic<u32>> = PerPe::new(Atomic::new(0));
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     remote!(DONE[0, world.my_pe()]) = 1;
    ///     if world.my_pe() == 0 {
    ///         let mut done = 0;
    ///         while done < world.n_pes() {
    ///             for pe in local!(&DONE[..]).wait_until_some(Comparison::Eq, 1) {
    ///                 local!(DONE[pe]) = 2;
    ///                 done += 1;
    ///             }
    ///         }
    ///     }
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "shmem_wait_until_some")]
    #[doc(alias = "shmem_wait_until_some_vector")]
    pub fn wait_until_some<S: Source<I::Value, F::Shape>>(
        self,
        comparison: Comparison,
        values: S,
    ) -> Vec<usize>
    where
        I: Waitable,
    {
        Watch::new(self, &[], comparison, &values).wait_for_some()
    }

    /// Whether all cells compare with their values as said, without waiting:
    /// `poll!(all FLAGS[..] >= v)`.
    ///
    /// True when there is no cell. `values` as for [`wait_until_all`](Remote::wait_until_all).
    /// `shmem_test_all`, `shmem_test_all_vector`. Not collective. The cells are looked at one after
    /// the other; when it returns true, what the PEs that updated them stored before is seen after.
    ///
    /// # Panics
    ///
    /// As [`wait_until_all`](Remote::wait_until_all).
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static CELLS: [Atomic<i32>; 3] = [Atomic::new(-1); 3];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main() {
    ///     assert!(local!(&CELLS[..]).test_all(Comparison::Lt, 0));
    ///     assert!(!local!(&CELLS[..]).test_all(Comparison::Eq, [-1, -1, 4]));
    /// }
    /// ```
    #[must_use]
    #[track_caller]
    #[doc(alias = "shmem_test_all")]
    #[doc(alias = "shmem_test_all_vector")]
    pub fn test_all<S: Source<I::Value, F::Shape>>(self, comparison: Comparison, values: S) -> bool
    where
        I: Waitable,
    {
        Watch::new(self, &[], comparison, &values).all()
    }

    /// The position of a cell that compares with its value as said, without waiting:
    /// `poll!(any FLAGS[..] != 0)`.
    ///
    /// `None` when there is none. `values` as for [`wait_until_all`](Remote::wait_until_all), fair
    /// as [`wait_until_any`](Remote::wait_until_any). `shmem_test_any`, `shmem_test_any_vector`.
    /// Not collective. What the PE that updated the cell stored before is seen after.
    ///
    /// # Panics
    ///
    /// As [`wait_until_all`](Remote::wait_until_all).
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static CELLS: [Atomic<u64>; 3] = [Atomic::new(0); 3];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main() {
    ///     assert_eq!(local!(&CELLS[..]).test_any(Comparison::Ne, 0), None);
    ///     local!(CELLS[1]) += 4;
    ///     assert_eq!(local!(&CELLS[..]).test_any(Comparison::Ne, 0), Some(1));
    /// }
    /// ```
    #[must_use]
    #[track_caller]
    #[doc(alias = "shmem_test_any")]
    #[doc(alias = "shmem_test_any_vector")]
    pub fn test_any<S: Source<I::Value, F::Shape>>(self, comparison: Comparison, values: S) -> Option<usize>
    where
        I: Waitable,
    {
        Watch::new(self, &[], comparison, &values).any()
    }

    /// The positions of all cells that compare with their values as said, in ascending order,
    /// without waiting: `poll!(some FLAGS[..] == 1)`.
    ///
    /// `values` as for [`wait_until_all`](Remote::wait_until_all). `shmem_test_some`,
    /// `shmem_test_some_vector`. Not collective. What the PEs that updated these cells stored
    /// before is seen after.
    ///
    /// # Panics
    ///
    /// As [`wait_until_all`](Remote::wait_until_all).
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static CELLS: [Atomic<u64>; 4] = [Atomic::new(0); 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main() {
    ///     local!(CELLS[0..4;2]) = 9;
    ///     assert_eq!(local!(&CELLS[..]).test_some(Comparison::Eq, 9), [0, 2]);
    ///     assert_eq!(local!(&CELLS[1..]).test_some(Comparison::Eq, 9), [1]); // positions in the selection
    /// }
    /// ```
    #[must_use]
    #[track_caller]
    #[doc(alias = "shmem_test_some")]
    #[doc(alias = "shmem_test_some_vector")]
    pub fn test_some<S: Source<I::Value, F::Shape>>(self, comparison: Comparison, values: S) -> Vec<usize>
    where
        I: Waitable,
    {
        Watch::new(self, &[], comparison, &values).some()
    }
}

/// The cells of a selection but some, for a wait or a test: what [`Remote::except`] makes.
///
/// The methods are those of [`Remote`], and positions are still those in the whole selection.
/// Values that belong to cells left out are not looked at. When all are left out, it is as when
/// there are no cells.
#[must_use]
pub struct Except<'a, 's, I, F> {
    cells: Remote<'a, I, F>,
    /// As many entries as cells.
    status: &'s [bool],
}

impl<I, F: Copy> Clone for Except<'_, '_, I, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, F: Copy> Copy for Except<'_, '_, I, F> {}

impl<I, F: Form> fmt::Debug for Except<'_, '_, I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Except").field("cells", &self.cells).field("status", &self.status).finish()
    }
}

/// What [`Except`] can do, the methods of [`Remote`] on several cells: the name, the search, its
/// result, and what stands before and after the call in the example.
macro_rules! except {
    ($(
        $(#[$attribute:meta])*
        $name:ident, $watch:ident -> $result:ty, $before:literal $after:literal;
    )*) => {
        impl<I: Waitable, F: FormOf<I::Value>> Except<'_, '_, I, F> {$(
            #[doc = concat!("[`Remote::", stringify!($name), "`] of the cells that are not")]
            /// left out. Not collective.
            ///
            /// ```
            /// use shmem::prelude::*;
            ///
            /// #[symmetric]
            /// static CELLS: [Atomic<u64>; 3] = [Atomic::new(0), Atomic::new(7), Atomic::new(7)];
            ///
            /// #[shmem::main(npes = 2)]
            /// fn main() {
            ///     let cells = local!(&CELLS[..]).except(&[true, false, true]);
            ///     // Cell 0 is left out, and cell 2.
            ///     let equal = Comparison::Eq;
            #[doc = concat!("    ", $before, "cells.", stringify!($name), "(equal, 7)", $after, ";")]
            /// }
            /// ```
            ///
            /// # Panics
            ///
            /// As there.
            $(#[$attribute])*
            #[track_caller]
            pub fn $name<S: Source<I::Value, F::Shape>>(self, comparison: Comparison, values: S) -> $result {
                Watch::new(self.cells, self.status, comparison, &values).$watch()
            }
        )*}
    };
}

except! {
    wait_until_all, wait_for_all -> (), "" "";
    wait_until_any, wait_for_any -> Option<usize>, "assert_eq!(" ", Some(1))";
    wait_until_some, wait_for_some -> Vec<usize>, "assert_eq!(" ", [1])";
    #[must_use]
    test_all, all -> bool, "assert!(" ")";
    #[must_use]
    test_any, any -> Option<usize>, "assert_eq!(" ", Some(1))";
    #[must_use]
    test_some, some -> Vec<usize>, "assert_eq!(" ", [1])";
}

/// Several cells, and what is expected of each.
struct Watch<'v, I: Item> {
    cells: Remote<'v, I, Many>,
    /// Which cells are left out; none when empty.
    status: &'v [bool],
    comparison: Comparison,
    /// One for each, or one for all.
    values: &'v [I::Value],
    /// Whether it is one for all.
    every: bool,
}

impl<'v, I: Waitable> Watch<'v, I> {
    /// `status` is empty or has the length of the selection.
    #[track_caller]
    fn new<F: FormOf<I::Value>, S: Source<I::Value, F::Shape>>(
        cells: Remote<'v, I, F>,
        status: &'v [bool],
        comparison: Comparison,
        values: &'v S,
    ) -> Watch<'v, I> {
        cells.exists();
        let values = values.elements();
        if !S::EVERY {
            cells.same_length(values.len(), "the list of values");
        }
        Watch { cells: cells.many(), status, comparison, values, every: S::EVERY }
    }

    /// Whether the cell at position `i` is left out.
    fn is_out(&self, i: usize) -> bool {
        !self.status.is_empty() && self.status[i]
    }

    /// Whether the cell at position `i` compares as it should; asked of cells that are not left
    /// out.
    fn holds(&self, i: usize) -> bool {
        let value = self.values[if self.every { 0 } else { i }];
        self.comparison.holds(self.cells.look(i), value)
    }

    /// Whether there is no cell to wait for.
    fn is_empty(&self) -> bool {
        (0..self.cells.len()).all(|i| self.is_out(i))
    }

    fn all(&self) -> bool {
        let all = (0..self.cells.len()).all(|i| self.is_out(i) || self.holds(i));
        if !all {
            in_vain();
        }
        all
    }

    fn any(&self) -> Option<usize> {
        let any = self.any_from(beginning(self.cells.len()));
        if any.is_none() {
            in_vain();
        }
        any
    }

    fn some(&self) -> Vec<usize> {
        let some = self.all_that_hold();
        if some.is_empty() {
            in_vain();
        }
        some
    }

    /// The first cell that compares, from position `first` on and around.
    fn any_from(&self, first: usize) -> Option<usize> {
        (first..self.cells.len()).chain(0..first).find(|&i| !self.is_out(i) && self.holds(i))
    }

    fn all_that_hold(&self) -> Vec<usize> {
        (0..self.cells.len()).filter(|&i| !self.is_out(i) && self.holds(i)).collect()
    }

    fn wait_for_all(&self) {
        // The first cell that is not known to compare: those before it have been seen to.
        let mut next = 0;
        until(|| {
            while next < self.cells.len() {
                if !self.is_out(next) && !self.holds(next) {
                    return None;
                }
                next += 1;
            }
            Some(())
        });
    }

    fn wait_for_any(&self) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let first = beginning(self.cells.len());
        Some(until(|| self.any_from(first)))
    }

    fn wait_for_some(&self) -> Vec<usize> {
        if self.is_empty() {
            return Vec::new();
        }
        until(|| Some(self.all_that_hold()).filter(|found| !found.is_empty()))
    }
}

/// After a test that found nothing. A loop of tests may look with loads alone, and yet does what a
/// waiter does for transfers that are under way: elsewhere they could stand still as long.
#[inline]
fn in_vain() {
    #[cold]
    fn progress() {
        runtime::get().endpoint().meetings.progress();
    }
    if !direct::reaches_own_cells() {
        progress();
    }
}

/// What is waited for here, in a message.
struct Update;

impl fmt::Debug for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an update of a cell")
    }
}

/// Looks until there is something to see.
///
/// # Panics
///
/// When nobody is left who could change what there is to see.
#[inline]
#[track_caller]
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    if let Some(seen) = look() {
        return seen;
    }
    let mut backoff = Backoff::new(runtime::get().endpoint(), &Update);
    loop {
        backoff.pause();
        if let Some(seen) = look() {
            return seen;
        }
    }
}

/// Where a search in `len` cells begins: another place with each call.
///
/// Calls count in steps of the golden ratio of the full circle. Of all sequences these spread most
/// evenly, and so does every sequence that takes each second of them, or each third: whichever
/// searches take turns in a program, each begins everywhere. A search that went on where the last
/// one ended would do with one set of cells; with two in turn, one could keep the other from ever
/// beginning at some of its cells.
fn beginning(len: usize) -> usize {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let turn = CALLS.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
    // The part `turn / 2^64` of the way.
    ((u128::from(turn) * len as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::beginning;

    /// Each position comes first before long, also for one of several searches that take turns.
    #[test]
    fn searches_begin_everywhere() {
        for len in [1, 2, 3, 7, 64, 1000] {
            for period in 1..=8 {
                let mut first = vec![false; len];
                for call in 0..8 * period * len {
                    let at = beginning(len);
                    if call % period == 0 {
                        first[at] = true;
                    }
                }
                assert!(first.iter().all(|&first| first), "{len} cells, every call of {period}: {first:?}");
            }
        }
        assert_eq!(beginning(0), 0);
    }
}
