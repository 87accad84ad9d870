//! What the transport carries: the fewest transfers that its vocabulary allows.
//!
//! Every function has the same promise from its caller: there is such a PE, the context is live,
//! and the element, or the bytes, or the region, are those of a
//! [`CheckedTarget`](super::target::CheckedTarget) on that PE. What lies at the local address is
//! said with each.
//!
//! Single elements come by value: a reference to one would keep it in memory on the way that does
//! not come here. The short ones are inlined where a C library may carry them by its [short
//! way](crate::transport::openshmem::short), and are out of the way where there is none.

use std::mem::MaybeUninit;

use super::target::Mode;
use crate::runtime;
use crate::runtime::direct;
use crate::select::Region;
use crate::symmetric::Item;
use crate::transport::{Amo, Ctx, Width};

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

/// The bits of the cell at `from`, as the transport's atomics carry them.
///
/// # Safety
///
/// `from` holds a cell of `width`.
unsafe fn bits(from: *const u8, width: Width) -> u64 {
    // SAFETY: as many bytes are read as the cell has.
    unsafe {
        match width {
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
unsafe fn write_bits(to: *mut u8, width: Width, bits: u64) {
    // SAFETY: as many bytes are written as the cell has.
    unsafe {
        match width {
            Width::W4 => to.cast::<u32>().write_unaligned(bits as u32),
            Width::W8 => to.cast::<u64>().write_unaligned(bits),
        }
    }
}

/// Atomic cells have 4 or 8 bytes, and go one by one.
fn width(elem: usize) -> Width {
    if elem == 4 { Width::W4 } else { Width::W8 }
}

/// `len` bytes from `from` on, to `offset`.
///
/// # Safety
///
/// See the top. `from` holds `len` bytes, until a `quiet` of the context where the mode is
/// non-blocking.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(super) unsafe fn put_bytes(mode: Mode, ctx: Ctx, pe: usize, offset: usize, from: *const u8, len: usize) {
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

/// `len` bytes at `offset`, to `to`.
///
/// # Safety
///
/// See the top. `to` has room for `len` bytes, until a `quiet` of the context where the mode is
/// non-blocking.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(super) unsafe fn get_bytes(mode: Mode, ctx: Ctx, pe: usize, offset: usize, to: *mut u8, len: usize) {
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

/// The element at `offset`.
///
/// # Safety
///
/// See the top.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(super) unsafe fn get_one<I: Item>(ctx: Ctx, pe: usize, offset: usize) -> I::Value {
    let elem = size_of::<I::Value>();
    let mut value = MaybeUninit::<I::Value>::uninit();
    let to: *mut u8 = value.as_mut_ptr().cast();
    // SAFETY: the promise at the top; all of `value` is written, and every bit pattern is a valid
    // one.
    unsafe {
        if I::ATOMIC {
            let width = width(elem);
            write_bits(to, width, carry!(amo(ctx, pe, offset, width, Amo::Fetch)));
        } else {
            get_bytes(Mode::Blocking, ctx, pe, offset, to, elem);
        }
        value.assume_init()
    }
}

/// `value` to the element at `offset`.
///
/// # Safety
///
/// See the top.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(super) unsafe fn put_one<I: Item>(ctx: Ctx, pe: usize, offset: usize, value: I::Value) {
    let elem = size_of::<I::Value>();
    let from: *const u8 = (&raw const value).cast();
    // SAFETY: the promise at the top.
    unsafe {
        if I::ATOMIC {
            let width = width(elem);
            update(ctx, pe, offset, width, &Amo::Set(bits(from, width)));
        } else {
            put_bytes(Mode::Blocking, ctx, pe, offset, from, elem);
        }
    }
}

/// An atomic operation on the cell at `offset`. Inlined, as what the operation is, is known there.
///
/// # Safety
///
/// See the top.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(super) unsafe fn amo(ctx: Ctx, pe: usize, offset: usize, width: Width, op: &Amo) -> u64 {
    // SAFETY: the promise at the top.
    unsafe { carry!(amo(ctx, pe, offset, width, *op), by_transport::amo) }
}

