/* What the C forms of the Parallel Research Kernels share. */

#ifndef PRK_H
#define PRK_H

#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <errno.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* Ends the job with one line from PE 0, and status 1. Every PE calls it. */
#define FAIL(...)                                                                                            \
    do {                                                                                                     \
        if (shmem_my_pe() == 0) {                                                                            \
            fprintf(stderr, __VA_ARGS__);                                                                    \
            fputc('\n', stderr);                                                                             \
        }                                                                                                    \
        shmem_barrier_all(); /* nobody ends the job before the line is written */                            \
        shmem_global_exit(1);                                                                                \
    } while (0)

/* An argument: what it is called, and what it is when it is left out. */
typedef struct {
    const char *name;
    size_t value;
} argument;

/* Reads the arguments of the command line, each by its place. */
static void numbers(int argc, char **argv, argument *arguments, int count) {
    char usage[256] = "the arguments are";
    for (int k = 0; k < count; k++)
        snprintf(usage + strlen(usage), sizeof usage - strlen(usage), " [%s=%zu]", arguments[k].name,
                 arguments[k].value);
    for (int k = 1; k < argc; k++) {
        if (k > count) FAIL("\"%s\" is one argument too many: %s", argv[k], usage);
        char *end;
        errno = 0;
        unsigned long long number = strtoull(argv[k], &end, 10);
        if (errno || *end || argv[k][0] < '0' || argv[k][0] > '9' || number == 0)
            FAIL("%s is a number above 0, not \"%s\": %s", arguments[k - 1].name, argv[k], usage);
        arguments[k - 1].value = number;
    }
}

/* Where part `index` starts, of `total` things dealt out in `parts` runs, the longer ones first. */
static size_t part(size_t total, size_t parts, size_t index) {
    return index * (total / parts) + MIN(index, total % parts);
}

/* Private memory, or the end of the job. */
static void *private_memory(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "PE %d has no private memory for %zu x %zu bytes\n", shmem_my_pe(), count, size);
        shmem_global_exit(1);
    }
    return memory;
}

/* Symmetric memory, all zero, or the end of the job. Collective; no PE comes back before all have it. */
static void *symmetric_memory(size_t count, size_t size) {
    void *memory = shmem_align(64, MAX(count * size, 1));
    if (!memory)
        FAIL("the heap has no room for %zu x %zu bytes: SHMEM_SYMMETRIC_SIZE makes it larger", count, size);
    memset(memory, 0, count * size);
    shmem_barrier_all();
    return memory;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

/* The largest of the values that the PEs give, and their sum. Collective. */
#define OVER_ALL_PES(name, routine)                                                                          \
    static double name(double value) {                                                                       \
        static double from, to, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];                                         \
        static long sync[SHMEM_REDUCE_SYNC_SIZE];                                                            \
        for (size_t k = 0; k < SHMEM_REDUCE_SYNC_SIZE; k++) sync[k] = SHMEM_SYNC_VALUE;                      \
        from = value;                                                                                        \
        shmem_barrier_all(); /* the work arrays are ready on every PE */                                     \
        routine(&to, &from, 1, 0, 0, shmem_n_pes(), work, sync);                                             \
        return to;                                                                                           \
    }

OVER_ALL_PES(max_of_all, shmem_double_max_to_all)
OVER_ALL_PES(sum_of_all, shmem_double_sum_to_all)

#endif
