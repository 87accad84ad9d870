//! The operations of atomic cells.

use super::Remote;
use super::delivery::Delivery;
use crate::select::{Form, One};
use crate::symmetric::{Atomic, AtomicBits, AtomicInteger, AtomicValue, Item};
use crate::transport::{Amo, Combine};

/// Items with `+=` and `-=`: [`Atomic`] cells.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic `+=` and `-=`",
    label = "not an `Atomic` cell",
    note = "other PEs may update the same element at the same time: declare the object with `Atomic` around a number, as in `Atomic<u64>`",
    note = "integers of up to 8 bytes, `f32` and `f64` have atomic arithmetic"
)]
pub trait Arithmetic: Item {
    /// `remote!(C[pe, i] += value)`; the value comes first because Rust evaluates it first.
    #[doc(hidden)]
    #[track_caller]
    fn add<'s, D: Delivery<'s>>(value: Self::Value, cell: Remote<'_, Self, One, D>);

    /// `remote!(C[pe, i] -= value)`
    #[doc(hidden)]
    #[track_caller]
    fn sub<'s, D: Delivery<'s>>(value: Self::Value, cell: Remote<'_, Self, One, D>);
}

#[diagnostic::do_not_recommend]
impl<T: AtomicValue> Arithmetic for Atomic<T> {
    #[inline(always)]
    #[track_caller]
    fn add<'s, D: Delivery<'s>>(value: T, cell: Remote<'_, Self, One, D>) {
        D::update(cell, value.adding());
    }

    #[inline(always)]
    #[track_caller]
    fn sub<'s, D: Delivery<'s>>(value: T, cell: Remote<'_, Self, One, D>) {
        D::update(cell, value.subtracting());
    }
}

/// Items with `&=`, `|=` and `^=`: [`Atomic`] cells of integers.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic `&=`, `|=` and `^=`",
    label = "not an `Atomic` cell of an integer",
    note = "other PEs may update the same element at the same time: declare the object with `Atomic` around an integer, as in `Atomic<u64>`",
    note = "only integers have atomic bitwise operations; a cell of floats has reads, writes, `swap`, `+=`, `-=`, `min` and `max`"
)]
pub trait Bitwise: Item {
    /// `remote!(C[pe, i] &= value)`
    #[doc(hidden)]
    #[track_caller]
    fn and<'s, D: Delivery<'s>>(value: Self::Value, cell: Remote<'_, Self, One, D>);

    /// `remote!(C[pe, i] |= value)`
    #[doc(hidden)]
    #[track_caller]
    fn or<'s, D: Delivery<'s>>(value: Self::Value, cell: Remote<'_, Self, One, D>);

    /// `remote!(C[pe, i] ^= value)`
    #[doc(hidden)]
    #[track_caller]
    fn xor<'s, D: Delivery<'s>>(value: Self::Value, cell: Remote<'_, Self, One, D>);
}

#[diagnostic::do_not_recommend]
impl<T: AtomicBits> Bitwise for Atomic<T> {
    #[inline(always)]
    #[track_caller]
    fn and<'s, D: Delivery<'s>>(value: T, cell: Remote<'_, Self, One, D>) {
        D::update(cell, Amo::And(value.to_bits()));
    }

    #[inline(always)]
    #[track_caller]
    fn or<'s, D: Delivery<'s>>(value: T, cell: Remote<'_, Self, One, D>) {
        D::update(cell, Amo::Or(value.to_bits()));
    }

    #[inline(always)]
    #[track_caller]
    fn xor<'s, D: Delivery<'s>>(value: T, cell: Remote<'_, Self, One, D>) {
        D::update(cell, Amo::Xor(value.to_bits()));
    }
}

/// Forms of one element.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an atomic update takes one element, and this selection is a range",
    label = "more than one element",
    note = "select one element with an index on each axis, or loop over the range"
)]
pub trait OneElement: Form {
    /// The cell.
    fn one<I, D>(cell: Remote<'_, I, Self, D>) -> Remote<'_, I, One, D>;
}

#[diagnostic::do_not_recommend]
impl OneElement for One {
    #[inline(always)]
    fn one<I, D>(cell: Remote<'_, I, One, D>) -> Remote<'_, I, One, D> {
        cell
    }
}

impl<T: AtomicValue> Remote<'_, Atomic<T>, One> {
    /// Performs `op`, and returns the old value.
    #[inline(always)]
    #[track_caller]
    fn amo(self, op: Amo) -> T {
        self.target().amo(op)
    }

