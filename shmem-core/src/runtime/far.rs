//! What the transport carries: the fewest transfers that its vocabulary allows.
//!
//! Every function has the same promise from its caller: there is such a PE, the context is live,
//! and the cell, or the bytes, or the region, are those of a [`RawTarget`] on that PE. What lies at
//! the local address is said with each.
//!
//! The short ones are inlined where a C library may carry them by its [short
//! way](crate::transport::openshmem::short), and are out of the way where there is none.

use super::target::{Mode, RawTarget};
use super::{direct, races};
use crate::runtime;
use crate::transport::cell::{bits, write_bits};
use crate::transport::{Amo, AmoKind, Ctx, Width};

/// Calls the transport, by its short way where that is free. `otherwise` stands for the method of
/// the trait.
macro_rules! carry {
    ($name:ident($($argument:expr),*)) => {
        carry!($name($($argument),*), runtime::get().transport().$name)
    };
    ($name:ident($($argument:expr),*), $($otherwise:tt)*) => {{
        #[cfg(feature = "openshmem")]
        let done = crate::transport::openshmem::short::$name($($argument),*);
        #[cfg(not(feature = "openshmem"))]
        let done = None;
        match done {
            Some(done) => done,
            None => $($otherwise)*($($argument),*),
        }
    }};
}

/// `len` bytes from `from` on, to `offset`.
///
/// # Safety
///
/// See the top. `from` holds `len` bytes, until a `quiet` of the context where the mode is
/// non-blocking.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(crate) unsafe fn put_bytes(mode: Mode, ctx: Ctx, pe: usize, offset: usize, from: *const u8, len: usize) {
    // Where there is nothing, the offset may be outside of the heap.
    if len > 0 {
        // SAFETY: the promise at the top.
        unsafe {
            match mode {
                Mode::NonBlocking => carry!(put_nbi(ctx, pe, offset, from, len)),
                Mode::Blocking => carry!(put(ctx, pe, offset, from, len)),
            }
        }
    }
}

/// A word, whose bits are `value`, to `offset`. It blocks.
///
/// # Safety
///
/// See the top. The word is aligned to its size.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(crate) unsafe fn put_word(ctx: Ctx, pe: usize, offset: usize, width: Width, value: u64) {
    // SAFETY: the promise at the top.
    unsafe { carry!(put_word(ctx, pe, offset, width, value), by_transport::put_word) }
}

/// `len` bytes at `offset`, to `to`.
///
/// # Safety
///
/// See the top. `to` has room for `len` bytes, until a `quiet` of the context where the mode is
/// non-blocking.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(crate) unsafe fn get_bytes(mode: Mode, ctx: Ctx, pe: usize, offset: usize, to: *mut u8, len: usize) {
    if len > 0 {
        // SAFETY: the promise at the top.
        unsafe {
            match mode {
                Mode::NonBlocking => carry!(get_nbi(ctx, pe, offset, to, len)),
                Mode::Blocking => carry!(get(ctx, pe, offset, to, len)),
            }
        }
    }
}

/// An atomic operation on the cell at `offset`. Inlined, as what the operation is, is known there.
///
/// # Safety
///
/// See the top.
#[inline(always)]
pub(crate) unsafe fn amo(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
    // SAFETY: the promise at the top.
    unsafe { carry!(amo(ctx, pe, offset, width, op), by_transport::amo) }
}

/// An atomic operation on the cell at `offset`, whose old value is at `into` after a `quiet` of the
/// context.
///
/// # Safety
///
/// See the top. Nobody accesses `into`, which has room for the cell, until that `quiet` has
/// returned.
#[cold]
#[inline(never)]
pub(crate) unsafe fn amo_nbi(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo, into: *mut u8) {
    // SAFETY: the promise at the top.
    unsafe { runtime::get().transport().amo_nbi(ctx, pe, offset, width, op, into) }
}

/// An atomic operation on the cell at `offset`, of which nothing comes back.
///
/// # Safety
///
/// See the top.
#[inline(always)]
pub(crate) unsafe fn update(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
    // SAFETY: the promise at the top.
    unsafe {
        // A PE finds its own cells as it left them, as with loads and stores. Where races are looked for,
        // the transport sees to that, and sees that the program gets no value.
        if !library_updates_own(ctx) && pe == direct::my_pe() && !races::watches() {
            amo(ctx, pe, offset, width, op);
        } else {
            update_by_library(ctx, pe, offset, width, op);
        }
    }
}

