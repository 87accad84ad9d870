//! The short way into the library, which nearly all transfers take: those of the thread that joined
//! the job, outside of local phases, where it need not wait for other threads.
//!
//! A routine of the library takes as little as 15 ns between two processes of one host, so each
//! instruction before it counts. These functions do not go through the trait, are inlined, and read
//! only statics: which thread this is, and whether the [way is free](super::threads::free_the_way).
//! They return `None` where the way is not free, and then have done nothing:
//! [`Transport`](super::Transport) performs the operation.

use std::ffi::{c_int, c_uint, c_ulonglong, c_ushort, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering, fence};

use shmem_sys as sys;

use super::atomics::Atomics;
use super::known::Faults;
use super::threads::{MainCall, MainInLibrary};
use super::{heaps, library};
use crate::transport::{Amo, Ctx, Width};

/// All data that the short way reads, in one place. There is one job in a process.
#[repr(align(64))]
pub(super) struct Way {
    /// The thread that joined the job, as `threads.rs` tells threads apart; 0 for none.
    pub(super) main: AtomicUsize,
    /// The mark of that thread, at a fixed address: whether it is in a transfer, and whether it was since it
    /// completed all. `threads.rs` has its values.
    pub(super) mark: AtomicU8,
    /// Whether this thread only has to set its mark before a transfer: the heaps are open, a thread
    /// that closes them executes the fence, nothing counts operations, and it need not wait for other
    /// threads.
    pub(super) free: AtomicBool,
    /// Whether a PE finds its own cells changed when the library has been told to update them, without waiting.
    pub(super) updates_own: AtomicBool,
    /// The start of the heap of this PE.
    pub(super) heap: AtomicPtr<u8>,
    /// `SHMEM_CTX_DEFAULT`, as an address, once the library is initialised.
    pub(super) default_context: AtomicUsize,
    /// The library's own function that drives it and gives the core away; null where no function does both.
    pub(super) turn: AtomicPtr<c_void>,
}

pub(super) static WAY: Way = Way {
    main: AtomicUsize::new(0),
    mark: AtomicU8::new(0),
    free: AtomicBool::new(false),
    updates_own: AtomicBool::new(false),
    heap: AtomicPtr::new(ptr::null_mut()),
    default_context: AtomicUsize::new(0),
    turn: AtomicPtr::new(ptr::null_mut()),
};

/// The mark of this thread, the library's handle of `ctx`, and this PE's own address of `offset`, if the
/// way is free. No closure, which the compiler might not inline.
///
/// # Safety
///
/// `offset` is inside of the heap.
#[inline(always)]
unsafe fn enter(ctx: Ctx, offset: usize) -> Option<(MainInLibrary, sys::shmem_ctx_t, *mut u8)> {
    let inside = MainInLibrary::mark_if_free()?;
    // SAFETY: the caller promises it; the way is free, so there is a heap, which is one block.
    Some((inside, library::context(ctx), unsafe { heaps::own().add(offset) }))
}

/// The way for several transfers in a row: it is entered once, and left when the mark is dropped. Until then, the
/// thread does nothing else with the library.
pub(crate) struct Entered {
    pub(crate) way: EnteredWay,
    _inside: MainInLibrary,
}

/// What the transfers need: values, which a loop keeps in registers.
#[derive(Clone, Copy)]
pub(crate) struct EnteredWay {
    ctx: sys::shmem_ctx_t,
    own: *mut u8,
}

impl Entered {
    /// `None` where the way is not free.
    #[inline(always)]
    pub(crate) fn if_free(ctx: Ctx) -> Option<Entered> {
        let inside = MainInLibrary::mark_if_free()?;
        Some(Entered { way: EnteredWay { ctx: library::context(ctx), own: heaps::own() }, _inside: inside })
    }
}

impl EnteredWay {
    /// As [`put`](self::put), of `count` elements of `elem` bytes.
    ///
    /// # Safety
    ///
    /// As there, and the way is entered.
    #[inline(always)]
    pub(crate) unsafe fn put(self, pe: usize, offset: usize, src: *const u8, count: usize, elem: usize) {
        // SAFETY: the caller promises both sides; while the way is entered, this thread may call.
        unsafe {
            let here = self.own.add(offset);
            // Most indices of a list stand alone. A word then costs less as a value.
            if count == 1 && elem == size_of::<u64>() && here.cast::<u64>().is_aligned() {
                return put_word_from_here(self.ctx, pe, here, Width::W8, src.cast::<u64>().read_unaligned());
            }
            sys::shmem_ctx_putmem(self.ctx, here.cast(), src.cast(), count * elem, pe as c_int);
        }
    }

    /// [`get_nbi`](self::get_nbi)
    ///
    /// # Safety
    ///
    /// As there, and the way is entered.
    #[inline(always)]
    pub(crate) unsafe fn get_nbi(self, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        // SAFETY: as in `put`.
        unsafe {
            sys::shmem_ctx_getmem_nbi(self.ctx, dst.cast(), self.own.add(offset).cast(), len, pe as c_int)
        }
    }
}

/// Drives the library and gives the core away, if the way is free and a function of the library does both. Where PEs
/// share cores, what this reads was read in the last transfer, and may be all that is still near the core.
#[inline]
pub(super) fn take_turn() -> bool {
    let turn = WAY.turn.load(Ordering::Relaxed);
    if turn.is_null() {
        return false;
    }
    let Some(_inside) = MainCall::begin_if_free() else { return false };
    // SAFETY: a function of Open MPI that takes nothing and returns nothing. The library is initialised, and where the
    // way is free, this thread may call.
    unsafe { mem::transmute::<*mut c_void, unsafe extern "C" fn()>(turn)() };
    true
}

