#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 8 };

/* The part of each PE, with a ghost cell at each end. */
static double rod[CELLS + 2];
static double change, largest;
static uint64_t arrived;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    int neighbours = (me > 0) + (me < n - 1);
    if (me == 0)
        rod[0] = 100.0;
    uint64_t steps = 0;
    do {
        if (me > 0)
            shmem_double_put_signal(&rod[CELLS + 1], &rod[1], 1, &arrived, 1,
                                    SHMEM_SIGNAL_ADD, me - 1);
        if (me < n - 1)
            shmem_double_put_signal(&rod[0], &rod[CELLS], 1, &arrived, 1,
                                    SHMEM_SIGNAL_ADD, me + 1);
        steps++;
        shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, steps * neighbours);
        double old[CELLS + 2];
        memcpy(old, rod, sizeof old);
        change = 0.0;
        for (int i = 1; i <= CELLS; i++) {
            rod[i] = (old[i - 1] + old[i + 1]) / 2;
            change = fmax(change, fabs(rod[i] - old[i]));
        }
        shmem_double_max_reduce(SHMEM_TEAM_WORLD, &largest, &change, 1);
    } while (largest > 0.001);
    shmem_barrier_all();
    if (me == 0) {
        printf("%lu steps:", (unsigned long)steps);
        for (int pe = 0; pe < n; pe++)
            printf(" %.1f", shmem_double_g(&rod[CELLS / 2], pe));
        printf("\n");
    }
    shmem_finalize();
    return 0;
}
