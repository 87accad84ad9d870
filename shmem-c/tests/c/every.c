/* Calls every typed and sized routine, in its form with and without a context, with values that tell
 * each argument from the others. The lists of types are made of the table. */

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "types.h"

static shmem_team_t reversed;
static shmem_ctx_t context;

/* Calls without a context, and on one whose team has the PEs in the opposite order. */
#define PLAIN(routine, ...) PLAIN_(routine, __VA_ARGS__)
#define PLAIN_(routine, ...) shmem_##routine(__VA_ARGS__)
#define PLAIN_PE(pe) (pe)
#define WITH(routine, ...) WITH_(routine, __VA_ARGS__)
#define WITH_(routine, ...) shmem_ctx_##routine(context, __VA_ARGS__)
#define WITH_PE(pe) (n - 1 - (pe))

/* Names: `long_put_nbi` of a type, `put64_nbi` of a size. */
#define TYPED(name, op, end) TYPED_##op(name, end)
#define TYPED_put(name, end) name##_put##end
#define TYPED_get(name, end) name##_get##end
#define TYPED_iput(name, end) name##_iput
#define TYPED_iget(name, end) name##_iget
#define TYPED_ibput(name, end) name##_ibput
#define TYPED_ibget(name, end) name##_ibget
#define TYPED_put_signal_of_(name, end) name##_put_signal##end
#define SIZED(name, op, end) SIZED_##op(name, end)
#define SIZED_put(name, end) put##name##end
#define SIZED_get(name, end) get##name##end
#define SIZED_iput(name, end) iput##name
#define SIZED_iget(name, end) iget##name
#define SIZED_ibput(name, end) ibput##name
#define SIZED_ibget(name, end) ibget##name
#define SIZED_put_signal_of_(name, end) put##name##_signal##end

/* Of at most 7 PEs each has values of its own, small enough for every type. */
#define VALUE(type, pe, i) ((type)((pe) * 12 + (i) + 1))

typedef unsigned __int128 wide;

