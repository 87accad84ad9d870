//! Copies between private memory and the heaps, or between heaps.
//!
//! # Racing bytes
//!
//! Another PE may write the bytes that are read here, or write where this PE writes. The program
//! may have a race, and the layers above promise that a race yields unspecified *values* and
//! nothing worse. Rust's own accesses do not promise that, and a compiler that sees both sides of a
//! copy may read a byte twice. So on x86-64 instructions written out here move the bytes: each byte
//! is loaded once and stored once, or twice with the same value, and the compiler assumes nothing
//! about them. The same holds for strided copies of whole words. The middle sizes go to the C
//! library's `memcpy`, through an address that the compiler cannot recognise.
//!
//! One element is a relaxed atomic access of its words, inlined where it is made. The compiler must
//! treat another process's writes as it treats those of a device. Two threads of one PE share the
//! compiler's view: their accesses of the same width are atomic, and their copies are instructions
//! that are opaque to it. One case remains: elements of one width that race with fields, or
//! elements, of another width at the same place. The language leaves atomics of two widths
//! undefined. LLVM, which compiles them, defines them byte by byte, as the processors do, and this
//! code relies on that.
//!
//! On other processors than x86-64, strided copies of more than one element are relaxed atomics,
//! word by word; other copies are `memcpy` between barriers to the optimiser. There, copies by two
//! threads of one PE that race rely on what compilers do, and not on what the language promises.
//!
//! # Which method for which size
//!
//! Measured between private memory and a mapping of shared memory, in both directions, on one core,
//! as a multiple of the speed of `memcpy` in the same run (Zen 5):
//!
//! | bytes | here | what is used |
//! |---|---|---|
//! | to 16 | 1.5 to 3.5 | one or two words, in line |
//! | to 64 | 1.2 to 1.5 | two or four vectors of 16 bytes, in line |
//! | to 2 KiB | 0.6 to 1.0 (1 ns more) | `memcpy` |
//! | to 16 KiB | 1.6 to 1.7 (1.1 to 1.25 with AVX2) | a loop over vectors |
//! | to 12 MiB | 1.0 (Zen 5: 1.0 to 1.6) | `memcpy` (Zen 5: the string instruction) |
//! | above | 1.2 to 1.7 | streaming stores |
//!
//! In the middle `memcpy` knows the processor better than this code: it uses a string instruction
//! or a loop. On Zen 5, from 1 MiB on, one string instruction for all bytes is faster than what
//! `memcpy` of glibc 2.36 makes of it. Streaming stores lose below 10 MiB (0.7 to 0.9) and win above 12
//! MiB, where the caches cannot hold both sides.
//!
//! # Memory that another core holds
//!
//! What a PE writes to another one, that one reads, so the next write finds the lines in the caches of
//! another core. A vector loop gets each line with its bytes, which it then overwrites. On Zen 5 the
//! string instruction gets lines without their bytes: two PEs that write to each other and read what
//! came took 0.85 of the time for 2 and 4 KiB, and 0.6 for 8 to 128 KiB. (Where nobody has read the lines,
//! it takes 1.6 times as long up to 16 KiB, and as long as `memcpy`.) To read what another core has
//! written takes as long with both. So copies to other PEs are by the string instruction from 2 KiB on, and
//! copies from them, and within a PE, as in the table.
//!
//! # The 4 KiB trap
//!
//! Processors compare the low 12 bits of a load's address with those of the stores under way. Where
//! the destination is a few bytes ahead of the source, modulo 4096, every load seems to depend on
//! the store before. On Zen 4 the string instruction that `memcpy` uses then falls to a fifteenth
//! of its speed; the vector loop, which loads four vectors before it stores them, keeps its speed.
//! Zen 5 has no such fall, and there the loop costs 3 to 7 %. So from 2 KiB on, these copies go to
//! the loop.

#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{
    copy, copy_to_pe, end_of_stream, load_line, store_line, stream_line, words_8, words_16, words_32,
    words_64,
};

#[cfg(target_arch = "x86_64")]
use x86_64::memcpy;

use std::mem::MaybeUninit;
use std::ptr;

use super::Run;
use crate::system::tuning;
use crate::system::tuning::copy::{FILL_BLOCK, FILL_BLOCK_FROM};

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use {memcpy as copy, memcpy as copy_to_pe};

