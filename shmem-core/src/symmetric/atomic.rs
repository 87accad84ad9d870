//! Atomic cells.

use super::Symmetric;
use crate::transport::{Amo, Combine, NumberKind, Width};

/// A cell of a symmetric object, which only atomic operations access.
///
/// OpenSHMEM leaves a program undefined if an atomic update and a plain access to the same location
/// race. So the type decides: every read, write and update of an `Atomic<T>` is atomic, and
/// `remote!(C[pe, i]) += 1` on another type does not compile.
///
/// | operation | on | OpenSHMEM |
/// |---|---|---|
/// | read, write, `swap` | all | `shmem_atomic_fetch`, `_set`, `_swap` |
/// | `+=` `-=`, `fetch_add`, … | all | `shmem_atomic_add`, `_fetch_add` on integers of 4 and 8 bytes |
/// | `min`, `max`, `fetch_min`, … | all | |
/// | `compare_exchange`, [`wait!`](crate::wait!) | integers | `shmem_atomic_compare_swap`, `shmem_wait_until` |
/// | `&=` `\|=` `^=`, `fetch_and`, … | integers | `shmem_atomic_and`, … |
///
/// Cells are the integers of 1, 2, 4 and 8 bytes, `f32` and `f64`. Where OpenSHMEM has no such
/// operation, a loop carries it out that compares and swaps. Over a C library, a cell of 1 or 2 bytes
/// is updated as a part of the 4 or 8 bytes around it, which are cells of the same object.
///
/// The operations are methods of [`Remote`](crate::Remote). Outside of symmetric memory, an
/// `Atomic<T>` is only an initial value of a static or an array.
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static HITS: [Atomic<u64>; 16] = [Atomic::new(0); 16];
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     remote!(HITS[0, 3]) += 1;
///     world.barrier_all();
///     if world.my_pe() == 0 {
///         assert_eq!(local!(HITS[3]), world.n_pes() as u64);
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Atomic<T>(#[allow(dead_code, reason = "read as bytes, when the cell is laid out")] T);

impl<T> Atomic<T> {
    /// Makes the initial value of a cell, which starts as `value`.
    ///
    /// The static or the array checks that the type of the value is an [`AtomicValue`].
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static CREDITS: Atomic<i64> = Atomic::new(8);
    /// #[symmetric]
    /// static FLAGS: [Atomic<u32>; 3] = [Atomic::new(1); 3];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     assert_eq!(local!(CREDITS), 8);
    ///     assert_eq!(local!(FLAGS[..]), [1; 3]);
    ///     let counts = world.symmetric_array([2], Atomic::new(5_u64))?;
    ///     assert_eq!(local!(counts[..]), [5, 5]);
    ///     Ok(())
    /// }
    /// ```
    pub const fn new(value: T) -> Atomic<T> {
        Atomic(value)
    }
}

impl<T: Default> Default for Atomic<T> {
    fn default() -> Atomic<T> {
        Atomic::new(T::default())
    }
}

/// Types that an [`Atomic`] cell can hold: the integers of up to 8 bytes, `f32` and `f64`. They can be
/// read, written, swapped, added to and compared with `min` and `max` atomically.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::AtomicValue;
///
/// /// Adds on PE 0, whatever the cell holds.
/// fn count<T: AtomicValue>(world: &World, value: T) -> Result<T, shmem::Error> {
///     let cells = world.zeros::<Atomic<T>, 1>([1])?;
///     remote!(&cells[0, 0]).add(value);
///     world.barrier_all();
///     Ok(remote!(cells[0, 0]))
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) -> Result<(), shmem::Error> {
///     assert_eq!((count::<f64>(world, 0.5)?, count::<u8>(world, 3)?), (1.0, 6));
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be updated atomically",
    label = "no atomic cell of this type",
    note = "a cell is a number of up to 8 bytes: `Atomic<T>` takes the integers from i8 to i64, u8 to u64, isize, usize, f32 and f64"
)]
pub trait AtomicValue: Symmetric + sealed::CellNumber {}

/// Types that have an atomic compare-and-swap, and that a PE can wait for: the integers of up to 8
/// bytes.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::select::One;
/// use shmem::{AtomicInteger, Remote};
///
/// #[symmetric]
/// static OWNER: Atomic<i32> = Atomic::new(-1);
///
/// /// Whether this PE was the first to change the cell.
/// fn claim<T: AtomicInteger + PartialEq>(cell: Remote<'_, Atomic<T>, One>, free: T, mine: T) -> bool {
///     cell.compare_exchange(free, mine).is_ok()
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let won = claim(remote!(&OWNER[0]), -1, world.my_pe() as i32);
///     assert_eq!(collective!(sum won as u32), 1);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "there is no atomic compare-and-swap on `{Self}`",
    label = "not an integer of up to 8 bytes",
    note = "integers are compared by their bits; to compare and swap floats, declare `Atomic<u64>` and use `f64::to_bits` and `f64::from_bits`"
)]
pub trait AtomicInteger: AtomicValue {}

