//! What a launch hands to a kernel.

use super::memory::{GlobalMemory, HeldArray};
use crate::gpu::DeviceArray;
use crate::symmetric::{Item, Rank, Ranked};

/// The type of a parameter of a kernel.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "neither a number nor a `Global`",
    note = "a kernel takes `bool`, the integers from i8 to u64, isize, usize, f32, f64, and `Global<T>` or `Global<T, RANK>` for a device array"
)]
pub trait KernelParameter: 'static {
    /// What the launch keeps of an argument until the kernel is done.
    type Held: Send + Sync + 'static;
    /// What a thread gets.
    type Value<'a>;
    /// The value for one thread.
    fn value(held: &Self::Held) -> Self::Value<'_>;
}

/// What may stand in a launch where the kernel has a parameter `P`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument for the parameter `{P}` of a kernel",
    label = "not of the type of the parameter",
    note = "a number needs a number of its type, and a `Global<T, RANK>` needs `&array`, a reference to a `DeviceArray<T, RANK>` of the same element type and rank"
)]
pub trait Argument<P: KernelParameter> {
    /// What the launch keeps.
    fn held(self) -> P::Held;
}

macro_rules! scalars {
    ($($scalar:ty)*) => {$(
        impl KernelParameter for $scalar {
            type Held = $scalar;
            type Value<'a> = $scalar;
            fn value(held: &$scalar) -> $scalar {
                *held
            }
        }

        #[diagnostic::do_not_recommend]
        impl Argument<$scalar> for $scalar {
            fn held(self) -> $scalar {
                self
            }
        }
    )*};
}

scalars!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

impl<I: Item, const R: usize> KernelParameter for GlobalMemory<'static, I, R>
where
    Rank<R>: Ranked,
{
    type Held = HeldArray<I, R>;
    type Value<'a> = GlobalMemory<'a, I, R>;
    fn value(held: &HeldArray<I, R>) -> GlobalMemory<'_, I, R> {
        held.global()
    }
}

#[diagnostic::do_not_recommend]
impl<I: Item, const R: usize> Argument<GlobalMemory<'static, I, R>> for &DeviceArray<I, R>
where
    Rank<R>: Ranked,
{
    fn held(self) -> HeldArray<I, R> {
        HeldArray::of(self)
    }
}

/// The types of all parameters of a kernel.
#[doc(hidden)]
pub trait Parameters: 'static {
    /// What a launch keeps.
    type Held: Send + Sync + 'static;
    /// What a thread gets.
    type Values<'a>;
    /// The values for one thread.
    fn values(held: &Self::Held) -> Self::Values<'_>;
}

/// The arguments of a launch: a tuple with one for each parameter.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "these are not the arguments of the kernel, whose parameters are `{P}`",
    label = "not a tuple with one argument for each parameter",
    note = "write a tuple, also for one argument: `kernel.launch(&stream, grid, block, (&array, right))?`, `(&array,)`"
)]
pub trait Arguments<P: Parameters> {
    /// What the launch keeps.
    fn held(self) -> P::Held;
}

macro_rules! tuples {
    ($(($($parameter:ident $argument:ident)*))*) => {$(
        impl<$($parameter: KernelParameter),*> Parameters for ($($parameter,)*) {
            type Held = ($($parameter::Held,)*);
            type Values<'a> = ($($parameter::Value<'a>,)*);
            #[allow(non_snake_case, clippy::unused_unit, reason = "one name for each type parameter and its value")]
            fn values(held: &Self::Held) -> Self::Values<'_> {
                let ($($parameter,)*) = held;
                ($($parameter::value($parameter),)*)
            }
        }

        impl<$($parameter: KernelParameter, $argument: Argument<$parameter>),*> Arguments<($($parameter,)*)>
            for ($($argument,)*)
        {
            #[allow(non_snake_case, clippy::unused_unit, reason = "as above")]
            fn held(self) -> <($($parameter,)*) as Parameters>::Held {
                let ($($argument,)*) = self;
                ($($argument.held(),)*)
            }
        }
    )*};
}

tuples! {
    ()
    (A A1)
    (A A1 B B1)
    (A A1 B B1 C C1)
    (A A1 B B1 C C1 D D1)
    (A A1 B B1 C C1 D D1 E E1)
    (A A1 B B1 C C1 D D1 E E1 F F1)
    (A A1 B B1 C C1 D D1 E E1 F F1 G G1)
    (A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1)
    (A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1)
    (A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1)
    (A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1)
    (A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1)
}
