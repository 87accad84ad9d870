//! Waiting for atomic cells that other PEs update, and testing them.
//!
//! * `mod.rs`: the operations, on one cell and on several;
//! * `awaited.rs`: how a wait that lasts is described.
//!
//! # What a wait promises
//!
//! Each read of a cell is an atomic fetch that acquires, and each update of a cell releases. So a
//! PE that sees an update also sees everything that the updating PE stored before. Plain elements
//! have no such guarantee. Therefore only [`Atomic`] cells have these operations.
//!
//! Each read looks up the cell's address again, as every access does: a wait may be long, and the
//! way to the cell can change meanwhile.

mod awaited;

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use self::awaited::{AwaitedCell, AwaitedCells};
use crate::OneElement;
use crate::remote::{Remote, Values};
use crate::runtime;
use crate::runtime::backoff::{Awaited, Backoff};
use crate::runtime::direct;
use crate::select::{Form, FormOf, Many, OnOnePe, Picked};
use crate::symmetric::{Atomic, AtomicInteger, Item};
use crate::system::place;

/// The comparison of a cell with a value in a wait or a test; the cell is on the left.
///
/// [`wait!`](crate::wait!) and [`poll!`](crate::poll!) take it as an operator. Signed cells compare
/// as signed numbers.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static FLAG: Atomic<i32> = Atomic::new(-1);
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     assert!(local!(&FLAG).test(Comparison::Lt, 0)); // `poll!(FLAG < 0)`
///     world.barrier_all();
///     remote!(FLAG[1 - world.my_pe()]) = 3;
///     local!(&FLAG).wait_until(Comparison::Ge, 3); // `wait!(FLAG >= 3)`
/// }
/// ```
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
///
/// ```
/// use shmem::prelude::*;
/// use shmem::select::One;
/// use shmem::{Remote, Waitable};
///
/// #[symmetric]
/// static FLAG: Atomic<u8> = Atomic::new(0);
///
/// /// Waits for a cell of any type that one can wait for.
/// fn until<I: Waitable>(cell: Remote<'_, I, One>, value: I::Value) {
///     cell.wait_until(Comparison::Ge, value);
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     remote!(FLAG[1 - world.my_pe()]) = 3;
///     until(local!(&FLAG), 3);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a wait or a test reads `Atomic` cells of integers, and this is a `{Self}`",
    label = "not an atomic cell of an integer",
    note = "a wait is guaranteed to see atomic updates and signals only, with what was stored before them: declare the object with `Atomic`, as in `#[symmetric] static FLAG: Atomic<u64> = Atomic::new(0);`",
    note = "a cell to wait for is an integer of up to 8 bytes"
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
    /// Waits until `comparison` holds for the cell and `value`, and returns the cell's value:
    /// `wait!(FLAG >= 3)`.
    ///
    /// This is `shmem_wait_until`, and on a cell of `u64` also `shmem_signal_wait_until`. Not
    /// collective. After the wait, this PE sees what the other PE stored before it updated the
    /// cell. A long wait sleeps between its reads of the cell, unless transfers need this process
    /// to make progress, as those of some C libraries do. If the cell has the awaited value only
    /// between two reads, the wait does not end.
    ///
    /// The cell may be on any PE: `local!(&FLAG)` or `remote!(&FLAG[pe])`.
    ///
    /// # Panics
    ///
    /// When there is no such PE, and when no PE is left that could end the wait: every other PE has
    /// returned from its function, and this process has no other thread. If all PEs wait, and none
    /// has another thread, the job ends with a report of what each waits for (on one machine).
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
        F: OneCell + OnOnePe,
    {
        self.exists();
        until(
            || {
                let seen = self.look(0);
                comparison.holds(seen, value).then_some(seen)
            },
            || AwaitedCell { cell: self, comparison, value },
        )
    }

    /// The same, until `gives_up`; returns whether the comparison holds.
    #[cfg(feature = "gpu")]
    #[track_caller]
    pub(crate) fn wait_until_or(
        self,
        comparison: Comparison,
        value: I::Value,
        gives_up: impl Fn() -> bool,
    ) -> bool
    where
        I: Waitable,
        F: OneCell + OnOnePe,
    {
        self.exists();
        until(
            || match comparison.holds(self.look(0), value) {
                true => Some(true),
                false => gives_up().then_some(false),
            },
            || AwaitedCell { cell: self, comparison, value },
        )
    }

    /// Returns whether `comparison` holds for the cell and `value`, without waiting: `poll!(FLAG >=
    /// 3)` (`shmem_test`).
    ///
    /// Not collective. If it returns true, this PE sees what the other PE stored before it updated
    /// the cell.
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
        F: OneCell + OnOnePe,
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

