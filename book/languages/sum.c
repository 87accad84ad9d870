#include <shmem.h>
#include <stdio.h>

static long p_sync[SHMEM_REDUCE_SYNC_SIZE];
static double p_wrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static double mine, all;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        p_sync[i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < 1000; i++) {
        double x = 1000 * me + i;
        mine += x * x;
    }
    shmem_barrier_all();
    shmem_double_sum_to_all(&all, &mine, 1, 0, 0, n, p_wrk, p_sync);
    if (me == 0)
        printf("the sum of squares is %.0f\n", all);
    shmem_finalize();
    return 0;
}
