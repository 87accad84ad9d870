//! Numbers: the types that reductions take, and the result of each operation on two values.

use std::any::TypeId;

use crate::symmetric::{Atomic, Symmetric};
use crate::transport::operation::{And, Max, Min, Operation, Or, Prod, Sum, Xor};

/// Types that a reduction can add and multiply: `sum` and `prod`.
///
/// These are the integers, which wrap around, and the floats. With the feature `half` they include
/// `f16` and `bf16`, which round after each step, and with the feature `num-complex` the complex
/// numbers of `f32` and `f64`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reduced",
    label = "not a number",
    note = "sum and prod take integers, floats and complex numbers; min and max take integers and floats; and, or and xor take integers; other elements take a function: `reduce x with join`"
)]
pub trait Reduce: Symmetric + PartialEq + sealed::SealedNumber {
    /// Whether the result of an operation on several values does not depend on their order.
    #[doc(hidden)]
    const EXACT: bool;
    #[doc(hidden)]
    fn sum(self, other: Self) -> Self;
    #[doc(hidden)]
    fn prod(self, other: Self) -> Self;
}

/// Types that a reduction can compare: `min` and `max`. These are the numbers of [`Reduce`] except
/// the complex ones.
///
/// A NaN is ignored, as by [`f64::min`] and [`f64::max`].
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no smallest and largest",
    label = "not an ordered number",
    note = "min and max take integers and floats; complex numbers have no order"
)]
pub trait ReduceOrdered: Reduce {
    #[doc(hidden)]
    fn min(self, other: Self) -> Self;
    #[doc(hidden)]
    fn max(self, other: Self) -> Self;
}

/// Types that can be reduced bit by bit: `and`, `or` and `xor`. These are the integers.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reduced bit by bit",
    label = "not an integer",
    note = "and, or and xor take integers"
)]
pub trait ReduceBits: ReduceOrdered {
    #[doc(hidden)]
    fn and(self, other: Self) -> Self;
    #[doc(hidden)]
    fn or(self, other: Self) -> Self;
    #[doc(hidden)]
    fn xor(self, other: Self) -> Self;
}

/// Types that have a 1, for [`World::ones`](crate::World::ones): numbers and [`Atomic`] cells of
/// numbers.
///
/// A program may implement it for its own structs:
///
/// ```
/// use shmem::prelude::*;
///
/// #[derive(Clone, Copy, Symmetric)]
/// #[repr(transparent)]
/// struct Metres(f64);
///
/// impl shmem::HasOne for Metres {
///     const ONE: Metres = Metres(1.0);
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     let lengths = world.ones::<Metres, 1>([3])?;
///     assert_eq!(local!(lengths[2]).0, 1.0);
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "there is no 1 of type `{Self}`",
    label = "not a number",
    note = "`ones` makes arrays of integers, floats, complex numbers and atomic cells; for other elements give the value: `world.symmetric_array(extents, value)`"
)]
pub trait HasOne: Copy + 'static {
    /// The multiplicative identity.
    const ONE: Self;
}

#[diagnostic::do_not_recommend]
impl<T: HasOne> HasOne for Atomic<T> {
    const ONE: Atomic<T> = Atomic::new(T::ONE);
}

mod sealed {
    /// Sealed: a program cannot define reductions of other types, because all PEs must compute the
    /// same result.
    pub trait SealedNumber {}

    /// Sealed: a program cannot define other operations either. Such an operation would be code of
    /// the program inside a collective call, and a collective call in it would wait for itself.
    pub trait SealedOperand<O> {}
}

/// A type that can be reduced: its 1, its addition and its multiplication.
macro_rules! number {
    ($number:ty, $exact:literal, $one:expr, $sum:expr, $prod:expr) => {
        impl sealed::SealedNumber for $number {}
        impl Reduce for $number {
            const EXACT: bool = $exact;
            fn sum(self, other: $number) -> $number {
                $sum(self, other)
            }
            fn prod(self, other: $number) -> $number {
                $prod(self, other)
            }
        }
        impl HasOne for $number {
            const ONE: $number = $one;
        }
    };
}

