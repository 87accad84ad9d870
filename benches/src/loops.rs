//! The loops that are measured, each beside the plain loop that is its limit.
//!
//! Each is a function that is never inlined, so that its name can be found in a profile and in a disassembly, and so that nothing
//! about its arguments is known in it: `pe` and the numbers of repetitions are what a program learns at run time.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use shmem::__private::peer_address;
use shmem::prelude::*;

/// How many words [`ROW`] has.
pub const WORDS: usize = 1024;
/// How many elements a strided transfer has.
pub const PICKED: usize = 1024;

/// What is put and got word by word.
#[symmetric]
pub static ROW: [u64; WORDS] = [0; WORDS];
/// What is updated atomically.
#[symmetric]
pub static COUNT: Atomic<u64> = Atomic::new(0);
/// What is taken and released.
#[symmetric]
pub static LOCK: Lock = Lock::new();
/// What is put and got with a stride.
#[symmetric]
pub static SPARSE: [f64; 64 * PICKED] = [0.0; 64 * PICKED];

/// The address of [`ROW`] on `pe`.
#[must_use]
pub fn row(pe: usize) -> *mut u64 {
    peer_address(remote!(&ROW[pe, ..])).cast()
}

/// The address of [`SPARSE`] on `pe`.
#[must_use]
pub fn sparse(pe: usize) -> *mut f64 {
    peer_address(remote!(&SPARSE[pe, ..])).cast()
}

/// The cell of [`COUNT`] on `pe`.
#[must_use]
pub fn count(pe: usize) -> &'static AtomicU64 {
    // SAFETY: a static is mapped until the process ends, aligned to its element, and everybody updates it atomically.
    unsafe { AtomicU64::from_ptr(peer_address(remote!(&COUNT[pe])).cast()) }
}

// Words ---------------------------------------------------------------------------------------------------------

/// Stores to each of `n` words.
///
/// # Safety
///
/// `row` has `n` words.
#[inline(never)]
pub unsafe fn store_words(row: *mut u64, n: usize) {
    for i in 0..n {
        // SAFETY: `i` is below `n`.
        unsafe { row.add(i).write_volatile(i as u64) };
    }
}

/// Loads each of `n` words, and adds them up.
///
/// # Safety
///
/// `row` has `n` words.
#[inline(never)]
#[must_use]
pub unsafe fn load_words(row: *const u64, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        // SAFETY: `i` is below `n`.
        sum = sum.wrapping_add(unsafe { row.add(i).read_volatile() });
    }
    sum
}

/// Stores to each of `n` words, and waits each time until the store is visible to all.
///
/// # Safety
///
/// `row` has `n` words.
#[inline(never)]
pub unsafe fn store_words_and_fence(row: *mut u64, n: usize) {
    for i in 0..n {
        // SAFETY: `i` is below `n`.
        unsafe { row.add(i).write_volatile(i as u64) };
        fence(Ordering::SeqCst);
    }
}

/// Puts to each of `n` words of [`ROW`].
#[inline(never)]
pub fn put_words(pe: usize, n: usize) {
    for i in 0..n {
        remote!(ROW[pe, i] = i as u64);
    }
}

/// Puts to each of `n` words of [`ROW`], eight in each turn of the loop, as the compiler unrolls the loop of
/// [`store_words`]: what a put costs without the loop around it.
#[inline(never)]
pub fn put_words_by_eight(pe: usize, n: usize) {
    for i in (0..n).step_by(8) {
        remote!(ROW[pe, i] = i as u64);
        remote!(ROW[pe, i + 1] = i as u64);
        remote!(ROW[pe, i + 2] = i as u64);
        remote!(ROW[pe, i + 3] = i as u64);
        remote!(ROW[pe, i + 4] = i as u64);
        remote!(ROW[pe, i + 5] = i as u64);
        remote!(ROW[pe, i + 6] = i as u64);
        remote!(ROW[pe, i + 7] = i as u64);
    }
}

/// Puts to one word of [`ROW`], `n` times.
#[inline(never)]
pub fn put_one_word(pe: usize, n: usize) {
    for i in 0..n {
        remote!(ROW[pe, 100] = i as u64);
    }
}

/// Puts to each of `n` words of an array whose extent is known at run time.
#[inline(never)]
pub fn put_array_words(array: &SymmetricArray<u64, 1>, pe: usize, n: usize) {
    for i in 0..n {
        remote!(array[pe, i] = i as u64);
    }
}

/// Puts to each of `n` words of [`ROW`], and completes each put.
#[inline(never)]
pub fn put_words_and_quiet(world: &World, pe: usize, n: usize) {
    for i in 0..n {
        remote!(ROW[pe, i] = i as u64);
        world.quiet();
    }
}

