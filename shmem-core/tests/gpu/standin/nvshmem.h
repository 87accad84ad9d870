// Stands in for CUDA and NVSHMEM on a processor: the threads of a kernel are threads of the system, and
// the blocks run one after the other. All PEs are one process; where STANDIN_SHARED is defined, each is a
// process of its own, and the kernel is a library that `libraries.cpp` opens.
#pragma once
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define RS_FN inline

struct StandInIndex {
    unsigned x;
};
inline thread_local StandInIndex threadIdx, blockIdx, blockDim, gridDim;

struct Panic : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// A block whose other threads have failed.
struct Abandoned {};
#define RS_PANIC(what, line) throw Panic(what)

inline int standin_pe, standin_pes;
enum { NVSHMEM_TEAM_WORLD };
typedef int nvshmem_team_t;
#ifdef STANDIN_SHARED
// What `libraries.cpp` knows of teams: how many PEs, this one's number, the PE of a number, and calls of a team.
struct StandInTeams {
    int (*n_pes)(int team);
    int (*my_pe)(int team);
    int (*pe)(int team, int number);
    void (*begin)(int team);
    void (*meet)(int team);
    void (*end)(int team);
};
inline const StandInTeams *standin_teams;
// The same place on another PE.
inline void *(*standin_place)(const void *, int);
template <class T> T *standin_at(const T *here, int pe) { return (T *)standin_place(here, pe); }
// What `nvshmemx_cumodule_init` does.
extern "C" inline __attribute__((used)) void standin_start(
    int pe, int pes, void *(*place)(const void *, int), const StandInTeams *teams) {
    standin_pe = pe;
    standin_pes = pes;
    standin_place = place;
    standin_teams = teams;
}
inline int nvshmem_team_my_pe(int team) { return standin_teams->my_pe(team); }
inline int nvshmem_team_n_pes(int team) { return standin_teams->n_pes(team); }
#else
inline int nvshmem_team_my_pe(int) { return standin_pe; }
inline int nvshmem_team_n_pes(int) { return standin_pes; }
// The heap of each PE. A place has the same offset in all.
inline std::vector<std::vector<uint64_t>> standin_heaps;

// The same place on `pe`.
template <class T> T *standin_at(const T *here, int pe) {
    size_t offset = (const char *)here - (const char *)standin_heaps[standin_pe].data();
    return (T *)((char *)standin_heaps[pe].data() + offset);
}
#endif

inline int nvshmem_my_pe() { return standin_pe; }
inline int nvshmem_n_pes() { return standin_pes; }
inline void nvshmem_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void nvshmem_quiet() { std::atomic_thread_fence(std::memory_order_seq_cst); }

// The barrier of a block. A thread that has returned is not waited for.
struct StandInBlock {
    std::mutex lock;
    std::condition_variable changed;
    unsigned running, waiting = 0, opened = 0;
    bool failed = false;
    std::string what;
    void open() {
        if (waiting > 0 && waiting == running) {
            waiting = 0;
            opened++;
            changed.notify_all();
        }
    }
};
inline thread_local StandInBlock *standin_block;
inline void __syncthreads() {
    std::unique_lock<std::mutex> held(standin_block->lock);
    standin_block->waiting++;
    unsigned before = standin_block->opened;
    standin_block->open();
    while (standin_block->opened == before) {
        if (standin_block->failed) throw Abandoned();
        standin_block->changed.wait(held);
    }
}

// Runs `kernel` in all threads of all blocks of this PE; the text of the failure, or nothing.
inline std::string standin_launch(unsigned blocks, unsigned threads, std::function<void()> kernel) {
    for (unsigned block = 0; block < blocks; block++) {
        StandInBlock state;
        state.running = threads;
        std::vector<std::thread> all;
        for (unsigned number = 0; number < threads; number++) {
            all.emplace_back([&, number] {
                standin_block = &state;
                threadIdx.x = number;
                blockIdx.x = block;
                blockDim.x = threads;
                gridDim.x = blocks;
                std::string what;
                bool failed = false;
                try {
                    kernel();
                } catch (const Panic &panic) {
                    failed = true;
                    what = panic.what();
                } catch (const Abandoned &) {
                }
                std::lock_guard<std::mutex> held(state.lock);
                if (failed && !state.failed) {
                    state.failed = true;
                    state.what = what;
                }
                state.running--;
                state.open();
                state.changed.notify_all();
            });
        }
        for (auto &thread : all) thread.join();
        if (state.failed) return state.what;
    }
    return "";
}