/// The operations of several cells; a selection may also have one cell.
///
/// Positions are those in the selection, row-major, from 0 on.
impl<'a, I: Item, F: FormOf<I::Value>> Remote<'a, I, F> {
    /// Excludes the cells whose entry in `status` is true from a wait or a test: `wait!(any
    /// FLAGS[..] != 0; except status)`. Not collective.
    ///
    /// `status` has an entry for each cell, in row-major order: an array, a slice or a `Vec` of
    /// `bool`. In OpenSHMEM, the argument `status` does the same.
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
        F: OnOnePe,
    {
        let status = status.as_ref();
        self.same_length(status.len(), "the status");
        Except { cells: self, status }
    }

    /// Waits until `comparison` has held for each cell and its value: `wait!(all FLAGS[..] >= v)`.
    ///
    /// `values` is what [`put`](Remote::put) takes: one value for all cells, or an array, a slice
    /// or a `Vec` with one for each. This is `shmem_wait_until_all` and
    /// `shmem_wait_until_all_vector`. Not collective. A selection without cells does not wait. Once
    /// the comparison has held for a cell, the wait does not read that cell again. So the cell may
    /// have changed when the wait ends.
    ///
    /// After the wait, this PE sees what the other PEs stored before they updated the cells.
    ///
    /// # Panics
    ///
    /// When there is no such PE, when the number of values is neither one nor that of the cells,
    /// and when no PE is left that could end the wait.
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
    pub fn wait_until_all<S: Values<I::Value, F::Shape>>(self, comparison: Comparison, values: S)
    where
        I: Waitable,
        F: OnOnePe,
    {
        Watch::new(self, &[], comparison, &values).wait_for_all();
    }

    /// [`wait_until_all`](Remote::wait_until_all), of `values` whose one is for `every` cell, or which
    /// are as many as the cells.
    #[cfg(feature = "gpu")]
    #[track_caller]
    pub(crate) fn wait_until_each(self, comparison: Comparison, values: &[I::Value], every: bool)
    where
        I: Waitable,
        F: OnOnePe,
    {
        self.exists();
        Watch { cells: self.picked(), status: &[], comparison, values, every }.wait_for_all();
    }

    /// Waits until `comparison` holds for one of the cells and its value, and returns the position
    /// of the cell: `wait!(any FLAGS[..] != 0)`.
    ///
    /// If there are no cells, it returns `None` at once. `values` are as for
    /// [`wait_until_all`](Remote::wait_until_all). This is `shmem_wait_until_any` and
    /// `shmem_wait_until_any_vector`. Not collective. After the wait, this PE sees what the other
    /// PE stored before it updated the cell.
    ///
    /// It is fair: each call begins its search at another position, and each position is first
    /// again and again. So if the comparison stays true for a cell, a call soon returns that cell,
    /// however often the others change. The first call may begin at any position.
    ///
    /// # Panics
    ///
    /// As [`wait_until_all`](Remote::wait_until_all).
    ///
    /// # Examples
    ///
    /// A PE takes messages from all others in the order of their arrival:
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
    pub fn wait_until_any<S: Values<I::Value, F::Shape>>(
        self,
        comparison: Comparison,
        values: S,
    ) -> Option<usize>
    where
        I: Waitable,
        F: OnOnePe,
    {
        Watch::new(self, &[], comparison, &values).wait_for_any()
    }

