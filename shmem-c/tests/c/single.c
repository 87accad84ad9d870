/* The routines that have no type: the life of a job, memory, teams, contexts, locks and the rest. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void memory(void) {
    CHECK(shmem_malloc(0) == NULL && shmem_calloc(0, 8) == NULL);
    shmem_free(NULL);
    char *a = shmem_malloc(1000), *b = shmem_align(4096, 100);
    CHECK(a && b && (uintptr_t)b % 4096 == 0);
    memset(a, 1, 1000), memset(b, 2, 100);
    shmem_free(a);
    /* The memory is used again, and is zeros. */
    long *c = shmem_calloc(100, sizeof(long));
    for (int i = 0; i < 100; i++) CHECK(c[i] == 0);
    for (int i = 0; i < 100; i++) c[i] = 1000 * me + i;
    c = shmem_realloc(c, 200000 * sizeof(long));
    for (int i = 0; i < 100; i++) CHECK(c[i] == 1000 * me + i);
    c[199999] = me;
    c = shmem_realloc(c, 50 * sizeof(long));
    CHECK(c[49] == 1000 * me + 49);
    CHECK(shmem_long_g(c + 49, right) == 1000 * right + 49);
    shmem_barrier_all();
    CHECK(shmem_realloc(c, 0) == NULL);
    long *d = shmem_realloc(NULL, 80);
    CHECK(d && b[99] == 2);
    uint64_t *e = shmem_malloc_with_hints(64, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE);
    CHECK(e != NULL && shmem_malloc((size_t)1 << 50) == NULL);
    shmem_free(e), shmem_free(d), shmem_free(b);
}

static int global;
static char large[1 << 24]; /* zeros, of which a page is touched */
const int constant = 5;

static void places(void) {
    int *heap = shmem_malloc(sizeof(int));
    int stack = 0;
    CHECK(shmem_pe_accessible(n - 1) && !shmem_pe_accessible(n) && !shmem_pe_accessible(-1));
    CHECK(shmem_addr_accessible(heap, right) && shmem_addr_accessible(&global, right));
    CHECK(shmem_addr_accessible(large + sizeof large - 1, right) && !shmem_addr_accessible(heap, n));
    CHECK(!shmem_addr_accessible(&stack, right) && !shmem_addr_accessible(&constant, right));
    *heap = global = 100 + me;
    shmem_barrier_all();
    int *theirs = shmem_ptr(heap, right);
    CHECK(theirs && *theirs == 100 + right);
    theirs = shmem_ptr(&global, right);
    CHECK(theirs && *theirs == 100 + right);
    shmem_barrier_all();
    *theirs = 200 + me;
    shmem_barrier_all();
    CHECK(global == 200 + left);
    large[12345678] = (char)me;
    shmem_barrier_all();
    CHECK(shmem_char_g(&large[12345678], right) == right);
    shmem_barrier_all();
    shmem_free(heap);
}

static void teams(void) {
    static long word, sum;
    shmem_team_t odd = SHMEM_TEAM_WORLD, row, column;
    shmem_team_config_t config = {.num_contexts = 3};
    int members = n / 2;
    CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == me && shmem_team_n_pes(SHMEM_TEAM_WORLD) == n);
    CHECK(shmem_team_n_pes(SHMEM_TEAM_SHARED) == n);
    CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD) == -1);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n + 1, NULL, 0, &odd) != 0 && odd == SHMEM_TEAM_INVALID);
    shmem_team_destroy(SHMEM_TEAM_INVALID);
    if (members > 0) {
        int failed = shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, members, &config, SHMEM_TEAM_NUM_CONTEXTS, &odd);
        CHECK(failed == 0 && (odd != SHMEM_TEAM_INVALID) == (me % 2 == 1));
    }
    if (odd != SHMEM_TEAM_INVALID) {
        shmem_team_config_t got = {0};
        CHECK(shmem_team_get_config(odd, SHMEM_TEAM_NUM_CONTEXTS, &got) == 0 && got.num_contexts == 3);
        CHECK(shmem_team_my_pe(odd) == me / 2 && shmem_team_n_pes(odd) == members);
        CHECK(shmem_team_translate_pe(odd, 0, SHMEM_TEAM_WORLD) == 1);
        CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, me, odd) == me / 2);
        CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, odd) == -1);
        word = 10 + me;
        CHECK(shmem_team_sync(odd) == 0);
        CHECK(*(long *)shmem_team_ptr(odd, &word, members - 1) == 10 + 2 * members - 1);
        CHECK(shmem_long_sum_reduce(odd, &sum, &word, 1) == 0 && sum == 10 * members + (long)members * members);
        shmem_ctx_t ctx;
        shmem_team_t of;
        CHECK(shmem_team_create_ctx(odd, SHMEM_CTX_PRIVATE, &ctx) == 0);
        CHECK(shmem_ctx_get_team(ctx, &of) == 0 && of == odd);
        shmem_ctx_long_p(ctx, &word, 77, (me / 2 + 1) % members);
        int pes[1] = {(me / 2 + 1) % members};
        shmem_ctx_fence(ctx);
        shmem_ctx_pe_quiet(ctx, pes, 1);
        CHECK(shmem_team_sync(odd) == 0);
        CHECK(word == 77);
        shmem_ctx_destroy(ctx);
        shmem_team_destroy(odd);
    }
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, &config, SHMEM_TEAM_NUM_CONTEXTS, &column) == 0);
    CHECK(shmem_team_my_pe(row) == me % 2 && shmem_team_my_pe(column) == me / 2);
    CHECK(shmem_team_n_pes(row) == (me / 2 * 2 + 1 < n ? 2 : 1) && shmem_team_n_pes(column) == (n + 1 - me % 2) / 2);
    shmem_team_destroy(row), shmem_team_destroy(column);
}

