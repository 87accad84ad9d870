/* The deprecated routines, with values that tell each argument from the others. The lists of types are
 * made of the table. */

#include <complex.h>
#include <mpp/shmem.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "types.h"

/* Of at most 7 PEs each has values of its own, small enough for every type. */
#define VALUE(type, pe, i) ((type)((pe) * 12 + (i) + 1))

static long sync_of_set[64][SHMEM_REDUCE_SYNC_SIZE];

#define CELLS(name, type)                                                                             \
    static void cells_##name(void) {                                                                  \
        static type word;                                                                             \
        word = VALUE(type, me, 1);                                                                    \
        shmem_barrier_all();                                                                          \
        CHECK(shmem_##name##_fetch(&word, right) == VALUE(type, right, 1));                           \
        shmem_barrier_all();                                                                          \
        CHECK(shmem_##name##_swap(&word, VALUE(type, me, 2), right) == VALUE(type, right, 1));        \
        shmem_barrier_all();                                                                          \
        CHECK(word == VALUE(type, left, 2));                                                          \
        shmem_barrier_all();                                                                          \
        shmem_##name##_set(&word, VALUE(type, me, 4), right);                                         \
        shmem_barrier_all();                                                                          \
        CHECK(word == VALUE(type, left, 4));                                                          \
        shmem_barrier_all();                                                                          \
    }
OLD_CELLS_TYPES(CELLS)

#define INTEGERS(name, type)                                                                          \
    static void integers_##name(void) {                                                               \
        static struct { type low, word, high; } at;                                                   \
        type first = VALUE(type, right, 1);                                                           \
        at.low = 5, at.high = 6, at.word = VALUE(type, me, 1);                                        \
        shmem_barrier_all();                                                                          \
        CHECK(shmem_##name##_cswap(&at.word, 3 + first, 99, right) == first);                         \
        CHECK(shmem_##name##_cswap(&at.word, first, 50 + first, right) == first);                     \
        CHECK(shmem_##name##_finc(&at.word, right) == 50 + first);                                    \
        shmem_##name##_inc(&at.word, right);                                                          \
        CHECK(shmem_##name##_fadd(&at.word, 7, right) == 52 + first);                                 \
        shmem_##name##_add(&at.word, 9, right);                                                       \
        shmem_barrier_all();                                                                          \
        CHECK(at.word == 68 + VALUE(type, me, 1) && at.low == 5 && at.high == 6);                     \
        shmem_barrier_all();                                                                          \
    }
OLD_INTEGERS_TYPES(INTEGERS)

#define WAITS(name, type)                                                                             \
    static void waits_##name(void) {                                                                  \
        static type word[2];                                                                          \
        CHECK(shmem_##name##_test(word, SHMEM_CMP_EQ, 0) && !shmem_##name##_test(word, SHMEM_CMP_GT, 0)); \
        CHECK(shmem_##name##_test(word, SHMEM_CMP_LT, (type)-1) == ((type)-1 > 0));                   \
        shmem_barrier_all();                                                                          \
        shmem_##name##_p(&word[1], 7, right);                                                         \
        shmem_##name##_wait_until(&word[1], _SHMEM_CMP_GE, 7);                                        \
        CHECK(word[1] == 7 && word[0] == 0);                                                          \
        shmem_barrier_all();                                                                          \
    }
OLD_WAITS_TYPES(WAITS)

#define WAIT(name, type)                                                                              \
    static void wait_##name(void) {                                                                   \
        static type word;                                                                             \
        word = 3;                                                                                     \
        shmem_barrier_all();                                                                          \
        shmem_##name##_p(&word, 4 + me, right);                                                       \
        shmem_##name##_wait(&word, 3);                                                                \
        CHECK(word == 4 + left);                                                                      \
        shmem_barrier_all();                                                                          \
    }
OLD_BITS_TYPES(WAIT)

/* The set of the PEs 1, 3, … where there are several, on which typed reductions are made. */
static int start, stride_log, size;
#define SET start, stride_log, size

#define BITS(name, type)                                                                              \
    static void bits_##name(void) {                                                                   \
        static type from[2], to[6], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];                              \
        type all = 0x7f, any = 0, odd = 0;                                                            \
        for (int i = 0; i < size; i++) all &= (type)(0x60 | i), any |= (type)(0x60 | i), odd ^= (type)(0x60 | i); \
        from[0] = (type)(0x60 | ((me - start) >> stride_log)), from[1] = (type)~from[0];              \
        shmem_sync(SET, sync_of_set[60]);                                                             \
        shmem_##name##_and_to_all(to, from, 1, SET, work, sync_of_set[61]);                           \
        shmem_##name##_or_to_all(to + 2, from, 1, SET, work, sync_of_set[60]);                        \
        shmem_##name##_xor_to_all(to + 4, from, 1, SET, work, sync_of_set[61]);                       \
        CHECK(to[0] == all && to[2] == any && to[4] == odd && to[1] == 0 && to[3] == 0 && to[5] == 0);\
        shmem_barrier(SET, sync_of_set[60]);                                                          \
    }
OLD_BITS_TYPES(BITS)

#define ORDERED(name, type)                                                                           \
    static void ordered_##name(void) {                                                                \
        static type from[4], to[8], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];                              \
        for (int i = 0; i < 4; i++) from[i] = VALUE(type, me, i);                                     \
        shmem_sync(SET, sync_of_set[60]);                                                             \
        shmem_##name##_max_to_all(to, from + 1, 2, SET, work, sync_of_set[61]);                       \
        shmem_##name##_min_to_all(to + 4, from + 1, 3, SET, work, sync_of_set[60]);                   \
        for (int i = 0; i < 2; i++) CHECK(to[i] == VALUE(type, start + ((size - 1) << stride_log), i + 1)); \
        for (int i = 0; i < 3; i++) CHECK(to[4 + i] == VALUE(type, start, i + 1));                    \
        CHECK(to[2] == 0 && to[7] == 0);                                                              \
        shmem_barrier(SET, sync_of_set[61]);                                                          \
    }