    /// Waits until `comparison` holds for at least one of the cells and its value, and returns the
    /// positions of all cells for which it holds, in ascending order: `wait!(some FLAGS[..] == 1)`.
    ///
    /// If there are no cells, it returns an empty list at once. `values` are as for
    /// [`wait_until_all`](Remote::wait_until_all). This is `shmem_wait_until_some` and
    /// `shmem_wait_until_some_vector`. Not collective. After the wait, this PE sees what the other
    /// PEs stored before they updated these cells.
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
    pub fn wait_until_some<S: Values<I::Value, F::Shape>>(
        self,
        comparison: Comparison,
        values: S,
    ) -> Vec<usize>
    where
        I: Waitable,
        F: OnOnePe,
    {
        Watch::new(self, &[], comparison, &values).wait_for_some()
    }

    /// Returns whether `comparison` holds for all cells and their values, without waiting:
    /// `poll!(all FLAGS[..] >= v)`.
    ///
    /// If there are no cells, it returns true. `values` are as for
    /// [`wait_until_all`](Remote::wait_until_all). This is `shmem_test_all` and
    /// `shmem_test_all_vector`. Not collective. The cells are read one after the other. If it
    /// returns true, this PE sees what the other PEs stored before they updated the cells.
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
    pub fn test_all<S: Values<I::Value, F::Shape>>(self, comparison: Comparison, values: S) -> bool
    where
        I: Waitable,
        F: OnOnePe,
    {
        Watch::new(self, &[], comparison, &values).all()
    }

    /// Returns the position of a cell for which `comparison` holds, without waiting: `poll!(any
    /// FLAGS[..] != 0)`.
    ///
    /// If it holds for no cell, it returns `None`. `values` are as for
    /// [`wait_until_all`](Remote::wait_until_all), and the search is fair as in
    /// [`wait_until_any`](Remote::wait_until_any). This is `shmem_test_any` and
    /// `shmem_test_any_vector`. Not collective. After the test, this PE sees what the other PE
    /// stored before it updated the cell.
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
    pub fn test_any<S: Values<I::Value, F::Shape>>(self, comparison: Comparison, values: S) -> Option<usize>
    where
        I: Waitable,
        F: OnOnePe,
    {
        Watch::new(self, &[], comparison, &values).any()
    }

    /// Returns the positions of all cells for which `comparison` holds, in ascending order, without
    /// waiting: `poll!(some FLAGS[..] == 1)`.
    ///
    /// `values` are as for [`wait_until_all`](Remote::wait_until_all). This is `shmem_test_some`
    /// and `shmem_test_some_vector`. Not collective. After the test, this PE sees what the other
    /// PEs stored before they updated these cells.
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
    pub fn test_some<S: Values<I::Value, F::Shape>>(self, comparison: Comparison, values: S) -> Vec<usize>
    where
        I: Waitable,
        F: OnOnePe,
    {
        Watch::new(self, &[], comparison, &values).some()
    }
}

/// The cells of a selection without the excluded ones, for a wait or a test; [`Remote::except`]
/// makes it.
///
/// It has the methods of [`Remote`]. Positions are those in the whole selection. The values of
/// excluded cells are ignored. If all cells are excluded, a method behaves as if there were no
/// cells.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static FLAGS: [Atomic<u64>; 3] = [Atomic::new(0); 3];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     remote!(FLAGS[1 - world.my_pe(), 2]) = 1;
///     let without_the_first = [true, false, false];
///     let found = local!(&FLAGS[..]).except(&without_the_first).wait_until_any(Comparison::Eq, 1);
///     assert_eq!(found, Some(2));
/// }
/// ```
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

