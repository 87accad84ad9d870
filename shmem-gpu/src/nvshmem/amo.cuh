// Updates of cells for streams: NVSHMEM has them in kernels alone. Codes are those of `Update::code`.
#include <nvshmem.h>
#include <nvshmemx.h>
using u32 = unsigned int;
using u64 = unsigned long long;
#ifndef RS_FN
#define RS_FN __device__ __forceinline__
#endif

#define SHMEM_WORD(T, NAME) \
    RS_FN T look(T *cell, int pe) { return nvshmem_##NAME##_atomic_fetch(cell, pe); } \
    RS_FN T swap_if(T *cell, T current, T value, int pe) { \
        return nvshmem_##NAME##_atomic_compare_swap(cell, current, value, pe); \
    }
SHMEM_WORD(u32, uint)
SHMEM_WORD(u64, ulonglong)

// The bits of a number of `bytes` bytes, with those of its sign above.
RS_FN long long with_sign(u64 bits, u32 bytes) {
    u32 shift = 64 - 8 * bytes;
    return (long long)(bits << shift) >> shift;
}
RS_FN double real(u64 bits, u32 bytes) {
    union { u64 word; double wide; float narrow; } value;
    value.word = bits;
    return bytes == 4 ? value.narrow : value.wide;
}
RS_FN u64 bits_of_sum(u64 a, u64 b, u32 bytes) {
    union { u64 word; double wide; float narrow; } x, y, sum;
    x.word = a;
    y.word = b;
    sum.word = 0;
    if (bytes == 4) sum.narrow = x.narrow + y.narrow;
    else sum.wide = x.wide + y.wide;
    return sum.word;
}
// What a cell that holds `before` holds after the update.
RS_FN u64 updated(u64 before, u32 code, u32 bytes, u64 value, u64 expected) {
    switch (code) {
    case 0: return before;
    case 1: return value;
    case 2: return before == expected ? value : before;
    case 3: return before + value;
    case 4: return before & value;
    case 5: return before | value;
    case 6: return before ^ value;
    case 7: return bits_of_sum(before, value, bytes);
    case 8: return value < before ? value : before;
    case 9: return value > before ? value : before;
    case 10: return with_sign(value, bytes) < with_sign(before, bytes) ? value : before;
    case 11: return with_sign(value, bytes) > with_sign(before, bytes) ? value : before;
    // A NaN is left out, as by Rust's `min` and `max`.
    case 12: return real(value, bytes) < real(before, bytes) || real(before, bytes) != real(before, bytes) ? value : before;
    default: return real(value, bytes) > real(before, bytes) || real(before, bytes) != real(before, bytes) ? value : before;
    }
}
// Updates the `bytes` bytes that begin `shift` bits above the lowest of the word, which has them all.
template <class W> RS_FN u64 update(W *word, int pe, u32 code, u32 bytes, u32 shift, u64 value, u64 expected) {
    u64 low = bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1;
    W seen = look(word, pe);
    while (true) {
        u64 before = ((u64)seen >> shift) & low;
        u64 after = updated(before, code, bytes, value, expected) & low;
        W wanted = (W)(((u64)seen & ~(low << shift)) | (after << shift));
        W found = swap_if(word, seen, wanted, pe);
        if (found == seen) return before;
        seen = found;
    }
}

extern "C" __global__ void shmem_update(
    u64 cell, u32 bytes, int pe, u32 code, u64 value, u64 expected, u64 *before) {
    if (threadIdx.x != 0 || blockIdx.x != 0) return;
    u32 shift = bytes == 8 ? 0 : 8 * (u32)(cell & 3);
    *before = bytes == 8 ? update((u64 *)cell, pe, code, bytes, shift, value, expected)
                         : update((u32 *)(cell & ~3ull), pe, code, bytes, shift, value, expected);
    nvshmem_quiet();
}