/// Whether writing `len` bytes to `to` may change some at `from`, and the two are not the same.
pub(crate) fn is_tangled(to: *mut u8, from: *const u8, len: usize) -> bool {
    to.cast_const() != from && to.addr().abs_diff(from.addr()) < len
}

/// Bytes of a [`CacheLine`].
pub(crate) const LINE: usize = 64;

/// A cache line's worth of bytes, held in registers between a load and a store.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct CacheLine(pub(crate) [u8; LINE]);

/// Loads a line, which need not be aligned.
///
/// # Safety
///
/// [`LINE`] bytes are readable.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn load_line(src: *const u8) -> CacheLine {
    let mut line = CacheLine([0; LINE]);
    // SAFETY: a line is readable at `src`, and `line` is one.
    unsafe { memcpy(line.0.as_mut_ptr(), src, LINE) };
    line
}

/// Stores a line, which need not be aligned.
///
/// # Safety
///
/// [`LINE`] bytes are writable.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn store_line(dst: *mut u8, line: CacheLine) {
    // SAFETY: a line is writable at `dst`, and `line` is one.
    unsafe { memcpy(dst, line.0.as_ptr(), LINE) };
}

/// The C library's copy of `len` bytes.
///
/// # Safety
///
/// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn memcpy(dst: *mut u8, src: *const u8, len: usize) {
    // The compiler knows what `memcpy` does. It would move a call whose arguments do not change out
    // of a loop that waits for another PE, or read the source again instead of the copy. It does
    // neither across a point where memory may have changed for reasons that it cannot know.
    std::hint::black_box(src);
    // SAFETY: `len` bytes are readable and writable, and do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, len) };
    std::hint::black_box(dst);
}

/// Copies `count` elements of `elem` bytes that are `src_stride` and `dst_stride` bytes apart. A
/// stride may be negative, as the two's complement.
///
/// # Safety
///
/// Every element is readable in the source and writable in the destination, and the two do not
/// overlap.
pub(crate) unsafe fn copy_strided(
    dst: *mut u8,
    dst_stride: usize,
    src: *const u8,
    src_stride: usize,
    count: usize,
    elem: usize,
) {
    // SAFETY: the caller's promise.
    unsafe { copy_strided_by(dst, dst_stride, src, src_stride, count, elem, copy) }
}

/// As [`copy_strided`], to memory of another PE, whose caches probably hold it.
///
/// # Safety
///
/// As [`copy_strided`].
pub(crate) unsafe fn copy_strided_to_pe(
    dst: *mut u8,
    dst_stride: usize,
    src: *const u8,
    src_stride: usize,
    count: usize,
    elem: usize,
) {
    // SAFETY: the caller's promise.
    unsafe { copy_strided_by(dst, dst_stride, src, src_stride, count, elem, copy_to_pe) }
}

/// [`copy_strided`], with `copy` for what is not moved word by word.
///
/// # Safety
///
/// As [`copy_strided`]; `copy` copies bytes, and requires no more than [`copy`] does.
#[inline(always)]
unsafe fn copy_strided_by(
    dst: *mut u8,
    dst_stride: usize,
    src: *const u8,
    src_stride: usize,
    count: usize,
    elem: usize,
    copy: unsafe fn(*mut u8, *const u8, usize),
) {
    if dst_stride == elem && src_stride == elem {
        // SAFETY: the elements are without gaps, so all bytes between the first and the last belong
        // to elements.
        return unsafe { copy(dst, src, count * elem) };
    }
    let all = dst as usize | dst_stride | src as usize | src_stride;
    // SAFETY: every address is that of an element; where words are moved, `all` says that each is
    // aligned.
    unsafe {
        match elem {
            8 if all.is_multiple_of(8) => words_64(dst, dst_stride, src, src_stride, count),
            4 if all.is_multiple_of(4) => words_32(dst, dst_stride, src, src_stride, count),
            2 if all.is_multiple_of(2) => words_16(dst, dst_stride, src, src_stride, count),
            1 => words_8(dst, dst_stride, src, src_stride, count),
            // Rows of a block: the choice above is made once, and not for each row.
            65..=tuning::copy::SHORT => {
                let (mut dst, mut src) = (dst, src);
                for _ in 0..count {
                    memcpy(dst, src, elem);
                    // Wrapping, because the address after the last row may lie outside of the
                    // object.
                    (dst, src) = (dst.wrapping_add(dst_stride), src.wrapping_add(src_stride));
                }
            }
            _ => {
                let (mut dst, mut src) = (dst, src);
                for _ in 0..count {
                    copy(dst, src, elem);
                    (dst, src) = (dst.wrapping_add(dst_stride), src.wrapping_add(src_stride));
                }
            }
        }
    }
}