// Blocks have no more threads than a warp.
inline void __syncwarp() { __syncthreads(); }

// One of the threads moves the elements; the text has the others wait.
#define STANDIN_MOVE(T, NAME, SCOPE, MOVES) \
    inline void NAME##_put##SCOPE(T *to, const T *from, size_t count, int pe) { \
        for (size_t k = 0; MOVES && k < count; k++) ((volatile T *)standin_at(to, pe))[k] = ((volatile T *)from)[k]; \
    } \
    inline void NAME##_get##SCOPE(T *to, const T *from, size_t count, int pe) { \
        for (size_t k = 0; MOVES && k < count; k++) ((volatile T *)to)[k] = ((volatile T *)standin_at(from, pe))[k]; \
    }
#define STANDIN_ELEMENT(T, NAME) \
    inline T nvshmem_##NAME##_g(const T *from, int pe) { return *(volatile T *)standin_at(from, pe); } \
    inline void nvshmem_##NAME##_p(T *to, T value, int pe) { *(volatile T *)standin_at(to, pe) = value; } \
    STANDIN_MOVE(T, nvshmem_##NAME, , true) \
    STANDIN_MOVE(T, nvshmemx_##NAME, _warp, threadIdx.x % 32 == 0) \
    STANDIN_MOVE(T, nvshmemx_##NAME, _block, threadIdx.x == 0)
STANDIN_ELEMENT(char, char)
STANDIN_ELEMENT(short, short)
STANDIN_ELEMENT(int, int)
STANDIN_ELEMENT(long, long)
STANDIN_ELEMENT(long long, longlong)
STANDIN_ELEMENT(unsigned char, uchar)
STANDIN_ELEMENT(unsigned short, ushort)
STANDIN_ELEMENT(unsigned int, uint)
STANDIN_ELEMENT(unsigned long, ulong)
STANDIN_ELEMENT(unsigned long long, ulonglong)
STANDIN_ELEMENT(float, float)
STANDIN_ELEMENT(double, double)

#define STANDIN_CELL(T, NAME) \
    inline T nvshmem_##NAME##_atomic_fetch(const T *c, int pe) { return __atomic_load_n(standin_at(c, pe), __ATOMIC_SEQ_CST); } \
    inline void nvshmem_##NAME##_atomic_set(T *c, T v, int pe) { __atomic_store_n(standin_at(c, pe), v, __ATOMIC_SEQ_CST); } \
    inline T nvshmem_##NAME##_atomic_swap(T *c, T v, int pe) { return __atomic_exchange_n(standin_at(c, pe), v, __ATOMIC_SEQ_CST); } \
    inline T nvshmem_##NAME##_atomic_compare_swap(T *c, T current, T v, int pe) { \
        __atomic_compare_exchange_n(standin_at(c, pe), &current, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return current; \
    } \
    inline T nvshmem_##NAME##_atomic_fetch_add(T *c, T v, int pe) { return __atomic_fetch_add(standin_at(c, pe), v, __ATOMIC_SEQ_CST); } \
    inline T nvshmem_##NAME##_atomic_fetch_and(T *c, T v, int pe) { return __atomic_fetch_and(standin_at(c, pe), v, __ATOMIC_SEQ_CST); } \
    inline T nvshmem_##NAME##_atomic_fetch_or(T *c, T v, int pe) { return __atomic_fetch_or(standin_at(c, pe), v, __ATOMIC_SEQ_CST); } \
    inline T nvshmem_##NAME##_atomic_fetch_xor(T *c, T v, int pe) { return __atomic_fetch_xor(standin_at(c, pe), v, __ATOMIC_SEQ_CST); } \
    inline void nvshmem_##NAME##_atomic_add(T *c, T v, int pe) { nvshmem_##NAME##_atomic_fetch_add(c, v, pe); } \
    inline void nvshmem_##NAME##_atomic_and(T *c, T v, int pe) { nvshmem_##NAME##_atomic_fetch_and(c, v, pe); } \
    inline void nvshmem_##NAME##_atomic_or(T *c, T v, int pe) { nvshmem_##NAME##_atomic_fetch_or(c, v, pe); } \
    inline void nvshmem_##NAME##_atomic_xor(T *c, T v, int pe) { nvshmem_##NAME##_atomic_fetch_xor(c, v, pe); }
STANDIN_CELL(unsigned int, uint)
STANDIN_CELL(unsigned long long, ulonglong)

enum { NVSHMEM_CMP_EQ, NVSHMEM_CMP_NE, NVSHMEM_CMP_LT, NVSHMEM_CMP_LE, NVSHMEM_CMP_GT, NVSHMEM_CMP_GE };
#define STANDIN_WAIT(T, NAME) \
    inline void nvshmem_##NAME##_wait_until(T *cell, int comparison, T value) { \
        while (true) { \
            T seen = __atomic_load_n(cell, __ATOMIC_SEQ_CST); \
            bool holds[] = {seen == value, seen != value, seen < value, seen <= value, seen > value, seen >= value}; \
            if (holds[comparison]) return; \
            std::this_thread::yield(); \
        } \
    }
STANDIN_WAIT(int, int)
STANDIN_WAIT(unsigned int, uint)
STANDIN_WAIT(long, long)
STANDIN_WAIT(unsigned long, ulong)
STANDIN_WAIT(long long, longlong)
STANDIN_WAIT(unsigned long long, ulonglong)

#ifdef STANDIN_SHARED
#include <tuple>
// Collective calls. One thread of the scope makes them; the text has the others wait. `make` gets the place for all
// elements of the result.
template <class T, class Make> int standin_exchange(bool makes, int team, T *to, size_t count, Make make) {
    if (!makes) return 0;
    standin_teams->begin(team);
    standin_teams->meet(team);
    std::vector<T> made(count);
    for (size_t k = 0; k < count; k++) made[k] = make(k);
    standin_teams->meet(team);
    for (size_t k = 0; k < count; k++) ((volatile T *)to)[k] = made[k];
    standin_teams->meet(team);
    standin_teams->end(team);
    return 0;
}
// Element `k` of the team's number `number`.
template <class T> T standin_of(int team, const T *from, int number, size_t k) {
    return ((volatile T *)standin_at(from, standin_teams->pe(team, number)))[k];
}
template <class T, class Join> T standin_joined(int team, const T *from, size_t k, Join join) {
    T all = standin_of(team, from, 0, k);
    for (int number = 1; number < standin_teams->n_pes(team); number++) all = join(all, standin_of(team, from, number, k));
    return all;
}
#define STANDIN_REDUCTION(T, NAME, OP, SCOPE, MAKES, JOIN) \
    inline int NAME##_##OP##_reduce##SCOPE(int team, T *to, const T *from, size_t count) { \
        return standin_exchange(MAKES, team, to, count, [=](size_t k) { \
            return standin_joined(team, from, k, [](T a, T b) { return (T)(JOIN); }); \
        }); \
    } \
    inline int NAME##_##OP##_reducescatter##SCOPE(int team, T *to, const T *from, size_t count) { \
        size_t start = standin_teams->my_pe(team) * count; \
        return standin_exchange(MAKES, team, to, count, [=](size_t k) { \
            return standin_joined(team, from, start + k, [](T a, T b) { return (T)(JOIN); }); \
        }); \
    }
