//! The operations of atomic cells.

use super::Remote;
use crate::direct;
use crate::remote::transfer;
use crate::select::One;
use crate::symmetric::{Atomic, AtomicBits, AtomicInteger, AtomicValue, Item};
use crate::transport::Amo;

/// Items that are updated atomically: [`Atomic`] cells.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an update of a plain `{Self}` is not atomic",
    label = "not an atomic cell",
    note = "other PEs may update the same element at the same time: declare the object with `Atomic<{Self}>` in place of `{Self}`"
)]
pub trait AtomicCell: Item {}

impl<T: AtomicValue> AtomicCell for Atomic<T> {}

/// Forms of one element.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an atomic update takes one element, and this selection is a range",
    label = "more than one element",
    note = "select one element with an index on each axis, or loop over the range"
)]
pub trait OneElement {}

impl OneElement for One {}

impl<T: AtomicValue> Remote<'_, Atomic<T>, One> {
    /// Performs `op`; `transfer::amo` says on what.
    #[inline(always)]
    #[track_caller]
    fn amo(self, op: Amo) -> T {
        let heap = direct::heap(self.pe, self.info);
        // SAFETY: the region is one cell of a live atomic object, checked against its extents when the reference was
        // made, and the PE exists.
        T::from_bits(unsafe { transfer::amo(heap, self.pe, self.region.offset, T::WIDTH, op) })
    }

    /// Writes `value` and returns what was there (`shmem_atomic_swap`). Not collective.
    ///
    /// # Panics
    ///
    /// When there is no such PE; so for all operations of a cell.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_atomic_swap")]
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
    pub fn compare_exchange(self, current: T, new: T) -> Result<T, T> {
        let found = self.amo(Amo::CompareSwap { expected: current.to_bits(), new: new.to_bits() });
        if found == current { Ok(found) } else { Err(found) }
    }
}

/// A pair of operations: one that returns what was there, and one that does not.
macro_rules! updates {
    ($($fetch:ident $plain:ident, $op:ident, $sign:literal, $fetch_alias:literal $plain_alias:literal;)*) => {$(
        #[doc = concat!("Updates the cell with `", $sign, " value` and returns what was there (`", $fetch_alias, "`). Wraps around; not collective.")]
        #[inline(always)]
        #[track_caller]
        #[doc(alias = $fetch_alias)]
        pub fn $fetch(self, value: T) -> T {
            self.amo(Amo::$op(value.to_bits()))
        }

        #[doc = concat!("Updates the cell: `remote!(C[pe, i]) ", $sign, " value` (`", $plain_alias, "`). Wraps around; not collective.")]
        #[inline(always)]
        #[track_caller]
        #[doc(alias = $plain_alias)]
        pub fn $plain(self, value: T) {
            self.amo(Amo::$op(value.to_bits()));
        }
    )*};
}

impl<T: AtomicInteger> Remote<'_, Atomic<T>, One> {
    updates! {
        fetch_add add, Add, "+=", "shmem_atomic_fetch_add" "shmem_atomic_add";
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
        self.fetch_sub(value);
    }
}

impl<T: AtomicBits> Remote<'_, Atomic<T>, One> {
    updates! {
        fetch_and and, And, "&=", "shmem_atomic_fetch_and" "shmem_atomic_and";
        fetch_or or, Or, "|=", "shmem_atomic_fetch_or" "shmem_atomic_or";
        fetch_xor xor, Xor, "^=", "shmem_atomic_fetch_xor" "shmem_atomic_xor";
    }
}

/// What `remote!(place op= value)` calls: as general as the place may be, so that the bounds speak of what is wrong.
macro_rules! operators {
    ($($name:ident: $bound:ident, $op:ident $(, $negate:ident)?;)*) => {$(
        #[doc(hidden)]
        #[inline(always)]
        #[track_caller]
        pub fn $name<I: AtomicCell, F: OneElement>(value: I::Value, cell: Remote<'_, I, F>)
        where
            I::Value: $bound,
        {
            let heap = direct::heap(cell.pe, cell.info);
            let bits = value.to_bits()$(.$negate())?;
            // SAFETY: `I` is an atomic cell and `F` is one element, checked against the extents of a live
            // object when the reference was made, and the PE exists.
            unsafe { transfer::amo(heap, cell.pe, cell.region.offset, I::Value::WIDTH, Amo::$op(bits)) };
        }
    )*};
}

use crate::symmetric::Bits as _;

operators! {
    add: AtomicInteger, Add;
    sub: AtomicInteger, Add, wrapping_neg;
    and: AtomicBits, And;
    or: AtomicBits, Or;
    xor: AtomicBits, Xor;
}
