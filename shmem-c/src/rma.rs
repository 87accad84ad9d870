//! Remote memory access. Sizes are in elements of `elem` bytes.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use shmem::untyped::{copy_bytes, copy_bytes_to_pe, get_near, near, put_near};

use crate::contexts::at;
use crate::debug;
use crate::handles::{DEFAULT, Handle};
use crate::job::offset;

/// How many bytes elements have together.
#[inline]
#[track_caller]
fn bytes(count: usize, elem: usize) -> usize {
    match count.checked_mul(elem) {
        Some(bytes) => bytes,
        None => panic!("`nelems` is {count}, which no memory could hold"),
    }
}

/// The checks of `SHMEM_DEBUG`, of a transfer of `len` bytes; `is_own` where it is one to this PE.
#[track_caller]
fn check((far, far_name): (*const u8, &str), (near, near_name): (*const u8, &str), len: usize, is_own: bool) {
    debug::whole(far, len, far_name);
    debug::private(near, len, near_name);
    if is_own {
        debug::apart((far, len, far_name), (near, len, near_name), true);
    }
}

/// `shmem_put`, `shmem_put_nbi` and their like.
#[inline(always)]
pub(crate) unsafe fn put(
    ctx: Handle,
    dest: *mut u8,
    source: *const u8,
    nelems: usize,
    elem: usize,
    pe: c_int,
    non_blocking: bool,
) {
    if ctx == DEFAULT
        && let Some(len) = nelems.checked_mul(elem)
        && let Some(to) = near(pe as usize, dest, len)
    {
        // SAFETY: the caller's promises about both sides. A PE that is negative has no heap.
        return unsafe { copy_bytes_to_pe(to.as_ptr(), source, len) };
    }
    // SAFETY: the caller's promises.
    unsafe { put_otherwise(ctx, dest, source, (nelems, elem), pe, non_blocking) };
}

/// The puts that are not a mere copy, apart from those that are.
#[inline(never)]
unsafe fn put_otherwise(
    ctx: Handle,
    dest: *mut u8,
    source: *const u8,
    (nelems, elem): (usize, usize),
    pe: c_int,
    non_blocking: bool,
) {
    at(ctx, pe, |member, context, pe| {
        let len = bytes(nelems, elem);
        if len == 0 && pe < member.n_pes() {
            return;
        }
        let area = member.area(context, pe, offset(member, dest, "dest"), &[], len, &"`dest`");
        check((dest, "dest"), (source, "source"), len, pe == member.my_pe());
        // SAFETY: the caller's promises about both sides.
        unsafe { area.put(source, len, non_blocking) };
    });
}

/// `shmem_get`, `shmem_get_nbi` and their like.
#[inline(always)]
pub(crate) unsafe fn get(
    ctx: Handle,
    dest: *mut u8,
    source: *const u8,
    nelems: usize,
    elem: usize,
    pe: c_int,
    non_blocking: bool,
) {
    if ctx == DEFAULT
        && let Some(len) = nelems.checked_mul(elem)
        && let Some(from) = near(pe as usize, source, len)
    {
        // SAFETY: as in `put`.
        return unsafe { copy_bytes(dest, from.as_ptr(), len) };
    }
    // SAFETY: the caller's promises.
    unsafe { get_otherwise(ctx, dest, source, (nelems, elem), pe, non_blocking) };
}

/// The gets that are not a mere copy.
#[inline(never)]
unsafe fn get_otherwise(
    ctx: Handle,
    dest: *mut u8,
    source: *const u8,
    (nelems, elem): (usize, usize),
    pe: c_int,
    non_blocking: bool,
) {
    at(ctx, pe, |member, context, pe| {
        let len = bytes(nelems, elem);
        if len == 0 && pe < member.n_pes() {
            return;
        }
        let area = member.area(context, pe, offset(member, source, "source"), &[], len, &"`source`");
        check((source, "source"), (dest, "dest"), len, pe == member.my_pe());
        // SAFETY: the caller's promises about both sides.
        unsafe { area.get(dest, len, non_blocking) };
    });
}

