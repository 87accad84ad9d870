//! Atomic operations on directly addressable cells.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::{Amo, Width};

/// Performs an operation of the processor. A macro, because the atomic types share no trait.
macro_rules! on {
    ($cell:ident, $op:ident, $width:ident, $atomic:ident, $word:ty) => {{
        // SAFETY: the caller's promise.
        let word = unsafe { $atomic::from_ptr($cell.cast()) };
        // Operands are in the low bytes, so `as` keeps exactly the operand.
        let before: $word = match $op {
            Amo::Fetch => word.load(Ordering::Acquire),
            Amo::Set(value) => {
                word.store(value as $word, Ordering::Release);
                0
            }
            Amo::Swap(value) => word.swap(value as $word, Ordering::AcqRel),
            Amo::CompareSwap { expected, new } => word
                .compare_exchange(expected as $word, new as $word, Ordering::AcqRel, Ordering::Acquire)
                .unwrap_or_else(|found| found),
            Amo::Add(value) => word.fetch_add(value as $word, Ordering::AcqRel),
            Amo::And(value) => word.fetch_and(value as $word, Ordering::AcqRel),
            Amo::Or(value) => word.fetch_or(value as $word, Ordering::AcqRel),
            Amo::Xor(value) => word.fetch_xor(value as $word, Ordering::AcqRel),
            // Bits are compared, and not numbers: a NaN is as good as another value.
            Amo::Combine(..) => word
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |seen| {
                    $op.leaves(seen.into(), $width).map(|new| new as $word)
                })
                .unwrap_or_else(|kept| kept),
        };
        u64::from(before)
    }};
}

/// Performs `op` on a cell, and returns what was there before.
///
/// Updates acquire and release: a PE that reads an update also sees what the updating PE stored
/// before it. A [`Combine`](super::Combine) that leaves the cell alone only acquires.
///
/// # Safety
///
/// `cell` is mapped, aligned to `width`, and accessed by atomic operations only.
#[inline(always)]
pub(crate) unsafe fn amo(cell: *mut u8, width: Width, op: Amo) -> u64 {
    match width {
        Width::W4 => on!(cell, op, width, AtomicU32, u32),
        Width::W8 => on!(cell, op, width, AtomicU64, u64),
        // SAFETY: the caller's promise.
        _ => unsafe { narrow(cell, width, op) },
    }
}

/// [`amo`] on a cell of one or two bytes, apart: fewer lines for each call.
///
/// # Safety
///
/// As [`amo`], with such a width.
#[inline]
unsafe fn narrow(cell: *mut u8, width: Width, op: Amo) -> u64 {
    match width {
        Width::W1 => on!(cell, op, width, AtomicU8, u8),
        _ => on!(cell, op, width, AtomicU16, u16),
    }
}

/// The bits of the cell at `from`, as the transport's atomics carry them.
///
/// # Safety
///
/// `from` holds a cell of `width`.
pub(crate) unsafe fn bits(from: *const u8, width: Width) -> u64 {
    // SAFETY: as many bytes are read as the cell has.
    unsafe {
        match width {
            Width::W1 => from.read().into(),
            Width::W2 => from.cast::<u16>().read_unaligned().into(),
            Width::W4 => from.cast::<u32>().read_unaligned().into(),
            Width::W8 => from.cast::<u64>().read_unaligned(),
        }
    }
}

/// Writes the bits of a cell to `to`.
///
/// # Safety
///
/// `to` has room for a cell of `width`.
pub(crate) unsafe fn write_bits(to: *mut u8, width: Width, bits: u64) {
    // SAFETY: as many bytes are written as the cell has.
    unsafe {
        match width {
            Width::W1 => to.write(bits as u8),
            Width::W2 => to.cast::<u16>().write_unaligned(bits as u16),
            Width::W4 => to.cast::<u32>().write_unaligned(bits as u32),
            Width::W8 => to.cast::<u64>().write_unaligned(bits),
        }
    }
}