#define RMA(form, call, name, type)                                                                   \
    static void rma_##call##_##name(void) {                                                           \
        enum { N = 32 };                                                                              \
        static type here[N], there[N];                                                                \
        static uint64_t signal;                                                                       \
        type mine[12], got[N];                                                                        \
        type *heap = shmem_calloc(N, sizeof(type));                                                   \
        for (int i = 0; i < 12; i++) mine[i] = here[i] = VALUE(type, me, i);                          \
        shmem_barrier_all();                                                                          \
        /* To the heap, and to a static, which begins with zeros. */                                  \
        call(form(name, put, ), heap + 1, mine, 5, call##_PE(right));                                 \
        call(form(name, put, _nbi), heap + 9, mine + 1, 3, call##_PE(right));                         \
        call(form(name, iput, ), there, mine, 3, 2, 4, call##_PE(right));                             \
        call(form(name, ibput, ), there + 12, mine, 4, 5, 2, 3, call##_PE(right));                    \
        shmem_ctx_quiet(context);                                                                     \
        shmem_barrier_all();                                                                          \
        for (int i = 0; i < N; i++) {                                                                 \
            type want = i >= 1 && i < 6 ? VALUE(type, left, i - 1)                                    \
                        : i >= 9 && i < 12 ? VALUE(type, left, i - 8) : (type)0;                      \
            CHECK(heap[i] == want);                                                                   \
            want = i < 12 ? (i % 3 == 0 ? VALUE(type, left, i / 3 * 2) : (type)0)                     \
                   : i < 24 && (i - 12) % 4 < 2 ? VALUE(type, left, (i - 12) / 4 * 5 + (i - 12) % 4)  \
                                                : (type)0;                                            \
            CHECK(there[i] == want);                                                                  \
        }                                                                                             \
        memset(got, 0, sizeof got);                                                                   \
        call(form(name, get, ), got, here + 2, 5, call##_PE(right));                                  \
        call(form(name, get, _nbi), got + 6, here + 1, 2, call##_PE(right));                          \
        shmem_ctx_quiet(context);                                                                     \
        shmem_quiet();                                                                                \
        for (int i = 0; i < 5; i++) CHECK(got[i] == VALUE(type, right, i + 2));                       \
        CHECK(got[5] == 0 && got[6] == VALUE(type, right, 1) && got[7] == VALUE(type, right, 2));     \
        memset(got, 0, sizeof got);                                                                   \
        call(form(name, iget, ), got, here, 3, 2, 4, call##_PE(right));                               \
        call(form(name, ibget, ), got + 12, here, 3, 4, 2, 3, call##_PE(right));                      \
        for (int i = 0; i < 12; i++) {                                                                \
            CHECK(got[i] == (i % 3 == 0 ? VALUE(type, right, i / 3 * 2) : (type)0));                  \
            type want = i < 9 && i % 3 < 2 ? VALUE(type, right, i / 3 * 4 + i % 3) : (type)0;         \
            CHECK(got[12 + i] == want);                                                               \
        }                                                                                             \
        shmem_barrier_all();                                                                          \
        call(form(name, put_signal_of_, ), heap + 20, mine + 3, 4, &signal, 40 + me, SHMEM_SIGNAL_SET,\
             call##_PE(right));                                                                       \
        CHECK(shmem_signal_wait_until(&signal, SHMEM_CMP_NE, 0) == (uint64_t)(40 + left));            \
        for (int i = 0; i < 4; i++) CHECK(heap[20 + i] == VALUE(type, left, i + 3));                  \
        shmem_barrier_all();                                                                          \
        call(form(name, put_signal_of_, _nbi), heap + 25, mine + 2, 3, &signal, 100, SHMEM_SIGNAL_ADD,\
             call##_PE(right));                                                                       \
        shmem_ctx_quiet(context);                                                                     \
        shmem_signal_wait_until(&signal, SHMEM_CMP_GT, 99);                                           \
        CHECK(shmem_signal_fetch(&signal) == (uint64_t)(140 + left));                                 \
        for (int i = 0; i < 3; i++) CHECK(heap[25 + i] == VALUE(type, left, i + 2));                  \
        CHECK(heap[24] == 0 && heap[28] == 0);                                                        \
        shmem_barrier_all();                                                                          \
        shmem_free(heap);                                                                             \
    }

#define TYPED_RMA(name, type) RMA(TYPED, PLAIN, name, type) RMA(TYPED, WITH, name, type)
#define SIZED_RMA(name, type) RMA(SIZED, PLAIN, name, type) RMA(SIZED, WITH, name, type)
#define SIZES(of) of(8, uint8_t) of(16, uint16_t) of(32, uint32_t) of(64, uint64_t) of(128, wide)
RMA_TYPES(TYPED_RMA)
SIZES(SIZED_RMA)

#define ONE(call, name, type)                                                                         \
    static void one_##call##_##name(void) {                                                           \
        static type word, other;                                                                      \
        other = VALUE(type, me, 7);                                                                   \
        shmem_barrier_all();                                                                          \
        call(name##_p, &word, VALUE(type, me, 3), call##_PE(right));                                  \
        shmem_ctx_quiet(context);                                                                     \
        CHECK(call(name##_g, &other, call##_PE(right)) == VALUE(type, right, 7));                     \
        shmem_barrier_all();                                                                          \
        CHECK(word == VALUE(type, left, 3) && other == VALUE(type, me, 7));                           \
        shmem_barrier_all();                                                                          \
    }
#define ONES(name, type) ONE(PLAIN, name, type) ONE(WITH, name, type)
RMA_TYPES(ONES)

/* Bytes. */
#define MEM(call)                                                                                     \
    static void mem_##call(void) {                                                                    \
        static char here[16], there[16];                                                              \
        static uint64_t signal;                                                                       \
        char mine[8] = "abcdefg", got[8] = "";                                                        \
        mine[0] = (char)('A' + me);                                                                   \
        strcpy(here, "0123456789");                                                                   \
        here[1] = (char)('A' + me);                                                                   \
        shmem_barrier_all();                                                                          \
        call(putmem, there + 1, mine, 3, call##_PE(right));                                           \
        call(putmem_nbi, there + 5, mine, 2, call##_PE(right));                                       \
        call(putmem_signal, there + 8, mine, 2, &signal, 5, SHMEM_SIGNAL_ADD, call##_PE(right));      \
        call(putmem_signal_nbi, there + 11, mine, 2, &signal, 6, SHMEM_SIGNAL_ADD, call##_PE(right)); \
        call(signal_add, &signal, 20, call##_PE(right));                                              \
        call(getmem, got, here + 1, 3, call##_PE(right));                                             \
        call(getmem_nbi, got + 4, here + 2, 2, call##_PE(right));                                     \
        shmem_ctx_quiet(context);                                                                     \
        shmem_barrier_all();                                                                          \
        char a = (char)('A' + left), b = (char)('A' + right);                                         \
        char want[16] = {0, a, 'b', 'c', 0, a, 'b', 0, a, 'b', 0, a, 'b'};                            \
        CHECK(memcmp(there, want, 16) == 0);                                                          \
        char want_got[8] = {b, '2', '3', 0, '2', '3', 0, 0};                                          \
        CHECK(memcmp(got, want_got, 8) == 0 && signal == 31);                                         \
        shmem_barrier_all();                                                                          \
        call(signal_set, &signal, 70 + me, call##_PE(right));                                         \
        shmem_ctx_quiet(context);                                                                     \
        shmem_barrier_all();                                                                          \
        CHECK(shmem_signal_fetch(&signal) == (uint64_t)(70 + left));                                  \
    }
MEM(PLAIN)
MEM(WITH)

#define EXTENDED(call, name, type)                                                                    \
    static void extended_##call##_##name(void) {                                                      \
        static type word;                                                                             \
        type got;                                                                                     \
        word = VALUE(type, me, 1);                                                                    \
        shmem_barrier_all();                                                                          \
        CHECK(call(name##_atomic_fetch, &word, call##_PE(right)) == VALUE(type, right, 1));           \
        call(name##_atomic_fetch_nbi, &got, &word, call##_PE(right));                                 \
        shmem_ctx_quiet(context);                                                                     \
        shmem_quiet();                                                                                \
        CHECK(got == VALUE(type, right, 1));                                                          \
        shmem_barrier_all();                                                                          \
        CHECK(call(name##_atomic_swap, &word, VALUE(type, me, 2), call##_PE(right)) ==                \
              VALUE(type, right, 1));                                                                 \
        call(name##_atomic_swap_nbi, &got, &word, VALUE(type, me, 3), call##_PE(right));              \
        shmem_ctx_quiet(context);                                                                     \
        shmem_quiet();                                                                                \
        CHECK(got == VALUE(type, me, 2));                                                             \
        shmem_barrier_all();                                                                          \
        CHECK(word == VALUE(type, left, 3));                                                          \
        shmem_barrier_all();                                                                          \
        call(name##_atomic_set, &word, VALUE(type, me, 4), call##_PE(right));                         \
        shmem_ctx_quiet(context);                                                                     \
        shmem_barrier_all();                                                                          \
        CHECK(word == VALUE(type, left, 4));                                                          \
        shmem_barrier_all();                                                                          \
    }
#define EXTENDEDS(name, type) EXTENDED(PLAIN, name, type) EXTENDED(WITH, name, type)
EXTENDED_TYPES(EXTENDEDS)

/* Neighbours of the word, which an operation of the wrong width would change. */
#define UPDATE(op, change)                                                                            \
    before = at.word;                                                                                 \
    change;                                                                                           \
    CHECK(at.low == 5 && at.high == 6);
#define AMO(call, name, type)                                                                         \
    static void amo_##call##_##name(void) {                                                           \
        static struct { type low, word, high; } at;                                                   \
        type got, *to = &at.word;                                                                     \
        int pe = call##_PE(right);                                                                    \
        at.low = 5, at.high = 6, at.word = VALUE(type, me, 1);                                        \
        type first = VALUE(type, right, 1);                                                           \
        shmem_barrier_all();                                                                          \
        CHECK(call(name##_atomic_compare_swap, to, 3 + first, 99, pe) == first);                      \
        CHECK(call(name##_atomic_compare_swap, to, first, 50 + first, pe) == first);                  \
        call(name##_atomic_compare_swap_nbi, &got, to, 50 + first, 60 + first, pe);                   \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(got == 50 + first);                                                                     \
        CHECK(call(name##_atomic_fetch_inc, to, pe) == 60 + first);                                   \
        call(name##_atomic_fetch_inc_nbi, &got, to, pe);                                              \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(got == 61 + first);                                                                     \
        call(name##_atomic_inc, to, pe);                                                              \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(call(name##_atomic_fetch_add, to, 7, pe) == 63 + first);                                \
        call(name##_atomic_fetch_add_nbi, &got, to, 11, pe);                                          \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(got == 70 + first);                                                                     \
        call(name##_atomic_add, to, (type)-1, pe);                                                    \
        shmem_ctx_quiet(context);                                                                     \
        shmem_barrier_all();                                                                          \
        CHECK(at.word == 80 + VALUE(type, me, 1) && at.low == 5 && at.high == 6);                     \
        shmem_barrier_all();                                                                          \
    }
#define AMOS(name, type) AMO(PLAIN, name, type) AMO(WITH, name, type)
AMO_TYPES(AMOS)

#define BITWISE(call, name, type)                                                                     \
    static void bitwise_##call##_##name(void) {                                                       \
        static type word;                                                                             \
        type got;                                                                                     \
        int pe = call##_PE(right);                                                                    \
        word = 0x70;                                                                                  \
        shmem_barrier_all();                                                                          \
        CHECK(call(name##_atomic_fetch_or, &word, 0x0f, pe) == 0x70);                                 \
        call(name##_atomic_fetch_or_nbi, &got, &word, 0x100, pe);                                     \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(got == 0x7f);                                                                           \
        call(name##_atomic_or, &word, 0x200, pe);                                                     \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(call(name##_atomic_fetch_and, &word, 0x3f3, pe) == 0x37f);                              \
        call(name##_atomic_fetch_and_nbi, &got, &word, 0x3f2, pe);                                    \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(got == 0x373);                                                                          \
        call(name##_atomic_and, &word, 0x362, pe);                                                    \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(call(name##_atomic_fetch_xor, &word, 0x0ff, pe) == 0x362);                              \
        call(name##_atomic_fetch_xor_nbi, &got, &word, 0x001, pe);                                    \
        shmem_ctx_quiet(context), shmem_quiet();                                                      \
        CHECK(got == 0x39d);                                                                          \
        call(name##_atomic_xor, &word, 0x003, pe);                                                    \
        shmem_ctx_quiet(context);                                                                     \
        shmem_barrier_all();                                                                          \
        CHECK(word == 0x39f);                                                                         \
        shmem_barrier_all();                                                                          \
    }
#define BITWISES(name, type) BITWISE(PLAIN, name, type) BITWISE(WITH, name, type)
BITWISE_TYPES(BITWISES)

/* Cells 0 to 4 hold 10, 11, 12, 13 and 14 once the left neighbour has set them; cell 2 is left out
 * where there is a status. */
#define WAIT(name, type)                                                                              \
    static void wait_##name(void) {                                                                   \
        static type cells[5];                                                                         \
        const int out[5] = {0, 0, 1, 0, 0};                                                           \
        type each[5] = {10, 11, 99, 13, 14}, wrong[5] = {10, 11, 12, 13, 15};                         \
        size_t found[5];                                                                              \
        CHECK(shmem_##name##_test(cells, SHMEM_CMP_EQ, 0) && !shmem_##name##_test(cells, SHMEM_CMP_NE, 0)); \
        CHECK(shmem_##name##_test(cells, SHMEM_CMP_LT, 1) && !shmem_##name##_test(cells, SHMEM_CMP_LT, 0)); \
        CHECK(shmem_##name##_test(cells, SHMEM_CMP_LE, 0) && shmem_##name##_test(cells, SHMEM_CMP_GE, 0)); \
        CHECK(!shmem_##name##_test(cells, SHMEM_CMP_GT, 0) && !shmem_##name##_test(cells, SHMEM_CMP_GE, 1)); \
        CHECK(shmem_##name##_test(cells, SHMEM_CMP_LT, (type)-1) == ((type)-1 > 0));                  \
        CHECK(!shmem_##name##_test_all(cells, 5, NULL, SHMEM_CMP_EQ, 10));                            \
        CHECK(shmem_##name##_test_any(cells, 5, NULL, SHMEM_CMP_EQ, 10) == SIZE_MAX);                 \
        CHECK(shmem_##name##_test_some(cells, 5, found, NULL, SHMEM_CMP_EQ, 10) == 0);                \
        shmem_barrier_all();                                                                          \
        for (int i = 0; i < 5; i++) shmem_##name##_atomic_set(&cells[i], (type)(10 + i), right);      \
        shmem_##name##_wait_until(&cells[4], SHMEM_CMP_EQ, 14);                                       \
        shmem_##name##_wait_until_all(cells, 5, NULL, SHMEM_CMP_GE, 10);                              \
        shmem_##name##_wait_until_all_vector(cells, 5, out, SHMEM_CMP_EQ, each);                      \
        CHECK(shmem_##name##_wait_until_any(cells, 5, NULL, SHMEM_CMP_EQ, 13) == 3);                  \
        CHECK(shmem_##name##_wait_until_any_vector(cells + 2, 2, out + 2, SHMEM_CMP_LT, each + 3) == 1); \
        CHECK(shmem_##name##_wait_until_some(cells, 5, found, out, SHMEM_CMP_LE, 12) == 2);           \
        CHECK(found[0] == 0 && found[1] == 1);                                                        \
        CHECK(shmem_##name##_wait_until_some_vector(cells, 5, found, NULL, SHMEM_CMP_EQ, wrong) == 4);\
        CHECK(found[2] == 2 && found[3] == 3);                                                        \
        CHECK(shmem_##name##_test_all(cells, 5, out, SHMEM_CMP_NE, 12));                              \
        CHECK(!shmem_##name##_test_all_vector(cells, 5, out, SHMEM_CMP_EQ, wrong));                   \
        CHECK(shmem_##name##_test_all_vector(cells, 5, out, SHMEM_CMP_EQ, each));                     \
        CHECK(shmem_##name##_test_any(cells, 5, NULL, SHMEM_CMP_GT, 13) == 4);                        \
        CHECK(shmem_##name##_test_any_vector(cells, 5, NULL, SHMEM_CMP_NE, wrong) == 4);              \
        CHECK(shmem_##name##_test_some(cells, 5, found, out, SHMEM_CMP_GT, 11) == 2);                 \
        CHECK(found[0] == 3 && found[1] == 4);                                                        \
        CHECK(shmem_##name##_test_some_vector(cells, 5, found, out, SHMEM_CMP_EQ, each) == 4);        \
        CHECK(found[1] == 1 && found[2] == 3);                                                        \
        const int none[2] = {1, 1};                                                                   \
        shmem_##name##_wait_until_all(cells, 0, NULL, SHMEM_CMP_EQ, 1);                               \
        CHECK(shmem_##name##_wait_until_any(cells, 2, none, SHMEM_CMP_EQ, 10) == SIZE_MAX);           \
        CHECK(shmem_##name##_wait_until_some(cells, 0, found, NULL, SHMEM_CMP_EQ, 1) == 0);           \
        CHECK(shmem_##name##_test_all(cells, 0, NULL, SHMEM_CMP_EQ, 1));                              \
        shmem_barrier_all();                                                                          \
    }
AMO_TYPES(WAIT)

/* On the team whose PEs are in the opposite order: `rank` is this PE's number there. */
#define COLLECTIVE(name, type)                                                                        \
    static void collective_##name(void) {                                                             \
        static type from[64], to[160];                                                                \
        int rank = n - 1 - me, root = n > 1;                                                          \
        for (int i = 0; i < 64; i++) from[i] = VALUE(type, rank, i % 12);                             \
        memset(to, 0, sizeof to);                                                                     \
        shmem_sync_all();                                                                             \
        CHECK(shmem_##name##_broadcast(reversed, to, from, 3, root) == 0);                            \
        for (int i = 0; i < 4; i++) CHECK(to[i] == (i < 3 ? VALUE(type, root, i) : (type)0));         \
        shmem_sync_all();                                                                             \
        CHECK(shmem_##name##_fcollect(reversed, to + 8, from + 1, 2) == 0);                           \
        for (int i = 0; i < 2 * n; i++) CHECK(to[8 + i] == VALUE(type, i / 2, i % 2 + 1));            \
        shmem_sync_all();                                                                             \
        /* As many elements as the number of the PE. */                                               \
        CHECK(shmem_##name##_collect(reversed, to + 24, from + 2, (size_t)rank) == 0);                \
        for (int pe = 0, at = 24; pe < n; pe++)                                                       \
            for (int i = 0; i < pe; i++, at++) CHECK(to[at] == VALUE(type, pe, i + 2));               \
        shmem_sync_all();                                                                             \
        CHECK(shmem_##name##_alltoall(reversed, to + 48, from, 1) == 0);                              \
        for (int pe = 0; pe < n; pe++) CHECK(to[48 + pe] == VALUE(type, pe, rank));                   \
        CHECK(to[48 + n] == 0);                                                                       \
        shmem_sync_all();                                                                             \
        CHECK(shmem_##name##_alltoalls(reversed, to + 64, from, 3, 2, 2) == 0);                       \
        for (int pe = 0; pe < n; pe++)                                                                \
            for (int i = 0; i < 2; i++) {                                                             \
                CHECK(to[64 + (pe * 2 + i) * 3] == VALUE(type, pe, (rank * 2 + i) * 2 % 12));         \
                CHECK(to[65 + (pe * 2 + i) * 3] == 0);                                                \
            }                                                                                         \
        shmem_sync_all();                                                                             \
        CHECK(shmem_##name##_max_reduce(reversed, to + 120, from + 1, 3) == 0);                       \
        CHECK(shmem_##name##_min_reduce(reversed, to + 124, from + 2, 3) == 0);                       \
        for (int i = 0; i < 3; i++)                                                                   \
            CHECK(to[120 + i] == VALUE(type, n - 1, i + 1) && to[124 + i] == VALUE(type, 0, i + 2));  \
        CHECK(to[123] == 0 && to[127] == 0);                                                          \
        shmem_sync_all();                                                                             \
    }
RMA_TYPES(COLLECTIVE)

#define SUM(name, type)                                                                               \
    static void sum_##name(void) {                                                                    \
        static type from[4], to[16];                                                                  \
        int rank = n - 1 - me;                                                                        \
        type sums[3] = {0}, prods[3] = {1, 1, 1}, before[3] = {0};                                    \
        for (int pe = 0; pe < n; pe++)                                                                \
            for (int i = 0; i < 3; i++) {                                                             \
                if (pe < rank) before[i] += (type)(pe + i);                                           \
                sums[i] += (type)(pe + i);                                                            \
                prods[i] *= (type)(pe == 0 ? i + 2 : 1);                                              \
            }                                                                                         \
        for (int i = 0; i < 3; i++) from[i] = (type)(rank + i);                                       \
        shmem_sync_all();                                                                             \
        CHECK(shmem_##name##_sum_reduce(reversed, to, from, 3) == 0);                                 \
        CHECK(shmem_##name##_sum_inscan(reversed, to + 4, from, 3) == 0);                             \
        CHECK(shmem_##name##_sum_exscan(reversed, to + 8, from, 3) == 0);                             \
        for (int i = 0; i < 3; i++) {                                                                 \
            CHECK(to[i] == sums[i] && to[8 + i] == before[i]);                                        \
            CHECK(to[4 + i] == (type)(before[i] + from[i]));                                          \
            from[i] = (type)(rank == 0 ? i + 2 : 1);                                                  \
        }                                                                                             \
        shmem_sync_all();                                                                             \
        CHECK(shmem_##name##_prod_reduce(reversed, from, from, 3) == 0);                              \
        for (int i = 0; i < 3; i++) CHECK(from[i] == prods[i]);                                       \
        CHECK(to[3] == 0 && to[7] == 0 && to[11] == 0 && from[3] == 0);                               \
        shmem_sync_all();                                                                             \
    }
SUM_TYPES(SUM)

#define BITS(name, type)                                                                              \
    static void bits_##name(void) {                                                                   \
        static type from[2], to[6];                                                                   \
        type all = 0x7f, any = 0, odd = 0;                                                            \
        for (int pe = 0; pe < n; pe++) all &= (type)(0x60 | pe), any |= (type)(0x60 | pe), odd ^= (type)(0x60 | pe); \
        from[0] = (type)(0x60 | me), from[1] = (type)~from[0];                                        \
        shmem_sync_all();                                                                             \
        CHECK(shmem_##name##_and_reduce(reversed, to, from, 1) == 0 && to[0] == all && to[1] == 0);   \
        CHECK(shmem_##name##_or_reduce(reversed, to + 2, from, 1) == 0 && to[2] == any && to[3] == 0);\
        CHECK(shmem_##name##_xor_reduce(reversed, to + 4, from, 1) == 0 && to[4] == odd && to[5] == 0); \
        shmem_sync_all();                                                                             \
    }
BITS_TYPES(BITS)

/* Collectives of bytes. */
static void bytes(void) {
    static char from[32], to[128];
    int rank = n - 1 - me, root = n > 1;
    for (int i = 0; i < 32; i++) from[i] = VALUE(char, rank, i % 12);
    shmem_sync_all();
    CHECK(shmem_broadcastmem(reversed, to, from, 3, root) == 0);
    for (int i = 0; i < 4; i++) CHECK(to[i] == (i < 3 ? VALUE(char, root, i) : 0));
    CHECK(shmem_fcollectmem(reversed, to + 8, from + 1, 2) == 0);
    for (int i = 0; i < 2 * n; i++) CHECK(to[8 + i] == VALUE(char, i / 2, i % 2 + 1));
    CHECK(shmem_collectmem(reversed, to + 24, from + 2, (size_t)rank) == 0);
    for (int pe = 0, at = 24; pe < n; pe++)
        for (int i = 0; i < pe; i++, at++) CHECK(to[at] == VALUE(char, pe, i + 2));
    CHECK(shmem_alltoallmem(reversed, to + 48, from, 1) == 0);
    for (int pe = 0; pe < n; pe++) CHECK(to[48 + pe] == VALUE(char, pe, rank));
    CHECK(shmem_alltoallsmem(reversed, to + 64, from, 3, 2, 2) == 0);
    for (int pe = 0; pe < n; pe++)
        for (int i = 0; i < 2; i++) CHECK(to[64 + (pe * 2 + i) * 3] == VALUE(char, pe, (rank * 2 + i) * 2 % 12));
    shmem_sync_all();
}

#define RUN_RMA(name, type) rma_PLAIN_##name(), rma_WITH_##name(), one_PLAIN_##name(), one_WITH_##name(), collective_##name();
#define RUN_SIZED(name, type) rma_PLAIN_##name(), rma_WITH_##name();
#define RUN_EXTENDED(name, type) extended_PLAIN_##name(), extended_WITH_##name();
#define RUN_AMO(name, type) amo_PLAIN_##name(), amo_WITH_##name(), wait_##name();
#define RUN_BITWISE(name, type) bitwise_PLAIN_##name(), bitwise_WITH_##name();
#define RUN_SUM(name, type) sum_##name();
#define RUN_BITS(name, type) bits_##name();

int main(void) {
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes();
    right = (me + 1) % n, left = (me + n - 1) % n;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0);
    CHECK(shmem_team_create_ctx(reversed, SHMEM_CTX_SERIALIZED, &context) == 0);
    RMA_TYPES(RUN_RMA)
    SIZES(RUN_SIZED)
    mem_PLAIN(), mem_WITH();
    EXTENDED_TYPES(RUN_EXTENDED)
    AMO_TYPES(RUN_AMO)
    BITWISE_TYPES(RUN_BITWISE)
    SUM_TYPES(RUN_SUM)
    BITS_TYPES(RUN_BITS)
    bytes();
    printf("PE %d of %d is done\n", me, n);
    shmem_finalize();
    return 0;
}
