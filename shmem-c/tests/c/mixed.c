/* The files of a program that are still in C. The others are examples/mixed.rs. */

#include "check.h"

void count_value(uint64_t value);
uint64_t *counts(void);
void copy_from_next(long *to, const long *values, size_t count);

static long values[3], theirs[3];

int main(void) {
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
    for (int i = 0; i < 3; i++) values[i] = 10 * me + i;
    shmem_barrier_all();
    /* Rust reads the variables of C. */
    copy_from_next(theirs, values, 3);
    for (int i = 0; i < 3; i++) CHECK(theirs[i] == 10 * right + i);
    /* Both write to the static of Rust. */
    count_value((uint64_t)right);
    shmem_uint64_atomic_add(&counts()[right % 4], 100, right);
    shmem_barrier_all();
    CHECK(counts()[me % 4] == 101);
    CHECK(shmem_uint64_atomic_fetch(&counts()[left % 4], left) == 101);
    printf("PE %d of %d is done\n", me, n);
    shmem_finalize();
    return 0;
}
