#include <shmem.h>
#include <stdio.h>

static long table[1000];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    size_t list[] = {3, 900, 17, 512, 77};
    long got[5], sum = 0;
    for (int i = 0; i < 1000; i++)
        table[i] = 1000 * me + i;
    shmem_barrier_all();
    for (int i = 0; i < 5; i++)
        shmem_long_get_nbi(&got[i], &table[list[i]], 1, (me + 1) % n);
    shmem_quiet();
    for (int i = 0; i < 5; i++)
        sum += got[i];
    if (me == 0)
        printf("five elements of the next PE: %ld\n", sum);
    shmem_finalize();
    return 0;
}
