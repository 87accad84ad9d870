/* What the kernels of random access share: arguments, the clock, random entries, sums over all PEs, and
 * failing with one line. */

#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include <errno.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds since some moment. */
static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Ends the program with status 1. All PEs fail alike and call this; PE 0 says why. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void fail(const char *why, ...) {
    if (shmem_my_pe() == 0) {
        va_list arguments;
        va_start(arguments, why);
        vfprintf(stderr, why, arguments);
        va_end(arguments);
        fputc('\n', stderr);
    }
    shmem_finalize();
    exit(1);
}

/* The numbers on the command line, each by its place; those that are not given keep their defaults. */
static inline void read_numbers(int argc, char **argv, int n, const char *const *names,
                                unsigned long *numbers) {
    char usage[256] = "";
    for (int i = 0, at = 0; i < n; i++) {
        at += snprintf(usage + at, sizeof usage - (size_t)at, " [%s=%lu]", names[i], numbers[i]);
    }
    if (argc > n + 1) {
        fail("\"%s\" is one argument too many: the arguments are%s", argv[n + 1], usage);
    }
    for (int i = 0; i < argc - 1; i++) {
        const char *given = argv[i + 1];
        char *end;
        errno = 0;
        numbers[i] = strtoul(given, &end, 10);
        if (errno != 0 || *end != '\0' || given[0] < '0' || given[0] > '9' || numbers[i] == 0) {
            fail("%s is a number above 0, not \"%s\": the arguments are%s", names[i], given, usage);
        }
    }
}

/* So many words of the symmetric heap. */
static inline void *allocate(unsigned long words) {
    void *memory = words > (size_t)-1 / 8 ? NULL : shmem_malloc(words * 8);
    if (memory == NULL) {
        fail("the symmetric heap has no room for %lu words: set SHMEM_SYMMETRIC_SIZE to more", words);
    }
    return memory;
}

/* An entry of a table that is dealt like cards: entry i lies on PE i % n, at place i / n. */
struct entry {
    unsigned long pe, place;
};

/* So many random entries of a table with `words` words on each PE, others on each PE: by wyrand (Wang Yi,
 * 2019). */
static inline struct entry *random_entries(unsigned long n, unsigned long words) {
    unsigned long n_pes = (unsigned long)shmem_n_pes();
    struct entry *entries = n > (size_t)-1 / sizeof *entries ? NULL : malloc(n * sizeof *entries);
    if (entries == NULL) {
        fail("no memory for %lu indices", n);
    }
    uint64_t state = (uint64_t)shmem_my_pe();
    for (unsigned long i = 0; i < n; i++) {
        state += 0x2d358dccaa6c78a5;
        unsigned __int128 product = (unsigned __int128)state * (state ^ 0x8bb84b93962eacc9);
        uint64_t random = (uint64_t)product ^ (uint64_t)(product >> 64);
        unsigned long index = (unsigned long)((unsigned __int128)random * (words * n_pes) >> 64);
        entries[i] = (struct entry){.pe = index % n_pes, .place = index / n_pes};
    }
    return entries;
}

/* The sum over all PEs, known to all. `place`, which is symmetric, starts as 0 and is used once. */
static inline unsigned long sum(unsigned long *place, unsigned long mine) {
    shmem_ulong_atomic_add(place, mine, 0);
    shmem_barrier_all();
    return shmem_ulong_g(place, 0);
}

/* The mean of the PEs' times, to the nanosecond. */
static inline double mean_time(unsigned long *place, double seconds) {
    return (double)sum(place, (unsigned long)(seconds * 1e9)) * 1e-9 / (double)shmem_n_pes();
}
