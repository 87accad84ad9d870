/* What the kernels share: arguments, the clock, failing with one line, memory, sums and maxima over all PEs,
   and the last line. */

#ifndef KERNEL_H
#define KERNEL_H

#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <errno.h>
#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* Ends the job with one line, and status 1. */
#define FAIL(...)                                                                                            \
    do {                                                                                                     \
        fprintf(stderr, __VA_ARGS__);                                                                        \
        fputc('\n', stderr);                                                                                 \
        shmem_global_exit(1);                                                                                \
    } while (0)

/* The same where every PE finds the same thing wrong: PE 0 says it. Collective. */
#define ALL_FAIL(...)                                                                                        \
    do {                                                                                                     \
        if (shmem_my_pe() == 0) FAIL(__VA_ARGS__);                                                           \
        shmem_barrier_all(); /* nobody else ends the job: it would be before the line is written */          \
        abort();             /* PE 0 does not come to the barrier */                                         \
    } while (0)

/* An argument: what it is called, and what it is when it is left out. */
typedef struct {
    const char *name;
    size_t value;
} argument;

/* Reads the arguments of the command line, each by its place. */
static inline void numbers(int argc, char **argv, argument *arguments, int count) {
    char usage[256] = "the arguments are";
    for (int k = 0; k < count; k++)
        snprintf(usage + strlen(usage), sizeof usage - strlen(usage), " [%s=%zu]", arguments[k].name,
                 arguments[k].value);
    for (int k = 1; k < argc; k++) {
        if (k > count) ALL_FAIL("\"%s\" is one argument too many: %s", argv[k], usage);
        char *end;
        errno = 0;
        unsigned long long number = strtoull(argv[k], &end, 10);
        if (errno || *end || argv[k][0] < '0' || argv[k][0] > '9' || number == 0)
            ALL_FAIL("%s is a number above 0, not \"%s\": %s", arguments[k - 1].name, argv[k], usage);
        arguments[k - 1].value = number;
    }
}

/* Where part `index` starts, of `total` things dealt out in `parts` runs, the longer ones first. */
static inline size_t part(size_t total, size_t parts, size_t index) {
    return index * (total / parts) + MIN(index, total % parts);
}

/* Private memory, or the end of the job. */
static inline void *private_memory(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) FAIL("PE %d has no private memory for %zu x %zu bytes", shmem_my_pe(), count, size);
    return memory;
}

/* Symmetric memory, all zero, or the end of the job. Collective; no PE comes back before all have it. */
static inline void *symmetric_memory(size_t count, size_t size) {
    void *memory = count > SIZE_MAX / size ? NULL : shmem_align(64, MAX(count * size, 1));
    if (!memory)
        ALL_FAIL("the heap has no room for %zu x %zu bytes: SHMEM_SYMMETRIC_SIZE makes it larger", count,
                 size);
    memset(memory, 0, count * size);
    shmem_barrier_all();
    return memory;
}

/* Seconds since some moment. */
static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ANCHOR: sums
/* The sum, or the largest, of the values that the PEs give. Collective. */
#define OVER_ALL_PES(name, type, routine)                                                                    \
    static inline type name(type value) {                                                                    \
        static type from, to, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];                                           \
        static long sync[SHMEM_REDUCE_SYNC_SIZE];                                                            \
        for (size_t k = 0; k < SHMEM_REDUCE_SYNC_SIZE; k++) sync[k] = SHMEM_SYNC_VALUE;                      \
        from = value;                                                                                        \
        shmem_barrier_all(); /* the work arrays are ready on every PE */                                     \
        routine(&to, &from, 1, 0, 0, shmem_n_pes(), work, sync);                                             \
        return to;                                                                                           \
    }

OVER_ALL_PES(sum_of_all, double, shmem_double_sum_to_all)
OVER_ALL_PES(max_of_all, double, shmem_double_max_to_all)
OVER_ALL_PES(count_of_all, long, shmem_long_sum_to_all)
// ANCHOR_END: sums

/* With how many decimals a number has 6 digits at least. */
static inline int decimals(double number) {
    return (int)fmin(fmax(5.0 - floor(log10(number)), 0.0), 15.0);
}

/* Prints the last line of a kernel: the rate of so many things in so many seconds, and that `what` took these
   seconds. */
static inline void report(const char *kernel, double things, const char *unit, double took,
                          const char *what) {
    double rate = things / took;
    printf("%s: %.*f %s, %.*f s %s\n", kernel, decimals(rate), rate, unit, decimals(took), took, what);
}

#endif
