//! Atomic operations: the library's routines, and replacements for those that are
//! [known](super::known) to be wrong.
//!
//! The processor's own atomic operations are not mixed with these, even where the heap of the target is
//! mapped into this process. A network card updates memory in its own way, and nothing guarantees
//! that its updates and the processor's are atomic to each other. So cells are updated by the library as
//! soon as one PE of the job is on another host, and else by the processors alone.
//!
//! A compare-and-swap of 8 bytes is right in every library, and replaces the others.
//!
//! No library has atomic operations on 1 or 2 bytes. They are compare-and-swaps of the word that
//! contains the cell. The word's other bytes are cells of the same object, or bytes after its end
//! that belong to nothing: the cells of an object have one size, no element beside them is plain, and
//! objects begin at multiples of 64 bytes. So every access to the word is a compare-and-swap or a
//! fetch of the whole of it, and no update is lost: if a neighbour changes meanwhile, the swap fails
//! and is tried again.

use std::ffi::{c_int, c_uint, c_ulonglong};
use std::sync::atomic::{AtomicU64, Ordering};

use shmem_sys::{self as sys, optional};

use super::known::Faults;
use super::library;
use crate::transport::cell::write_bits;
use crate::transport::{Amo, Ctx, Width};

/// The library's atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Atomics(pub(super) Faults);

const _: () = assert!(size_of::<c_uint>() == 4 && size_of::<c_ulonglong>() == 8);

impl Atomics {
    /// Whether the library has no routine for this operation, or a wrong one.
    #[inline(always)]
    pub(super) const fn lack(self, op: Amo, width: Width) -> bool {
        width.is_narrow() || matches!(op, Amo::Combine(..)) || self.0.concern(op, width)
    }

    /// Whether the library's atomics are right. Tries them on a word of this PE that is used for
    /// nothing else.
    ///
    /// # Safety
    ///
    /// `word` is symmetric memory, the library is initialised, `ctx` is its default context, and
    /// `me` is this PE.
    pub(super) unsafe fn are_right(ctx: sys::shmem_ctx_t, word: *mut u64, me: c_int) -> bool {
        // SAFETY: the caller's promises.
        let fetch = |op| unsafe { Atomics(Faults::NONE).amo(ctx, word.cast(), me, Width::W8, op) };
        fetch(Amo::Set(0b1100));
        let found =
            [fetch(Amo::Or(0b0011)), fetch(Amo::And(0b0110)), fetch(Amo::Xor(0b0101)), fetch(Amo::Fetch)];
        found == [0b1100, 0b1111, 0b0110, 0b0011]
    }

    /// Whether this PE finds its own cells changed when a routine has returned that updates them and returns nothing.
    /// Some libraries have the processor do that before they return. A network card that does it takes longer than
    /// this PE takes to look, and one look in vain is enough. That a library has the same done elsewhere when it is
    /// busy is not expected of any. Leaves 0 in the word.
    ///
    /// # Safety
    ///
    /// As [`are_right`](Atomics::are_right), which has run.
    pub(super) unsafe fn are_immediate(word: *mut u64, me: c_int) -> bool {
        // SAFETY: the caller's promises. Nobody accesses the word but this PE, which loads it.
        let cell = unsafe { AtomicU64::from_ptr(word) };
        let finds = |op, width, expected| {
            // SAFETY: as above.
            unsafe { Atomics::update_by_routine(Ctx::DEFAULT, word.cast(), me, width, op) };
            cell.load(Ordering::Acquire) == expected
        };
        let all = (0..16).all(|round| {
            [Width::W4, Width::W8].into_iter().all(|width| {
                finds(Amo::Set(round), width, round)
                    && finds(Amo::Add(3), width, round + 3)
                    && finds(Amo::Or(32), width, (round + 3) | 32)
                    && finds(Amo::And(7), width, (round + 3) & 7)
                    && finds(Amo::Xor(5), width, ((round + 3) & 7) ^ 5)
            })
        });
        // SAFETY: the library is initialised.
        unsafe { sys::shmem_quiet() };
        cell.store(0, Ordering::Release);
        all
    }

