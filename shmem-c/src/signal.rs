//! Signals: a put, and an update that says that it has arrived.

use std::ffi::c_int;

use shmem::SignalOp;
use shmem::untyped::{Amo, Width};

use crate::contexts::at;
use crate::debug;
use crate::handles::Handle;
use crate::job::{member, offset};

/// `shmem_put_signal`, `shmem_put_signal_nbi` and their like.
pub(crate) unsafe fn put(
    ctx: Handle,
    dest: *mut u8,
    source: *const u8,
    (nelems, elem): (usize, usize),
    (cell, value, op): (*mut u64, u64, c_int),
    pe: c_int,
    non_blocking: bool,
) {
    let op = match op {
        0 => SignalOp::Set(value),
        1 => SignalOp::Add(value),
        _ => panic!("`sig_op` is {op}, and must be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD"),
    };
    at(ctx, pe, |member, context, pe| {
        let Some(len) = nelems.checked_mul(elem) else {
            panic!("`nelems` is {nelems}, which no memory could hold")
        };
        let signal = offset(member, cell.cast(), "sig_addr");
        debug::whole(dest, len, "dest");
        debug::private(source, len, "source");
        debug::whole(cell.cast(), size_of::<u64>(), "sig_addr");
        debug::apart((dest, len, "dest"), (cell.cast(), size_of::<u64>(), "sig_addr"), false);
        // Of no elements, the place does not matter.
        let dest = if len == 0 { signal } else { offset(member, dest, "dest") };
        let area = member.area(context, pe, dest, &[], len, &"`dest`");
        // SAFETY: the caller's promises.
        unsafe { area.put_signal(source, len, non_blocking, member, (signal, op)) };
    });
}

/// `shmem_signal_fetch`, of this PE's own signal.
pub(crate) unsafe fn fetch(cell: *const u64) -> u64 {
    let member = member();
    let offset = offset(member, cell.cast(), "sig_addr");
    // SAFETY: the caller's promise.
    unsafe { member.amo(None, member.my_pe(), offset, Width::W8, Amo::Fetch, &"`sig_addr`") }
}
