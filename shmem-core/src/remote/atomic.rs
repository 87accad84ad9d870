//! The operations of atomic cells.

use super::Remote;
use crate::select::{Located, One};
use crate::symmetric::{Atomic, AtomicBits, AtomicInteger, AtomicValue, Item};
use crate::transport::Amo;

/// Items with `+=` and `-=`: [`Atomic`] cells of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic `+=` and `-=`",
    label = "not an `Atomic` cell of an integer",
    note = "other PEs may update the same element at the same time: declare the object with `Atomic` around an integer, as in `Atomic<u64>`",
    note = "only integers of 4 and 8 bytes have atomic arithmetic; a cell of another number is read, written and swapped"
)]
pub trait Arithmetic: Item {
    /// `remote!(C[pe, i] += value)`; the value comes first because Rust evaluates it first.
    #[doc(hidden)]
    #[track_caller]
    fn add(value: Self::Value, cell: Remote<'_, Self, One>);

    /// `remote!(C[pe, i] -= value)`
    #[doc(hidden)]
    #[track_caller]
    fn sub(value: Self::Value, cell: Remote<'_, Self, One>);
}

#[diagnostic::do_not_recommend]
impl<T: AtomicInteger> Arithmetic for Atomic<T> {
    #[inline(always)]
    #[track_caller]
    fn add(value: T, cell: Remote<'_, Self, One>) {
        update(cell, Amo::Add(value.to_bits()));
    }

    #[inline(always)]
    #[track_caller]
    fn sub(value: T, cell: Remote<'_, Self, One>) {
        update(cell, Amo::Add(value.to_bits().wrapping_neg()));
    }
}

/// Items with `&=`, `|=` and `^=`: [`Atomic`] cells of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic `&=`, `|=` and `^=`",
    label = "not an `Atomic` cell of an integer",
    note = "other PEs may update the same element at the same time: declare the object with `Atomic` around an integer, as in `Atomic<u64>`",
    note = "only integers of 4 and 8 bytes have atomic bitwise operations; a cell of another number is read, written and swapped"
)]
pub trait Bitwise: Item {
    /// `remote!(C[pe, i] &= value)`
    #[doc(hidden)]
    #[track_caller]
    fn and(value: Self::Value, cell: Remote<'_, Self, One>);

    /// `remote!(C[pe, i] |= value)`
    #[doc(hidden)]
    #[track_caller]
    fn or(value: Self::Value, cell: Remote<'_, Self, One>);

    /// `remote!(C[pe, i] ^= value)`
    #[doc(hidden)]
    #[track_caller]
    fn xor(value: Self::Value, cell: Remote<'_, Self, One>);
}

#[diagnostic::do_not_recommend]
impl<T: AtomicBits> Bitwise for Atomic<T> {
    #[inline(always)]
    #[track_caller]
    fn and(value: T, cell: Remote<'_, Self, One>) {
        update(cell, Amo::And(value.to_bits()));
    }

    #[inline(always)]
    #[track_caller]
    fn or(value: T, cell: Remote<'_, Self, One>) {
        update(cell, Amo::Or(value.to_bits()));
    }

    #[inline(always)]
    #[track_caller]
    fn xor(value: T, cell: Remote<'_, Self, One>) {
        update(cell, Amo::Xor(value.to_bits()));
    }
}

/// Forms of one element.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an atomic update takes one element, and this selection is a range",
    label = "more than one element",
    note = "select one element with an index on each axis, or loop over the range"
)]
pub trait OneElement: Located {
    /// The cell.
    fn one<I>(cell: Remote<'_, I, Self>) -> Remote<'_, I, One>;
}

#[diagnostic::do_not_recommend]
impl OneElement for One {
    #[inline(always)]
    fn one<I>(cell: Remote<'_, I, One>) -> Remote<'_, I, One> {
        cell
    }
}

impl<T: AtomicValue> Remote<'_, Atomic<T>, One> {
    /// Performs `op`, and returns what was there.
    #[inline(always)]
    #[track_caller]
    fn amo(self, op: Amo) -> T {
        self.target().amo(op)
    }