static void contexts(void) {
    static long words[8];
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    shmem_team_t team;
    int pes[2] = {right, left};
    CHECK(shmem_ctx_create(SHMEM_CTX_NOSTORE, &ctx) == 0 && ctx != SHMEM_CTX_DEFAULT && ctx != SHMEM_CTX_INVALID);
    CHECK(shmem_ctx_get_team(ctx, &team) == 0 && team == SHMEM_TEAM_WORLD);
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID);
    const shmem_ctx_session_config_t session = {.total_ops = 4};
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &session, SHMEM_CTX_SESSION_TOTAL_OPS);
    for (int i = 0; i < 4; i++) shmem_ctx_long_p(ctx, &words[i], 10 * me + i, right);
    shmem_ctx_session_stop(ctx);
    shmem_fence();
    shmem_ctx_quiet(ctx);
    shmem_long_p(&words[4], me, right);
    shmem_pe_quiet(pes, 2);
    shmem_sync_all();
    for (int i = 0; i < 4; i++) CHECK(words[i] == 10 * left + i);
    CHECK(words[4] == left);
    shmem_ctx_destroy(ctx), shmem_ctx_destroy(SHMEM_CTX_INVALID);
    shmem_sync_all();
}

static void locks(void) {
    static long lock, other;
    static long count; /* of PE 0 */
    count = 0;
    shmem_barrier_all();
    for (int turn = 0; turn < 50; turn++) {
        shmem_set_lock(&lock);
        long seen = shmem_long_g(&count, 0);
        shmem_long_p(&count, seen + 1, 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(&count, 0) == 50 * n);
    if (me == 0) CHECK(shmem_test_lock(&other) == 0);
    shmem_barrier_all();
    if (me != 0) CHECK(shmem_test_lock(&other) != 0);
    shmem_barrier_all();
    if (me == 0) shmem_clear_lock(&other);
    shmem_barrier_all();
    while (shmem_test_lock(&other) != 0) {}
    shmem_clear_lock(&other);
    shmem_barrier_all();
}

static void facts(void) {
    int major = 0, minor = 0, provided = -1, initialized = 0;
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION && strcmp(name, SHMEM_VENDOR_STRING) == 0);
    shmem_query_thread(&provided);
    shmem_query_initialized(&initialized);
    CHECK(provided == SHMEM_THREAD_MULTIPLE && initialized);
    shmem_pcontrol(1), shmem_pcontrol(1, "more", 2);
}

int main(void) {
    int initialized = 1, provided = -1;
    static int kept;
    kept = 5;
    shmem_query_initialized(&initialized);
    if (initialized) return 8;
    for (int job = 0; job < 2; job++) {
        shmem_init();
        if (shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided) != 0) return 8;
        me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
        CHECK(provided == SHMEM_THREAD_MULTIPLE && kept == 5 + job);
        global = 0;
        facts(), memory(), places(), teams(), contexts(), locks();
        kept++;
        shmem_finalize();
        shmem_query_initialized(&initialized);
        CHECK(initialized);
        shmem_finalize();
        shmem_query_initialized(&initialized);
        if (initialized) return 8;
    }
    printf("PE %d of %d is done\n", me, n);
    return 0;
}