/// An atomic operation on the cell at `offset`, of which nothing comes back.
///
/// # Safety
///
/// See the top.
#[cfg_attr(feature = "openshmem", inline(always))]
#[cfg_attr(not(feature = "openshmem"), cold, inline(never))]
pub(super) unsafe fn update(ctx: Ctx, pe: usize, offset: usize, width: Width, op: &Amo) {
    // SAFETY: the promise at the top.
    unsafe {
        // A PE finds its own cells as it left them, as with loads and stores.
        if pe == direct::my_pe() {
            by_transport::amo(ctx, pe, offset, width, *op);
        } else {
            carry!(update(ctx, pe, offset, width, *op), by_transport::update)
        }
    }
}

/// Calls of the transport, as functions that are not inlined.
mod by_transport {
    use super::{Amo, Ctx, Width, runtime};

    /// # Safety
    ///
    /// As [`super::amo`].
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn amo(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        // SAFETY: the promise at the top.
        unsafe { runtime::get().transport().amo(ctx, pe, offset, width, op) }
    }

    /// # Safety
    ///
    /// As [`super::amo`].
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn update(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
        // SAFETY: the promise at the top.
        unsafe { runtime::get().transport().update(ctx, pe, offset, width, op) }
    }
}

/// The elements of a region, of `elem` bytes, to `to`, in row-major order.
///
/// # Safety
///
/// See the top. `to` has room for all of them, until a `quiet` of the context where the mode is
/// non-blocking.
#[cold]
pub(super) unsafe fn get(
    atomic: bool,
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    region: &Region,
    to: *mut u8,
    elem: usize,
) {
    let transport = runtime::get().transport();
    let rows = if atomic { region.singly(elem) } else { region.rows(elem) };
    let (piece, run) = (rows.piece, rows.run);
    rows.each(|offset, before| {
        // SAFETY: the row lies in the region, and `to` has room for as many elements, of which
        // `before` bytes come before it.
        unsafe {
            let to = to.add(before);
            if atomic {
                let width = width(elem);
                write_bits(to, width, transport.amo(ctx, pe, offset, width, Amo::Fetch));
            } else if run.count > 1 {
                transport.iget(ctx, pe, offset, run, to, piece, piece);
            } else {
                get_bytes(mode, ctx, pe, offset, to, piece);
            }
        }
    });
}

/// The elements at `from`, of `elem` bytes, to a region, in row-major order.
///
/// # Safety
///
/// See the top. `from` holds all of them, until a `quiet` of the context where the mode is
/// non-blocking.
#[cold]
pub(super) unsafe fn put(
    atomic: bool,
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    region: &Region,
    from: *const u8,
    elem: usize,
) {
    let transport = runtime::get().transport();
    let rows = if atomic { region.singly(elem) } else { region.rows(elem) };
    let (piece, run) = (rows.piece, rows.run);
    rows.each(|offset, before| {
        // SAFETY: the row lies in the region, and its elements are at `from`, `before` bytes after
        // the first.
        unsafe {
            let from = from.add(before);
            if atomic {
                let width = width(elem);
                update(ctx, pe, offset, width, &Amo::Set(bits(from, width)));
            } else if run.count > 1 {
                transport.iput(ctx, pe, offset, run, from, piece, piece);
            } else {
                put_bytes(mode, ctx, pe, offset, from, piece);
            }
        }
    });
}

/// The element at `value`, of `elem` bytes, to each element of a region.
///
/// # Safety
///
/// See the top. `value` holds an element, until a `quiet` of the context where the mode is
/// non-blocking.
#[cold]
pub(super) unsafe fn fill(
    atomic: bool,
    mode: Mode,
    ctx: Ctx,
    pe: usize,
    region: &Region,
    value: *const u8,
    elem: usize,
) {
    let transport = runtime::get().transport();
    let rows = if atomic { region.singly(elem) } else { region.ranges(elem) };
    rows.each(|offset, _| {
        // SAFETY: the row lies in the region.
        unsafe {
            if atomic {
                let width = width(elem);
                update(ctx, pe, offset, width, &Amo::Set(bits(value, width)));
            } else if rows.run.count > 1 {
                transport.iput(ctx, pe, offset, rows.run, value, 0, elem);
            } else {
                put_bytes(mode, ctx, pe, offset, value, elem);
            }
        }
    });
}
