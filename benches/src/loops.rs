//! The loops that are measured, each beside the plain loop that is its limit.
//!
//! Each is a function that is never inlined, so that its name can be found in a profile and in a
//! disassembly, and so that nothing about its arguments is known in it: `pe` and the numbers of
//! repetitions are what a program learns at run time.

pub mod global;
pub mod lists;
pub mod updates;

use std::hint::black_box;
use std::ptr;
use std::slice::{from_mut, from_ref};
use std::sync::atomic::{AtomicU64, Ordering, fence};

use shmem::Item;
use shmem::bench::{self, Place};
use shmem::prelude::*;
use shmem::select::OnOnePe;

/// The number of words of [`ROW`].
pub const WORDS: usize = 1024;
/// The number of elements of a strided transfer.
pub const PICKED: usize = 1024;

/// The object that is put and got word by word.
#[symmetric]
pub static ROW: [u64; WORDS] = [0; WORDS];
/// The cell that is updated atomically.
#[symmetric]
pub static COUNT: Atomic<u64> = Atomic::new(0);
/// Cells that the processor has no single instruction for, and one of a byte.
#[symmetric]
pub static SUM: Atomic<f64> = Atomic::new(0.0);
/// As [`SUM`].
#[symmetric]
pub static LEVEL: Atomic<u32> = Atomic::new(0);
/// As [`SUM`].
#[symmetric]
pub static SMALL: Atomic<u8> = Atomic::new(0);
/// The lock that is taken and released.
#[symmetric]
pub static LOCK: Lock = Lock::new();
/// The object of which a block is put.
#[symmetric]
pub static PLANE: [[f64; 64]; 64] = [[0.0; 64]; 64];
/// The object that is put and got with a stride.
#[symmetric]
pub static SPARSE: [f64; 64 * PICKED] = [0.0; 64 * PICKED];

/// The address of [`PLANE`] on `pe`.
#[must_use]
pub fn plane(pe: usize) -> *mut f64 {
    address(remote!(&PLANE[pe, .., ..]))
}

/// The address of a selection in this process; null if the PE is not directly addressable.
#[must_use]
pub fn address<I: Item, F: OnOnePe>(selection: Remote<'_, I, F>) -> *mut I::Value {
    selection.as_ptr().unwrap_or(ptr::null_mut())
}

/// The address of [`ROW`] on `pe`.
#[must_use]
pub fn row(pe: usize) -> *mut u64 {
    address(remote!(&ROW[pe, ..]))
}

/// The address of [`SPARSE`] on `pe`.
#[must_use]
pub fn sparse(pe: usize) -> *mut f64 {
    address(remote!(&SPARSE[pe, ..]))
}

/// The cell of [`COUNT`] on `pe`.
///
/// # Panics
///
/// When the PE is not directly addressable.
#[must_use]
pub fn count(pe: usize) -> &'static AtomicU64 {
    let cell =
        remote!(&COUNT[pe]).as_ptr().expect("the limit is measured where peers are directly addressable");
    // SAFETY: a static is mapped until the process ends, aligned to its element, and all PEs update
    // it atomically.
    unsafe { AtomicU64::from_ptr(cell) }
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

/// Puts to each of `n` words of [`ROW`], eight in each turn of the loop, as the compiler unrolls
/// the loop of
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

/// Puts to each of `n` words by a call of the transport.
///
/// # Safety
///
/// `to` has `n` words, which no other code accesses.
#[inline(never)]
pub unsafe fn raw_put_words(to: Place, n: usize) {
    for i in 0..n {
        // SAFETY: `i` is below `n`.
        unsafe { to.at(8 * i).put(from_ref(&(i as u64))) };
    }
}

/// Gets each of `n` words by a call of the transport, and adds them up.
///
/// # Safety
///
/// As [`raw_put_words`].
#[inline(never)]
#[must_use]
pub unsafe fn raw_get_words(from: Place, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for i in 0..n {
        let mut value: u64 = 0;
        // SAFETY: `i` is below `n`.
        unsafe { from.at(8 * i).get(from_mut(&mut value)) };
        sum = sum.wrapping_add(value);
    }
    sum
}

// Atomics -------------------------------------------------------------------------------------------------------

/// Adds to a cell `n` times, and adds up the old values.
#[inline(never)]
#[must_use]
pub fn processor_fetch_add(cell: &AtomicU64, n: usize) -> u64 {
    let mut sum: u64 = 0;
    for _ in 0..n {
        sum = sum.wrapping_add(cell.fetch_add(1, Ordering::AcqRel));
    }
    sum
}

/// Adds to [`COUNT`] `n` times, and adds up the old values.
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

/// Adds to [`SUM`] `n` times.
#[inline(never)]
pub fn add_float(pe: usize, n: usize) {
    for _ in 0..n {
        remote!(SUM[pe] += 1.0);
    }
}