/// Writes the element at `value`, of `elem` bytes, to every place of a run that starts at `to`.
///
/// # Safety
///
/// Every element of the run is mapped.
#[inline(never)]
pub(crate) unsafe fn repeat(to: *mut u8, run: Run, value: *const u8, elem: usize) {
    // SAFETY: the elements of the run, of `elem` bytes; a dense fill is one of enough elements.
    unsafe {
        if run.stride == elem && run.count >= FILL_BLOCK_FROM && elem <= FILL_BLOCK / 2 && elem > 0 {
            repeat_dense(to, run.count, value, elem);
        } else {
            copy_strided(to, run.stride, value, 0, run.count, elem);
        }
    }
}

/// [`repeat`], without gaps: from a block of elements in private memory, which doubles until it is
/// full.
///
/// # Safety
///
/// As [`repeat`], for at least 2 elements, of which the block holds at least 2.
unsafe fn repeat_dense(to: *mut u8, count: usize, value: *const u8, elem: usize) {
    let mut block = MaybeUninit::<[u8; FILL_BLOCK]>::uninit();
    let block: *mut u8 = block.as_mut_ptr().cast();
    let whole = (count * elem).min(FILL_BLOCK - FILL_BLOCK % elem);
    // SAFETY: the block has room for `whole` bytes. What is copied within it lies before `filled`,
    // and its copy after that. Of the target all `count * elem` bytes are written, and no others.
    unsafe {
        ptr::copy_nonoverlapping(value, block, elem);
        let mut filled = elem;
        while filled < whole {
            let more = filled.min(whole - filled);
            ptr::copy_nonoverlapping(block, block.add(filled), more);
            filled += more;
        }
        let mut done = 0;
        while done < count * elem {
            let part = whole.min(count * elem - done);
            copy(to.add(done), block, part);
            done += part;
        }
    }
}

/// One function per width: a strided copy of aligned words.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! words {
    ($name:ident, $int:ty, $atomic:ty) => {
        /// Copies `count` words that are `src_stride` and `dst_stride` bytes apart.
        ///
        /// # Safety
        ///
        /// As [`copy_strided`], for elements of this width; all of them are aligned to it.
        #[inline(never)]
        pub(crate) unsafe fn $name(
            dst: *mut u8,
            dst_stride: usize,
            src: *const u8,
            src_stride: usize,
            count: usize,
        ) {
            use std::sync::atomic::Ordering::Relaxed;
            for i in 0..count {
                // SAFETY: both are elements, and aligned. The source is
                // only loaded from, which is allowed on memory that is not writable.
                unsafe {
                    let from = src.wrapping_add(i.wrapping_mul(src_stride));
                    let from = <$atomic>::from_ptr(from.cast_mut().cast());
                    let to = <$atomic>::from_ptr(dst.wrapping_add(i.wrapping_mul(dst_stride)).cast());
                    to.store(from.load(Relaxed), Relaxed);
                }
            }
        }
    };
}
#[cfg(not(target_arch = "x86_64"))]
words!(words_8, u8, std::sync::atomic::AtomicU8);
#[cfg(not(target_arch = "x86_64"))]
words!(words_16, u16, std::sync::atomic::AtomicU16);
#[cfg(not(target_arch = "x86_64"))]
words!(words_32, u32, std::sync::atomic::AtomicU32);
#[cfg(not(target_arch = "x86_64"))]
words!(words_64, u64, std::sync::atomic::AtomicU64);

