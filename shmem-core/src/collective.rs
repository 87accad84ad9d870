//! Collectives: the reduction of one value from each PE.

use std::fmt;

use crate::symmetric::Symmetric;
use crate::symmetric::heap::{get_words, internal, put_words};
use crate::{phase, runtime};

/// Types that can be reduced.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reduced",
    label = "not a number",
    note = "sum, prod, min and max take integers and floats; and, or and xor take integers"
)]
pub trait Reduce: Symmetric + PartialEq + sealed::Number {
    #[doc(hidden)]
    const NAME: &'static str;
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
            const NAME: &'static str = stringify!($int);
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
            const NAME: &'static str = stringify!($float);
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
    /// The operation's code in a call's tag.
    const CODE: u64;
    /// Two values in one.
    fn join(self, other: Self) -> Self;
}

macro_rules! operations {
    ($($op:ident $method:ident $bound:ident $code:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($method), "`")]
            #[doc(hidden)]
            #[derive(Clone, Copy, Debug)]
            pub struct $op;

            #[diagnostic::do_not_recommend]
            impl<T: $bound> ReducedBy<$op> for T {
                const CODE: u64 = $code;
                fn join(self, other: T) -> T {
                    self.$method(other)
                }
            }
        )*

        fn operation_name(code: u64) -> &'static str {
            match code {
                $($code => stringify!($method),)*
                _ => "unknown operation",
            }
        }
    };
}

operations! {
    Sum sum Reduce 1;
    Prod prod Reduce 2;
    Min min Reduce 3;
    Max max Reduce 4;
    And and ReduceBits 5;
    Or or ReduceBits 6;
    Xor xor ReduceBits 7;
}

/// How many reductions this PE has made.
pub(crate) struct Reductions {
    made: u64,
}

impl Reductions {
    pub(crate) const fn new() -> Reductions {
        Reductions { made: 0 }
    }
}

/// `collective!(op value)`: joins one value from each PE, in the order of the PEs, so that all get the same bits. Collective.
///
/// # Panics
///
/// When the PEs are in different reductions.
#[doc(hidden)]
#[track_caller]
pub fn all_reduce<O, T: ReducedBy<O>>(_: O, value: T) -> T {
    phase::refuse("a reduction");
    let runtime = runtime::get();
    let transport = runtime.transport();
    let mut reductions = runtime.reductions();
    reductions.made += 1;
    // Two slots in turn: who writes the third has met everybody in the second, so all have read the first.
    let slot = internal::REDUCE + (reductions.made % 2) as usize * 64;
    let mine = Call { made: reductions.made, op: T::CODE, kind: kind::<T>() };
    let mut words = [mine.made, mine.op, mine.kind, 0, 0];
    const { assert!(size_of::<T>() <= 2 * size_of::<u64>()) };
    // SAFETY: a value has two words at most, as was just asserted, and `words` has two behind the call.
    unsafe { words.as_mut_ptr().add(3).cast::<T>().write_unaligned(value) };
    let me = transport.my_pe();
    put_words(transport, me, slot, &words);
    transport.barrier_all();
    let mut joined: Option<T> = None;
    for pe in 0..transport.n_pes() {
        let mut words = [0; 5];
        get_words(transport, pe, slot, &mut words);
        let other = Call { made: words[0], op: words[1], kind: words[2] };
        assert!(
            other.made >= mine.made,
            "the PEs disagree on a reduction: PE {me} is in {mine}, and PE {pe} is in none but in another collective call, \
             such as a barrier; every PE must make the same collective calls in the same order"
        );
        assert!(
            mine == other,
            "the PEs disagree on a reduction: PE {me} is in {mine}, and PE {pe} is in {other}; every PE must make the same \
             collective calls in the same order"
        );
        // SAFETY: the other PE wrote a `T` there, as its call says; every bit pattern is a valid one in any case.
        let value = unsafe { words.as_ptr().add(3).cast::<T>().read_unaligned() };
        joined = Some(match joined {
            Some(joined) => joined.join(value),
            None => value,
        });
    }
    joined.unwrap_or(value)
}

/// A reduction, as each PE calls it: all must call the same.
#[derive(PartialEq)]
struct Call {
    made: u64,
    op: u64,
    kind: u64,
}

/// A type's name in a word: the names of the numbers have at most five letters.
fn kind<T: Reduce>() -> u64 {
    T::NAME.bytes().fold(0, |word, letter| word << 8 | u64::from(letter))
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind: String = self.kind.to_be_bytes().into_iter().filter(|&b| b != 0).map(char::from).collect();
        write!(f, "its reduction number {}, `{}` of {kind}", self.made, operation_name(self.op))
    }
}