/// `shmem_p`, if it is a store; `None` otherwise.
#[inline(always)]
pub(crate) unsafe fn p_near<T: Copy>(ctx: Handle, dest: *mut T, value: T, pe: c_int) -> Option<()> {
    if ctx != DEFAULT {
        return None;
    }
    // SAFETY: the caller's promise. A PE that is negative has no heap.
    unsafe { put_near(pe as usize, dest, value) }
}

/// `shmem_g`, if it is a load; `None` otherwise.
#[inline(always)]
pub(crate) unsafe fn g_near<T: Copy>(ctx: Handle, source: *const T, pe: c_int) -> Option<T> {
    if ctx != DEFAULT {
        return None;
    }
    // SAFETY: as in `p_near`.
    unsafe { get_near(pe as usize, source) }
}

/// `shmem_p`, in any case.
pub(crate) unsafe fn p<T>(ctx: Handle, dest: *mut T, value: T, pe: c_int) {
    // SAFETY: the caller's promise, and a value of this function.
    unsafe { put_otherwise(ctx, dest.cast(), (&raw const value).cast(), (1, size_of::<T>()), pe, false) };
}

/// `shmem_g`, in any case.
pub(crate) unsafe fn g<T>(ctx: Handle, source: *const T, pe: c_int) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the caller's promise, and room for one value, which is written then.
    unsafe {
        get_otherwise(ctx, value.as_mut_ptr().cast(), source.cast(), (1, size_of::<T>()), pe, false);
        value.assume_init()
    }
}

/// Strides of `dest` and of `source` in bytes, of blocks of `block` elements.
#[track_caller]
fn strides((dst, sst): (isize, isize), block: usize, elem: usize) -> (usize, usize) {
    let stride = |stride: isize, what: &str| match usize::try_from(stride) {
        Ok(least) if least >= block => bytes(least, elem),
        _ => panic!("`{what}` is {stride}, and must be at least {block}"),
    };
    (stride(dst, "dst"), stride(sst, "sst"))
}

/// `shmem_iput` and `shmem_ibput`: blocks of `block` elements.
pub(crate) unsafe fn iput(
    ctx: Handle,
    dest: *mut u8,
    source: *const u8,
    by: (isize, isize),
    (block, count): (usize, usize),
    elem: usize,
    pe: c_int,
) {
    at(ctx, pe, |member, context, pe| {
        let (dst, sst) = strides(by, block, elem);
        let len = bytes(block, elem);
        if len.min(count) == 0 && pe < member.n_pes() {
            return;
        }
        let area = member.area(context, pe, offset(member, dest, "dest"), &[(count, dst)], len, &"`dest`");
        debug::whole(dest, (count - 1) * dst + len, "dest");
        debug::private(source, (count - 1) * sst + len, "source");
        // SAFETY: the caller's promises about both sides.
        unsafe { area.put(source, sst, false) };
    });
}

/// `shmem_iget` and `shmem_ibget`.
pub(crate) unsafe fn iget(
    ctx: Handle,
    dest: *mut u8,
    source: *const u8,
    by: (isize, isize),
    (block, count): (usize, usize),
    elem: usize,
    pe: c_int,
) {
    at(ctx, pe, |member, context, pe| {
        let (dst, sst) = strides(by, block, elem);
        let len = bytes(block, elem);
        if len.min(count) == 0 && pe < member.n_pes() {
            return;
        }
        let area =
            member.area(context, pe, offset(member, source, "source"), &[(count, sst)], len, &"`source`");
        debug::whole(source, (count - 1) * sst + len, "source");
        debug::private(dest, (count - 1) * dst + len, "dest");
        // SAFETY: the caller's promises about both sides.
        unsafe { area.get(dest, dst, false) };
    });
}
