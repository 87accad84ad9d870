/* The generic names of C11: the types of the arguments choose the routine. */

#include <complex.h>

#include "check.h"

int main(void) {
    static long longs[8];
    static double doubles[8];
    static unsigned words[4];
    static uint64_t signal;
    static double complex z, zs;
    static size_t sizes[2];
    static unsigned char byte;
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
    shmem_ctx_t ctx;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    const double mine[3] = {me + 0.5, me + 0.25, me + 0.125};

    shmem_put(doubles, mine, 3, right);
    shmem_put_nbi(ctx, doubles + 4, mine, 2, right);
    shmem_p(&longs[0], 70L + me, right);
    shmem_p(ctx, &byte, 200, right);
    shmem_put_signal(ctx, longs + 1, (long[]){me, 2}, 2, &signal, 3, SHMEM_SIGNAL_ADD, right);
    shmem_signal_add(ctx, &signal, 4, right);
    shmem_signal_add(&signal, 5, right);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK(doubles[1] == left + 0.25 && doubles[5] == left + 0.25 && longs[0] == 70 + left && byte == 200);
    CHECK(longs[1] == left && signal == 12);
    const long *constant = longs;
    CHECK(shmem_g(&doubles[2], right) == me + 0.125 && shmem_g(ctx, constant, right) == 70 + me);

    CHECK(shmem_atomic_fetch_add(&words[0], 5, right) == 0);
    shmem_atomic_or(ctx, &words[1], 6, right);
    CHECK(shmem_atomic_compare_swap(ctx, &sizes[0], 0, 9, right) == 0);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    shmem_wait_until(&words[0], SHMEM_CMP_EQ, 5);
    CHECK(words[1] == 6 && shmem_test(&sizes[0], SHMEM_CMP_GE, 9));
    CHECK(shmem_wait_until_any(words, 2, NULL, SHMEM_CMP_EQ, 6) == 1);

    /* Deprecated. */
    CHECK(shmem_swap(&doubles[7], 7.5, me) == 0 && shmem_fetch(&doubles[7], me) == 7.5);
    shmem_add(&longs[7], 5, me), shmem_inc(&longs[7], me), shmem_set(&doubles[7], 1, me);
    CHECK(shmem_fadd(&longs[7], 1, me) == 6 && shmem_finc(&longs[7], me) == 7 && shmem_cswap(&longs[7], 8, 9, me) == 8);
    shmem_wait(&longs[7], 8);
    static long sync_of_set[SHMEM_BARRIER_SYNC_SIZE];
    shmem_sync(0, 0, n, sync_of_set);

    z = me + 2 * I;
    CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, &zs, &z, 1) == 0 && cimag(zs) == 2 * n);
    CHECK(shmem_broadcast(SHMEM_TEAM_WORLD, longs + 4, longs + 1, 1, 0) == 0 && longs[4] == (n - 1) % n);
    CHECK(shmem_sync(SHMEM_TEAM_WORLD) == 0);
    printf("PE %d of %d is done\n", me, n);
    shmem_finalize();
    return 0;
}