/// Gets each of `n` words of [`ROW`], and adds them up.
#[inline(never)]
#[must_use]
pub fn get_words(pe: usize, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        sum = sum.wrapping_add(remote!(ROW[pe, i]));
    }
    sum
}

/// Gets one word of [`ROW`] `n` times, and adds them up.
#[inline(never)]
#[must_use]
pub fn get_one_word(pe: usize, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for _ in 0..n {
        sum = sum.wrapping_add(remote!(ROW[pe, 100]));
    }
    sum
}

// Atomics -------------------------------------------------------------------------------------------------------

/// Adds to a cell `n` times, and adds up what was there.
#[inline(never)]
#[must_use]
pub fn processor_fetch_add(cell: &AtomicU64, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for _ in 0..n {
        sum = sum.wrapping_add(cell.fetch_add(1, Ordering::AcqRel));
    }
    sum
}

/// Adds to [`COUNT`] `n` times, and adds up what was there.
#[inline(never)]
#[must_use]
pub fn fetch_add(pe: usize, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for _ in 0..n {
        sum = sum.wrapping_add(remote!(&COUNT[pe]).fetch_add(1));
    }
    sum
}

/// Adds to [`COUNT`] `n` times.
#[inline(never)]
pub fn add(pe: usize, n: usize) {
    for _ in 0..n {
        remote!(COUNT[pe] += 1);
    }
}

// Locks ---------------------------------------------------------------------------------------------------------

/// Takes and releases [`LOCK`] `n` times, which nobody else wants.
#[inline(never)]
pub fn lock(n: usize) {
    for _ in 0..n {
        drop(LOCK.lock());
    }
}

// Strided transfers ---------------------------------------------------------------------------------------------

/// Stores `from` to places `stride` elements apart.
///
/// # Safety
///
/// `to` has room for them.
#[inline(never)]
pub unsafe fn scatter(from: &[f64], to: *mut f64, stride: usize) {
    for (i, &value) in from.iter().enumerate() {
        // SAFETY: the caller's word.
        unsafe { *to.add(i * stride) = value };
    }
}

/// Loads into `to` from places `stride` elements apart.
///
/// # Safety
///
/// `from` has them.
#[inline(never)]
pub unsafe fn gather(to: &mut [f64], from: *const f64, stride: usize) {
    for (i, value) in to.iter_mut().enumerate() {
        // SAFETY: the caller's word.
        *value = unsafe { *from.add(i * stride) };
    }
}

/// [`scatter`] with a length and a stride that the compiler knows.
///
/// # Safety
///
/// As [`scatter`].
#[inline(never)]
pub unsafe fn scatter_constant<const STRIDE: usize>(from: &[f64; PICKED], to: *mut f64) {
    for (i, &value) in from.iter().enumerate() {
        // SAFETY: the caller's word.
        unsafe { *to.add(i * STRIDE) = value };
    }
}

/// [`gather`] with a length and a stride that the compiler knows.
///
/// # Safety
///
/// As [`gather`].
#[inline(never)]
pub unsafe fn gather_constant<const STRIDE: usize>(to: &mut [f64; PICKED], from: *const f64) {
    for (i, value) in to.iter_mut().enumerate() {
        // SAFETY: the caller's word.
        *value = unsafe { *from.add(i * STRIDE) };
    }
}

/// A strided put to [`SPARSE`], with run-time bounds and step.
#[inline(never)]
pub fn iput(from: &[f64], pe: usize, end: usize, step: usize) {
    remote!(SPARSE[pe, 0..end;step] = from);
}

/// A strided get from [`SPARSE`], with run-time bounds and step.
#[inline(never)]
pub fn iget(to: &mut [f64], pe: usize, end: usize, step: usize) {
    remote!(SPARSE[pe, 0..end;step] => to);
}

/// A strided put to [`SPARSE`], with constant bounds and a step of 2.
#[inline(never)]
pub fn iput_2(from: &[f64; PICKED], pe: usize) {
    remote!(SPARSE[pe, 0..2 * PICKED;2] = from);
}

/// A strided put to [`SPARSE`], with constant bounds and a step of 64.
#[inline(never)]
pub fn iput_64(from: &[f64; PICKED], pe: usize) {
    remote!(SPARSE[pe, 0..64 * PICKED;64] = from);
}

/// A strided get from [`SPARSE`], with constant bounds and a step of 2.
#[inline(never)]
pub fn iget_2(to: &mut [f64; PICKED], pe: usize) {
    remote!(SPARSE[pe, 0..2 * PICKED;2] => to);
}

/// A strided get from [`SPARSE`], with constant bounds and a step of 64.
#[inline(never)]
pub fn iget_64(to: &mut [f64; PICKED], pe: usize) {
    remote!(SPARSE[pe, 0..64 * PICKED;64] => to);
}