/// Raises [`LEVEL`] `n` times.
#[inline(never)]
pub fn raise(pe: usize, n: usize) {
    for i in 0..n {
        remote!(&LEVEL[pe]).max(i as u32);
    }
}

/// Adds to [`SMALL`] `n` times.
#[inline(never)]
pub fn add_small(pe: usize, n: usize) {
    for _ in 0..n {
        remote!(SMALL[pe] += 1);
    }
}

/// Replaces 0 by 1, 1 by 2, … in [`COUNT`], and counts how often that succeeds.
#[inline(never)]
#[must_use]
pub fn compare_exchange(pe: usize, n: usize) -> usize {
    remote!(COUNT[pe] = 0);
    (0..n as u64).filter(|&i| remote!(&COUNT[pe]).compare_exchange(i, i + 1).is_ok()).count()
}

/// The same with an atomic of the processor.
#[inline(never)]
#[must_use]
pub fn processor_compare_exchange(cell: &AtomicU64, n: usize) -> usize {
    cell.store(0, Ordering::Release);
    let replace = |i| cell.compare_exchange(i, i + 1, Ordering::AcqRel, Ordering::Acquire);
    (0..n as u64).filter(|&i| replace(i).is_ok()).count()
}

/// Adds to a cell `n` times by a call of the transport, and adds up the old values.
///
/// # Safety
///
/// `cell` is an atomic cell of 8 bytes.
#[inline(never)]
#[must_use]
pub unsafe fn raw_fetch_add(cell: Place, n: usize) -> u64 {
    // SAFETY: the caller vouches for the cell.
    (0..n).fold(0, |sum: u64, _| sum.wrapping_add(unsafe { cell.fetch_add(1) }))
}

/// Adds to a cell `n` times by a call of the transport.
///
/// # Safety
///
/// As [`raw_fetch_add`].
#[inline(never)]
pub unsafe fn raw_add(cell: Place, n: usize) {
    for _ in 0..n {
        // SAFETY: the caller vouches for the cell.
        unsafe { cell.add(1) };
    }
}

/// Replaces 0 by 1, 1 by 2, … in [`COUNT`] by a call of the transport.
#[inline(never)]
pub fn raw_compare_swap(pe: usize, n: usize) {
    remote!(COUNT[pe] = 0);
    let cell = Place::of(remote!(&COUNT[pe]));
    for i in 0..n as u64 {
        // SAFETY: `COUNT` is a cell of 8 bytes on every PE.
        black_box(unsafe { cell.compare_swap(i, i + 1) });
    }
}

// Locks ---------------------------------------------------------------------------------------------------------

/// Takes and releases [`LOCK`] `n` times; no other PE wants it.
#[inline(never)]
pub fn lock(n: usize) {
    for _ in 0..n {
        drop(LOCK.lock());
    }
}

/// Synchronises `n` times with `pes`, which have come already.
#[inline(never)]
pub fn sync_with(world: &World, pes: &[usize], n: usize) {
    for _ in 0..n {
        world.sync_with(pes);
    }
}

/// Allocates and frees an array `n` times.
///
/// # Panics
///
/// When there is no room for it.
#[inline(never)]
pub fn allocate(world: &World, n: usize) {
    for _ in 0..n {
        let array = world.zeros::<u64, 1>([100]).expect("there is room");
        array.free().expect("this PE is alone");
    }
}

// Transfers -----------------------------------------------------------------------------------------------------

/// Puts `from` to the start of `to`, its elements `stride` apart, `repeats` times, and completes
/// that.
#[inline(never)]
pub fn put<T: Symmetric>(
    world: &World,
    to: &SymmetricArray<T, 1>,
    from: &[T],
    pe: usize,
    stride: usize,
    repeats: usize,
) {
    let n = from.len();
    for _ in 0..repeats {
        match stride {
            1 => remote!(to[pe, ..n] = from),
            _ => remote!(to[pe, ..(n - 1) * stride + 1;stride] = from),
        }
    }
    world.quiet();
}

/// Begins to put `from` to the start of `to`, `repeats` times, and completes that.
#[inline(never)]
pub fn put_nbi<T: Symmetric>(
    world: &World,
    to: &SymmetricArray<T, 1>,
    from: &[T],
    pe: usize,
    repeats: usize,
) {
    let n = from.len();
    world.nbi(|s| (0..repeats).for_each(|_| s.put(remote!(&to[pe, ..n]), from)));
    world.quiet();
}

/// Gets the start of `from`, its elements `stride` apart, `repeats` times.
#[inline(never)]
pub fn get<T: Symmetric>(
    from: &SymmetricArray<T, 1>,
    to: &mut [T],
    pe: usize,
    stride: usize,
    repeats: usize,
) {
    let n = to.len();
    for _ in 0..repeats {
        match stride {
            1 => remote!(from[pe, ..n] => &mut *to),
            _ => remote!(from[pe, ..(n - 1) * stride + 1;stride] => &mut *to),
        }
        black_box(&mut *to);
    }
}

