//! The atomic operations of a transport, and what each leaves in a cell.

use std::cmp::Ordering;

/// The read-modify-write operations of a transport, on a cell of 1, 2, 4 or 8 bytes.
///
/// The low bytes of a `u64` carry the operand and the returned value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amo {
    /// Read.
    Fetch,
    /// Write, atomically.
    Set(u64),
    /// Write, and return what was there.
    Swap(u64),
    /// Write `new` if the cell holds `expected`; return what was there.
    CompareSwap {
        /// What the cell must hold.
        expected: u64,
        /// What it holds then.
        new: u64,
    },
    /// Add with wrap-around; return what was there.
    Add(u64),
    /// Bitwise and; return what was there.
    And(u64),
    /// Bitwise or; return what was there.
    Or(u64),
    /// Bitwise exclusive or; return what was there.
    Xor(u64),
    /// Combine in another way; return what was there. Compare-and-swaps in a loop carry it out.
    Combine(Combine, u64),
}

/// Which operation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AmoKind {
    Fetch,
    Set,
    Swap,
    CompareSwap,
    Add,
    And,
    Or,
    Xor,
    Combine(Combine),
}

/// What no processor and no library does in one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// The sum of two floats.
    AddFloats,
    /// The smaller one.
    Min(NumberKind),
    /// The larger one.
    Max(NumberKind),
}

/// What the bytes of a cell mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// A whole number from 0 on.
    Unsigned,
    /// A whole number in two's complement.
    Signed,
    /// An `f32` or an `f64`, by the width.
    Float,
}

/// The size of an atomic cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One byte.
    W1,
    /// Two bytes.
    W2,
    /// Four bytes.
    W4,
    /// Eight bytes.
    W8,
}

impl Width {
    /// The width of a cell with so many bytes.
    pub(crate) const fn of(bytes: usize) -> Width {
        match bytes {
            1 => Width::W1,
            2 => Width::W2,
            4 => Width::W4,
            _ => Width::W8,
        }
    }

    /// The size in bytes.
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Width::W1 => 1,
            Width::W2 => 2,
            Width::W4 => 4,
            Width::W8 => 8,
        }
    }

    /// Whether a C library has no atomic operations of this size.
    #[inline(always)]
    pub(crate) const fn is_narrow(self) -> bool {
        matches!(self, Width::W1 | Width::W2)
    }

    /// How far the sign of the number in the low bytes is from the highest bit.
    const fn rest(self) -> u32 {
        64 - 8 * self.bytes() as u32
    }

    /// The low bytes, which carry the number.
    pub(crate) const fn low(self, bits: u64) -> u64 {
        bits << self.rest() >> self.rest()
    }

    /// The float in the low bytes. A double has every single, in their order.
    fn float(self, bits: u64) -> f64 {
        match self {
            Width::W8 => f64::from_bits(bits),
            _ => f32::from_bits(bits as u32).into(),
        }
    }
}

impl Amo {
    /// Which operation it is, and its two operands, or zeros. A function that takes these gets them in registers, where an
    /// `Amo` would have to be in memory, also on the way past the call.
    #[inline(always)]
    pub(crate) const fn split(self) -> (AmoKind, u64, u64) {
        match self {
            Amo::Fetch => (AmoKind::Fetch, 0, 0),
            Amo::Set(value) => (AmoKind::Set, value, 0),
            Amo::Swap(value) => (AmoKind::Swap, value, 0),
            Amo::CompareSwap { expected, new } => (AmoKind::CompareSwap, expected, new),
            Amo::Add(value) => (AmoKind::Add, value, 0),
            Amo::And(value) => (AmoKind::And, value, 0),
            Amo::Or(value) => (AmoKind::Or, value, 0),
            Amo::Xor(value) => (AmoKind::Xor, value, 0),
            Amo::Combine(combine, value) => (AmoKind::Combine(combine), value, 0),
        }
    }

    /// The operation that was [`split`](Amo::split) into these.
    pub(crate) const fn join(kind: AmoKind, value: u64, second: u64) -> Amo {
        match kind {
            AmoKind::Fetch => Amo::Fetch,
            AmoKind::Set => Amo::Set(value),
            AmoKind::Swap => Amo::Swap(value),
            AmoKind::CompareSwap => Amo::CompareSwap { expected: value, new: second },
            AmoKind::Add => Amo::Add(value),
            AmoKind::And => Amo::And(value),
            AmoKind::Or => Amo::Or(value),
            AmoKind::Xor => Amo::Xor(value),
            AmoKind::Combine(combine) => Amo::Combine(combine, value),
        }
    }

    /// What it leaves in a cell that holds `seen`; `None` where it leaves the cell alone.
    #[inline]
    pub(crate) fn leaves(self, seen: u64, width: Width) -> Option<u64> {
        let value = match self {
            Amo::Fetch => return None,
            Amo::CompareSwap { expected, .. } if width.low(expected) != width.low(seen) => return None,
            Amo::Set(value) | Amo::Swap(value) => value,
            Amo::CompareSwap { new, .. } => new,
            Amo::Add(value) => seen.wrapping_add(value),
            Amo::And(value) => seen & value,
            Amo::Or(value) => seen | value,
            Amo::Xor(value) => seen ^ value,
            Amo::Combine(combine, value) => combine.leaves(seen, value, width)?,
        };
        Some(width.low(value))
    }
}

