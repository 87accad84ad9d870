//! Words in the order from the last one to the first, two in a vector: what a strided copy moves one by
//! one. What [`copy`](super::copy) says of bytes that race holds here.

/// Copies `count` words of 8 bytes, the first of them at `src` and each other one below the one before, to
/// `dst`, side by side.
///
/// # Safety
///
/// All of these words are readable and writable, and the two sides do not overlap. `src` is aligned to a
/// word.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn words_64_back(dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: the caller's promise.
    unsafe { super::copy::copy_strided(dst, 8, src, 8_usize.wrapping_neg(), count, 8) }
}

/// Copies `count` words of 8 bytes, the first of them at `src` and each other one below the one before, to
/// `dst`, side by side: eight per iteration.
///
/// # Safety
///
/// All of these words are readable and writable, and the two sides do not overlap. `src` is aligned to a
/// word.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(crate) unsafe fn words_64_back(dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: each iteration of the first loop moves the eight words that end with the one at `s`, to `d` and
    // the seven places after it, where there are as many left; and each of the second one word.
    unsafe {
        std::arch::asm!(
            "sub {n}, 8",
            "jb 3f",
            ".p2align 4",
            "2:",
            "movups {a}, [{s} - 8]",
            "movups {b}, [{s} - 24]",
            "movups {e}, [{s} - 40]",
            "movups {f}, [{s} - 56]",
            "pshufd {a}, {a}, 0x4e",
            "pshufd {b}, {b}, 0x4e",
            "pshufd {e}, {e}, 0x4e",
            "pshufd {f}, {f}, 0x4e",
            "movups [{d}], {a}",
            "movups [{d} + 16], {b}",
            "movups [{d} + 32], {e}",
            "movups [{d} + 48], {f}",
            "sub {s}, 64",
            "add {d}, 64",
            "sub {n}, 8",
            "jae 2b",
            "3:",
            "add {n}, 8",
            "jz 5f",
            "4:",
            "mov {t}, [{s}]",
            "mov [{d}], {t}",
            "sub {s}, 8",
            "add {d}, 8",
            "dec {n}",
            "jnz 4b",
            "5:",
            s = inout(reg) src => _, d = inout(reg) dst => _, n = inout(reg) count => _, t = out(reg) _,
            a = out(xmm_reg) _, b = out(xmm_reg) _, e = out(xmm_reg) _, f = out(xmm_reg) _,
            options(nostack)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::words_64_back;

    #[test]
    fn words_come_back_from_the_last_one_on() {
        let from: Vec<u64> = (100..150).collect();
        for len in 0..=40 {
            let mut to = [7_u64; 42];
            // SAFETY: the first `len` words, and as many places. Of no words the source is not read.
            unsafe {
                let last = from.as_ptr().wrapping_add(len).wrapping_sub(1);
                words_64_back(to.as_mut_ptr().add(1).cast(), last.cast(), len);
            }
            let expected: Vec<u64> = from[..len].iter().rev().copied().collect();
            assert_eq!((to[0], &to[1..=len], to[len + 1]), (7, &expected[..], 7));
        }
    }
}
