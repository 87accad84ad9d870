#include <shmem.h>
#include <stdio.h>

static long got;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_long_p(&got, me, (me + 1) % n);
    shmem_barrier_all();
    if (me == 0)
        printf("PE 0 got %ld\n", got);
    shmem_finalize();
    return 0;
}
