//! What a launch hands to a kernel.

use shmem_gpu::nvshmem::Device;

use super::collectives::KernelTeam;
use super::memory::{GlobalMemory, HeldArray};
use super::source::KernelScalar;
use crate::gpu::{DeviceArray, GpuTeam};
use crate::symmetric::{Item, Rank, Ranked};

/// The type of a parameter of a kernel.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "neither a number nor a `Global` nor a `GpuTeam`",
    note = "a kernel takes `bool`, the integers from i8 to u64, isize, usize, f32, f64, `Global<T>` or `Global<T, RANK>` for a device array, and `GpuTeam`"
)]
pub trait KernelParameter: 'static {
    /// What the launch keeps of an argument until the kernel is done.
    type Held: Send + Sync + 'static;
    /// What stands in a launch.
    type Argument<'a>;
    /// What a thread gets.
    type Value<'a>;
    /// Keeps an argument.
    fn held(argument: Self::Argument<'_>) -> Self::Held;
    /// The value for one thread.
    fn value(held: &Self::Held) -> Self::Value<'_>;
    /// The value for a device, in words that begin with it.
    fn words(held: &Self::Held, device: &Device) -> Vec<u64>;
    /// The team that the argument is.
    fn team(_: &Self::Held) -> Option<&GpuTeam> {
        None
    }
}

macro_rules! scalars {
    ($($scalar:ty)*) => {$(
        impl KernelParameter for $scalar {
            type Held = $scalar;
            type Argument<'a> = $scalar;
            type Value<'a> = $scalar;
            fn held(argument: $scalar) -> $scalar {
                argument
            }
            fn value(held: &$scalar) -> $scalar {
                *held
            }
            fn words(held: &$scalar, _: &Device) -> Vec<u64> {
                vec![held.word()]
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
    type Argument<'a> = &'a DeviceArray<I, R>;
    type Value<'a> = GlobalMemory<'a, I, R>;
    fn held(argument: &DeviceArray<I, R>) -> HeldArray<I, R> {
        HeldArray::of(argument)
    }
    fn value(held: &HeldArray<I, R>) -> GlobalMemory<'_, I, R> {
        held.global()
    }
    fn words(held: &HeldArray<I, R>, device: &Device) -> Vec<u64> {
        held.words(device)
    }
}

impl KernelParameter for KernelTeam<'static> {
    type Held = GpuTeam;
    type Argument<'a> = &'a GpuTeam;
    type Value<'a> = KernelTeam<'a>;
    fn held(argument: &GpuTeam) -> GpuTeam {
        argument.clone()
    }
    fn value(held: &GpuTeam) -> KernelTeam<'_> {
        KernelTeam::of(held)
    }
    fn words(held: &GpuTeam, _: &Device) -> Vec<u64> {
        // A launch refuses a team without one.
        vec![held.on_a_device().map_or(0, |team| team.number().into())]
    }
    fn team(held: &GpuTeam) -> Option<&GpuTeam> {
        Some(held)
    }
}

/// The types of all parameters of a kernel.
#[doc(hidden)]
pub trait Parameters: 'static {
    /// What a launch keeps.
    type Held: Send + Sync + 'static;
    /// What stands in a launch: a tuple.
    type Arguments<'a>;
    /// What a thread gets.
    type Values<'a>;
    /// Keeps the arguments.
    fn held(arguments: Self::Arguments<'_>) -> Self::Held;
    /// The values for one thread.
    fn values(held: &Self::Held) -> Self::Values<'_>;
    /// The values for a device.
    fn words(held: &Self::Held, device: &Device) -> Vec<Vec<u64>>;
    /// The teams among the arguments.
    fn teams(held: &Self::Held) -> Vec<&GpuTeam>;
}

macro_rules! tuples {
    ($(($($parameter:ident)*))*) => {$(
        impl<$($parameter: KernelParameter),*> Parameters for ($($parameter,)*) {
            type Held = ($($parameter::Held,)*);
            type Arguments<'a> = ($($parameter::Argument<'a>,)*);
            type Values<'a> = ($($parameter::Value<'a>,)*);
            #[allow(non_snake_case, clippy::unused_unit, reason = "one name for each type parameter and its value")]
            fn held(arguments: Self::Arguments<'_>) -> Self::Held {
                let ($($parameter,)*) = arguments;
                ($($parameter::held($parameter),)*)
            }
            #[allow(non_snake_case, clippy::unused_unit, reason = "as above")]
            fn values(held: &Self::Held) -> Self::Values<'_> {
                let ($($parameter,)*) = held;
                ($($parameter::value($parameter),)*)
            }
            #[allow(non_snake_case, unused_variables, reason = "as above, and a kernel may have no parameters")]
            fn words(held: &Self::Held, device: &Device) -> Vec<Vec<u64>> {
                let ($($parameter,)*) = held;
                vec![$($parameter::words($parameter, device)),*]
            }
            #[allow(non_snake_case, reason = "as above")]
            fn teams(held: &Self::Held) -> Vec<&GpuTeam> {
                let ($($parameter,)*) = held;
                let teams: [Option<&GpuTeam>; _] = [$($parameter::team($parameter)),*];
                teams.into_iter().flatten().collect()
            }
        }
    )*};
}

tuples! {
    () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
    (A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
}
