#include <shmem.h>
#include <stdio.h>

static unsigned long bins[16];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int i = 0; i < 1000; i++) {
        int bin = (1000 * me + i) % 137 % 16;
        shmem_ulong_atomic_inc(&bins[bin / n], bin % n);
    }
    shmem_barrier_all();
    if (me == 0)
        for (int bin = 0; bin < 16; bin++)
            printf("%lu ", shmem_ulong_g(&bins[bin / n], bin % n));
    shmem_finalize();
    return 0;
}