/// As [`store_line`]. On x86-64 it bypasses the caches, for data that they cannot hold, and needs
/// aligned lines.
///
/// # Safety
///
/// [`LINE`] bytes are writable. The caller calls [`end_of_stream`] before it does anything that
/// tells another PE of them.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn stream_line(dst: *mut u8, line: CacheLine) {
    // SAFETY: a line is writable at `dst`.
    unsafe { store_line(dst, line) };
}

/// Orders all streamed stores before all later stores.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn end_of_stream() {}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::asm;
    use std::arch::x86_64::{__cpuid, __m128i};
    use std::ffi::c_void;
    use std::mem::transmute;
    use std::sync::LazyLock;

    use super::CacheLine;
    use crate::system::tuning::copy::{SHORT, STREAM, VECTORS};

    /// Loads a line, which need not be aligned, into registers. It writes nothing to memory in
    /// between.
    ///
    /// # Safety
    ///
    /// [`LINE`](super::LINE) bytes are readable.
    #[inline(always)]
    pub(crate) unsafe fn load_line(src: *const u8) -> CacheLine {
        let (a, b, c, d): (__m128i, __m128i, __m128i, __m128i);
        // SAFETY: a line, which is readable, has as many bytes as four vectors.
        unsafe {
            asm!(
                "movups {a}, [{s}]",
                "movups {b}, [{s} + 16]",
                "movups {c}, [{s} + 32]",
                "movups {d}, [{s} + 48]",
                s = in(reg) src, a = out(xmm_reg) a, b = out(xmm_reg) b, c = out(xmm_reg) c, d = out(xmm_reg) d,
                options(nostack, preserves_flags, readonly)
            );
            transmute::<[__m128i; 4], CacheLine>([a, b, c, d])
        }
    }

    /// Stores a line, which need not be aligned, from registers.
    ///
    /// # Safety
    ///
    /// [`LINE`](super::LINE) bytes are writable.
    #[inline(always)]
    pub(crate) unsafe fn store_line(dst: *mut u8, line: CacheLine) {
        // SAFETY: a line, which is writable, has as many bytes as four vectors.
        unsafe {
            let [a, b, c, e] = transmute::<CacheLine, [__m128i; 4]>(line);
            asm!(
                "movups [{d}], {a}",
                "movups [{d} + 16], {b}",
                "movups [{d} + 32], {c}",
                "movups [{d} + 48], {e}",
                d = in(reg) dst, a = in(xmm_reg) a, b = in(xmm_reg) b, c = in(xmm_reg) c, e = in(xmm_reg) e,
                options(nostack, preserves_flags)
            );
        }
    }

    /// The C library's copy of `len` bytes, as a function that the compiler cannot recognise. A
    /// copy that it recognises it would move out of a loop that waits for another PE, or replace by
    /// a second read of the source; and two that race are undefined to it.
    ///
    /// # Safety
    ///
    /// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
    #[inline]
    pub(super) unsafe fn memcpy(dst: *mut u8, src: *const u8, len: usize) {
        type Memcpy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void;
        let address: *const ();
        // SAFETY: the address of a function is read from the table that the linker makes of them,
        // and is that of `memcpy`, which has this type. It reads and writes the `len` bytes, and no
        // others.
        unsafe {
            asm!(
                "mov {address}, qword ptr [rip + {memcpy}@GOTPCREL]",
                address = out(reg) address, memcpy = sym libc::memcpy,
                options(pure, nomem, nostack, preserves_flags)
            );
            transmute::<*const (), Memcpy>(address)(dst.cast(), src.cast(), len);
        }
    }

    /// Stores a line from registers and bypasses the caches, for data that they cannot hold.
    ///
    /// # Safety
    ///
    /// [`LINE`](super::LINE) bytes are writable, and `dst` is aligned to 16. The caller calls
    /// [`end_of_stream`] before it does anything that tells another PE of them.
    #[inline(always)]
    pub(crate) unsafe fn stream_line(dst: *mut u8, line: CacheLine) {
        // SAFETY: as in `store_line`.
        unsafe {
            let [a, b, c, e] = transmute::<CacheLine, [__m128i; 4]>(line);
            asm!(
                "movntps [{d}], {a}",
                "movntps [{d} + 16], {b}",
                "movntps [{d} + 32], {c}",
                "movntps [{d} + 48], {e}",
                d = in(reg) dst, a = in(xmm_reg) a, b = in(xmm_reg) b, c = in(xmm_reg) c, e = in(xmm_reg) e,
                options(nostack, preserves_flags)
            );
        }
    }

    /// Orders all streamed stores before all later stores.
    pub(crate) fn end_of_stream() {
        // SAFETY: every x86-64 processor has the instruction, and it accesses no memory.
        unsafe { asm!("sfence", options(nostack, preserves_flags)) };
    }

    /// Copies `len` bytes.
    ///
    /// # Safety
    ///
    /// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
    #[inline]
    pub(crate) unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy_by(dst, src, len, long) }
    }

    /// As [`copy`], to memory of another PE, whose caches probably hold it.
    ///
    /// # Safety
    ///
    /// As [`copy`].
    #[inline]
    pub(crate) unsafe fn copy_to_pe(dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy_by(dst, src, len, long_to_pe) }
    }

    /// [`copy`], with `long` for more than [`SHORT`] bytes.
    ///
    /// # Safety
    ///
    /// As [`copy`], and `long` requires no more.
    #[inline(always)]
    unsafe fn copy_by(dst: *mut u8, src: *const u8, len: usize, long: unsafe fn(*mut u8, *const u8, usize)) {
        // Pieces of one width cover each size from both ends, and meet or overlap in the middle.
        macro_rules! both_ends {
            ($mov:literal, $class:ident, $modifier:literal, $width:literal) => {
                asm!(
                    concat!($mov, " {a", $modifier, "}, [{s}]"),
                    concat!($mov, " {b", $modifier, "}, [{s} + {n} - ", $width, "]"),
                    concat!($mov, " [{d}], {a", $modifier, "}"),
                    concat!($mov, " [{d} + {n} - ", $width, "], {b", $modifier, "}"),
                    s = in(reg) src, d = in(reg) dst, n = in(reg) len, a = out($class) _, b = out($class) _,
                    options(nostack, preserves_flags)
                )
            };
        }
        macro_rules! move_word {
            ($modifier:literal) => {
                asm!(
                    concat!("mov {a", $modifier, "}, [{s}]"),
                    concat!("mov [{d}], {a", $modifier, "}"),
                    s = in(reg) src, d = in(reg) dst, a = out(reg) _,
                    options(nostack, preserves_flags)
                )
            };
        }
        // SAFETY: every arm touches the `len` bytes of both sides, as its range guarantees, and no
        // others: the pieces start at 0 or end at `len`, and together are at most as long as twice
        // `len`.
        unsafe {
            // Few comparisons for each length, and none where the compiler knows it.
            if len > 32 {
                if len > 64 {
                    if len <= SHORT { memcpy(dst, src, len) } else { long(dst, src, len) }
                } else {
                    asm!(
                        "movups {a}, [{s}]",
                        "movups {b}, [{s} + 16]",
                        "movups {e}, [{s} + {n} - 32]",
                        "movups {f}, [{s} + {n} - 16]",
                        "movups [{d}], {a}",
                        "movups [{d} + 16], {b}",
                        "movups [{d} + {n} - 32], {e}",
                        "movups [{d} + {n} - 16], {f}",
                        s = in(reg) src, d = in(reg) dst, n = in(reg) len,
                        a = out(xmm_reg) _, b = out(xmm_reg) _, e = out(xmm_reg) _, f = out(xmm_reg) _,
                        options(nostack, preserves_flags)
                    )
                }
            } else if len > 16 {
                both_ends!("movups", xmm_reg, "", "16")
            } else if len > 8 {
                both_ends!("mov", reg, ":r", "8")
            } else if len == 8 {
                move_word!(":r")
            } else if len >= 4 {
                both_ends!("mov", reg, ":e", "4")
            } else if len >= 2 {
                both_ends!("mov", reg, ":x", "2")
            } else if len == 1 {
                move_word!(":l")
            }
        }
    }

    /// One function per width: a strided copy of words, four per iteration. It uses few enough
    /// registers that none has to be saved.
    macro_rules! words {
        ($($name:ident $modifier:literal)*) => {$(
            /// Copies `count` words that are `src_stride` and `dst_stride` bytes apart.
            ///
            /// # Safety
            ///
            /// As [`copy_strided`](super::copy_strided), for elements of this width; all of them
            /// are aligned to it.
            #[inline(never)]
            pub(crate) unsafe fn $name(
                dst: *mut u8,
                dst_stride: usize,
                src: *const u8,
                src_stride: usize,
                count: usize,
            ) {
                // SAFETY: `count` words are loaded and stored, at multiples of the strides: those
                // of the elements.
                unsafe {
                    asm!(
                        "sub {n}, 4",
                        "jb 3f",
                        "lea {s3}, [{ss} + 2*{ss}]",
                        "lea {d3}, [{ds} + 2*{ds}]",
                        ".p2align 4",
                        "2:",
                        concat!("mov {t", $modifier, "}, [{s}]"),
                        concat!("mov [{d}], {t", $modifier, "}"),
                        concat!("mov {t", $modifier, "}, [{s} + {ss}]"),
                        concat!("mov [{d} + {ds}], {t", $modifier, "}"),
                        concat!("mov {t", $modifier, "}, [{s} + 2*{ss}]"),
                        concat!("mov [{d} + 2*{ds}], {t", $modifier, "}"),
                        concat!("mov {t", $modifier, "}, [{s} + {s3}]"),
                        concat!("mov [{d} + {d3}], {t", $modifier, "}"),
                        "lea {s}, [{s} + 4*{ss}]",
                        "lea {d}, [{d} + 4*{ds}]",
                        "sub {n}, 4",
                        "jae 2b",
                        "3:",
                        "add {n}, 4",
                        "jz 5f",
                        "4:",
                        concat!("mov {t", $modifier, "}, [{s}]"),
                        concat!("mov [{d}], {t", $modifier, "}"),
                        "add {s}, {ss}",
                        "add {d}, {ds}",
                        "dec {n}",
                        "jnz 4b",
                        "5:",
                        s = inout(reg) src => _, d = inout(reg) dst => _, n = inout(reg) count => _,
                        ss = in(reg) src_stride, ds = in(reg) dst_stride,
                        s3 = out(reg) _, d3 = out(reg) _, t = out(reg) _,
                        options(nostack)
                    );
                }
            }
        )*};
    }
    words!(words_8 ":l" words_16 ":x" words_32 ":e" words_64 ":r");

    /// More than [`SHORT`] bytes.
    ///
    /// # Safety
    ///
    /// As [`copy`], for more than [`SHORT`] bytes.
    #[inline(never)]
    unsafe fn long(dst: *mut u8, src: *const u8, len: usize) {
        let ahead = (dst as usize).wrapping_sub(src as usize) % 4096;
        let aliased = (1..64).contains(&ahead);
        // SAFETY: both sides have `len` bytes; each loop is called where the processor has its
        // instructions, and with at least the bytes that it requires.
        unsafe {
            if len <= VECTORS && is_x86_feature_detected!("avx512vbmi2") {
                // Only processors with this feature: they do not lower their clock for wide
                // vectors, while the first processors with AVX-512 did.
                vector_512(dst, src, len);
            } else if len > STREAM && is_x86_feature_detected!("avx2") {
                stream(dst, src, len);
            } else if string_takes_lines() {
                string(dst, src, len);
            } else if (len <= VECTORS || aliased) && is_x86_feature_detected!("avx2") {
                vector_256(dst, src, len);
            } else {
                memcpy(dst, src, len);
            }
        }
    }

    /// As [`long`], to memory of another PE.
    ///
    /// # Safety
    ///
    /// As [`long`].
    #[inline(never)]
    unsafe fn long_to_pe(dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            if len <= STREAM && string_takes_lines() {
                string(dst, src, len);
            } else {
                long(dst, src, len);
            }
        }
    }

    /// One instruction that copies all bytes, or all after the first ones: it stores whole lines, and is slower where
    /// they are not those of the caches.
    ///
    /// # Safety
    ///
    /// As [`copy`], of a [`LINE`](super::LINE) and more.
    #[inline(always)]
    pub(super) unsafe fn string(dst: *mut u8, src: *const u8, len: usize) {
        let head = dst.align_offset(super::LINE);
        // SAFETY: both sides have `len` bytes, and no less than a line, in which the head is. The rest is read and
        // written in ascending order, as the direction flag is clear.
        unsafe {
            if head > 0 {
                store_line(dst, load_line(src));
            }
            asm!(
                "rep movsb",
                inout("rdi") dst.add(head) => _, inout("rsi") src.add(head) => _, inout("rcx") len - head => _,
                options(nostack, preserves_flags)
            );
        }
    }

    /// Whether the string instruction takes whole lines from the caches of another core without their bytes, and
    /// keeps its speed where the two sides are a few bytes apart, modulo 4096. So it is on Zen 5, and later AMD
    /// processors are taken to be like it.
    fn string_takes_lines() -> bool {
        static TAKES: LazyLock<bool> = LazyLock::new(|| {
            // SAFETY: every x86-64 processor has the instruction and both leaves. (Newer toolchains have it as a safe
            // function.)
            #[allow(unused_unsafe)]
            let [maker, version] = unsafe { [__cpuid(0), __cpuid(1)] };
            // The extended family counts from 15 on.
            let family = (version.eax >> 8 & 15) + (version.eax >> 20 & 255);
            maker.ebx.to_le_bytes() == *b"Auth" && family >= 0x1a
        });
        *TAKES
    }

    /// A loop over four vectors at a time, whose stores are aligned.
    ///
    /// The first vector and the last four are moved unaligned. The loop covers the bytes between,
    /// and stops at the start of the last four or after it. The stores at the end come after the
    /// loop's stores, whose last may reach beyond their start. Both write the same bytes, unless
    /// another PE changes the source meanwhile.
    macro_rules! vector_loop {
        (
            $(#[$doc:meta])* $name:ident, $feature:literal, bytes $bytes:literal, $load:literal, $store:literal, $v:literal, $end:literal
        ) => {
            $(#[$doc])*
            #[target_feature(enable = $feature)]
            unsafe fn $name(dst: *mut u8, src: *const u8, len: usize) {
                // SAFETY: with `len >= 4 * bytes`, the first vector and the last four lie within
                // both sides. In the loop the destination is at or before `end - 4 * bytes`, so
                // four vectors fit, and the source keeps the same distance to its start. The vector
                // registers and flags are declared as changed.
                unsafe {
                    asm!(
                        concat!($load, " ", $v, "0, [{s}]"),
                        concat!($load, " ", $v, "1, [{s} + {n} - ", $bytes, "]"),
                        concat!($load, " ", $v, "2, [{s} + {n} - 2*", $bytes, "]"),
                        concat!($load, " ", $v, "3, [{s} + {n} - 3*", $bytes, "]"),
                        concat!($load, " ", $v, "4, [{s} + {n} - 4*", $bytes, "]"),
                        concat!($load, " [{d}], ", $v, "0"),
                        "lea {end}, [{d} + {n}]",
                        concat!("lea {last}, [{end} - 4*", $bytes, "]"),
                        // skip = -(bytes to the next multiple of the vector's size), which is 1
                        // vector if it is aligned already
                        "mov {skip}, {d}",
                        concat!("and {skip}, ", $bytes, " - 1"),
                        concat!("sub {skip}, ", $bytes),
                        "sub {d}, {skip}",
                        "sub {s}, {skip}",
                        "cmp {d}, {last}",
                        "jae 3f",
                        ".p2align 5",
                        "2:",
                        concat!($load, " ", $v, "5, [{s}]"),
                        concat!($load, " ", $v, "6, [{s} + ", $bytes, "]"),
                        concat!($load, " ", $v, "7, [{s} + 2*", $bytes, "]"),
                        concat!($load, " ", $v, "8, [{s} + 3*", $bytes, "]"),
                        concat!("add {s}, 4*", $bytes),
                        concat!($store, " [{d}], ", $v, "5"),
                        concat!($store, " [{d} + ", $bytes, "], ", $v, "6"),
                        concat!($store, " [{d} + 2*", $bytes, "], ", $v, "7"),
                        concat!($store, " [{d} + 3*", $bytes, "], ", $v, "8"),
                        concat!("add {d}, 4*", $bytes),
                        "cmp {d}, {last}",
                        "jb 2b",
                        "3:",
                        concat!($load, " [{end} - ", $bytes, "], ", $v, "1"),
                        concat!($load, " [{end} - 2*", $bytes, "], ", $v, "2"),
                        concat!($load, " [{end} - 3*", $bytes, "], ", $v, "3"),
                        concat!($load, " [{end} - 4*", $bytes, "], ", $v, "4"),
                        $end,
                        "vzeroupper",
                        s = inout(reg) src => _, d = inout(reg) dst => _, n = in(reg) len,
                        skip = out(reg) _, end = out(reg) _, last = out(reg) _,
                        out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _,
                        out("ymm5") _, out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _,
                        out("ymm10") _, out("ymm11") _, out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
                        options(nostack)
                    );
                }
            }
        };
    }

    vector_loop!(
        /// Vectors of 32 bytes.
        ///
        /// # Safety
        ///
        /// As [`copy`], for at least 128 bytes, on a processor with AVX2.
        vector_256, "avx2", bytes "32", "vmovdqu", "vmovdqa", "ymm", ""
    );
    vector_loop!(
        /// Vectors of 64 bytes.
        ///
        /// # Safety
        ///
        /// As [`copy`], for at least 256 bytes, on a processor with AVX-512.
        vector_512, "avx512f", bytes "64", "vmovdqu64", "vmovdqa64", "zmm", ""
    );
    vector_loop!(
        /// Vectors of 32 bytes, with stores that bypass the caches. `sfence` then orders them
        /// before all later stores, which neither the fences of the language nor a locked
        /// instruction alone are documented to do.
        ///
        /// # Safety
        ///
        /// As [`copy`], for at least 128 bytes, on a processor with AVX2.
        stream, "avx2", bytes "32", "vmovdqu", "vmovntdq", "ymm", "sfence"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies of every method, with places that are not aligned, write what they should and nothing beside it.
    #[test]
    fn copies_of_all_lengths() {
        /// Bytes before and after.
        const MARGIN: usize = 80;
        let long = [255, 256, 1000, 2047, 2048, 2049, 4096, 6000, 16 << 10, (16 << 10) + 1, 70_000];
        let lengths: Vec<usize> = (0..200).chain(long).collect();
        let longest = lengths.iter().max().unwrap() + 2 * MARGIN;
        let source: Vec<u8> = (0..longest).map(|i| (i * 7 + i / 251) as u8 | 1).collect();
        let (mut target, zeros) = (vec![0; longest], vec![0; longest]);
        let ways: &[unsafe fn(*mut u8, *const u8, usize)] = &[
            copy,
            copy_to_pe,
            #[cfg(target_arch = "x86_64")]
            |to, from, len| {
                let way = if len < LINE { copy } else { x86_64::string };
                // SAFETY: as below, and of a line.
                unsafe { way(to, from, len) };
            },
        ];
        for &way in ways {
            for &len in &lengths {
                for (to, from) in [(0, 0), (1, 0), (0, 1), (8, 8), (63, 17), (17, 63), (64, 64)] {
                    // SAFETY: both sides have margins that are longer than the offsets.
                    unsafe { way(target.as_mut_ptr().add(to), source.as_ptr().add(from), len) };
                    assert!(
                        target[to..to + len] == source[from..from + len],
                        "{len} bytes, {to} from {from}"
                    );
                    target[to..to + len].fill(0);
                    let written = to + len + MARGIN;
                    assert!(target[..written] == zeros[..written], "{len} bytes, {to} from {from}");
                }
            }
        }
    }

    /// Rows to another PE, shorter and longer than what has a method of its own.
    #[test]
    fn rows_to_a_pe() {
        for elem in [1, 8, 24, 100, 2048, 2049, 5000] {
            let (count, dst_stride, src_stride) = (3, elem + 3, elem + 5);
            let source: Vec<u8> = (0..count * src_stride).map(|i| (i * 7) as u8).collect();
            let mut target = vec![0; count * dst_stride];
            // SAFETY: both sides have `count` rows of these strides.
            unsafe {
                copy_strided_to_pe(target.as_mut_ptr(), dst_stride, source.as_ptr(), src_stride, count, elem);
            }
            for (to, from) in target.chunks(dst_stride).zip(source.chunks(src_stride)) {
                assert_eq!((&to[..elem], &to[elem..]), (&from[..elem], &[0; 3][..]));
            }
        }
    }
}