/// The methods of [`Except`], which are those of [`Remote`] on several cells: the name, the search,
/// its result, and the code before and after the call in the example.
macro_rules! except {
    ($(
        $(#[$attribute:meta])*
        $name:ident, $watch:ident -> $result:ty, $before:literal $after:literal;
    )*) => {
        impl<I: Waitable, F: FormOf<I::Value> + OnOnePe> Except<'_, '_, I, F> {$(
            #[doc = concat!("[`Remote::", stringify!($name), "`] of the cells that are not")]
            /// excluded. Not collective.
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
            ///     // Cells 0 and 2 are excluded.
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
            pub fn $name<S: Values<I::Value, F::Shape>>(self, comparison: Comparison, values: S) -> $result {
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

/// Several cells, with the value to compare each of them with.
struct Watch<'v, I: Item> {
    cells: Remote<'v, I, Picked<'v, Many>>,
    /// Which cells are excluded; none if empty.
    status: &'v [bool],
    comparison: Comparison,
    /// One value for each cell, or one for all.
    values: &'v [I::Value],
    /// Whether it is one value for all.
    every: bool,
}

impl<'v, I: Waitable> Watch<'v, I> {
    /// `status` is empty or has the length of the selection.
    #[track_caller]
    fn new<F: FormOf<I::Value> + OnOnePe + 'v, S: Values<I::Value, F::Shape>>(
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
        Watch { cells: cells.picked(), status, comparison, values, every: S::EVERY }
    }

    /// Whether the cell at position `i` is excluded.
    fn is_out(&self, i: usize) -> bool {
        !self.status.is_empty() && self.status[i]
    }

    /// Whether the comparison holds for the cell at position `i`, which is not excluded.
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

    /// The first cell for which the comparison holds, from position `first` on and then from 0.
    fn any_from(&self, first: usize) -> Option<usize> {
        (first..self.cells.len()).chain(0..first).find(|&i| !self.is_out(i) && self.holds(i))
    }

    fn all_that_hold(&self) -> Vec<usize> {
        (0..self.cells.len()).filter(|&i| !self.is_out(i) && self.holds(i)).collect()
    }

    #[track_caller]
    fn wait_for_all(&self) {
        // The first cell for which the comparison has not held yet: it has held for those before.
        let next = Cell::new(0);
        let look = || {
            while next.get() < self.cells.len() {
                if !self.is_out(next.get()) && !self.holds(next.get()) {
                    return None;
                }
                next.set(next.get() + 1);
            }
            Some(())
        };
        until(look, || AwaitedCells { watch: self, which: "all", next: Some(&next) });
    }

    #[track_caller]
    fn wait_for_any(&self) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let first = beginning(self.cells.len());
        let awaited = || AwaitedCells { watch: self, which: "any", next: None };
        Some(until(|| self.any_from(first), awaited))
    }

    #[track_caller]
    fn wait_for_some(&self) -> Vec<usize> {
        if self.is_empty() {
            return Vec::new();
        }
        let awaited = || AwaitedCells { watch: self, which: "some", next: None };
        until(|| Some(self.all_that_hold()).filter(|found| !found.is_empty()), awaited)
    }
}

/// To be called after a test that found no cell. A loop of tests may consist of loads only. It
/// still does what a waiter does for transfers in progress, because they might not advance
/// otherwise.
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

/// Calls `look` until it returns `Some`. `awaited` describes what is waited for.
///
/// # Panics
///
/// When no PE is left that could end the wait.
#[inline]
#[track_caller]
fn until<T, A: Awaited>(mut look: impl FnMut() -> Option<T>, awaited: impl FnOnce() -> A) -> T {
    if let Some(seen) = look() {
        return seen;
    }
    let awaited = awaited();
    let mut backoff = Backoff::new(runtime::get().endpoint(), &awaited, Some(place::caller()));
    loop {
        backoff.pause();
        if let Some(seen) = look() {
            return seen;
        }
    }
}

/// Where a search in `len` cells begins: at another position in each call.
///
/// Each call advances by the golden ratio of the full circle. The positions of such a sequence are
/// spread most evenly, and so are those of every second or third call. So if several searches take
/// turns in a program, each of them begins at every position. A search that continued where the
/// last one ended would be enough for one set of cells. With two sets in turn, one search could
/// keep the other from ever beginning at some of its cells.
fn beginning(len: usize) -> usize {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let turn = CALLS.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
    // The part `turn / 2^64` of the way.
    ((u128::from(turn) * len as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::beginning;

    /// Each position is soon the first, also for one of several searches that take turns.
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
