/* The calls of times.rs by the routines of the C library, on all PEs. It prints the median of the time of each call in
   microseconds, and the quartiles. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As in times.rs. */
enum { BATCH = 20, BATCHES = 31, LARGE = 1 << 17, PART = LARGE / 16 };

/* So many sets of words for synchronisation that one is free again when its turn comes. */
enum { SETS = 8, WORDS = SHMEM_BCAST_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE };
static long sync_words[SETS][WORDS];
static double work[2][LARGE / 2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE], one, sum, *values, *results;
static long long_work[2][SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], ones[2], sums[2];
static int turn, n;
static long *from, *to;

static void once(const char *call)
{
    long *words = sync_words[turn % SETS];
    if (strcmp(call, "nothing") == 0)
        return;
    if (strcmp(call, "barrier_all") == 0)
        shmem_barrier_all();
    else if (strcmp(call, "broadcast and sync") == 0) {
        shmem_broadcast64(to, from, 1, 0, 0, 0, n, words);
        shmem_sync_all();
    } else if (strcmp(call, "sum of integers") == 0)
        shmem_long_sum_to_all(sums, ones, 2, 0, 0, n, long_work[turn % 2], words);
    else if (strcmp(call, "broadcast") == 0)
        shmem_broadcast64(to, from, 1, 0, 0, 0, n, words);
    else if (strcmp(call, "broadcast 1 MiB") == 0)
        shmem_broadcast64(to, from, LARGE, 0, 0, 0, n, words);
    else if (strcmp(call, "fcollect") == 0)
        shmem_fcollect64(to, from, 1, 0, 0, n, words);
    else if (strcmp(call, "fcollect 64 KiB") == 0)
        shmem_fcollect64(to, from, PART, 0, 0, n, words);
    else if (strcmp(call, "sum f64") == 0)
        shmem_double_sum_to_all(&sum, &one, 1, 0, 0, n, work[turn % 2], words);
    else if (strcmp(call, "sum f64 of 64 KiB") == 0)
        shmem_double_sum_to_all(results, values, PART, 0, 0, n, work[turn % 2], words);
    else if (strcmp(call, "sum f64 of 1 MiB") == 0)
        shmem_double_sum_to_all(results, values, LARGE, 0, 0, n, work[turn % 2], words);
    else
        shmem_global_exit(2);
    turn++;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    shmem_init();
    n = shmem_n_pes();
    for (int set = 0; set < SETS; set++)
        for (int i = 0; i < WORDS; i++)
            sync_words[set][i] = SHMEM_SYNC_VALUE;
    from = shmem_calloc(LARGE, sizeof(long));
    to = shmem_calloc(LARGE, sizeof(long));
    values = shmem_calloc(LARGE, sizeof(double));
    results = shmem_calloc(LARGE, sizeof(double));
    if (from == NULL || to == NULL || values == NULL || results == NULL || PART * n > LARGE)
        shmem_global_exit(1);
    shmem_barrier_all();
    double times[BATCHES + 1];
    for (int batch = 0; batch <= BATCHES; batch++) {
        double start = now();
        for (int i = 0; i < BATCH; i++)
            once(argv[1]);
        times[batch] = (now() - start) / BATCH;
    }
    shmem_barrier_all();
    qsort(times + 1, BATCHES, sizeof(double), compare);
    if (shmem_my_pe() == 0)
        printf("%.1f,%.1f,%.1f\n", times[1 + BATCHES / 2], times[1 + BATCHES / 4], times[1 + BATCHES * 3 / 4]);
    shmem_finalize();
    return 0;
}