OLD_ORDERED_TYPES(ORDERED)

#define NUMBERS(name, type)                                                                           \
    static void numbers_##name(void) {                                                                \
        static type from[3], to[4], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];                              \
        int rank = (me - start) >> stride_log;                                                        \
        for (int i = 0; i < 3; i++) from[i] = (type)(rank + i);                                       \
        shmem_sync(SET, sync_of_set[60]);                                                             \
        shmem_##name##_sum_to_all(to, from, 2, SET, work, sync_of_set[61]);                           \
        for (int i = 0; i < 2; i++) CHECK(to[i] == (type)(size * (size - 1) / 2 + i * size));         \
        CHECK(to[2] == 0);                                                                            \
        for (int i = 0; i < 3; i++) from[i] = (type)(rank == 0 ? i + 2 : 1);                          \
        shmem_sync(SET, sync_of_set[60]);                                                             \
        shmem_##name##_prod_to_all(from, from, 2, SET, work, sync_of_set[61]);                        \
        CHECK(from[0] == (type)2 && from[1] == (type)3 && from[2] == (type)(rank == 0 ? 4 : 1));      \
        shmem_barrier(SET, sync_of_set[60]);                                                          \
    }
OLD_NUMBERS_TYPES(NUMBERS)

/* On the set that is given; the values are made of the numbers in the job. */
#define SIZED(bits)                                                                                   \
    static void sized_##bits(int start, int log, int size, long *sync) {                              \
        static int##bits##_t from[32], to[96];                                                        \
        int rank = (me - start) >> log, root = size - 1;                                              \
        for (int i = 0; i < 32; i++) from[i] = 100 * me + i;                                          \
        for (int i = 0; i < 96; i++) to[i] = -1;                                                      \
        shmem_barrier(start, log, size, sync);                                                        \
        shmem_broadcast##bits(to, from, 3, root, start, log, size, sync);                             \
        for (int i = 0; i < 4; i++)                                                                   \
            CHECK(to[i] == (i < 3 && rank != root ? 100 * (start + (root << log)) + i : -1));         \
        shmem_sync(start, log, size, sync);                                                           \
        shmem_fcollect##bits(to + 8, from + 1, 2, start, log, size, sync);                            \
        for (int i = 0; i < 2 * size; i++) CHECK(to[8 + i] == 100 * (start + (i / 2 << log)) + i % 2 + 1); \
        CHECK(to[8 + 2 * size] == -1);                                                                \
        shmem_sync(start, log, size, sync);                                                           \
        /* As many elements as the number of the PE in the set. */                                    \
        shmem_collect##bits(to + 24, from + 2, (size_t)rank, start, log, size, sync);                 \
        for (int pe = 0, at = 24; pe < size; pe++)                                                    \
            for (int i = 0; i < pe; i++, at++) CHECK(to[at] == 100 * (start + (pe << log)) + i + 2);  \
        shmem_sync(start, log, size, sync);                                                           \
        shmem_alltoall##bits(to + 48, from, 2, start, log, size, sync);                               \
        for (int i = 0; i < 2 * size; i++)                                                            \
            CHECK(to[48 + i] == 100 * (start + (i / 2 << log)) + 2 * rank + i % 2);                   \
        CHECK(to[48 + 2 * size] == -1);                                                               \
        shmem_sync(start, log, size, sync);                                                           \
        shmem_alltoalls##bits(to + 64, from, 3, 2, 1, start, log, size, sync);                        \
        for (int pe = 0; pe < size; pe++)                                                             \
            CHECK(to[64 + 3 * pe] == 100 * (start + (pe << log)) + 2 * rank && to[65 + 3 * pe] == -1);\
        shmem_sync(start, log, size, sync);                                                           \
    }
SIZED(32)
SIZED(64)

