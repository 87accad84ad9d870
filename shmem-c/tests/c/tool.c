/* A tool has routines of its own, and calls the library's by their other names. */

#include <shmem.h>
#include <stdio.h>

static int puts_seen;

#undef shmem_long_put
void shmem_long_put(long *dest, const long *source, size_t nelems, int pe) {
    puts_seen++;
    pshmem_long_put(dest, source, nelems, pe);
}

int main(void) {
    static long word;
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long mine = 10 + me;
    shmem_long_put(&word, &mine, 1, (me + 1) % n);
    shmem_long_p(&word, mine, (me + 1) % n);
    shmem_barrier_all();
    if (word != 10 + (me + n - 1) % n || puts_seen != 1) shmem_global_exit(9);
    printf("PE %d of %d is done\n", me, n);
    /* As C allows it, without shmem_finalize. */
    return 0;
}
