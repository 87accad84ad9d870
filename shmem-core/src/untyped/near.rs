//! The short way: transfers that are loads and stores, without a question to the runtime.
//!
//! An address that a program gives is looked up in two windows: the objects of this PE's heap, and the
//! first piece of the process that is symmetric where it is. Every other address goes the long way, and
//! so does what the windows leave out: the last few bytes of each, for the sake of one comparison less.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::runtime::direct;
use crate::transport::{layout, word};

/// An element of up to so many bytes that begins in a window ends in its memory.
const SHORT: usize = 16;

/// Addresses of this process that are symmetric.
struct Window {
    start: AtomicUsize,
    /// How many addresses there are from the start on; 0 where the window is closed.
    len: AtomicUsize,
    /// What is added to an address for its offset in the heap.
    shift: AtomicUsize,
}

static HEAP: Window = Window::closed();
static MAPPED: Window = Window::closed();
/// Whether the windows stay closed.
static IS_REFUSED: AtomicBool = AtomicBool::new(false);

impl Window {
    const fn closed() -> Window {
        Window { start: AtomicUsize::new(0), len: AtomicUsize::new(0), shift: AtomicUsize::new(0) }
    }

    fn open(&self, addresses: Range<usize>, offset: usize) {
        if IS_REFUSED.load(Ordering::Relaxed) {
            return;
        }
        self.start.store(addresses.start, Ordering::Relaxed);
        self.shift.store(offset.wrapping_sub(addresses.start), Ordering::Relaxed);
        // Release: a thread that sees the window open sees the rest.
        self.len.store((addresses.len() + 1).saturating_sub(SHORT), Ordering::Release);
    }

    /// The offset of the `len` bytes at `address`, if they lie in the memory of this window.
    #[inline(always)]
    fn offset(&self, address: usize, len: usize) -> Option<usize> {
        // Acquire costs nothing on x86-64.
        let addresses = self.len.load(Ordering::Acquire);
        let at = address.wrapping_sub(self.start.load(Ordering::Relaxed));
        let is_inside = at < addresses && (len <= SHORT || len - SHORT < addresses - at);
        is_inside.then(|| address.wrapping_add(self.shift.load(Ordering::Relaxed)))
    }
}

/// From now on there is no short way, so that every transfer goes the one on which a face checks it. To
/// be called before [`join`](super::join).
pub fn refuse_near() {
    IS_REFUSED.store(true, Ordering::Relaxed);
}

/// This PE has joined a job, with its heap at these addresses.
pub(super) fn open_heap(heap: &Range<usize>) {
    HEAP.open(heap.start + layout::END..heap.end, layout::END);
}

/// These addresses are symmetric memory that begins at `offset`; the first such piece gets the window.
pub(super) fn open_mapped(addresses: Range<usize>, offset: usize) {
    let start = MAPPED.start.load(Ordering::Relaxed);
    if start == 0 || start == addresses.start {
        MAPPED.open(addresses, offset);
    }
}

/// This PE leaves its job.
pub(super) fn close() {
    HEAP.len.store(0, Ordering::Release);
    MAPPED.len.store(0, Ordering::Release);
}

/// Where the `len` bytes are on `pe` that this PE has at `address`, if loads and stores reach them
/// now. `None` in all other cases, which [`Member::area`](super::Member::area) tells apart: so a short
/// transfer costs little, and a mistake gets its message.
#[inline(always)]
#[must_use]
pub fn near(pe: usize, address: *const u8, len: usize) -> Option<NonNull<u8>> {
    let address = address.addr();
    let offset = HEAP.offset(address, len).or_else(|| MAPPED.offset(address, len))?;
    let heap = NonNull::new(direct::reached(pe))?;
    // SAFETY: the bytes lie in the heap of this PE, as the window says, and the heap of a PE that is listed
    // has as many bytes.
    Some(unsafe { heap.add(offset) })
}

/// Writes `value` to the element that this PE has at `to`, on `pe`, if a store does that now
/// (`shmem_p`); `None` as for [`near`].
///
/// # Safety
///
/// `to` is aligned to the type, and the bytes of any value may lie there.
#[inline(always)]
#[must_use]
pub unsafe fn put_near<T: Copy>(pe: usize, to: *mut T, value: T) -> Option<()> {
    if !const { word::is_word::<T>() } {
        return None;
    }
    let to = near(pe, to.cast(), size_of::<T>())?;
    // SAFETY: a word, of which `near` has found the place; windows and heaps begin at pages, so it is
    // aligned there as it is here.
    unsafe { word::store(&raw const value, to.as_ptr(), 0) };
    Some(())
}

/// Reads the element that this PE has at `from`, on `pe`, if a load does that now (`shmem_g`); `None` as
/// for [`near`].
///
/// # Safety
///
/// `from` is aligned to the type, for which all bytes are a value.
#[inline(always)]
#[must_use]
pub unsafe fn get_near<T: Copy>(pe: usize, from: *const T) -> Option<T> {
    if !const { word::is_word::<T>() } {
        return None;
    }
    let from = near(pe, from.cast(), size_of::<T>())?;
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: as in `put_near`; any bytes are a value.
    unsafe {
        word::load(from.as_ptr(), 0, value.as_mut_ptr());
        Some(value.assume_init())
    }
}
