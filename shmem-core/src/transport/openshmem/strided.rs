//! Strided transfers, by the library's typed routines where one fits.

use std::ffi::c_int;
use std::ptr;

use shmem_sys as sys;

use crate::system::tuning::library::REPEATED;
use crate::transport::Run;

/// Calls the routine for elements of `$elem` bytes, if there is one. Its steps are in elements.
macro_rules! by_size {
    ($elem:expr, $call:ident: $e1:ident $e2:ident $e4:ident $e8:ident $e16:ident) => {
        match $elem {
            1 => $call!($e1),
            2 => $call!($e2),
            4 => $call!($e4),
            8 => $call!($e8),
            16 => $call!($e16),
            _ => {}
        }
    };
}

/// Whether the typed routines accept these steps, in bytes, and this local address: the steps must
/// be whole numbers of elements, at least one.
fn fits(elem: usize, symmetric_step: usize, local: *const u8, local_step: usize) -> bool {
    let whole = |step: usize| step >= elem && step.is_multiple_of(elem);
    elem.is_power_of_two()
        && elem <= 16
        && whole(symmetric_step)
        && whole(local_step)
        // Elements of 16 bytes are pairs of words, so 8 is enough.
        && local.addr().is_multiple_of(elem.min(8))
}

/// Puts `run.count` elements of `elem` bytes, `src_step` bytes apart (0: always the same), to `to`,
/// `run.stride` bytes apart.
///
/// # Safety
///
/// The elements are readable; those at `to`, an address of this PE, are symmetric memory, aligned
/// as their size or its largest factor that is a power of two; `pe` exists, `ctx` is alive, and
/// this thread may call the library.
pub(super) unsafe fn iput(
    ctx: sys::shmem_ctx_t,
    to: *mut u8,
    run: Run,
    src: *const u8,
    src_step: usize,
    elem: usize,
    pe: c_int,
) {
    if src_step == 0 && run.count > 1 {
        // SAFETY: the same elements, and one at `src`.
        return unsafe { fill(ctx, to, run, src, elem, pe) };
    }
    if fits(elem, run.stride, src, src_step) && to.addr().is_multiple_of(elem.min(8)) {
        macro_rules! call {
            ($routine:ident) => {
                // SAFETY: the routine moves the elements of the run, as the steps are whole numbers
                // of elements.
                return unsafe {
                    sys::$routine(
                        ctx,
                        to.cast(),
                        src.cast(),
                        (run.stride / elem) as isize,
                        (src_step / elem) as isize,
                        run.count,
                        pe,
                    )
                }
            };
        }
        by_size!(elem, call: shmem_ctx_iput8 shmem_ctx_iput16 shmem_ctx_iput32 shmem_ctx_iput64 shmem_ctx_iput128);
    }
    for i in 0..run.count {
        // SAFETY: the routine moves one element of the run.
        unsafe {
            sys::shmem_ctx_putmem(ctx, to.add(i * run.stride).cast(), src.add(i * src_step).cast(), elem, pe);
        }
    }
}

/// Puts one element to many places, from a buffer that repeats it.
///
/// # Safety
///
/// As [`iput`].
unsafe fn fill(ctx: sys::shmem_ctx_t, to: *mut u8, run: Run, src: *const u8, elem: usize, pe: c_int) {
    let at_once = (REPEATED / elem).clamp(1, run.count);
    // The buffer consists of words, so that it is aligned for elements of any size that has a
    // routine.
    let mut buffer = vec![0_u64; (at_once * elem).div_ceil(8)];
    let repeated: *mut u8 = buffer.as_mut_ptr().cast();
    for i in 0..at_once {
        // SAFETY: the buffer holds `at_once` elements.
        unsafe { ptr::copy_nonoverlapping(src, repeated.add(i * elem), elem) };
    }
    let mut done = 0;
    while done < run.count {
        let count = at_once.min(run.count - done);
        // SAFETY: `count` of the run's elements are left from `done` on, and as many are in the
        // buffer.
        unsafe {
            let to = to.add(done * run.stride);
            if run.stride == elem {
                sys::shmem_ctx_putmem(ctx, to.cast(), repeated.cast(), count * elem, pe);
            } else {
                iput(ctx, to, Run { count, ..run }, repeated, elem, elem, pe);
            }
        }
        done += count;
    }
}

/// Gets `run.count` elements of `elem` bytes, `run.stride` bytes apart from `from` on, to `dst`,
/// `dst_step` bytes apart, at least `elem`.
///
/// # Safety
///
/// As [`iput`], the other way round.
pub(super) unsafe fn iget(
    ctx: sys::shmem_ctx_t,
    from: *const u8,
    run: Run,
    dst: *mut u8,
    dst_step: usize,
    elem: usize,
    pe: c_int,
) {
    if fits(elem, run.stride, dst, dst_step) && from.addr().is_multiple_of(elem.min(8)) {
        macro_rules! call {
            ($routine:ident) => {
                // SAFETY: the routine moves the elements of the run, as the steps are whole numbers
                // of elements.
                return unsafe {
                    sys::$routine(
                        ctx,
                        dst.cast(),
                        from.cast(),
                        (dst_step / elem) as isize,
                        (run.stride / elem) as isize,
                        run.count,
                        pe,
                    )
                }
            };
        }
        by_size!(elem, call: shmem_ctx_iget8 shmem_ctx_iget16 shmem_ctx_iget32 shmem_ctx_iget64 shmem_ctx_iget128);
    }
    for i in 0..run.count {
        // SAFETY: the routine moves one element of the run.
        unsafe {
            sys::shmem_ctx_getmem(
                ctx,
                dst.add(i * dst_step).cast(),
                from.add(i * run.stride).cast(),
                elem,
                pe,
            );
        }
    }
}