#define STANDIN_COLLECTIVE(T, NAME, SCOPE, MAKES) \
    inline int NAME##_broadcast##SCOPE(int team, T *to, const T *from, size_t count, int root) { \
        return standin_exchange(MAKES, team, to, count, [=](size_t k) { return standin_of(team, from, root, k); }); \
    } \
    inline int NAME##_fcollect##SCOPE(int team, T *to, const T *from, size_t count) { \
        return standin_exchange(MAKES, team, to, count * standin_teams->n_pes(team), [=](size_t k) { \
            return standin_of(team, from, (int)(k / count), k % count); \
        }); \
    } \
    inline int NAME##_alltoall##SCOPE(int team, T *to, const T *from, size_t count) { \
        size_t start = standin_teams->my_pe(team) * count; \
        return standin_exchange(MAKES, team, to, count * standin_teams->n_pes(team), [=](size_t k) { \
            return standin_of(team, from, (int)(k / count), start + k % count); \
        }); \
    } \
    STANDIN_REDUCTION(T, NAME, sum, SCOPE, MAKES, a + b) \
    STANDIN_REDUCTION(T, NAME, prod, SCOPE, MAKES, a * b) \
    STANDIN_REDUCTION(T, NAME, min, SCOPE, MAKES, a < b ? a : b) \
    STANDIN_REDUCTION(T, NAME, max, SCOPE, MAKES, a > b ? a : b)
