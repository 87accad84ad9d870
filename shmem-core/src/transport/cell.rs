//! Atomic operations on directly addressable cells.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::{Amo, Width};

/// Performs `op` on a cell, and returns what was there before.
///
/// Updates acquire and release: a PE that reads an update also sees what the updating PE stored
/// before it.
///
/// # Safety
///
/// `cell` is mapped, aligned to `width`, and accessed by atomic operations only.
#[inline(always)]
pub(crate) unsafe fn amo(cell: *mut u8, width: Width, op: Amo) -> u64 {
    // A macro, because the two atomic types share no trait.
    macro_rules! on {
        ($atomic:ident, $word:ty) => {{
            // SAFETY: the caller's promise.
            let cell = unsafe { $atomic::from_ptr(cell.cast()) };
            // Operands are in the low bytes, so `as` keeps exactly the operand.
            let before: $word = match op {
                Amo::Fetch => cell.load(Ordering::Acquire),
                Amo::Set(value) => {
                    cell.store(value as $word, Ordering::Release);
                    0
                }
                Amo::Swap(value) => cell.swap(value as $word, Ordering::AcqRel),
                Amo::CompareSwap { expected, new } => cell
                    .compare_exchange(expected as $word, new as $word, Ordering::AcqRel, Ordering::Acquire)
                    .unwrap_or_else(|found| found),
                Amo::Add(value) => cell.fetch_add(value as $word, Ordering::AcqRel),
                Amo::And(value) => cell.fetch_and(value as $word, Ordering::AcqRel),
                Amo::Or(value) => cell.fetch_or(value as $word, Ordering::AcqRel),
                Amo::Xor(value) => cell.fetch_xor(value as $word, Ordering::AcqRel),
            };
            u64::from(before)
        }};
    }
    match width {
        Width::W4 => on!(AtomicU32, u32),
        Width::W8 => on!(AtomicU64, u64),
    }
}