/// Whether the library updates cells of this PE before it returns.
#[inline(always)]
fn library_updates_own(ctx: Ctx) -> bool {
    #[cfg(feature = "openshmem")]
    let updates = crate::transport::openshmem::short::updates_own(ctx);
    #[cfg(not(feature = "openshmem"))]
    let updates = {
        let _ = ctx;
        false
    };
    updates
}

/// As [`update`], also for a cell of this PE, which may not find it changed before a `quiet`.
///
/// # Safety
///
/// See the top.
#[inline(always)]
pub(crate) unsafe fn update_by_library(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
    // SAFETY: the promise at the top.
    unsafe { carry!(update(ctx, pe, offset, width, op), by_transport::update) }
}

/// Calls of the transport, as functions that are not inlined.
mod by_transport {
    use super::{Amo, AmoKind, Ctx, Width, runtime, write_bits};

    macro_rules! by_kind {
        ($($name:ident -> $found:ty),*) => {$(
            /// # Safety
            ///
            /// As the function of this name above.
            #[inline(always)]
            pub(super) unsafe fn $name(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> $found {
                /// # Safety
                ///
                /// As above.
                #[cold]
                #[inline(never)]
                unsafe fn by_kind(
                    ctx: Ctx,
                    pe: usize,
                    offset: usize,
                    width: Width,
                    kind: AmoKind,
                    value: u64,
                    second: u64,
                ) -> $found {
                    let op = Amo::join(kind, value, second);
                    // SAFETY: the promise at the top.
                    unsafe { runtime::get().transport().$name(ctx, pe, offset, width, op) }
                }
                let (kind, value, second) = op.split();
                // SAFETY: the promise at the top.
                unsafe { by_kind(ctx, pe, offset, width, kind, value, second) }
            }
        )*};
    }
    by_kind!(amo -> u64, update -> ());

    /// # Safety
    ///
    /// As the function of this name above.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn put_word(ctx: Ctx, pe: usize, offset: usize, width: Width, value: u64) {
        let mut word = [0; size_of::<u64>()];
        // SAFETY: there is room for the widest word; the promise at the top.
        unsafe {
            write_bits(word.as_mut_ptr(), width, value);
            runtime::get().transport().put(ctx, pe, offset, word.as_ptr(), width.bytes());
        }
    }
}

/// The elements of `target` to `to`, `step` bytes apart there, in row-major order.
///
/// # Safety
///
/// As [`RawTarget::get`].
#[cold]
pub(super) unsafe fn get(target: &RawTarget<'_>, mode: Mode, to: *mut u8, step: usize) {
    let RawTarget { ctx, pe, region, elem, atomic, .. } = *target;
    let transport = runtime::get().transport();
    let rows = if atomic { region.singly(elem, step) } else { region.rows(elem, step) };
    rows.each(|offset, private| {
        // SAFETY: the row lies in the region, and its elements have room from `private` on.
        unsafe {
            let to = to.add(private);
            if atomic {
                let width = Width::of(elem);
                write_bits(to, width, transport.amo(ctx, pe, offset, width, Amo::Fetch));
            } else if rows.run.count > 1 {
                transport.iget(ctx, pe, offset, rows.run, to, rows.step, rows.piece);
            } else {
                get_bytes(mode, ctx, pe, offset, to, rows.piece);
            }
        }
    });
}

/// The elements at `from`, `step` bytes apart there, to those of `target`, in row-major order.
///
/// # Safety
///
/// As [`RawTarget::put`].
#[cold]
pub(super) unsafe fn put(target: &RawTarget<'_>, mode: Mode, from: *const u8, step: usize) {
    let RawTarget { ctx, pe, region, elem, atomic, .. } = *target;
    let transport = runtime::get().transport();
    let rows = if atomic { region.singly(elem, step) } else { region.rows(elem, step) };
    rows.each(|offset, private| {
        // SAFETY: the row lies in the region, and its elements are at `private` and after it.
        unsafe {
            let from = from.add(private);
            if atomic {
                let width = Width::of(elem);
                update(ctx, pe, offset, width, Amo::Set(bits(from, width)));
            } else if rows.run.count > 1 {
                transport.iput(ctx, pe, offset, rows.run, from, rows.step, rows.piece);
            } else {
                put_bytes(mode, ctx, pe, offset, from, rows.piece);
            }
        }
    });
}