/// [`Transport::put`](super::Transport::put)
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(crate) unsafe fn put(ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) -> Option<()> {
    // SAFETY: the caller promises both sides; where the way is free, this thread may call.
    unsafe {
        let (_inside, ctx, here) = enter(ctx, offset)?;
        sys::shmem_ctx_putmem(ctx, here.cast(), src.cast(), len, pe as c_int);
    }
    Some(())
}

/// As [`put`], of a word, which stays in a register: `value` has its bits.
///
/// # Safety
///
/// As there; the word at `offset` is aligned to its size.
#[inline(always)]
pub(crate) unsafe fn put_word(ctx: Ctx, pe: usize, offset: usize, width: Width, value: u64) -> Option<()> {
    // SAFETY: the caller promises the word there; where the way is free, this thread may call.
    unsafe {
        let (_inside, ctx, here) = enter(ctx, offset)?;
        put_word_from_here(ctx, pe, here, width, value);
    }
    Some(())
}

/// # Safety
///
/// The calling thread may call the library. There is such a word of symmetric memory, aligned to its size, of which `here` is
/// this PE's own.
#[inline(always)]
unsafe fn put_word_from_here(ctx: sys::shmem_ctx_t, pe: usize, here: *mut u8, width: Width, value: u64) {
    let pe = pe as c_int;
    // SAFETY: the caller's promise.
    unsafe {
        match width {
            Width::W1 => sys::shmem_ctx_uchar_p(ctx, here, value as u8, pe),
            Width::W2 => sys::shmem_ctx_ushort_p(ctx, here.cast(), value as c_ushort, pe),
            Width::W4 => sys::shmem_ctx_uint_p(ctx, here.cast(), value as c_uint, pe),
            Width::W8 => sys::shmem_ctx_ulonglong_p(ctx, here.cast(), value as c_ulonglong, pe),
        }
    }
}

/// [`Transport::put_nbi`](super::Transport::put_nbi)
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(crate) unsafe fn put_nbi(ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) -> Option<()> {
    // SAFETY: the caller promises both sides; where the way is free, this thread may call.
    unsafe {
        let (_inside, ctx, here) = enter(ctx, offset)?;
        sys::shmem_ctx_putmem_nbi(ctx, here.cast(), src.cast(), len, pe as c_int);
    }
    Some(())
}

/// [`Transport::get`](super::Transport::get)
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(crate) unsafe fn get(ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) -> Option<()> {
    // SAFETY: the caller promises both sides; where the way is free, this thread may call.
    unsafe {
        let (_inside, ctx, here) = enter(ctx, offset)?;
        sys::shmem_ctx_getmem(ctx, dst.cast(), here.cast(), len, pe as c_int);
    }
    Some(())
}

/// [`Transport::get_nbi`](super::Transport::get_nbi)
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(crate) unsafe fn get_nbi(ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) -> Option<()> {
    // SAFETY: the caller promises both sides; where the way is free, this thread may call.
    unsafe {
        let (_inside, ctx, here) = enter(ctx, offset)?;
        sys::shmem_ctx_getmem_nbi(ctx, dst.cast(), here.cast(), len, pe as c_int);
    }
    Some(())
}

/// Whether [`update`] changes this PE's own cells before it returns.
#[inline(always)]
pub(crate) fn updates_own(ctx: Ctx) -> bool {
    ctx == Ctx::DEFAULT && WAY.updates_own.load(Ordering::Relaxed)
}

/// [`Transport::amo`](super::Transport::amo), for the operations that every
/// [known](super::known) library has and does right.
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(crate) unsafe fn amo(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> Option<u64> {
    // The compiler evaluates this condition where the function is inlined.
    if matches!(op, Amo::Set(_)) || Atomics(Faults::ALL).lack(op, width) {
        return None;
    }
    let pe = pe as c_int;
    // As in `Transport::amo`: releases what this PE stored before, and acquires what others stored
    // before.
    fence(Ordering::Release);
    macro_rules! on {
        ($word:ty, $fetch:ident $swap:ident $compare:ident $add:ident) => {
            // SAFETY: the cell is in the heap and aligned, as the caller promises; the rest as
            // above.
            unsafe {
                let (_inside, ctx, cell) = enter(ctx, offset)?;
                let cell = cell.cast::<$word>();
                u64::from(match op {
                    Amo::Swap(value) => sys::$swap(ctx, cell, value as $word, pe),
                    Amo::CompareSwap { expected, new } => {
                        sys::$compare(ctx, cell, expected as $word, new as $word, pe)
                    }
                    Amo::Add(value) => sys::$add(ctx, cell, value as $word, pe),
                    _ => sys::$fetch(ctx, cell, pe),
                })
            }
        };
    }
    let found = match width {
        Width::W4 => {
            on!(c_uint, shmem_ctx_uint_atomic_fetch shmem_ctx_uint_atomic_swap
            shmem_ctx_uint_atomic_compare_swap shmem_ctx_uint_atomic_fetch_add)
        }
        _ => {
            on!(c_ulonglong, shmem_ctx_ulonglong_atomic_fetch shmem_ctx_ulonglong_atomic_swap
            shmem_ctx_ulonglong_atomic_compare_swap shmem_ctx_ulonglong_atomic_fetch_add)
        }
    };
    fence(Ordering::Acquire);
    Some(found)
}

/// [`Transport::update`](super::Transport::update), for the operations that every library has.
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(crate) unsafe fn update(ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> Option<()> {
    // The compiler evaluates this condition where the function is inlined.
    if !Atomics::updates(op, width) {
        return None;
    }
    fence(Ordering::Release);
    // SAFETY: as above.
    unsafe {
        let (_inside, _, cell) = enter(ctx, offset)?;
        Atomics::update_by_routine(ctx, cell, pe as c_int, width, op);
    }
    Some(())
}