    /// Performs `op` on the cell of PE `pe` whose address on this PE is `cell`; returns what was
    /// there.
    ///
    /// # Safety
    ///
    /// The cell is symmetric memory that holds an atomic object, aligned to `width`; the library is
    /// initialised, this thread may call it, `ctx` is alive, and `pe` exists.
    pub(super) unsafe fn amo(
        self,
        ctx: sys::shmem_ctx_t,
        cell: *mut u8,
        pe: c_int,
        width: Width,
        op: Amo,
    ) -> u64 {
        if self.lack(op, width) {
            // SAFETY: the caller's promises.
            return unsafe { self.replace(ctx, cell, pe, width, op) };
        }
        macro_rules! call {
            ($word:ty, $fetch:ident $swap:ident $compare:ident $add:ident $and:ident $or:ident $xor:ident) => {{
                let cell = cell.cast::<$word>();
                match op {
                    Amo::Fetch => u64::from(sys::$fetch(ctx, cell, pe)),
                    // A swap for both: the routine that sets may return before the cell has
                    // changed.
                    Amo::Set(value) | Amo::Swap(value) => {
                        u64::from(sys::$swap(ctx, cell, value as $word, pe))
                    }
                    Amo::CompareSwap { expected, new } => {
                        u64::from(sys::$compare(ctx, cell, expected as $word, new as $word, pe))
                    }
                    Amo::Add(value) => u64::from(sys::$add(ctx, cell, value as $word, pe)),
                    Amo::And(value) => u64::from(sys::$and(ctx, cell, value as $word, pe)),
                    Amo::Or(value) => u64::from(sys::$or(ctx, cell, value as $word, pe)),
                    Amo::Xor(value) => u64::from(sys::$xor(ctx, cell, value as $word, pe)),
                    // The library lacks it.
                    Amo::Combine(..) => 0,
                }
            }};
        }
        // SAFETY: the caller's promises.
        unsafe {
            match width {
                Width::W4 => {
                    call!(c_uint, shmem_ctx_uint_atomic_fetch shmem_ctx_uint_atomic_swap
                    shmem_ctx_uint_atomic_compare_swap shmem_ctx_uint_atomic_fetch_add shmem_ctx_uint_atomic_fetch_and
                    shmem_ctx_uint_atomic_fetch_or shmem_ctx_uint_atomic_fetch_xor)
                }
                _ => {
                    call!(c_ulonglong, shmem_ctx_ulonglong_atomic_fetch shmem_ctx_ulonglong_atomic_swap
                    shmem_ctx_ulonglong_atomic_compare_swap shmem_ctx_ulonglong_atomic_fetch_add shmem_ctx_ulonglong_atomic_fetch_and
                    shmem_ctx_ulonglong_atomic_fetch_or shmem_ctx_ulonglong_atomic_fetch_xor)
                }
            }
        }
    }