/* All active sets that there are. Only the members of a set call, so those of others are ahead. */
static void all_sets(void) {
    int number = 0;
    for (int log = 0; log == 0 || 1 << log < n; log++)
        for (int start = 0; start < n; start++)
            for (int size = 1; start + ((size - 1) << log) < n; size++, number++) {
                int rank = (me - start) >> log;
                if (me < start || start + (rank << log) != me || rank >= size) continue;
                sized_32(start, log, size, sync_of_set[number]);
                sized_64(start, log, size, sync_of_set[number]);
            }
}

/* The root's `dest` is another PE's to write to while the root waits for it. */
static void written_meanwhile(void) {
    enum { MANY = 1 << 15 };
    static long from[MANY], to[MANY];
    int root = n - 1;
    for (int i = 0; i < MANY; i++) from[i] = me + i, to[i] = -1;
    shmem_barrier_all();
    if (me == 0) {
        usleep(20000);
        shmem_long_p(&to[7], 99, root);
        shmem_quiet();
    }
    shmem_broadcast64(to, from, MANY, root, 0, 0, n, sync_of_set[0]);
    shmem_barrier_all();
    for (int i = 0; i < MANY; i++) CHECK(to[i] == (me != root ? root + i : i == 7 ? 99 : -1));
}

/* A root whose source is ready only when it calls, later than the others. */
static void filled_late(void) {
    enum { MANY = 1 << 15 };
    static long from[MANY], to[MANY];
    int root = n - 1;
    size_t lengths[] = {1, 16, 64, MANY};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < MANY; i++) from[i] = to[i] = -1;
        shmem_barrier_all();
        if (me == root) {
            usleep(20000);
            for (int i = 0; i < MANY; i++) from[i] = 10 * i + k;
        }
        shmem_broadcast64(to, from, lengths[k], root, 0, 0, n, sync_of_set[k]);
        for (size_t i = 0; i < lengths[k]; i++) CHECK(to[i] == (me == root ? -1 : 10 * (long)i + k));
        shmem_barrier_all();
    }
}

static void without_a_type(void) {
    static long word, other;
    shmem_long_p(&word, 5 + me, right);
    shmem_wait(&word, 0);
    shmem_wait_until(&word, SHMEM_CMP_EQ, 5 + left);
    shmem_barrier_all();
    CHECK(shmem_swap(&other, 30 + me, right) == 0);
    shmem_barrier_all();
    CHECK(other == 30 + left);
    long *a = shmalloc(3 * sizeof(long)), *b = shmemalign(256, sizeof(long));
    CHECK(a && (uintptr_t)b % 256 == 0);
    a[2] = 40 + me;
    a = shrealloc(a, 40000 * sizeof(long));
    CHECK(a[2] == 40 + me);
    shmem_barrier_all();
    CHECK(shmem_long_g(&a[2], right) == 40 + right);
    shmem_barrier_all();
    shfree(a), shfree(b);
    shmem_set_cache_inv(), shmem_set_cache_line_inv(&word), shmem_udcflush(), shmem_udcflush_line(&word);
    shmem_clear_cache_inv(), shmem_clear_cache_line_inv(&word);
}

#define RUN_CELLS(name, type) cells_##name();
#define RUN_INTEGERS(name, type) integers_##name();
#define RUN_WAITS(name, type) waits_##name();
#define RUN_BITS(name, type) bits_##name();
#define RUN_WAIT(name, type) wait_##name();
#define RUN_ORDERED(name, type) ordered_##name();
#define RUN_NUMBERS(name, type) numbers_##name();

int main(void) {
    start_pes(0);
    start_pes(3); /* without effect */
    me = _my_pe(), n = _num_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
    CHECK(me == shmem_my_pe() && n == shmem_n_pes());
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < _SHMEM_REDUCE_SYNC_SIZE; j++) sync_of_set[i][j] = _SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    without_a_type();
    written_meanwhile();
    filled_late();
    OLD_CELLS_TYPES(RUN_CELLS)
    OLD_INTEGERS_TYPES(RUN_INTEGERS)
    OLD_WAITS_TYPES(RUN_WAITS)
    OLD_BITS_TYPES(RUN_WAIT)
    start = n > 1, stride_log = n > 3, size = n > 3 ? n / 2 : n - start;
    if (me >= start && (me - start) % (1 << stride_log) == 0) {
        OLD_BITS_TYPES(RUN_BITS)
        OLD_ORDERED_TYPES(RUN_ORDERED)
        OLD_NUMBERS_TYPES(RUN_NUMBERS)
    }
    /* Twice: teams that are kept, and others. */
    all_sets(), all_sets();
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < SHMEM_REDUCE_SYNC_SIZE; j++) CHECK(sync_of_set[i][j] == SHMEM_SYNC_VALUE);
    printf("PE %d of %d is done\n", me, n);
    return 0; /* As such programs do, without shmem_finalize. */
}