macro_rules! integers {
    ($($int:ident)*) => {$(
        number!($int, true, 1, $int::wrapping_add, $int::wrapping_mul);
        impl ReduceOrdered for $int {
            fn min(self, other: $int) -> $int { Ord::min(self, other) }
            fn max(self, other: $int) -> $int { Ord::max(self, other) }
        }
        impl ReduceBits for $int {
            fn and(self, other: $int) -> $int { self & other }
            fn or(self, other: $int) -> $int { self | other }
            fn xor(self, other: $int) -> $int { self ^ other }
        }
    )*};
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! floats {
    ($($float:ty, $one:expr;)*) => {$(
        number!($float, false, $one, std::ops::Add::add, std::ops::Mul::mul);
        impl ReduceOrdered for $float {
            fn min(self, other: $float) -> $float { <$float>::min(self, other) }
            fn max(self, other: $float) -> $float { <$float>::max(self, other) }
        }
    )*};
}

floats! {
    f32, 1.0;
    f64, 1.0;
}

#[cfg(feature = "half")]
floats! {
    half::f16, half::f16::ONE;
    half::bf16, half::bf16::ONE;
}

#[cfg(feature = "num-complex")]
mod complex {
    use num_complex::Complex;

    use super::{HasOne, Reduce, sealed};

    number!(Complex<f32>, false, Complex::new(1.0, 0.0), std::ops::Add::add, std::ops::Mul::mul);
    number!(Complex<f64>, false, Complex::new(1.0, 0.0), std::ops::Add::add, std::ops::Mul::mul);
}

/// The size of `T` in bytes, if `T` is an integer that the C routines for signed integers reduce
/// with the same result as here. These routines serve the unsigned integers too, except for minima
/// and maxima.
pub(crate) fn integer<T: 'static>(operation: Operation) -> Option<usize> {
    let is = |other: TypeId| TypeId::of::<T>() == other;
    let signed = [TypeId::of::<i16>(), TypeId::of::<i32>(), TypeId::of::<i64>(), TypeId::of::<isize>()];
    let unsigned = [TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()];
    let ordered = matches!(operation, Operation::Min | Operation::Max);
    (signed.into_iter().any(is) || !ordered && unsigned.into_iter().any(is)).then_some(size_of::<T>())
}

/// Types that the operation `O` reduces. It is one trait for all operations, so that a wrong type
/// is reported once.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::reduction::{Max, ReducedBy};
///
/// /// Of numbers that have a largest one.
/// fn largest<T: ReducedBy<Max>>(values: &[T]) -> T {
///     values.iter().copied().reduce(ReducedBy::<Max>::join).expect("there are some")
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     assert_eq!(largest(&[3, 8, 5]), 8);
///     assert_eq!(world.n_pes(), 2);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reduced by this operation",
    label = "not a number that the operation takes",
    note = "`sum` and `prod` take integers, floats and complex numbers, `min` and `max` take integers and floats, `and`, `or` and `xor` take integers",
    note = "a value is one number: several in symmetric memory are `DST[..] = sum SRC[..]`, and an `Atomic` cell gives its value as `local!(COUNT)`"
)]
pub trait ReducedBy<O>: Reduce + sealed::SealedOperand<O> {
    /// The operation `O`, as a value.
    const OPERATION: Operation;
    /// The name of the operation in `collective!`.
    const NAME: &'static str = Self::OPERATION.name();
    /// Returns the result of the operation on two values. Not collective.
    ///
    /// ```
    /// use shmem::reduction::{Max, ReducedBy, Sum};
    ///
    /// assert_eq!(ReducedBy::<Sum>::join(200_u8, 100), 44); // integers wrap around
    /// assert_eq!(ReducedBy::<Max>::join(f64::NAN, 1.0), 1.0); // a NaN is left out
    /// ```
    fn join(self, other: Self) -> Self;
}

macro_rules! operations {
    ($($op:ident $method:ident $bound:ident;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<T: $bound> sealed::SealedOperand<$op> for T {}

            #[diagnostic::do_not_recommend]
            impl<T: $bound> ReducedBy<$op> for T {
                const OPERATION: Operation = Operation::$op;
                fn join(self, other: T) -> T {
                    self.$method(other)
                }
            }
        )*
    };
}

operations! {
    Sum sum Reduce;
    Prod prod Reduce;
    Min min ReduceOrdered;
    Max max ReduceOrdered;
    And and ReduceBits;
    Or or ReduceBits;
    Xor xor ReduceBits;
}
