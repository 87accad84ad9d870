/* What the kernels of random access share: arguments, the clock, sums over all PEs, and failing with one line. */

#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include <errno.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds since some moment. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Ends the program with status 1. All PEs fail alike and call this; PE 0 says why. */
__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *why, ...) {
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
static void read_numbers(int argc, char **argv, int n, const char *const *names, unsigned long *numbers) {
    char usage[256] = "";
    for (int i = 0, at = 0; i < n; i++) {
        at += snprintf(usage + at, sizeof usage - (size_t)at, " [%s=%lu]", names[i], numbers[i]);
    }
    if (argc > n + 1) {
        fail("\"%s\" is one argument too many: the arguments are%s", argv[n + 1], usage);
    }
    for (int i = 0; i < argc - 1; i++) {
        char *end;
        errno = 0;
        numbers[i] = strtoul(argv[i + 1], &end, 10);
        if (errno != 0 || *end != '\0' || argv[i + 1][0] < '0' || argv[i + 1][0] > '9' || numbers[i] == 0) {
            fail("%s is a number above 0, not \"%s\": the arguments are%s", names[i], argv[i + 1], usage);
        }
    }
}

/* So many words of the symmetric heap. */
static void *allocate(unsigned long words) {
    void *memory = words > (size_t)-1 / 8 ? NULL : shmem_malloc(words * 8);
    if (memory == NULL) {
        fail("the symmetric heap has no room for %lu words: set SHMEM_SYMMETRIC_SIZE to more", words);
    }
    return memory;
}

/* The sum over all PEs, known to all. `place`, which is symmetric, starts as 0 and is used once. */
static unsigned long sum(unsigned long *place, unsigned long mine) {
    shmem_ulong_atomic_add(place, mine, 0);
    shmem_barrier_all();
    return shmem_ulong_g(place, 0);
}
