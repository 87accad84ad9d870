// Rust's numbers in C++, and NVSHMEM for the words of the language.
//
// Every kernel that #[shmem::gpu::kernel] writes stands below this text. Needs C++17 and the headers of
// NVSHMEM. Operators are functions with the line of the program as the first parameter, for messages.
#include <nvshmem.h>
#include <nvshmemx.h>

#ifndef RS_FN
#define RS_FN __device__ __forceinline__
#endif
// Ends the job: what a panic is on a GPU.
#ifndef RS_PANIC
#ifndef __CUDACC_RTC__
#include <stdio.h>
#endif
#define RS_PANIC(what, line) \
    (printf("PE %d, block %u, thread %u, line %d: %s\n", nvshmem_my_pe(), blockIdx.x, threadIdx.x, line, what), \
     __trap())
#endif

namespace rs {
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using isize = long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using usize = unsigned long;
using f32 = float;
using f64 = double;

// A number without a type becomes one of the type that is asked for.
struct Int {
    u64 size;
    bool negative;
    template <class T> RS_FN operator T() const { return (T)(negative ? 0ull - size : size); }
};
struct Real {
    f32 narrow;
    f64 wide;
    RS_FN operator f32() const { return narrow; }
    RS_FN operator f64() const { return wide; }
};
RS_FN Int i(u64 size) { return Int{size, false}; }
RS_FN Real f(f32 narrow, f64 wide) { return Real{narrow, wide}; }

// The type of two numbers, of which one may have none.
template <class A, class B> struct Both;
template <class A> struct Both<A, A> { using Type = A; };
template <class A> struct Both<A, Int> { using Type = A; };
template <class A> struct Both<Int, A> { using Type = A; };
template <class A> struct Both<A, Real> { using Type = A; };
template <class A> struct Both<Real, A> { using Type = A; };
template <> struct Both<Int, Int> { using Type = Int; };
template <> struct Both<Real, Real> { using Type = Real; };
#define RS_BOTH \
    using T = typename Both<A, B>::Type; \
    T x = a, y = b;

template <class T> struct IsFloat { static constexpr bool value = false; };
template <> struct IsFloat<f32> { static constexpr bool value = true; };
template <> struct IsFloat<f64> { static constexpr bool value = true; };
// The type itself, where it is not to be found from an argument.
template <class T> struct Same { using Type = T; };

template <class T> struct Kind {
    static constexpr bool is_float = IsFloat<T>::value;
    static constexpr bool is_signed = (T)-1 < (T)0;
    static constexpr int bits = 8 * sizeof(T);
    static constexpr u64 low = bits == 64 ? ~0ull : (1ull << (bits & 63)) - 1;
    static constexpr T min() { return is_signed ? (T)(1ull << (bits - 1)) : (T)0; }
    static constexpr T max() { return is_signed ? (T)(low >> 1) : (T)low; }
};

// With no fused multiply-add, which would round once where Rust rounds twice.
#ifdef __CUDA_ARCH__
RS_FN f32 add_floats(f32 a, f32 b) { return __fadd_rn(a, b); }
RS_FN f64 add_floats(f64 a, f64 b) { return __dadd_rn(a, b); }
RS_FN f32 mul_floats(f32 a, f32 b) { return __fmul_rn(a, b); }
RS_FN f64 mul_floats(f64 a, f64 b) { return __dmul_rn(a, b); }
RS_FN f32 div_floats(f32 a, f32 b) { return __fdiv_rn(a, b); }
RS_FN f64 div_floats(f64 a, f64 b) { return __ddiv_rn(a, b); }
#else
template <class T> RS_FN T add_floats(T a, T b) { return a + b; }
template <class T> RS_FN T mul_floats(T a, T b) { return a * b; }
template <class T> RS_FN T div_floats(T a, T b) { return a / b; }
#endif

template <int LINE, class A, class B> RS_FN auto add(A a, B b) {
    RS_BOTH
    if constexpr (Kind<T>::is_float) {
        return add_floats(x, y);
    } else {
        T sum = (T)((u64)x + (u64)y);
        if (RS_OVERFLOW && (Kind<T>::is_signed ? ((x ^ sum) & (y ^ sum)) < (T)0 : sum < x))
            RS_PANIC("attempt to add with overflow", LINE);
        return sum;
    }
}
template <int LINE, class A, class B> RS_FN auto sub(A a, B b) {
    RS_BOTH
    if constexpr (Kind<T>::is_float) {
        return add_floats(x, -y);
    } else {
        T rest = (T)((u64)x - (u64)y);
        if (RS_OVERFLOW && (Kind<T>::is_signed ? ((x ^ y) & (x ^ rest)) < (T)0 : x < y))
            RS_PANIC("attempt to subtract with overflow", LINE);
        return rest;
    }
}
template <class T> RS_FN bool mul_overflows(T x, T y, T product) {
    if (x == (T)0) return false;
    if constexpr (Kind<T>::is_signed) {
        if (x == (T)-1) return y == Kind<T>::min();
    }
    return (T)(product / x) != y;
}
template <int LINE, class A, class B> RS_FN auto mul(A a, B b) {
    RS_BOTH
    if constexpr (Kind<T>::is_float) {
        return mul_floats(x, y);
    } else {
        T product = (T)((u64)x * (u64)y);
        if (RS_OVERFLOW && mul_overflows(x, y, product)) RS_PANIC("attempt to multiply with overflow", LINE);
        return product;
    }
}
template <int LINE, class A, class B> RS_FN auto div(A a, B b) {
    RS_BOTH
    if constexpr (Kind<T>::is_float) {
        return div_floats(x, y);
    } else {
        if (y == (T)0) RS_PANIC("attempt to divide by zero", LINE);
        if constexpr (Kind<T>::is_signed) {
            if (y == (T)-1 && x == Kind<T>::min()) RS_PANIC("attempt to divide with overflow", LINE);
        }
        return (T)(x / y);
    }
}
template <int LINE, class A, class B> RS_FN auto rem(A a, B b) {
    RS_BOTH
    if constexpr (Kind<T>::is_float) {
        if constexpr (sizeof(T) == 4) {
            return fmodf(x, y);
        } else {
            return fmod(x, y);
        }
    } else {
        if (y == (T)0) RS_PANIC("attempt to calculate the remainder with a divisor of zero", LINE);
        if constexpr (Kind<T>::is_signed) {
            if (y == (T)-1 && x == Kind<T>::min())
                RS_PANIC("attempt to calculate the remainder with overflow", LINE);
        }
        return (T)(x % y);
    }
}
template <int LINE, class A> RS_FN A neg(A a) {
    if constexpr (Kind<A>::is_float) {
        return -a;
    } else {
        if (RS_OVERFLOW && a == Kind<A>::min()) RS_PANIC("attempt to negate with overflow", LINE);
        return (A)(0ull - (u64)a);
    }
}
template <int LINE> RS_FN Int neg(Int a) { return Int{a.size, !a.negative}; }
template <int LINE> RS_FN Real neg(Real a) { return Real{-a.narrow, -a.wide}; }
template <class A> RS_FN A bit_not(A a) { return (A)~a; }
RS_FN bool bit_not(bool a) { return !a; }
template <class A, class B> RS_FN auto bit_and(A a, B b) { RS_BOTH return (T)(x & y); }
template <class A, class B> RS_FN auto bit_or(A a, B b) { RS_BOTH return (T)(x | y); }
template <class A, class B> RS_FN auto bit_xor(A a, B b) { RS_BOTH return (T)(x ^ y); }

// The number of bits to shift by, modulo those that there are.
template <int LINE, class A, class B> RS_FN int shift(B b, const char *what) {
    u64 by = (u64)b;
    if (RS_OVERFLOW && by >= (u64)Kind<A>::bits) RS_PANIC(what, LINE);
    return (int)(by & (u64)(Kind<A>::bits - 1));
}
template <int LINE, class A, class B> RS_FN A shl(A a, B b) {
    return (A)((u64)a << shift<LINE, A>(b, "attempt to shift left with overflow"));
}
template <int LINE, class A, class B> RS_FN A shr(A a, B b) {
    return (A)(a >> shift<LINE, A>(b, "attempt to shift right with overflow"));
}

template <class A, class B> RS_FN bool eq(A a, B b) { RS_BOTH return x == y; }
template <class A, class B> RS_FN bool ne(A a, B b) { RS_BOTH return x != y; }
template <class A, class B> RS_FN bool lt(A a, B b) { RS_BOTH return x < y; }
template <class A, class B> RS_FN bool le(A a, B b) { RS_BOTH return x <= y; }
template <class A, class B> RS_FN bool gt(A a, B b) { RS_BOTH return x > y; }
template <class A, class B> RS_FN bool ge(A a, B b) { RS_BOTH return x >= y; }

// `as`: a float that does not fit becomes the nearest integer that there is, and a NaN becomes 0.
template <class To, class From> RS_FN To as(From from) {
    if constexpr (Kind<From>::is_float && !Kind<To>::is_float) {
        if (from != from) return (To)0;
        if (from <= (From)Kind<To>::min()) return Kind<To>::min();
        if (from >= (From)Kind<To>::max()) return Kind<To>::max();
        return (To)from;
    } else {
        return (To)from;
    }
}
template <class To> RS_FN To as(Int from) {
    if constexpr (Kind<To>::is_float) {
        return from.negative ? -(To)from.size : (To)from.size;
    } else {
        return from;
    }
}
template <class To> RS_FN To as(Real from) { return as<To, f64>(from.wide); }

template <class A, class B> RS_FN A wrapping_add(A a, B b) { return (A)((u64)a + (u64)(A)b); }
template <class A, class B> RS_FN A wrapping_sub(A a, B b) { return (A)((u64)a - (u64)(A)b); }
template <class A, class B> RS_FN A wrapping_mul(A a, B b) { return (A)((u64)a * (u64)(A)b); }
// Of a number and a NaN it is the number.
template <class A, class B> RS_FN A min(A a, B b) {
    A y = b;
    return a < y || y != y ? a : y;
}
template <class A, class B> RS_FN A max(A a, B b) {
    A y = b;
    return a > y || y != y ? a : y;
}
template <int LINE, class A> RS_FN A abs(A a) {
    if constexpr (Kind<A>::is_float) {
        return sizeof(A) == 4 ? (A)fabsf((f32)a) : (A)fabs((f64)a);
    } else {
        return a < (A)0 ? neg<LINE>(a) : a;
    }
}
RS_FN f32 sqrt(f32 a) { return ::sqrtf(a); }
RS_FN f64 sqrt(f64 a) { return ::sqrt(a); }
RS_FN f32 floor(f32 a) { return ::floorf(a); }
RS_FN f64 floor(f64 a) { return ::floor(a); }
RS_FN f32 ceil(f32 a) { return ::ceilf(a); }
RS_FN f64 ceil(f64 a) { return ::ceil(a); }
RS_FN f32 trunc(f32 a) { return ::truncf(a); }
RS_FN f64 trunc(f64 a) { return ::trunc(a); }
template <class B, class C> RS_FN f32 mul_add(f32 a, B b, C c) { return ::fmaf(a, (f32)b, (f32)c); }
template <class B, class C> RS_FN f64 mul_add(f64 a, B b, C c) { return ::fma(a, (f64)b, (f64)c); }

// Ranges. `more` is asked before each `take`.
template <class T> struct Range {
    T next, end;
    RS_FN bool more() { return next < end; }
    RS_FN T take() { return next++; }
};
template <class T> struct RangeInclusive {
    T next, end;
    bool over;
    RS_FN bool more() { return !over && next <= end; }
    RS_FN T take() {
        if (next == end) {
            over = true;
            return next;
        }
        return next++;
    }
};
template <class T> struct Stepped {
    // The last one that may be taken.
    T next, last;
    usize step;
    bool over;
    RS_FN bool more() { return !over; }
    RS_FN T take() {
        T now = next;
        if ((u64)last - (u64)now < step) {
            over = true;
        } else {
            next = (T)((u64)now + step);
        }
        return now;
    }
};
template <class T> struct Reversed {
    T first, last;
    bool over;
    RS_FN bool more() { return !over; }
    RS_FN T take() {
        if (last == first) {
            over = true;
            return last;
        }
        return last--;
    }
};
template <class A, class B> RS_FN auto range(A a, B b) { RS_BOTH return Range<T>{x, y}; }
template <class A, class B> RS_FN auto range_inclusive(A a, B b) {
    RS_BOTH
    return RangeInclusive<T>{x, y, false};
}
template <int LINE, class T> RS_FN Stepped<T> step_by(Range<T> range, usize step) {
    if (step == 0) RS_PANIC("assertion failed: step != 0", LINE);
    return Stepped<T>{range.next, (T)((u64)range.end - 1), step, !range.more()};
}
template <int LINE, class T> RS_FN Stepped<T> step_by(RangeInclusive<T> range, usize step) {
    if (step == 0) RS_PANIC("assertion failed: step != 0", LINE);
    return Stepped<T>{range.next, range.end, step, !range.more()};
}
template <class T> RS_FN Reversed<T> rev(Range<T> range) {
    return Reversed<T>{range.next, (T)((u64)range.end - 1), !range.more()};
}
template <class T> RS_FN Reversed<T> rev(RangeInclusive<T> range) {
    return Reversed<T>{range.next, range.end, !range.more()};
}

// Fixed arrays, private or shared.
template <class T, usize N> struct Array {
    T elements[N];
};
template <class T, usize N> RS_FN Array<T, N> repeat(typename Same<T>::Type value) {
    Array<T, N> array;
    for (usize k = 0; k < N; k++) array.elements[k] = value;
    return array;
}
template <int LINE, class T, usize N> RS_FN T &at(Array<T, N> &array, usize index) {
    if (index >= N) RS_PANIC("index out of bounds", LINE);
    return array.elements[index];
}
template <int LINE, class T, usize N> RS_FN T read(Array<T, N> &array, usize index) {
    return at<LINE>(array, index);
}
template <int LINE, class T, usize N> RS_FN void write(Array<T, N> &array, typename Same<T>::Type value, usize index) {
    at<LINE>(array, index) = value;
}
// Shared memory begins with zeros.
template <class T, usize N> RS_FN void clear(Array<T, N> &shared) {
    for (usize k = threadIdx.x; k < N; k += blockDim.x) shared.elements[k] = (T)0;
    __syncthreads();
}

RS_FN usize thread_index() { return threadIdx.x; }
RS_FN usize block_index() { return blockIdx.x; }
RS_FN usize block_size() { return blockDim.x; }
RS_FN usize grid_size() { return gridDim.x; }
RS_FN usize global_index() { return (usize)blockIdx.x * blockDim.x + threadIdx.x; }
RS_FN usize my_pe() { return (usize)nvshmem_my_pe(); }
RS_FN usize n_pes() { return (usize)nvshmem_n_pes(); }

// The threads that do something together.
struct Thread {};
struct Warp {};
struct Block {};
RS_FN void meet(Thread) {}
RS_FN void meet(Warp) { __syncwarp(); }
RS_FN void meet(Block) { __syncthreads(); }

// Puts and gets, of one element and of several. C is the type of the routines.
#define RS_MOVE_BY(T, C, SCOPE, ROUTINE, END) \
    RS_FN void get(SCOPE, T *to, const T *from, usize count, int pe) { \
        ROUTINE##_get##END((C *)to, (const C *)from, count, pe); \
    } \
    RS_FN void put(SCOPE, T *to, const T *from, usize count, int pe) { \
        ROUTINE##_put##END((C *)to, (const C *)from, count, pe); \
    }
#define RS_ELEMENT_AS(T, C, NAME) \
    RS_FN T get(const T *from, int pe) { return (T)nvshmem_##NAME##_g((const C *)from, pe); } \
    RS_FN void put(T *to, T value, int pe) { nvshmem_##NAME##_p((C *)to, (C)value, pe); } \
    RS_MOVE_BY(T, C, Thread, nvshmem_##NAME, ) \
    RS_MOVE_BY(T, C, Warp, nvshmemx_##NAME, _warp) \
    RS_MOVE_BY(T, C, Block, nvshmemx_##NAME, _block)
#define RS_ELEMENT(T, NAME) RS_ELEMENT_AS(T, T, NAME)
// The device library of NVSHMEM has nothing for `signed char`.
RS_ELEMENT_AS(i8, char, char)
RS_ELEMENT(i16, short)
RS_ELEMENT(i32, int)
RS_ELEMENT(i64, longlong)
RS_ELEMENT(isize, long)
RS_ELEMENT(u8, uchar)
RS_ELEMENT(u16, ushort)
RS_ELEMENT(u32, uint)
RS_ELEMENT(u64, ulonglong)
RS_ELEMENT(usize, ulong)
RS_ELEMENT(f32, float)
RS_ELEMENT(f64, double)

// This PE's copy of a device array.
template <class T, int R> struct Global {
    T *elements;
    usize extents[R];
    template <int LINE, class... I> RS_FN T *at(I... index) const {
        usize list[R] = {(usize)index...};
        usize place = 0;
        for (int axis = 0; axis < R; axis++) {
            if (list[axis] >= extents[axis]) RS_PANIC("index out of bounds of a device array", LINE);
            place = place * extents[axis] + list[axis];
        }
        return elements + place;
    }
    RS_FN usize len() const {
        usize all = 1;
        for (int axis = 0; axis < R; axis++) all *= extents[axis];
        return all;
    }
};
template <int LINE> RS_FN int pe_of(usize pe) {
    if (pe >= n_pes()) RS_PANIC("there is no such PE", LINE);
    return (int)pe;
}
template <int LINE, class T, int R, class... I> RS_FN T read(const Global<T, R> &array, I... index) {
    return *(volatile T *)array.template at<LINE>(index...);
}
template <int LINE, class T, int R, class... I> RS_FN void write(const Global<T, R> &array, typename Same<T>::Type value, I... index) {
    *(volatile T *)array.template at<LINE>(index...) = value;
}
template <int LINE, class T, int R, class... I> RS_FN T remote_read(const Global<T, R> &array, usize pe, I... index) {
    return get(array.template at<LINE>(index...), pe_of<LINE>(pe));
}
template <int LINE, class T, int R, class... I>
RS_FN void remote_write(const Global<T, R> &array, typename Same<T>::Type value, usize pe, I... index) {
    put(array.template at<LINE>(index...), value, pe_of<LINE>(pe));
}

// What is selected on an axis: from `start` to `end`, which are given or the ends of the axis.
struct Axis {
    usize start, end;
    bool to_the_end, is_inclusive;
};
RS_FN Axis at_index(usize at) { return Axis{at, at, false, true}; }
RS_FN Axis between(usize start, usize end) { return Axis{start, end, false, false}; }
RS_FN Axis through(usize start, usize end) { return Axis{start, end, false, true}; }
RS_FN Axis onward(usize start) { return Axis{start, 0, true, false}; }
RS_FN Axis up_to(usize end) { return Axis{0, end, false, false}; }
RS_FN Axis all() { return Axis{0, 0, true, false}; }

// Elements that lie side by side.
template <class T> struct Piece {
    T *first;
    usize count;
};
template <int LINE, class T, int R, class... A> RS_FN Piece<T> piece(const Global<T, R> &array, A... axes) {
    Axis list[R] = {axes...};
    usize place = 0, count = 1;
    for (int axis = 0; axis < R; axis++) {
        usize extent = array.extents[axis], start = list[axis].start, end = list[axis].end;
        if (list[axis].to_the_end) end = extent;
        if (list[axis].is_inclusive) {
            // At the end of the type there is no next one.
            if (end >= extent) RS_PANIC("index out of bounds of a device array", LINE);
            end = end + 1;
        }
        if (start > end || end > extent) RS_PANIC("range out of bounds of a device array", LINE);
        place = place * extent + start;
        count = count * (end - start);
    }
    return Piece<T>{array.elements + place, count};
}
template <int LINE, class T> RS_FN void check(Piece<T> a, Piece<T> b) {
    if (a.count != b.count) RS_PANIC("the source has another number of elements than the selection", LINE);
}
template <int LINE> RS_FN void check(Thread) {}
template <int LINE> RS_FN void check(Block) {}
template <int LINE> RS_FN void check(Warp) {
    if (blockDim.x > 32 && blockDim.x % 32 != 0) RS_PANIC("a block has a warp of less than 32 threads", LINE);
}
// All threads of the scope are here before the elements move, and stay until they have moved.
template <int LINE, class S, class T> RS_FN void move_to(S scope, Piece<T> to, usize pe, Piece<T> from) {
    check<LINE>(scope);
    check<LINE>(to, from);
    int target = pe_of<LINE>(pe);
    meet(scope);
    if (to.count > 0) put(scope, to.first, from.first, to.count, target);
    meet(scope);
}
template <int LINE, class S, class T> RS_FN void move_from(S scope, Piece<T> from, usize pe, Piece<T> to) {
    check<LINE>(scope);
    check<LINE>(to, from);
    int target = pe_of<LINE>(pe);
    meet(scope);
    if (to.count > 0) get(scope, to.first, from.first, to.count, target);
    meet(scope);
}

// A team of PEs.
struct Team {
    int number;
    RS_FN usize my_pe() const { return (usize)nvshmem_team_my_pe(number); }
    RS_FN usize n_pes() const { return (usize)nvshmem_team_n_pes(number); }
};
// Collective calls. C is the type of the routine. All threads of the scope are here before and after the call.
template <int LINE, class S, class F> RS_FN void barrier(S scope, Team team, F routine) {
    check<LINE>(scope);
    // Each thread completes what it has written itself.
    nvshmem_quiet();
    meet(scope);
    routine(team.number);
    meet(scope);
}
template <int LINE, class S, class F> RS_FN void sync(S scope, Team team, F routine) {
    check<LINE>(scope);
    meet(scope);
    routine(team.number);
    meet(scope);
}
template <int LINE, class T> RS_FN void check_apart(Piece<T> to, Piece<T> from) {
    if (to.count > 0 && from.count > 0 && to.first < from.first + from.count && from.first < to.first + to.count)
        RS_PANIC("the destination and the source of a collective call overlap", LINE);
}
template <int LINE> RS_FN void check_blocks(usize whole, usize block, Team team) {
    if (whole != block * team.n_pes()) RS_PANIC("the elements are not one block for each PE of the team", LINE);
}
// The call itself: `C` is the type of its elements for the routine. `more` is the root.
template <class C, class S, class T, class F, class... More>
RS_FN void exchange(S scope, Team team, Piece<T> to, Piece<T> from, usize count, F routine, More... more) {
    meet(scope);
    if (count > 0) routine(team.number, (C *)to.first, (const C *)from.first, count, more...);
    meet(scope);
}
template <int LINE, class C, class S, class T, class F>
RS_FN void reduce(S scope, Team team, Piece<T> to, Piece<T> from, F routine) {
    check<LINE>(scope);
    check<LINE>(to, from);
    if (to.first != from.first) check_apart<LINE>(to, from);
    exchange<C>(scope, team, to, from, to.count, routine);
}
template <int LINE, class C, class S, class T, class F>
RS_FN void reduce_scatter(S scope, Team team, Piece<T> to, Piece<T> from, F routine) {
    check<LINE>(scope);
    check_blocks<LINE>(from.count, to.count, team);
    check_apart<LINE>(to, from);
    exchange<C>(scope, team, to, from, to.count, routine);
}
template <int LINE, class C, class S, class T, class F>
RS_FN void broadcast(S scope, Team team, Piece<T> to, Piece<T> from, usize root, F routine) {
    check<LINE>(scope);
    check<LINE>(to, from);
    check_apart<LINE>(to, from);
    if (root >= team.n_pes()) RS_PANIC("the team has no such root", LINE);
    exchange<C>(scope, team, to, from, to.count, routine, (int)root);
}
template <int LINE, class C, class S, class T, class F>
RS_FN void fcollect(S scope, Team team, Piece<T> to, Piece<T> from, F routine) {
    check<LINE>(scope);
    check_blocks<LINE>(to.count, from.count, team);
    check_apart<LINE>(to, from);
    exchange<C>(scope, team, to, from, from.count, routine);
}
template <int LINE, class C, class S, class T, class F>
RS_FN void alltoall(S scope, Team team, Piece<T> to, Piece<T> from, F routine) {
    usize count = from.count / team.n_pes();
    check<LINE>(scope);
    check<LINE>(to, from);
    check_blocks<LINE>(from.count, count, team);
    check_apart<LINE>(to, from);
    exchange<C>(scope, team, to, from, count, routine);
}

// Atomic cells of 4 and 8 bytes. Bits are bits: all but a comparison is that of unsigned numbers.
#define RS_CELL(T, NAME) \
    RS_FN T fetch(T *cell, int pe) { return nvshmem_##NAME##_atomic_fetch(cell, pe); } \
    RS_FN void set(T *cell, T value, int pe) { nvshmem_##NAME##_atomic_set(cell, value, pe); } \
    RS_FN T compare_swap(T *cell, T current, T value, int pe) { \
        return nvshmem_##NAME##_atomic_compare_swap(cell, current, value, pe); \
    } \
    RS_FN T swap(T *cell, T value, int pe) { return nvshmem_##NAME##_atomic_swap(cell, value, pe); } \
    RS_FN void add_to(T *cell, T value, int pe) { nvshmem_##NAME##_atomic_add(cell, value, pe); } \
    RS_FN T fetch_add(T *cell, T value, int pe) { return nvshmem_##NAME##_atomic_fetch_add(cell, value, pe); } \
    RS_FN void and_to(T *cell, T value, int pe) { nvshmem_##NAME##_atomic_and(cell, value, pe); } \
    RS_FN T fetch_and(T *cell, T value, int pe) { return nvshmem_##NAME##_atomic_fetch_and(cell, value, pe); } \
    RS_FN void or_to(T *cell, T value, int pe) { nvshmem_##NAME##_atomic_or(cell, value, pe); } \
    RS_FN T fetch_or(T *cell, T value, int pe) { return nvshmem_##NAME##_atomic_fetch_or(cell, value, pe); } \
    RS_FN void xor_to(T *cell, T value, int pe) { nvshmem_##NAME##_atomic_xor(cell, value, pe); } \
    RS_FN T fetch_xor(T *cell, T value, int pe) { return nvshmem_##NAME##_atomic_fetch_xor(cell, value, pe); }
RS_CELL(u32, uint)
RS_CELL(u64, ulonglong)
#define RS_WAIT(T, NAME) \
    RS_FN void wait_until(T *cell, int comparison, T value) { nvshmem_##NAME##_wait_until(cell, comparison, value); }
RS_WAIT(i32, int)
RS_WAIT(u32, uint)
RS_WAIT(i64, longlong)
RS_WAIT(u64, ulonglong)
RS_WAIT(isize, long)
RS_WAIT(usize, ulong)
template <usize BYTES> struct Bits;
template <> struct Bits<4> { using Type = u32; };
template <> struct Bits<8> { using Type = u64; };

// This PE's copy of a device array of atomic cells.
template <class T, int R> struct Cells {
    Global<T, R> cells;
    RS_FN usize len() const { return cells.len(); }
};
template <class T> RS_FN T negated(typename Same<T>::Type value) { return (T)(0ull - (u64)value); }
#define RS_OF_CELL(NAME, RETURN) \
    template <int LINE, class T, int R, class... I> \
    RS_FN auto remote_##NAME(const Cells<T, R> &array, typename Same<T>::Type value, usize pe, I... index) { \
        using W = typename Bits<sizeof(T)>::Type; \
        RETURN NAME((W *)array.cells.template at<LINE>(index...), (W)value, pe_of<LINE>(pe)); \
    }
RS_OF_CELL(set, )
RS_OF_CELL(add_to, )
RS_OF_CELL(and_to, )
RS_OF_CELL(or_to, )
RS_OF_CELL(xor_to, )
RS_OF_CELL(swap, return (T))
RS_OF_CELL(fetch_add, return (T))
RS_OF_CELL(fetch_and, return (T))
RS_OF_CELL(fetch_or, return (T))
RS_OF_CELL(fetch_xor, return (T))
template <int LINE, class T, int R, class... I>
RS_FN T remote_compare_swap(const Cells<T, R> &array, typename Same<T>::Type current, typename Same<T>::Type value, usize pe, I... index) {
    using W = typename Bits<sizeof(T)>::Type;
    return (T)compare_swap((W *)array.cells.template at<LINE>(index...), (W)current, (W)value, pe_of<LINE>(pe));
}
// Whether this thread does what one thread of the scope does.
RS_FN bool leads(Thread) { return true; }
RS_FN bool leads(Warp) { return threadIdx.x % 32 == 0; }
RS_FN bool leads(Block) { return threadIdx.x == 0; }
// A put, and an update of a signal on the same PE, which is seen after the elements. NVSHMEM's own routines are not
// called: with NVRTC's headers, whose uint64_t is another type than nvcc's, they do not link (NVSHMEM 3.8).
template <int LINE, class S, class T, int R, class... I>
RS_FN void move_with_signal(S scope, Piece<T> to, usize pe, Piece<T> from, bool adds, u64 value, const Cells<u64, R> &signal, usize signal_pe, I... index) {
    check<LINE>(scope);
    check<LINE>(to, from);
    if (pe != signal_pe) RS_PANIC("a put and its signal must go to the same PE", LINE);
    u64 *cell = signal.cells.template at<LINE>(index...);
    int target = pe_of<LINE>(pe);
    meet(scope);
    if (to.count > 0) put(scope, to.first, from.first, to.count, target);
    // Each thread orders what it has written itself.
    nvshmem_fence();
    meet(scope);
    if (leads(scope)) {
        if (adds) {
            add_to(cell, value, target);
        } else {
            set(cell, value, target);
        }
    }
    meet(scope);
}
template <int LINE, class T, int R, class... I> RS_FN T remote_fetch(const Cells<T, R> &array, usize pe, I... index) {
    using W = typename Bits<sizeof(T)>::Type;
    return (T)fetch((W *)array.cells.template at<LINE>(index...), pe_of<LINE>(pe));
}
template <int LINE, class T, int R, class... I>
RS_FN void wait(const Cells<T, R> &array, int comparison, typename Same<T>::Type value, I... index) {
    wait_until(array.cells.template at<LINE>(index...), comparison, value);
}
} // namespace rs