    /// Writes `value`, and returns the old value (`shmem_atomic_swap`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static LAST: Atomic<i64> = Atomic::new(-1);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let me = world.my_pe() as i64;
    ///     let before = remote!(&LAST[0]).swap(me);
    ///     world.barrier_all();
    ///     let last = remote!(LAST[0]);
    ///     // The first PE got the initial value, and the second got the number of the first.
    ///     assert_eq!(before, if last == me { 1 - me } else { -1 });
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_atomic_swap")]
    #[doc(alias = "shmem_swap")]
    pub fn swap(self, value: T) -> T {
        self.amo(Amo::Swap(value.to_bits()))
    }
}

impl<T: AtomicInteger + PartialEq> Remote<'_, Atomic<T>, One> {
    /// Writes `new` if the value is `current`, and returns the old value
    /// (`shmem_atomic_compare_swap`). Not collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static WINNER: Atomic<i64> = Atomic::new(-1);
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let me = world.my_pe() as i64;
    ///     match remote!(&WINNER[0]).compare_exchange(-1, me) {
    ///         Ok(before) => assert_eq!(before, -1),
    ///         Err(winner) => assert_eq!(winner, 1 - me),
    ///     }
    ///     world.barrier_all();
    ///     let won = remote!(WINNER[0]) == me;
    ///     assert_eq!(collective!(sum won as u32), 1);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such PE.
    ///
    /// # Errors
    ///
    /// The value of the cell, if it is not `current`. The cell does not change then.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "shmem_atomic_compare_swap")]
    #[doc(alias = "shmem_cswap")]
    pub fn compare_exchange(self, current: T, new: T) -> Result<T, T> {
        let found = self.amo(Amo::CompareSwap { expected: current.to_bits(), new: new.to_bits() });
        if found == current { Ok(found) } else { Err(found) }
    }
}

/// Pairs of methods for one operation: the first returns the old value, and the second does not.
macro_rules! updates {
    ($($(#[$about_fetch:meta])* $fetch:ident $(#[$about_plain:meta])* $plain:ident |$value:ident| $op:expr;)*) => {$(
        $(#[$about_fetch])*
        #[inline(always)]
        #[track_caller]
        pub fn $fetch(self, $value: T) -> T {
            self.amo($op)
        }

        $(#[$about_plain])*
        #[inline(always)]
        #[track_caller]
        pub fn $plain(self, $value: T) {
            self.target().update($op);
        }
    )*};
}

impl<T: AtomicValue> Remote<'_, Atomic<T>, One> {
    updates! {
        /// Adds `value`, and returns the old value (`shmem_atomic_fetch_add`). Not collective.
        ///
        /// The sum of integers wraps around. That of floats is rounded at each update, so its last
        /// digits depend on the order in which the updates come; a NaN stays a NaN.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static NEXT: Atomic<u64> = Atomic::new(0);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main() {
        ///     // Each PE draws a number that no other gets.
        ///     let ticket = remote!(&NEXT[0]).fetch_add(1);
        ///     let mut tickets = collective!(fcollect ticket);
        ///     tickets.sort();
        ///     assert_eq!(tickets, [0, 1]);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_fetch_add")]
        #[doc(alias = "shmem_atomic_fetch_inc")]
        #[doc(alias = "shmem_fadd")]
        #[doc(alias = "shmem_finc")]
        fetch_add
        /// Adds `value`: `remote!(C[pe, i]) += value` (`shmem_atomic_add`). Not collective.
        ///
        /// The sum of integers wraps around; that of floats is as with
        /// [`fetch_add`](Remote::fetch_add). Other PEs see it after a
        /// [`quiet`](crate::World::quiet) or barrier.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static HITS: [Atomic<u64>; 4] = [Atomic::new(0); 4];
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     remote!(&HITS[0, 3]).add(10);
        ///     remote!(HITS[0, 3]) += 1; // the same, with 1
        ///     world.barrier_all();
        ///     assert_eq!(remote!(HITS[0, ..]), [0, 0, 0, 22]);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_add")]
        #[doc(alias = "shmem_atomic_inc")]
        #[doc(alias = "shmem_add")]
        #[doc(alias = "shmem_inc")]
        #[doc(alias = "shmem_signal_add")]
        add
            |value| value.adding();

        /// Subtracts `value`, and returns the old value (`shmem_atomic_fetch_add` of its
        /// negative). Not collective.
        ///
        /// The difference of integers wraps around.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static LEFT: Atomic<u64> = Atomic::new(2);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main() {
        ///     // The PE that sees 1 is the last one.
        ///     let last = remote!(&LEFT[0]).fetch_sub(1) == 1;
        ///     assert_eq!(collective!(sum last as u32), 1);
        ///     assert_eq!(remote!(LEFT[0]), 0);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_fetch_add")]
        fetch_sub
        /// Subtracts `value`: `remote!(C[pe, i]) -= value` (`shmem_atomic_add` of its negative).
        /// Not collective.
        ///
        /// The difference of integers wraps around. Other PEs see it after a [`quiet`](crate::World::quiet) or
        /// barrier.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static CREDITS: Atomic<i32> = Atomic::new(8);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     remote!(&CREDITS[1]).sub(2);
        ///     remote!(CREDITS[1]) -= 1; // the same, with 1
        ///     world.barrier_all();
        ///     assert_eq!(remote!(CREDITS[1]), 2);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_add")]
        sub
            |value| value.subtracting();
    }
}

impl<T: AtomicBits> Remote<'_, Atomic<T>, One> {
    updates! {
        /// Clears the bits that are 0 in `value`, and returns the old value
        /// (`shmem_atomic_fetch_and`). Not collective.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static OPEN: Atomic<u32> = Atomic::new(0b11);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     // Each PE clears its own bit. The one that sees no other bit is the last.
        ///     let mine = 1 << world.my_pe();
        ///     let last = remote!(&OPEN[0]).fetch_and(!mine) == mine;
        ///     assert_eq!(collective!(sum last as u32), 1);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_fetch_and")]
        fetch_and
        /// Clears the bits that are 0 in `value`: `remote!(C[pe, i]) &= value`
        /// (`shmem_atomic_and`). Not collective.
        ///
        /// Other PEs see the result after a [`quiet`](crate::World::quiet) or barrier.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static FREE: Atomic<u32> = Atomic::new(0b1111);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     remote!(&FREE[0]).and(!(1 << world.my_pe()));
        ///     world.barrier_all();
        ///     assert_eq!(remote!(FREE[0]), 0b1100);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_and")]
        and
            |value| Amo::And(value.to_bits());

        /// Sets the bits that are 1 in `value`, and returns the old value
        /// (`shmem_atomic_fetch_or`). Not collective.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static ARRIVED: Atomic<u64> = Atomic::new(0);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     let mine = 1 << world.my_pe();
        ///     let before = remote!(&ARRIVED[0]).fetch_or(mine);
        ///     // The first PE finds no bit set, and the second that of the first.
        ///     let first = before == 0;
        ///     assert!(first || before == 0b11 ^ mine);
        ///     assert_eq!(collective!(sum first as u32), 1);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_fetch_or")]
        fetch_or
        /// Sets the bits that are 1 in `value`: `remote!(C[pe, i]) |= value` (`shmem_atomic_or`).
        /// Not collective.
        ///
        /// Other PEs see the result after a [`quiet`](crate::World::quiet) or barrier.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static ARRIVED: Atomic<u64> = Atomic::new(0);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     remote!(&ARRIVED[0]).or(1 << world.my_pe());
        ///     world.barrier_all();
        ///     assert_eq!(remote!(ARRIVED[0]), 0b11);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_or")]
        or
            |value| Amo::Or(value.to_bits());

        /// Flips the bits that are 1 in `value`, and returns the old value
        /// (`shmem_atomic_fetch_xor`). Not collective.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static SIDE: Atomic<u32> = Atomic::new(0);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main() {
        ///     // Two PEs flip one bit: one of them sees it clear, the other sees it set.
        ///     let side = remote!(&SIDE[0]).fetch_xor(1);
        ///     assert_eq!(collective!(sum side), 1);
        ///     assert_eq!(remote!(SIDE[0]), 0);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_fetch_xor")]
        fetch_xor
        /// Flips the bits that are 1 in `value`: `remote!(C[pe, i]) ^= value` (`shmem_atomic_xor`).
        /// Not collective.
        ///
        /// Other PEs see the result after a [`quiet`](crate::World::quiet) or barrier.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static PARITY: Atomic<u64> = Atomic::new(0);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     remote!(&PARITY[0]).xor([0b0110, 0b0011][world.my_pe()]);
        ///     world.barrier_all();
        ///     assert_eq!(remote!(PARITY[0]), 0b0101);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        #[doc(alias = "shmem_atomic_xor")]
        xor
            |value| Amo::Xor(value.to_bits());
    }
}

impl<T: AtomicValue> Remote<'_, Atomic<T>, One> {
    updates! {
        /// Writes `value` if it is smaller, and returns the old value. Not collective.
        ///
        /// Of floats, −0.0 is smaller than 0.0. A number replaces a NaN, and a NaN replaces nothing.
        /// So the result does not depend on the order in which values come. OpenSHMEM has no such
        /// operation: a loop compares and swaps. It only reads a cell that holds a smaller value.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static NEAREST: Atomic<f64> = Atomic::new(f64::INFINITY);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     let distance = [2.5, 1.25][world.my_pe()];
        ///     let before = remote!(&NEAREST[0]).fetch_min(distance);
        ///     world.barrier_all();
        ///     assert_eq!(remote!(NEAREST[0]), 1.25);
        ///     assert!(before == f64::INFINITY || before == 3.75 - distance);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        fetch_min
        /// Writes `value` if it is smaller, as [`fetch_min`](Remote::fetch_min) does. Not collective.
        ///
        /// Other PEs see the result after a [`quiet`](crate::World::quiet) or barrier.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static FIRST: Atomic<i16> = Atomic::new(i16::MAX);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     remote!(&FIRST[0]).min([7, -3][world.my_pe()]);
        ///     world.barrier_all();
        ///     assert_eq!(remote!(FIRST[0]), -3);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        min
            |value| Amo::Combine(Combine::Min(T::KIND), value.to_bits());

        /// Writes `value` if it is larger, and returns the old value. Not collective.
        ///
        /// Of floats, 0.0 is larger than −0.0. A number replaces a NaN, and a NaN replaces nothing. So
        /// the result does not depend on the order in which values come. OpenSHMEM has no such
        /// operation: a loop compares and swaps. It only reads a cell that holds a larger value.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static HIGHEST: Atomic<u8> = Atomic::new(0);
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     let mine = [200, 100][world.my_pe()];
        ///     let before = remote!(&HIGHEST[0]).fetch_max(mine);
        ///     assert!(before == 0 || u16::from(before) == 300 - u16::from(mine));
        ///     world.barrier_all();
        ///     assert_eq!(remote!(HIGHEST[0]), 200);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        fetch_max
        /// Writes `value` if it is larger, as [`fetch_max`](Remote::fetch_max) does. Not collective.
        ///
        /// Other PEs see the result after a [`quiet`](crate::World::quiet) or barrier.
        ///
        /// ```
        /// use shmem::prelude::*;
        ///
        /// #[symmetric]
        /// static WORST: Atomic<f32> = Atomic::new(f32::NAN); // no value yet
        ///
        /// #[shmem::main(npes = 2)]
        /// fn main(world: &World) {
        ///     remote!(&WORST[0]).max([0.5, f32::NAN][world.my_pe()]);
        ///     world.barrier_all();
        ///     assert_eq!(remote!(WORST[0]), 0.5);
        /// }
        /// ```
        ///
        /// # Panics
        ///
        /// When there is no such PE.
        max
            |value| Amo::Combine(Combine::Max(T::KIND), value.to_bits());
    }
}