    /// As [`amo`](Atomics::amo), on a cell of 4 or 8 bytes. What was there is at `into` after a
    /// `quiet` of the context, or at once where the library has no routine that leaves it for
    /// later: these came with OpenSHMEM 1.5.
    ///
    /// # Safety
    ///
    /// As [`amo`](Atomics::amo). `into` has room for the cell, and nobody accesses it until that
    /// `quiet` has returned.
    pub(super) unsafe fn amo_nbi(
        self,
        ctx: sys::shmem_ctx_t,
        cell: *mut u8,
        pe: c_int,
        width: Width,
        op: Amo,
        into: *mut u8,
    ) {
        macro_rules! call {
            ($word:ty, $fetch:ident $swap:ident $compare:ident $add:ident $and:ident $or:ident $xor:ident) => {{
                let (word, into) = (cell.cast::<$word>(), into.cast::<$word>());
                // SAFETY: the caller's promises.
                unsafe {
                    match op {
                        Amo::Fetch => optional::$fetch.map(|fetch| fetch(ctx, into, word, pe)),
                        Amo::Swap(value) => {
                            optional::$swap.map(|swap| swap(ctx, into, word, value as $word, pe))
                        }
                        Amo::CompareSwap { expected, new } => optional::$compare
                            .map(|compare| compare(ctx, into, word, expected as $word, new as $word, pe)),
                        Amo::Add(value) => optional::$add.map(|add| add(ctx, into, word, value as $word, pe)),
                        Amo::And(value) => optional::$and.map(|and| and(ctx, into, word, value as $word, pe)),
                        Amo::Or(value) => optional::$or.map(|or| or(ctx, into, word, value as $word, pe)),
                        Amo::Xor(value) => optional::$xor.map(|xor| xor(ctx, into, word, value as $word, pe)),
                        Amo::Set(_) | Amo::Combine(..) => None,
                    }
                }
            }};
        }
        let is_issued = match width {
            _ if self.lack(op, width) => None,
            Width::W4 => {
                call!(c_uint, shmem_ctx_uint_atomic_fetch_nbi shmem_ctx_uint_atomic_swap_nbi
                shmem_ctx_uint_atomic_compare_swap_nbi shmem_ctx_uint_atomic_fetch_add_nbi
                shmem_ctx_uint_atomic_fetch_and_nbi shmem_ctx_uint_atomic_fetch_or_nbi
                shmem_ctx_uint_atomic_fetch_xor_nbi)
            }
            _ => {
                call!(c_ulonglong, shmem_ctx_ulonglong_atomic_fetch_nbi shmem_ctx_ulonglong_atomic_swap_nbi
                shmem_ctx_ulonglong_atomic_compare_swap_nbi shmem_ctx_ulonglong_atomic_fetch_add_nbi
                shmem_ctx_ulonglong_atomic_fetch_and_nbi shmem_ctx_ulonglong_atomic_fetch_or_nbi
                shmem_ctx_ulonglong_atomic_fetch_xor_nbi)
            }
        };
        if is_issued.is_none() {
            // SAFETY: the caller's promises.
            unsafe { write_bits(into, width, self.amo(ctx, cell, pe, width, op)) }
        }
    }

    /// As [`amo`](Atomics::amo), but without the previous value: the library need not wait for an
    /// answer.
    ///
    /// # Safety
    ///
    /// As [`amo`](Atomics::amo).
    pub(super) unsafe fn update(self, ctx: Ctx, cell: *mut u8, pe: c_int, width: Width, op: Amo) {
        // SAFETY: the caller's promises.
        unsafe {
            if Atomics::updates(op, width) {
                Atomics::update_by_routine(ctx, cell, pe, width, op);
            } else {
                self.amo(library::context(ctx), cell, pe, width, op);
            }
        }
    }

    /// Whether every library has a routine for this operation that returns nothing. None of them is wrong.
    #[inline(always)]
    pub(super) const fn updates(op: Amo, width: Width) -> bool {
        let is_plain = matches!(op, Amo::Set(_) | Amo::Add(_) | Amo::And(_) | Amo::Or(_) | Amo::Xor(_));
        is_plain && !width.is_narrow()
    }

