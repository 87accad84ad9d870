//! Atomic operations.

use std::ffi::c_int;

use shmem::untyped::Amo;

use crate::contexts::at;
use crate::debug;
use crate::handles::Handle;
use crate::job::offset;
use crate::types::Cell;

/// An operation that returns what was there.
pub(crate) unsafe fn fetch<T: Cell>(ctx: Handle, cell: *const T, op: Amo, pe: c_int) -> T {
    at(ctx, pe, |member, context, pe| {
        let what = if op == Amo::Fetch { "source" } else { "dest" };
        debug::whole(cell.cast(), size_of::<T>(), what);
        let offset = offset(member, cell.cast(), what);
        // SAFETY: the caller's promise.
        T::from_bits(unsafe { member.amo(context, pe, offset, T::WIDTH, op, &format_args!("`{what}`")) })
    })
}

/// As [`fetch`], to `to`, which may be written until a `quiet`: it is written at once.
pub(crate) unsafe fn fetch_to<T: Cell>(ctx: Handle, to: *mut T, cell: *const T, op: Amo, pe: c_int) {
    // SAFETY: the caller's promises.
    unsafe { to.write(fetch(ctx, cell, op, pe)) }
}

/// An operation that returns nothing.
pub(crate) unsafe fn update<T: Cell>(ctx: Handle, cell: *mut T, op: Amo, pe: c_int) {
    at(ctx, pe, |member, context, pe| {
        debug::whole(cell.cast(), size_of::<T>(), "dest");
        let offset = offset(member, cell.cast(), "dest");
        // SAFETY: the caller's promise.
        unsafe { member.update(context, pe, offset, T::WIDTH, op, &"`dest`") };
    });
}
