//! Relaxed accesses of one word, each of which is one instruction in a build without optimisation
//! too.
//!
//! The standard library's atomics are functions that look at the ordering they are given, and its
//! pointers are checked by functions: where nothing is inlined, that is a hundred instructions for
//! a load. A loop over elements is hardly anything but such loads, so on x86-64 a debug build has
//! the instructions written out here. Otherwise the atomics do the same, and the compiler knows
//! more of them.

use std::sync::atomic::{AtomicPtr, AtomicUsize};

/// The words that are moved whole, by the number of their bytes.
pub(crate) const fn is_word<T>() -> bool {
    matches!(size_of::<T>(), 1 | 2 | 4 | 8) && size_of::<T>() == align_of::<T>()
}

/// Whether a pointer is null: the standard library's method is a function that asks whether it runs
/// in a constant.
#[inline(always)]
pub(crate) fn is_null(pointer: *mut u8) -> bool {
    pointer as usize == 0
}

#[cfg(all(debug_assertions, target_arch = "x86_64"))]
pub(crate) use lean::{load, load_entry, load_usize, store};

#[cfg(not(all(debug_assertions, target_arch = "x86_64")))]
pub(crate) use atomic::{load, load_entry, load_usize, store};

#[cfg(all(debug_assertions, target_arch = "x86_64"))]
mod lean {
    use std::arch::asm;

    use super::{AtomicPtr, AtomicUsize};

    /// A relaxed load.
    #[inline(always)]
    pub(crate) fn load_usize(word: &AtomicUsize) -> usize {
        let value;
        // SAFETY: a reference is to a word that is mapped and aligned, which one instruction loads
        // whole.
        unsafe {
            asm!("mov {v}, [{w}]", v = out(reg) value, w = in(reg) word, options(nostack, preserves_flags, readonly));
        }
        value
    }

    /// A relaxed load of an entry of a table.
    ///
    /// # Panics
    ///
    /// When there is no such entry.
    #[inline(always)]
    pub(crate) fn load_entry<const N: usize>(table: &[AtomicPtr<u8>; N], entry: usize) -> *mut u8 {
        if entry >= N {
            no_entry();
        }
        let value;
        // SAFETY: as in `load_usize`; the entry is one of the table.
        unsafe {
            asm!(
                "mov {v}, [{t} + 8*{e}]", v = out(reg) value, t = in(reg) table, e = in(reg) entry,
                options(nostack, preserves_flags, readonly)
            );
        }
        value
    }

    #[cold]
    fn no_entry() -> ! {
        panic!("there is no such entry")
    }

    /// Moves a word, from `src + src_offset` to `dst + dst_offset`.
    macro_rules! move_word {
        ($t:ty, $dst:expr, $dst_offset:literal, $src:expr, $src_offset:literal, $offset:expr) => {
            match const { size_of::<$t>() } {
                1 => move_word!(":l", $dst, $dst_offset, $src, $src_offset, $offset),
                2 => move_word!(":x", $dst, $dst_offset, $src, $src_offset, $offset),
                4 => move_word!(":e", $dst, $dst_offset, $src, $src_offset, $offset),
                _ => move_word!(":r", $dst, $dst_offset, $src, $src_offset, $offset),
            }
        };
        ($modifier:literal, $dst:expr, $dst_offset:literal, $src:expr, $src_offset:literal, $offset:expr) => {
            asm!(
                concat!("mov {v", $modifier, "}, [{s}", $src_offset, "]"),
                concat!("mov [{d}", $dst_offset, "], {v", $modifier, "}"),
                s = in(reg) $src, d = in(reg) $dst, o = in(reg) $offset, v = out(reg) _,
                options(nostack, preserves_flags)
            )
        };
    }

    /// Moves the word at `from + offset`, which is shared, to `to`.
    ///
    /// # Safety
    ///
    /// `T` is a word, as [`is_word`](super::is_word) says; both sides hold one, and are aligned to
    /// it.
    #[inline(always)]
    pub(crate) unsafe fn load<T>(from: *const u8, offset: usize, to: *mut T) {
        // SAFETY: the caller's promises.
        unsafe { move_word!(T, to, "", from, " + {o}", offset) }
    }

    /// Moves the word at `from` to `to + offset`, which is shared.
    ///
    /// # Safety
    ///
    /// As [`load`].
    #[inline(always)]
    pub(crate) unsafe fn store<T>(from: *const T, to: *mut u8, offset: usize) {
        // SAFETY: the caller's promises.
        unsafe { move_word!(T, to, " + {o}", from, "", offset) }
    }
}

#[cfg(not(all(debug_assertions, target_arch = "x86_64")))]
mod atomic {
    use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

    use super::{AtomicPtr, AtomicUsize};

    /// A relaxed load.
    #[inline(always)]
    pub(crate) fn load_usize(word: &AtomicUsize) -> usize {
        word.load(Ordering::Relaxed)
    }

    /// A relaxed load of an entry of a table.
    ///
    /// # Panics
    ///
    /// When there is no such entry.
    #[inline(always)]
    pub(crate) fn load_entry<const N: usize>(table: &[AtomicPtr<u8>; N], entry: usize) -> *mut u8 {
        table[entry].load(Ordering::Relaxed)
    }

    /// Moves the word at `from + offset`, which is shared, to `to`.
    ///
    /// # Safety
    ///
    /// `T` is a word, as [`is_word`](super::is_word) says; both sides hold one, and are aligned to
    /// it.
    #[inline(always)]
    pub(crate) unsafe fn load<T>(from: *const u8, offset: usize, to: *mut T) {
        let from = from.wrapping_add(offset).cast_mut();
        // SAFETY: the caller's promises; shared memory is only accessed atomically or by copies
        // that the compiler does not see.
        unsafe {
            match const { size_of::<T>() } {
                1 => to.cast::<u8>().write(AtomicU8::from_ptr(from).load(Ordering::Relaxed)),
                2 => to.cast::<u16>().write(AtomicU16::from_ptr(from.cast()).load(Ordering::Relaxed)),
                4 => to.cast::<u32>().write(AtomicU32::from_ptr(from.cast()).load(Ordering::Relaxed)),
                _ => to.cast::<u64>().write(AtomicU64::from_ptr(from.cast()).load(Ordering::Relaxed)),
            }
        }
    }

    /// Moves the word at `from` to `to + offset`, which is shared.
    ///
    /// # Safety
    ///
    /// As [`load`].
    #[inline(always)]
    pub(crate) unsafe fn store<T>(from: *const T, to: *mut u8, offset: usize) {
        let to = to.wrapping_add(offset);
        // SAFETY: as in `load`.
        unsafe {
            match const { size_of::<T>() } {
                1 => AtomicU8::from_ptr(to).store(from.cast::<u8>().read(), Ordering::Relaxed),
                2 => AtomicU16::from_ptr(to.cast()).store(from.cast::<u16>().read(), Ordering::Relaxed),
                4 => AtomicU32::from_ptr(to.cast()).store(from.cast::<u32>().read(), Ordering::Relaxed),
                _ => AtomicU64::from_ptr(to.cast()).store(from.cast::<u64>().read(), Ordering::Relaxed),
            }
        }
    }
}
