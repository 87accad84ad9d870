//! Where one element of a global array lies, in the fewest instructions: those of a loop over elements
//! are hardly anything else.
//!
//! The quotient of a division is one multiplication, without the shift of
//! [`Reciprocal`](super::axis::Reciprocal), and the PE is a number for which the table of heaps has an
//! entry, which the optimiser knows.

#[cfg(all(target_arch = "x86_64", not(miri)))]
use std::arch::asm;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use std::hint::assert_unchecked;

use super::Distribution;
use super::axis::AxisParts;
use crate::runtime::direct::LISTED;

const _: () = assert!(LISTED.is_power_of_two(), "a number below it is one without higher bits");

/// How the indices of the first axis are dealt, where that is in blocks or singly.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortWay {
    /// Whether there is this way. The factor would tell it too, with one or two instructions more.
    exists: bool,
    /// Whether the quotient is the PE, and not the rest.
    in_blocks: bool,
    factor: u64,
    divisor: usize,
}

impl ShortWay {
    /// There is no short way.
    pub(super) const NONE: ShortWay = ShortWay { exists: false, in_blocks: false, factor: 0, divisor: 0 };

    /// That of an array whose first axis this is, unless it is dealt in another way, or too large.
    pub(super) fn of(distribution: Distribution, axis: &AxisParts) -> ShortWay {
        let (in_blocks, divisor) = match distribution {
            Distribution::Block => (true, axis.block),
            Distribution::Cyclic => (false, axis.coordinates),
            Distribution::BlockCyclic(_) | Distribution::Block2d => return ShortWay::NONE,
        };
        let is_listed = axis.extent.min(axis.coordinates) <= LISTED;
        if is_listed && divides_exactly(divisor, axis.extent) {
            ShortWay { exists: true, in_blocks, factor: factor_of(divisor), divisor }
        } else {
            ShortWay::NONE
        }
    }

    /// The factor and the divisor for [`quotient`]; zeros where there is no short way.
    pub(super) fn numbers(&self) -> (u64, usize) {
        (self.factor, self.divisor)
    }

    /// The PE of index `i`, and its place.
    #[inline(always)]
    pub(super) fn locate(&self, i: usize) -> Option<(usize, usize)> {
        if !self.exists {
            return None;
        }
        if self.in_blocks {
            let pe = owner(self.factor, i);
            Some((pe, i.wrapping_sub(pe.wrapping_mul(self.divisor))))
        } else {
            Some(turn(self.factor, self.divisor.wrapping_neg(), i))
        }
    }
}

/// The factor for [`quotient`] with this divisor, which is not 0.
pub(super) const fn factor_of(divisor: usize) -> u64 {
    u64::MAX / divisor as u64
}

/// Whether [`quotient`] is exact for all numbers below `extent`.
pub(super) const fn divides_exactly(divisor: usize, extent: usize) -> bool {
    (divisor as u128) * (extent as u128) <= 1 << 64
}

/// The quotient of `i` by the divisor of this factor.
///
/// With the divisor `d`, 2^64 - 1 = `f` * `d` + `r`, where `f` is the factor and `r` < `d`. So
/// `(i + 1) * f / 2^64` is `(i + 1) / d`, less `(i + 1) * (r + 1) / (d * 2^64)`. That is more than 0, and at
/// most `1 / d` where `(i + 1) * d` is at most 2^64. With `i` = `q * d` + `b` and `b` < `d`, `(i + 1) / d`
/// is at least `q + 1 / d` and at most `q + 1`. What is left is at least `q`, and less than `q + 1`.
///
/// Written out, the next number too: of a product of 128 bits that grows in a loop the compiler makes
/// several, and of a second counter a longer loop.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(super) fn quotient(factor: u64, i: usize) -> usize {
    let high;
    // SAFETY: every x86-64 processor has these instructions, and they access no memory.
    unsafe {
        asm!(
            "lea {next}, [{i} + 1]", "mul {next}",
            i = in(reg) i, next = out(reg) _, inlateout("rax") factor => _, lateout("rdx") high,
            options(pure, nomem, nostack)
        );
    }
    high
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub(super) fn quotient(factor: u64, i: usize) -> usize {
    (((i as u64).wrapping_add(1) as u128 * factor as u128) >> 64) as usize
}

/// The PE of index `i` in blocks: [`quotient`] without higher bits. It is the same where there are no more
/// PEs than are listed, or no more indices.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(super) fn owner(factor: u64, i: usize) -> usize {
    const { assert!(LISTED == 1 << 16, "the lower half of a register of 32 bits") };
    let pe: usize;
    // SAFETY: as in `quotient`; the higher bits of `rdx` are zeros at last.
    unsafe {
        asm!(
            "lea {next}, [{i} + 1]", "mul {next}", "movzx edx, dx",
            i = in(reg) i, next = out(reg) _, inlateout("rax") factor => _, lateout("rdx") pe,
            options(pure, nomem, nostack)
        );
        assert_unchecked(pe < LISTED);
    }
    pe
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub(super) fn owner(factor: u64, i: usize) -> usize {
    quotient(factor, i) & (LISTED - 1)
}

/// The PE of index `i`, and its place, of indices that are dealt singly to PEs of this number, which is
/// negative (as the two's complement): that is an instruction less. What [`owner`] says of higher bits
/// holds here.
#[inline(always)]
pub(super) fn turn(factor: u64, minus_n_pes: usize, i: usize) -> (usize, usize) {
    let place = quotient(factor, i);
    (i.wrapping_add(place.wrapping_mul(minus_n_pes)) & (LISTED - 1), place)
}
