//! Loads, stores and copies of elements whose type is known, where they reach the target.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::select::Form;
use crate::system::tuning::copy::LARGE_ELEMENT;
use crate::transport::Run;
use crate::transport::copy::{self, words_8, words_16, words_32, words_64};
use crate::transport::gather;
use crate::transport::reversed::words_64_back;

/// A word that the processor loads and stores whole.
macro_rules! words {
    ($($load:ident $store:ident $atomic:ident $word:ty),*) => {$(
        /// Copies one word from shared to private memory.
        ///
        /// # Safety
        ///
        /// Both sides hold a word, and `from` is aligned to it.
        #[inline(always)]
        unsafe fn $load(from: *const u8, to: *mut u8) {
            // SAFETY: an aligned word that is mapped; shared memory is only accessed atomically or
            // by copies that the compiler does not see.
            unsafe {
                let word = $atomic::from_ptr(from.cast_mut().cast()).load(Ordering::Relaxed);
                to.cast::<$word>().write_unaligned(word);
            }
        }

        /// Copies one word from private to shared memory.
        ///
        /// # Safety
        ///
        /// Both sides hold a word, and `to` is aligned to it.
        #[inline(always)]
        unsafe fn $store(from: *const u8, to: *mut u8) {
            // SAFETY: as above.
            unsafe {
                let word = from.cast::<$word>().read_unaligned();
                $atomic::from_ptr(to.cast()).store(word, Ordering::Relaxed);
            }
        }
    )*};
}

words!(load8 store8 AtomicU8 u8, load16 store16 AtomicU16 u16, load32 store32 AtomicU32 u32, load64 store64 AtomicU64 u64);

macro_rules! elements {
    ($($(#[$doc:meta])* $name:ident: $w8:ident $w16:ident $w32:ident $w64:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Both sides hold a `T`, and the shared side is aligned to it.
        #[inline(always)]
        pub(super) unsafe fn $name<T>(from: *const u8, to: *mut u8) {
            let size = size_of::<T>();
            if size > LARGE_ELEMENT {
                // SAFETY: both sides hold `size` bytes.
                return unsafe { copy::copy(to, from, size) };
            }
            let mut at = 0;
            while at < size {
                // SAFETY: `at` is a multiple of the word, which divides the alignment of `T` and
                // with it its size.
                unsafe {
                    match align_of::<T>() {
                        1 => { $w8(from.add(at), to.add(at)); at += 1; }
                        2 => { $w16(from.add(at), to.add(at)); at += 2; }
                        4 => { $w32(from.add(at), to.add(at)); at += 4; }
                        _ => { $w64(from.add(at), to.add(at)); at += 8; }
                    }
                }
            }
        }
    )*};
}

elements! {
    /// Copies one element from shared to private memory.
    load: load8 load16 load32 load64;
    /// Copies one element from private to shared memory.
    store: store8 store16 store32 store64;
}

/// Copies `len` bytes, one side of which is shared.
///
/// # Safety
///
/// As [`copy`](copy::copy).
#[inline(never)]
pub(super) unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: the same bytes.
    unsafe { copy::copy(dst, src, len) }
}

/// As [`copy`], from private memory to that of a PE.
///
/// # Safety
///
/// As [`copy_to_pe`](copy::copy_to_pe).
#[inline(never)]
pub(super) unsafe fn copy_to_pe(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: the same bytes.
    unsafe { copy::copy_to_pe(dst, src, len) }
}

/// Moves a strided run of words of shared memory to consecutive places.
///
/// # Safety
///
/// Every element of the run is mapped and aligned, and `to` has room for `run.count`. `T` is a
/// word.
#[inline(always)]
pub(super) unsafe fn gather<T>(run: Run, from: *const u8, to: *mut u8) {
    // SAFETY: the elements of the run, which are words of this size, and consecutive places for
    // them.
    unsafe {
        match const { size_of::<T>() } {
            1 => words_8(to, 1, from, run.stride, run.count),
            2 => words_16(to, 2, from, run.stride, run.count),
            4 => words_32(to, 4, from, run.stride, run.count),
            _ => words_64(to, 8, from, run.stride, run.count),
        }
    }
}

/// Moves consecutive words to a strided run of shared memory.
///
/// # Safety
///
/// As [`gather`], the other way round.
#[inline(always)]
pub(super) unsafe fn scatter<T>(run: Run, from: *const u8, to: *mut u8) {
    // SAFETY: as in `gather`.
    unsafe {
        match const { size_of::<T>() } {
            1 => words_8(to, run.stride, from, 1, run.count),
            2 => words_16(to, run.stride, from, 2, run.count),
            4 => words_32(to, run.stride, from, 4, run.count),
            _ => words_64(to, run.stride, from, 8, run.count),
        }
    }
}

/// As [`gather`], of a run that descends.
///
/// # Safety
///
/// As [`gather`].
#[inline(always)]
pub(super) unsafe fn gather_back<T>(run: Run, from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise; a run of this stride is words side by side.
    unsafe {
        if const { size_of::<T>() == 8 } && run.stride == 8_usize.wrapping_neg() {
            words_64_back(to, from, run.count);
        } else {
            gather::<T>(run, from, to);
        }
    }
}

/// As [`scatter`], to a run that descends.
///
/// # Safety
///
/// As [`scatter`].
#[inline(always)]
pub(super) unsafe fn scatter_back<T>(run: Run, from: *const u8, to: *mut u8) {
    // SAFETY: as above. The last word goes to the lowest place; without words nothing is accessed.
    unsafe {
        if const { size_of::<T>() == 8 } && run.stride == 8_usize.wrapping_neg() {
            let to_last = run.count.wrapping_sub(1).wrapping_mul(8);
            words_64_back(to.wrapping_sub(to_last), from.wrapping_add(to_last), run.count);
        } else {
            scatter::<T>(run, from, to);
        }
    }
}

/// The most elements of a list that are moved in line, where the compiler knows how many they are.
const SHORT_LIST: usize = 8;

/// Whether a list is moved in line.
pub(super) const fn is_short_list<F: Form>() -> bool {
    matches!(F::LEN, Some(len) if len <= SHORT_LIST)
}

/// Moves the words of a list, which are `stride` bytes apart in shared memory, to consecutive places.
///
/// # Safety
///
/// Every element of the list is mapped and aligned, and `to` has room for all of them. `T` is a word.
#[inline(always)]
pub(super) unsafe fn gather_list<T, F: Form>(list: &[usize], stride: usize, from: *const u8, to: *mut u8) {
    // SAFETY: the elements of the list, and consecutive places for them.
    unsafe {
        if const { is_short_list::<F>() } {
            for (i, &index) in list.iter().enumerate() {
                load::<T>(from.wrapping_add(index * stride), to.add(i * size_of::<T>()));
            }
        } else {
            gather::gather(to, from, list, stride, size_of::<T>());
        }
    }
}

/// Moves consecutive words to those of a list in shared memory, in its order.
///
/// # Safety
///
/// As [`gather_list`], the other way round.
#[inline(always)]
pub(super) unsafe fn scatter_list<T, F: Form>(list: &[usize], stride: usize, from: *const u8, to: *mut u8) {
    // SAFETY: as in `gather_list`.
    unsafe {
        if const { is_short_list::<F>() } {
            for (i, &index) in list.iter().enumerate() {
                store::<T>(from.add(i * size_of::<T>()), to.wrapping_add(index * stride));
            }
        } else {
            gather::scatter(to, list, stride, from, size_of::<T>(), size_of::<T>());
        }
    }
}
