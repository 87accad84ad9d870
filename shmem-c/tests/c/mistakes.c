/* The mistake that its argument names, on PE 0. */

#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static long word;
static int narrow[4];
static long to[4], sync_of_set[SHMEM_BCAST_SYNC_SIZE];

int main(int count, char **words) {
    const char *mistake = count > 1 ? words[1] : "";
    if (!strcmp(mistake, "early")) shmem_my_pe();
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long here = 0;
    long *heap = shmem_malloc(64);
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team);
    if (!strcmp(mistake, "exit") && me == 0) exit(3);
    if (!strcmp(mistake, "global") && me == 0) shmem_global_exit(7);
    long *freed = shmem_malloc(64);
    shmem_free(freed);
    if (!strcmp(mistake, "d:source")) shmem_long_fcollect(SHMEM_TEAM_WORLD, heap, heap + 1, 1);
    if (!strcmp(mistake, "d:call")) shmem_long_broadcast(SHMEM_TEAM_WORLD, heap, &word, 1 + me, 0);
    if (!strcmp(mistake, "sizes")) shmem_malloc(80 + 16 * me);
    if (!strcmp(mistake, "race")) shmem_long_put(&word, &here, 1, 0);
    if (me == 0) {
        if (!strcmp(mistake, "pe")) shmem_long_p(&word, 1, n);
        if (!strcmp(mistake, "negative")) shmem_long_put(&word, &here, 1, -1);
        if (!strcmp(mistake, "stack")) shmem_long_put(&here, &word, 1, 0);
        if (!strcmp(mistake, "end")) shmem_long_put(heap, &word, (size_t)1 << 40, 0);
        if (!strcmp(mistake, "stride")) shmem_long_iput(heap, &here, 0, 1, 2, 0);
        if (!strcmp(mistake, "aligned")) shmem_long_atomic_inc((long *)((char *)narrow + 4 - (uintptr_t)narrow % 8), 0);
        if (!strcmp(mistake, "cmp")) shmem_long_wait_until(&word, 17, 1);
        if (!strcmp(mistake, "root")) shmem_long_broadcast(team, heap, &word, 1, 1);
        if (!strcmp(mistake, "unlock")) shmem_clear_lock(&word);
        if (!strcmp(mistake, "ctx")) shmem_ctx_quiet((shmem_ctx_t)77);
        if (!strcmp(mistake, "team")) shmem_team_destroy(team), shmem_team_sync(team);
        if (!strcmp(mistake, "free")) shmem_free((char *)heap + 8);
        if (!strcmp(mistake, "set")) shmem_barrier(1, 0, 1, sync_of_set);
        if (!strcmp(mistake, "members")) shmem_broadcast64(to, &word, 1, 0, 0, 1, 2, sync_of_set);
        if (!strcmp(mistake, "root of set")) shmem_broadcast64(to, &word, 1, 1, 0, 0, 1, sync_of_set);
        if (!strcmp(mistake, "psync")) sync_of_set[3] = 1, shmem_sync(0, 0, 1, sync_of_set);
        if (!strcmp(mistake, "d:past")) shmem_long_put(heap, to, 9, 1);
        if (!strcmp(mistake, "d:freed")) shmem_long_p(freed, 1, 1);
        if (!strcmp(mistake, "d:overlap")) shmem_long_put(heap, heap + 1, 2, 0);
        if (!strcmp(mistake, "d:null")) shmem_long_put(heap, NULL, 1, 1);
        if (!strcmp(mistake, "hang")) shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
        if (!strcmp(mistake, "hang of array")) shmem_long_wait_until(to + 2, SHMEM_CMP_EQ, 1);
        if (!strcmp(mistake, "busy")) for (volatile long spin = 0;;) spin++;
    }
    if (!strcmp(mistake, "race of array")) shmem_long_p(to + 3, 1, 0);
    static long from[2];
    for (int i = 0; i < 2; i++)
        if (!strcmp(mistake, "race of alltoall")) shmem_long_alltoall(SHMEM_TEAM_WORLD, to, from, 1);
    /* Not the first atomic operation of PE 0. */
    if (strstr(mistake, "of cells")) {
        if (me == 0) shmem_long_atomic_inc(to, 0);
        if (me == 0 && !strcmp(mistake, "race of cells")) shmem_long_atomic_inc(&word, 0);
        if (me == 1) shmem_long_p(&word, 1, 0);
    }
    if (me == 0 && mistake[0] == 'l') shmem_set_lock(&word); /* lock, below */
    shmem_barrier_all();
    if (me == 1 && !strcmp(mistake, "lock")) shmem_set_lock(&word);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
