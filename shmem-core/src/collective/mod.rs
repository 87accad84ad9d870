//! Collectives: what the PEs of a team do together. The methods are [`Team`]'s.
//!
//! * `call`: one call on this PE, with what it leaves for the others, and the comparison of what they call;
//! * `elements`: a selection as a sequence, on any PE;
//! * `reduce`: reductions and scans;
//! * `exchange`: broadcast, collect, all-to-all.

pub(crate) mod call;
mod elements;
mod exchange;
mod reduce;

pub use elements::Fits;

use crate::runtime;
use crate::symmetric::Symmetric;
use crate::team::Team;

/// Types that can be reduced.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reduced",
    label = "not a number",
    note = "sum, prod, min and max take integers and floats; and, or and xor take integers"
)]
pub trait Reduce: Symmetric + PartialEq + sealed::Number {
    #[doc(hidden)]
    fn sum(self, other: Self) -> Self;
    #[doc(hidden)]
    fn prod(self, other: Self) -> Self;
    #[doc(hidden)]
    fn min(self, other: Self) -> Self;
    #[doc(hidden)]
    fn max(self, other: Self) -> Self;
}

/// Types that can be reduced bit by bit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reduced bit by bit",
    label = "not an integer",
    note = "and, or and xor take integers"
)]
pub trait ReduceBits: Reduce {
    #[doc(hidden)]
    fn and(self, other: Self) -> Self;
    #[doc(hidden)]
    fn or(self, other: Self) -> Self;
    #[doc(hidden)]
    fn xor(self, other: Self) -> Self;
}

mod sealed {
    /// The values of a reduction travel in a slot of fixed size, so these are the primitive numbers and no others.
    pub trait Number {}
}

macro_rules! reduce_integers {
    ($($int:ident)*) => {$(
        impl sealed::Number for $int {}
        impl Reduce for $int {
            fn sum(self, other: $int) -> $int { self.wrapping_add(other) }
            fn prod(self, other: $int) -> $int { self.wrapping_mul(other) }
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

reduce_integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! reduce_floats {
    ($($float:ident)*) => {$(
        impl sealed::Number for $float {}
        impl Reduce for $float {
            fn sum(self, other: $float) -> $float { self + other }
            fn prod(self, other: $float) -> $float { self * other }
            fn min(self, other: $float) -> $float { $float::min(self, other) }
            fn max(self, other: $float) -> $float { $float::max(self, other) }
        }
    )*};
}

reduce_floats!(f32 f64);

/// Types that the operation `O` reduces: one trait for all operations, so that a wrong type is reported once.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reduced by this operation",
    label = "not a number that the operation takes",
    note = "`sum`, `prod`, `min` and `max` take one integer or float, `and`, `or` and `xor` take one integer"
)]
pub trait ReducedBy<O>: Reduce {
    /// The operation, as it is written.
    const NAME: &'static str;
    /// Two values in one.
    fn join(self, other: Self) -> Self;
}

macro_rules! operations {
    ($($op:ident $method:ident $bound:ident;)*) => {
        $(
            #[doc = concat!("The operation `", stringify!($method), "` of a reduction.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $op;

            #[diagnostic::do_not_recommend]
            impl<T: $bound> ReducedBy<$op> for T {
                const NAME: &'static str = stringify!($method);
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
    Min min Reduce;
    Max max Reduce;
    And and ReduceBits;
    Or or ReduceBits;
    Xor xor ReduceBits;
}

/// `collective!(op value)`, on the world.
#[doc(hidden)]
pub fn world_team() -> &'static Team {
    runtime::get().world().team()
}