    /// Writes `value` and returns what was there (`shmem_atomic_swap`). Not collective.
    ///
    /// # Panics
    ///
    /// When there is no such PE; so for all operations of a cell.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_atomic_swap")]
    #[doc(alias = "shmem_swap")]
    pub fn swap(self, value: T) -> T {
        self.amo(Amo::Swap(value.to_bits()))
    }
}

impl<T: AtomicInteger + PartialEq> Remote<'_, Atomic<T>, One> {
    /// Writes `new` where `current` stands (`shmem_atomic_compare_swap`). Not collective.
    ///
    /// # Errors
    ///
    /// What was there, when it was not `current`; nothing is written then.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_atomic_compare_swap")]
    #[doc(alias = "shmem_cswap")]
    pub fn compare_exchange(self, current: T, new: T) -> Result<T, T> {
        let found = self.amo(Amo::CompareSwap { expected: current.to_bits(), new: new.to_bits() });
        if found == current { Ok(found) } else { Err(found) }
    }
}

/// A pair of operations: one that returns what was there, and one that does not.
macro_rules! updates {
    ($($fetch:ident $plain:ident, $op:ident, $sign:literal, $fetch_alias:literal $plain_alias:literal $wraps:literal [$($also:literal)*] [$($also_plain:literal)*];)*) => {$(
        #[doc = concat!("Updates the cell with `", $sign, " value` and returns what was there (`", $fetch_alias, "`). ", $wraps)]
        #[inline(always)]
        #[track_caller]
        #[doc(alias = $fetch_alias)]
        $(#[doc(alias = $also)])*
        pub fn $fetch(self, value: T) -> T {
            self.amo(Amo::$op(value.to_bits()))
        }

        #[doc = concat!("Updates the cell: `remote!(C[pe, i]) ", $sign, " value` (`", $plain_alias, "`). ", $wraps)]
        #[inline(always)]
        #[track_caller]
        #[doc(alias = $plain_alias)]
        $(#[doc(alias = $also_plain)])*
        pub fn $plain(self, value: T) {
            update(self, Amo::$op(value.to_bits()));
        }
    )*};
}

impl<T: AtomicInteger> Remote<'_, Atomic<T>, One> {
    updates! {
        fetch_add add, Add, "+=", "shmem_atomic_fetch_add" "shmem_atomic_add" "Wraps around; not collective."
            ["shmem_atomic_fetch_inc" "shmem_fadd" "shmem_finc"] ["shmem_atomic_inc" "shmem_add" "shmem_inc" "shmem_signal_add"];
    }

    /// Subtracts `value` and returns what was there. Wraps around; not collective.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_atomic_fetch_add")]
    pub fn fetch_sub(self, value: T) -> T {
        self.amo(Amo::Add(value.to_bits().wrapping_neg()))
    }

    /// Subtracts `value`: `remote!(C[pe, i]) -= value`. Wraps around; not collective.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_atomic_add")]
    pub fn sub(self, value: T) {
        update(self, Amo::Add(value.to_bits().wrapping_neg()));
    }
}

impl<T: AtomicBits> Remote<'_, Atomic<T>, One> {
    updates! {
        fetch_and and, And, "&=", "shmem_atomic_fetch_and" "shmem_atomic_and" "Not collective." [] [];
        fetch_or or, Or, "|=", "shmem_atomic_fetch_or" "shmem_atomic_or" "Not collective." [] [];
        fetch_xor xor, Xor, "^=", "shmem_atomic_fetch_xor" "shmem_atomic_xor" "Not collective." [] [];
    }
}

/// Performs `op`, whose operand is the bits of an `I::Value`, on one cell.
#[inline(always)]
#[track_caller]
fn update<I: Item<Value: AtomicInteger>>(cell: Remote<'_, I, One>, op: Amo) {
    cell.target().update(op);
}
