/* The triad of STREAM (J. D. McCalpin, 1991 to 2007) over symmetric memory in C: the same computation as in
   examples/examples/stream.rs, and described there.

   oshcc -O3 -std=c11 -Wall -Wextra stream.c -lm && oshrun -np 2 ./a.out [elements] [iterations] */

#include "kernel.h"

#define Q 3.0
#define EPSILON 1e-13
#define BLOCK 1024

static double b_on(int pe) {
    return 2.0 + pe;
}

static double c_at(size_t place) {
    return (double)(1 + place % 1000);
}

static void triad(size_t n, double *restrict a, const double *restrict b, const double *restrict c) {
    for (size_t i = 0; i < n; i++) a[i] = b[i] + Q * c[i];
}

/* The triad of the copies of b and c on another PE. */
static void remote_triad(int pe, size_t n, double *a, const double *b, const double *c) {
    static double b_block[BLOCK], c_block[BLOCK];
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t size = MIN(n - start, BLOCK);
        shmem_getmem(b_block, b + start, size * sizeof *b, pe);
        shmem_getmem(c_block, c + start, size * sizeof *c, pe);
        triad(size, a + start, b_block, c_block);
    }
}

/* Ends the job when a is not what it should be; else returns the sum over all PEs. Collective. */
static double check(size_t n, const double *a, double b) {
    double error = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double expected = b + Q * c_at(i);
        error += fabs((a[i] - expected) / expected);
        sum += a[i];
    }
    error = max_of_all(error / (double)n);
    if (!(error <= EPSILON)) ALL_FAIL("the mean relative error of a is %e, above %e", error, EPSILON);
    return sum_of_all(sum);
}

int main(int argc, char **argv) {
    shmem_init();
    argument arguments[] = {{"elements", 1 << 20}, {"iterations", 10}};
    numbers(argc, argv, arguments, 2);
    size_t n = arguments[0].value, iterations = arguments[1].value;
    int me = shmem_my_pe(), n_pes = shmem_n_pes(), next = (me + 1) % n_pes;

    double *a = symmetric_memory(n, sizeof *a);
    double *b = symmetric_memory(n, sizeof *b);
    double *c = symmetric_memory(n, sizeof *c);
    for (size_t i = 0; i < n; i++) {
        b[i] = b_on(me);
        c[i] = c_at(i);
    }

    /* The time of a triad is that of the PE which began first: who leaves the barrier late has missed some of
       it. As published, the first one does not count. */
    double local = INFINITY, remote = INFINITY;
    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        shmem_barrier_all();
        double start = seconds();
        triad(n, a, b, c);
        shmem_barrier_all();
        double took = max_of_all(seconds() - start);
        if (iteration > 0) local = MIN(local, took);
    }
    check(n, a, b_on(me));
    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        shmem_barrier_all();
        double start = seconds();
        remote_triad(next, n, a, b, c);
        shmem_barrier_all();
        double took = max_of_all(seconds() - start);
        if (iteration > 0) remote = MIN(remote, took);
    }
    double sum = check(n, a, b_on(next));

    if (me == 0) {
        double megabytes = 24e-6 * (double)n * n_pes;
        printf("%d triads of %zu elements, best of %zu, as expected: a has the sum %.17g\n", n_pes, n,
               iterations, sum);
        printf("of the next PE's b and c: %.2f MB/s, %.6f s a triad\n", megabytes / remote, remote);
        report("stream", megabytes, "MB/s", local, "a triad");
    }
    shmem_finalize();
    return 0;
}