/// [`put`] by calls of the transport.
///
/// # Safety
///
/// `to` has room for them, and no other code accesses it.
#[inline(never)]
pub unsafe fn raw_put<T>(to: Place, from: &[T], stride: usize, repeats: usize) {
    for _ in 0..repeats {
        match stride {
            // SAFETY: the caller vouches for the room.
            1 => unsafe { to.put(from) },
            // SAFETY: as above.
            _ => unsafe { to.iput(stride, from) },
        }
    }
    bench::quiet();
}

/// [`put_nbi`] by calls of the transport.
///
/// # Safety
///
/// As [`raw_put`].
#[inline(never)]
pub unsafe fn raw_put_nbi<T>(to: Place, from: &[T], repeats: usize) {
    for _ in 0..repeats {
        // SAFETY: the caller vouches for the room; `from` is borrowed until `quiet` has returned.
        unsafe { to.put_nbi(from) };
    }
    bench::quiet();
}

/// [`get`] by calls of the transport.
///
/// # Safety
///
/// `from` has elements of the type `T` there, and no other code accesses them.
#[inline(never)]
pub unsafe fn raw_get<T>(from: Place, to: &mut [T], stride: usize, repeats: usize) {
    for _ in 0..repeats {
        match stride {
            // SAFETY: the caller vouches for the elements.
            1 => unsafe { from.get(to) },
            // SAFETY: as above.
            _ => unsafe { from.iget(stride, to) },
        }
    }
}

/// Stores `from` to `to`, its elements `stride` apart, `repeats` times, and waits until all of it
/// is visible.
///
/// # Safety
///
/// `to` has room for them.
#[inline(never)]
pub unsafe fn store<T: Copy>(to: *mut T, from: &[T], stride: usize, repeats: usize) {
    for _ in 0..repeats {
        match (stride, from) {
            // SAFETY: the caller's word.
            (_, &[one]) => unsafe { to.write_volatile(one) },
            // SAFETY: the caller's word.
            (1, _) => unsafe { black_box(to).copy_from_nonoverlapping(from.as_ptr(), black_box(from.len())) },
            _ => {
                for (i, &value) in black_box(from).iter().enumerate() {
                    // SAFETY: the caller's word.
                    unsafe { *to.add(i * stride) = value };
                }
            }
        }
    }
    fence(Ordering::SeqCst);
}

/// Loads `to` from `from`, its elements `stride` apart, `repeats` times.
///
/// # Safety
///
/// `from` has them.
#[inline(never)]
pub unsafe fn load<T: Copy>(from: *const T, to: &mut [T], stride: usize, repeats: usize) {
    let n = to.len();
    for _ in 0..repeats {
        match (stride, &mut *to) {
            // SAFETY: the caller's word.
            (_, [one]) => *one = unsafe { from.read_volatile() },
            // SAFETY: the caller's word.
            (1, to) => unsafe { black_box(from).copy_to_nonoverlapping(to.as_mut_ptr(), black_box(n)) },
            (_, to) => {
                for (i, value) in to.iter_mut().enumerate() {
                    // SAFETY: the caller's word.
                    *value = unsafe { *from.add(i * stride) };
                }
            }
        }
        black_box(&mut *to);
    }
}

// Blocks --------------------------------------------------------------------------------------------------------

/// Puts a block to [`PLANE`], `n` times.
#[inline(never)]
pub fn put_block(from: &[[f64; 32]; 32], pe: usize, n: usize) {
    for _ in 0..n {
        remote!(PLANE[pe, 16..48, 16..48] = from);
    }
}

/// The same by hand: a copy for each row.
///
/// # Safety
///
/// `to` has room for 32 rows that are 64 elements apart.
#[inline(never)]
pub unsafe fn store_block(from: &[[f64; 32]; 32], to: *mut f64, n: usize) {
    for _ in 0..n {
        for (i, row) in from.iter().enumerate() {
            // SAFETY: the caller's word.
            unsafe { black_box(to).add(64 * i).copy_from_nonoverlapping(row.as_ptr(), 32) };
        }
    }
}

// Strided transfers of constant shape ---------------------------------------------------------------------------

/// Stores `from` to places `STRIDE` elements apart.
///
/// # Safety
///
/// `to` has room for them.
#[inline(never)]
pub unsafe fn scatter_constant<const STRIDE: usize>(from: &[f64; PICKED], to: *mut f64) {
    for (i, &value) in from.iter().enumerate() {
        // SAFETY: the caller's word.
        unsafe { *to.add(i * STRIDE) = value };
    }
}

/// Loads into `to` from places `STRIDE` elements apart.
///
/// # Safety
///
/// `from` has them.
#[inline(never)]
pub unsafe fn gather_constant<const STRIDE: usize>(to: &mut [f64; PICKED], from: *const f64) {
    for (i, value) in to.iter_mut().enumerate() {
        // SAFETY: the caller's word.
        *value = unsafe { *from.add(i * STRIDE) };
    }
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
