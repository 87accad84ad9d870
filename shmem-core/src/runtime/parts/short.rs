//! Where one element of a global array lies, in the fewest instructions: those of a loop over elements
//! are hardly anything else.
//!
//! The quotient of a division is one multiplication, without the shift of
//! [`Reciprocal`](super::axis::Reciprocal), and the PE is a number for which the table of heaps has an
//! entry, which the optimiser knows.

#[cfg(all(target_arch = "x86_64", not(miri)))]
use std::arch::asm;
use std::hint::assert_unchecked;
use std::sync::atomic::AtomicUsize;

use super::Distribution;
use super::axis::AxisParts;
use crate::runtime::direct::LISTED;
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
use crate::transport::word::load_usize;

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
    ///
    /// # Safety
    ///
    /// The axis has such an index.
    #[inline(always)]
    pub(super) unsafe fn locate(&self, i: usize) -> Option<(usize, usize)> {
        if !self.exists {
            return None;
        }
        let quotient = quotient(self.factor, i);
        let rest = i.wrapping_add(quotient.wrapping_mul(self.divisor.wrapping_neg()));
        let (pe, place) = if self.in_blocks { (quotient, rest) } else { (rest, quotient) };
        // SAFETY: quotient and rest are exact, because there is this way and such an index. So the PE is one
        // of the coordinates, and not above the index. One of these two numbers is at most `LISTED`: see `of`.
        Some((unsafe { listed(pe) }, place))
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
            "lea rax, [{i} + 1]", "mul {factor}",
            i = in(reg) i, factor = in(reg) factor, out("rax") _, lateout("rdx") high,
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

/// [`quotient`] by the factor in a word that the start of a job may write at the same time: one
/// instruction loads it and multiplies.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(super) fn quotient_by(factor: &AtomicUsize, i: usize) -> usize {
    let high;
    // SAFETY: as in `quotient`, but for the word: a reference is to one that is mapped and aligned, which
    // the processor loads whole.
    unsafe {
        asm!(
            "lea rax, [{i} + 1]", "mul qword ptr [{factor}]",
            i = in(reg) i, factor = in(reg) factor, out("rax") _, lateout("rdx") high,
            options(pure, readonly, nostack)
        );
    }
    high
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub(super) fn quotient_by(factor: &AtomicUsize, i: usize) -> usize {
    quotient(load_usize(factor) as u64, i)
}

/// The same number, which the optimiser then knows to have an entry in the table of heaps.
///
/// # Safety
///
/// It is below [`LISTED`].
#[inline(always)]
pub(super) unsafe fn listed(pe: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { assert_unchecked(pe < LISTED) };
    pe
}
