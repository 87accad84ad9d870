// The triad of STREAM (J. D. McCalpin) over symmetric memory, for OpenSHMEM 1.4 and later. The same steps and
// arguments as examples/examples/stream.rs, where they are described: stream [elements=1048576]
// [iterations=10]

// For clock_gettime.
#define _POSIX_C_SOURCE 199309L

#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define Q 3.0
#define EPSILON 1e-13
#define BLOCK 1024

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Symmetric memory, or the end of the job.
static void *allocate(size_t size) {
    void *memory = shmem_malloc(size);
    if (!memory) {
        fprintf(stderr, "stream: not enough memory; SHMEM_SYMMETRIC_SIZE gives more\n");
        shmem_global_exit(1);
    }
    return memory;
}

#define USAGE "the arguments are [elements=1048576] [iterations=10]"

// The numbers on the command line, each by its place, or else its default.
static void numbers(int argc, char **argv, int n, const char *const names[], size_t values[]) {
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        unsigned long long value = strtoull(argv[i], &end, 10);
        if (i <= n && value > 0 && !*end && *argv[i] != '-') {
            values[i - 1] = (size_t)value;
            continue;
        }
        if (shmem_my_pe() == 0 && i > n)
            fprintf(stderr, "stream: \"%s\" is one argument too many: %s\n", argv[i], USAGE);
        else if (shmem_my_pe() == 0)
            fprintf(stderr, "stream: %s is a number above 0, not \"%s\": %s\n", names[i - 1], argv[i], USAGE);
        shmem_global_exit(1);
    }
}

static double b_on(int pe) {
    return 2.0 + pe;
}

static double c_at(size_t place) {
    return (double)(1 + place % 1000);
}

static void triad(size_t n, double *restrict a, const double *restrict b, const double *restrict c) {
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + Q * c[i];
}

// The triad of the copies of b and c on another PE.
static void remote_triad(int pe, size_t n, double *a, const double *b, const double *c) {
    static double b_block[BLOCK], c_block[BLOCK];
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t size = n - start < BLOCK ? n - start : BLOCK;
        shmem_getmem(b_block, b + start, size * sizeof *b, pe);
        shmem_getmem(c_block, c + start, size * sizeof *c, pe);
        triad(size, a + start, b_block, c_block);
    }
}

// Ends the job when a is not what it should be; else returns the sum over all PEs, on PE 0. Collective.
static double check(size_t n, const double *a, double b, double *sums) {
    double error = 0, sum = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        double expected = b + Q * c_at(i);
        error += fabs((a[i] - expected) / expected);
        sum += a[i];
    }
    error /= (double)n;
    if (!(error <= EPSILON)) {
        fprintf(stderr, "stream: the mean relative error of a on PE %d is %e, above %e\n", shmem_my_pe(),
                error, EPSILON);
        shmem_global_exit(1);
    }
    shmem_double_p(&sums[shmem_my_pe()], sum, 0);
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); pe++)
        total += sums[pe];
    return total;
}

// The time of the fastest triad, on PE 0. Collective. The time of a triad is that of the PE which began
// first: who leaves the barrier late has missed some of it.
static double best(size_t iterations, const double *times, double *all_times) {
    shmem_double_put(all_times + (size_t)shmem_my_pe() * iterations, times, iterations, 0);
    shmem_barrier_all();
    double best = INFINITY;
    for (size_t i = 0; i < iterations; i++) {
        double slowest = 0;
        for (size_t pe = 0; pe < (size_t)shmem_n_pes(); pe++)
            slowest = all_times[pe * iterations + i] > slowest ? all_times[pe * iterations + i] : slowest;
        best = slowest < best ? slowest : best;
    }
    return best;
}

int main(int argc, char **argv) {
    shmem_init();
    size_t values[2] = {1 << 20, 10};
    numbers(argc, argv, 2, (const char *const[]){"elements", "iterations"}, values);
    size_t n = values[0], iterations = values[1];
    int me = shmem_my_pe(), n_pes = shmem_n_pes(), next = (me + 1) % n_pes;

    double *a = allocate(n * sizeof *a), *b = allocate(n * sizeof *b), *c = allocate(n * sizeof *c);
    double *sums = allocate((size_t)n_pes * sizeof *sums);
    double *times = allocate(iterations * sizeof *times);
    double *all_times = allocate((size_t)n_pes * iterations * sizeof *all_times);
    for (size_t i = 0; i < n; i++) {
        a[i] = 0;
        b[i] = b_on(me);
        c[i] = c_at(i);
    }

    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        shmem_barrier_all();
        double start = now();
        triad(n, a, b, c);
        shmem_barrier_all();
        if (iteration > 0)
            times[iteration - 1] = now() - start;
    }
    double local = best(iterations, times, all_times);
    check(n, a, b_on(me), sums);
    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        shmem_barrier_all();
        double start = now();
        remote_triad(next, n, a, b, c);
        shmem_barrier_all();
        if (iteration > 0)
            times[iteration - 1] = now() - start;
    }
    double remote = best(iterations, times, all_times);
    double sum = check(n, a, b_on(next), sums);

    if (me == 0) {
        double megabytes = 24.0 * (double)n * n_pes / 1e6;
        printf("%d triads of %zu elements, best of %zu, as expected: a has the sum %.17g\n", n_pes, n,
               iterations, sum);
        printf("of the next PE's b and c: %.2f MB/s, %.6f s a triad\n", megabytes / remote, remote);
        printf("stream: %.2f MB/s, %.6f s a triad\n", megabytes / local, local);
    }
    shmem_finalize();
    return 0;
}