#define STANDIN_BITS(T, NAME, SCOPE, MAKES) \
    STANDIN_REDUCTION(T, NAME, and, SCOPE, MAKES, a & b) \
    STANDIN_REDUCTION(T, NAME, or, SCOPE, MAKES, a | b) \
    STANDIN_REDUCTION(T, NAME, xor, SCOPE, MAKES, a ^ b)
#define STANDIN_SCOPES(OF, T, NAME) \
    OF(T, nvshmem_##NAME, , true) \
    OF(T, nvshmemx_##NAME, _warp, threadIdx.x % 32 == 0) \
    OF(T, nvshmemx_##NAME, _block, threadIdx.x == 0)
#define STANDIN_NUMBER(T, NAME) STANDIN_SCOPES(STANDIN_COLLECTIVE, T, NAME)
#define STANDIN_UNSIGNED(T, NAME) STANDIN_NUMBER(T, NAME) STANDIN_SCOPES(STANDIN_BITS, T, NAME)
STANDIN_NUMBER(char, char)
STANDIN_NUMBER(short, short)
STANDIN_NUMBER(int, int)
STANDIN_NUMBER(long, long)
STANDIN_NUMBER(long long, longlong)
STANDIN_UNSIGNED(unsigned char, uchar)
STANDIN_UNSIGNED(unsigned short, ushort)
STANDIN_UNSIGNED(unsigned int, uint)
STANDIN_UNSIGNED(unsigned long, ulong)
STANDIN_UNSIGNED(unsigned long long, ulonglong)
STANDIN_NUMBER(float, float)
STANDIN_NUMBER(double, double)
#define STANDIN_MEETING(NAME, SCOPE, MAKES) \
    inline int NAME##SCOPE(int team) { return standin_exchange(MAKES, team, (char *)nullptr, 0, [](size_t) { return '\0'; }); }
#define STANDIN_MEETINGS(NAME) \
    STANDIN_MEETING(nvshmem_##NAME, , true) \
    STANDIN_MEETING(nvshmemx_##NAME, _warp, threadIdx.x % 32 == 0) \
    STANDIN_MEETING(nvshmemx_##NAME, _block, threadIdx.x == 0)
STANDIN_MEETINGS(barrier)
STANDIN_MEETINGS(team_sync)

// A launch of a kernel, with copies of its arguments.
using StandInLaunch = std::function<std::string()>;
template <class... A, size_t... N>
StandInLaunch *standin_bind(void (*kernel)(A...), unsigned blocks, unsigned threads, void **places, std::index_sequence<N...>) {
    std::tuple<A...> arguments{*(A *)places[N]...};
    return new StandInLaunch([=] { return standin_launch(blocks, threads, [&] { std::apply(kernel, arguments); }); });
}
template <class... A> StandInLaunch *standin_bind(void (*kernel)(A...), unsigned blocks, unsigned threads, void **places) {
    return standin_bind(kernel, blocks, threads, places, std::index_sequence_for<A...>());
}
template <class... A> struct StandInSizes {
    size_t sizes[sizeof...(A) + 1] = {sizeof(A)..., 0};
};
template <class... A> constexpr StandInSizes<A...> standin_sizes(void (*)(A...)) { return {}; }
#define STANDIN_KERNEL(NAME, HAS_NVSHMEM) \
    extern "C" int standin_has_nvshmem = HAS_NVSHMEM; \
    extern "C" auto standin_sizes_##NAME = standin_sizes(NAME); \
    extern "C" StandInLaunch *standin_bind_##NAME(unsigned blocks, unsigned threads, void **places) { \
        return standin_bind(NAME, blocks, threads, places); \
    }
#endif