impl Combine {
    /// What is left of a cell that holds `seen`, and of `value`; `None` where the cell stays.
    #[inline]
    fn leaves(self, seen: u64, value: u64, width: Width) -> Option<u64> {
        match self {
            Combine::AddFloats => Some(match width {
                Width::W8 => (f64::from_bits(seen) + f64::from_bits(value)).to_bits(),
                _ => (f32::from_bits(seen as u32) + f32::from_bits(value as u32)).to_bits().into(),
            }),
            Combine::Min(kind) => kind.replaces(value, seen, width, Ordering::Less).then_some(value),
            Combine::Max(kind) => kind.replaces(value, seen, width, Ordering::Greater).then_some(value),
        }
    }
}

impl NumberKind {
    /// Whether `value` takes the place of `seen`, where the number on this side of the other is wanted.
    ///
    /// Of floats it is IEEE 754's `minimumNumber` and `maximumNumber`: −0.0 is less than 0.0, and a
    /// number replaces a NaN, which replaces nothing. So the result does not depend on the order in
    /// which values come.
    #[inline]
    fn replaces(self, value: u64, seen: u64, width: Width, wanted: Ordering) -> bool {
        let signed = |bits: u64| (bits << width.rest()).cast_signed();
        match self {
            NumberKind::Unsigned => width.low(value).cmp(&width.low(seen)) == wanted,
            NumberKind::Signed => signed(value).cmp(&signed(seen)) == wanted,
            NumberKind::Float => {
                let (value, seen) = (width.float(value), width.float(seen));
                !value.is_nan() && (seen.is_nan() || value.total_cmp(&seen) == wanted)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Combine::{AddFloats, Max, Min};
    use NumberKind::{Float, Signed, Unsigned};

    #[test]
    fn an_operation_leaves_its_value() {
        let low = u64::from(u32::MAX);
        for (op, seen, width, expected) in [
            (Amo::Fetch, 7, Width::W8, None),
            (Amo::Set(3), 7, Width::W8, Some(3)),
            (Amo::Swap(3), 7, Width::W4, Some(3)),
            (Amo::CompareSwap { expected: 7, new: 8 }, 7, Width::W8, Some(8)),
            (Amo::CompareSwap { expected: 6, new: 8 }, 7, Width::W8, None),
            (Amo::CompareSwap { expected: 0xf07, new: 0xf08 }, 7, Width::W1, Some(8)),
            (Amo::Add(u64::MAX), 7, Width::W8, Some(6)),
            (Amo::Add(1), low, Width::W4, Some(0)),
            (Amo::Add(2), 0xffff, Width::W2, Some(1)),
            (Amo::And(6), 3, Width::W8, Some(2)),
            (Amo::Or(6), 3, Width::W8, Some(7)),
            (Amo::Xor(6), 3, Width::W8, Some(5)),
            (Amo::Combine(Min(Unsigned), 0xff), 1, Width::W1, None),
            (Amo::Combine(Min(Signed), 0xff), 1, Width::W1, Some(0xff)),
            (Amo::Combine(Max(Signed), 0xff), 1, Width::W1, None),
            (Amo::Combine(Max(Unsigned), 0xff), 1, Width::W1, Some(0xff)),
            (Amo::Combine(Max(Unsigned), 1), 1, Width::W8, None),
        ] {
            assert_eq!(op.leaves(seen, width), expected, "{op:?}");
        }
    }

    /// What `combine` leaves of two floats, in both widths.
    fn floats(combine: Combine, seen: f64, value: f64) -> f64 {
        let wide = combine.leaves(seen.to_bits(), value.to_bits(), Width::W8);
        let single = |value: f64| u64::from((value as f32).to_bits());
        let narrow = combine.leaves(single(seen), single(value), Width::W4);
        let (wide, narrow) = (
            wide.map_or(seen, f64::from_bits),
            narrow.map_or(seen as f32, |bits| f32::from_bits(bits as u32)),
        );
        assert!(wide.to_bits() == f64::from(narrow).to_bits() || wide.is_nan() && narrow.is_nan());
        wide
    }

    #[test]
    fn the_order_of_floats_does_not_matter() {
        let numbers = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 0.25, f64::INFINITY];
        for (i, &a) in numbers.iter().enumerate() {
            for (j, &b) in numbers.iter().enumerate() {
                assert_eq!(floats(Min(Float), a, b).to_bits(), numbers[i.min(j)].to_bits());
                assert_eq!(floats(Max(Float), a, b).to_bits(), numbers[i.max(j)].to_bits());
                let (sum, there) = (a + b, floats(AddFloats, a, b));
                assert!(sum.to_bits() == there.to_bits() || sum.is_nan() && there.is_nan());
            }
            for combine in [Min(Float), Max(Float)] {
                assert_eq!(floats(combine, a, f64::NAN).to_bits(), a.to_bits());
                assert_eq!(floats(combine, f64::NAN, a).to_bits(), a.to_bits());
            }
            assert!(floats(AddFloats, a, f64::NAN).is_nan() && floats(AddFloats, f64::NAN, a).is_nan());
        }
        assert!(floats(Min(Float), f64::NAN, f64::NAN).is_nan());
    }
}
