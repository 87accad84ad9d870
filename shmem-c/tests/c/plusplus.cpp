#include <shmem.h>
#include <cstdio>

static double value;

int main() {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_double_p(&value, me + 0.5, (me + 1) % n);
    shmem_barrier_all();
    if (value != (me + n - 1) % n + 0.5) shmem_global_exit(9);
    std::printf("PE %d of %d is done\n", me, n);
    shmem_finalize();
}
