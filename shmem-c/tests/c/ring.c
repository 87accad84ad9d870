#include <shmem.h>
#include <stdio.h>

static long inbox; /* symmetric: every PE has one */

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long *total = shmem_calloc(1, sizeof(long));
    shmem_long_p(&inbox, 100 + me, (me + 1) % n);
    shmem_barrier_all();
    shmem_atomic_add(total, inbox, 0);
    shmem_barrier_all();
    if (me == 0) printf("%d PEs, in all %ld\n", n, *total);
    shmem_free(total);
    shmem_finalize();
    return 0;
}