    /// Calls that routine.
    ///
    /// # Safety
    ///
    /// As [`amo`](Atomics::amo), where [`updates`](Atomics::updates) says so.
    #[inline(always)]
    pub(super) unsafe fn update_by_routine(ctx: Ctx, cell: *mut u8, pe: c_int, width: Width, op: Amo) {
        macro_rules! call {
            ($word:ty, ($($ctx:expr)?) $set:ident $add:ident $and:ident $or:ident $xor:ident) => {{
                let cell = cell.cast::<$word>();
                match op {
                    Amo::Set(value) => sys::$set($($ctx,)? cell, value as $word, pe),
                    Amo::Add(value) => sys::$add($($ctx,)? cell, value as $word, pe),
                    Amo::And(value) => sys::$and($($ctx,)? cell, value as $word, pe),
                    Amo::Or(value) => sys::$or($($ctx,)? cell, value as $word, pe),
                    Amo::Xor(value) => sys::$xor($($ctx,)? cell, value as $word, pe),
                    Amo::Fetch | Amo::Swap(_) | Amo::CompareSwap { .. } | Amo::Combine(..) => {}
                }
            }};
        }
        // Mostly there is no context, as the compiler knows. Then a routine saves less on its stack, of which the locked
        // instruction waits for each store.
        // SAFETY: the caller's promises.
        unsafe {
            match (width, ctx == Ctx::DEFAULT) {
                (Width::W4, true) => {
                    call!(c_uint, () shmem_uint_atomic_set shmem_uint_atomic_add shmem_uint_atomic_and
                    shmem_uint_atomic_or shmem_uint_atomic_xor)
                }
                (Width::W4, false) => {
                    call!(c_uint, (library::context(ctx)) shmem_ctx_uint_atomic_set shmem_ctx_uint_atomic_add
                    shmem_ctx_uint_atomic_and shmem_ctx_uint_atomic_or shmem_ctx_uint_atomic_xor)
                }
                (_, true) => {
                    call!(c_ulonglong, () shmem_ulonglong_atomic_set shmem_ulonglong_atomic_add
                    shmem_ulonglong_atomic_and shmem_ulonglong_atomic_or shmem_ulonglong_atomic_xor)
                }
                (_, false) => {
                    call!(c_ulonglong, (library::context(ctx)) shmem_ctx_ulonglong_atomic_set
                    shmem_ctx_ulonglong_atomic_add shmem_ctx_ulonglong_atomic_and shmem_ctx_ulonglong_atomic_or
                    shmem_ctx_ulonglong_atomic_xor)
                }
            }
        }
    }

    /// Performs `op`, for which the library has no routine or a wrong one, with compare-and-swaps.
    ///
    /// # Safety
    ///
    /// As [`amo`](Atomics::amo).
    #[cold]
    #[inline(never)]
    unsafe fn replace(self, ctx: sys::shmem_ctx_t, cell: *mut u8, pe: c_int, width: Width, op: Amo) -> u64 {
        if width.is_narrow() || matches!(op, Amo::CompareSwap { .. }) {
            // SAFETY: the caller's promises.
            return unsafe { self.replace_part(ctx, cell, pe, width, op) };
        }
        // SAFETY: the caller's promises.
        let amo = |op| unsafe { self.amo(ctx, cell, pe, width, op) };
        let mut now = amo(Amo::Fetch);
        while let Some(new) = op.leaves(now, width) {
            let found = amo(Amo::CompareSwap { expected: now, new });
            if found == now {
                break;
            }
            now = found;
        }
        now
    }

    /// Performs `op` by compare-and-swaps of the aligned word that contains the cell.
    ///
    /// The other bytes of the word are written back as they were found, atomically with the
    /// comparison, so no update is lost. A plain put to them may be lost, as it may come between the
    /// library's comparison and its write. But no plain elements are there, as the top says.
    ///
    /// # Safety
    ///
    /// As [`amo`](Atomics::amo), with less than 8 bytes.
    #[cold]
    unsafe fn replace_part(
        self,
        ctx: sys::shmem_ctx_t,
        cell: *mut u8,
        pe: c_int,
        width: Width,
        op: Amo,
    ) -> u64 {
        let swap = Amo::CompareSwap { expected: 0, new: 0 };
        let is_half = width == Width::W4 || self.lack(swap, Width::W4);
        let whole = if is_half { Width::W8 } else { Width::W4 };
        let at = cell.addr() % whole.bytes();
        let word = cell.wrapping_sub(at);
        let before = if cfg!(target_endian = "big") { whole.bytes() - width.bytes() - at } else { at };
        let shift = 8 * before as u32;
        let mask = width.low(u64::MAX) << shift;
        // SAFETY: the caller's promises; symmetric memory begins and ends at multiples of 8.
        let amo = |op| unsafe { self.amo(ctx, word, pe, whole, op) };
        let mut now = amo(Amo::Fetch);
        while let Some(new) = op.leaves(now >> shift, width) {
            let new = now & !mask | new << shift;
            let found = amo(Amo::CompareSwap { expected: now, new });
            if found == now {
                break;
            }
            now = found;
        }
        width.low(now >> shift)
    }
}