/// Types that have atomic bitwise operations: the integers of up to 8 bytes.
///
/// ```
/// use shmem::prelude::*;
/// use shmem::select::One;
/// use shmem::{AtomicBits, Remote};
///
/// #[symmetric]
/// static SEEN: Atomic<u8> = Atomic::new(0);
///
/// fn mark<T: AtomicBits>(cell: Remote<'_, Atomic<T>, One>, bits: T) {
///     cell.or(bits);
/// }
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     mark(remote!(&SEEN[0]), 1 << world.my_pe());
///     world.barrier_all();
///     assert_eq!(remote!(SEEN[0]), 0b11);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "there are no atomic bitwise operations on `{Self}`",
    label = "not an integer of up to 8 bytes",
    note = "a cell of floats has reads, writes, `swap`, `+=`, `-=`, `min` and `max`"
)]
pub trait AtomicBits: AtomicInteger {}

pub(crate) mod sealed {
    use super::{Amo, NumberKind, Width};

    /// The cell as the processor sees it: 1, 2, 4 or 8 bytes. Implemented only here, because the
    /// operations rely on `WIDTH`.
    pub trait Bits: Copy {
        #[doc(hidden)]
        #[allow(private_interfaces, reason = "the trait is sealed")]
        const WIDTH: Width;
        #[doc(hidden)]
        fn to_bits(self) -> u64;
        #[doc(hidden)]
        fn from_bits(bits: u64) -> Self;
    }

    /// What the cell means.
    pub trait CellNumber: Bits {
        #[doc(hidden)]
        #[allow(private_interfaces, reason = "the trait is sealed")]
        const KIND: NumberKind;
        /// The operation that adds the number.
        #[doc(hidden)]
        #[allow(private_interfaces, reason = "the trait is sealed")]
        fn adding(self) -> Amo;
        /// The operation that subtracts the number.
        #[doc(hidden)]
        #[allow(private_interfaces, reason = "the trait is sealed")]
        fn subtracting(self) -> Amo;
    }
}

macro_rules! atomic_integers {
    ($($int:ty as $bits:ty),*) => {$(
        impl sealed::Bits for $int {
            #[allow(private_interfaces, reason = "the trait is sealed")]
            const WIDTH: Width = Width::of(size_of::<$int>());
            #[inline(always)]
            fn to_bits(self) -> u64 {
                // Through the unsigned type of the same size, so that the sign is not extended.
                self as $bits as u64
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> $int {
                bits as $int
            }
        }
        impl sealed::CellNumber for $int {
            #[allow(private_interfaces, reason = "the trait is sealed")]
            const KIND: NumberKind =
                if <$int>::MIN == 0 { NumberKind::Unsigned } else { NumberKind::Signed };
            #[allow(private_interfaces, reason = "the trait is sealed")]
            #[inline(always)]
            fn adding(self) -> Amo {
                Amo::Add(sealed::Bits::to_bits(self))
            }
            #[allow(private_interfaces, reason = "the trait is sealed")]
            #[inline(always)]
            fn subtracting(self) -> Amo {
                Amo::Add(sealed::Bits::to_bits(self).wrapping_neg())
            }
        }
        impl AtomicValue for $int {}
        impl AtomicInteger for $int {}
        impl AtomicBits for $int {}
    )*};
}

atomic_integers!(
    i8 as u8,
    u8 as u8,
    i16 as u16,
    u16 as u16,
    i32 as u32,
    u32 as u32,
    i64 as u64,
    u64 as u64,
    isize as usize,
    usize as usize
);

macro_rules! atomic_floats {
    ($($float:ty, $bits:ty, $width:ident);*) => {$(
        impl sealed::Bits for $float {
            #[allow(private_interfaces, reason = "the trait is sealed")]
            const WIDTH: Width = Width::$width;
            #[inline(always)]
            fn to_bits(self) -> u64 {
                <$float>::to_bits(self).into()
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> $float {
                <$float>::from_bits(bits as $bits)
            }
        }
        impl sealed::CellNumber for $float {
            #[allow(private_interfaces, reason = "the trait is sealed")]
            const KIND: NumberKind = NumberKind::Float;
            #[allow(private_interfaces, reason = "the trait is sealed")]
            #[inline(always)]
            fn adding(self) -> Amo {
                Amo::Combine(Combine::AddFloats, sealed::Bits::to_bits(self))
            }
            // The sum with the negative is the difference, also of zeros.
            #[allow(private_interfaces, reason = "the trait is sealed")]
            #[inline(always)]
            fn subtracting(self) -> Amo {
                Amo::Combine(Combine::AddFloats, sealed::Bits::to_bits(-self))
            }
        }
        impl AtomicValue for $float {}
    )*};
}

atomic_floats!(f32, u32, W4; f64, u64, W8);
