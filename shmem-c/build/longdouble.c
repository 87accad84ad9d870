/* `long double`, which Rust does not have: what passes it by value, and what computes with it. */

#include <stdlib.h>

void pshmem_longdouble_p(long double *dest, long double value, int pe) {
    pshmem_longdouble_put(dest, &value, 1, pe);
}

void pshmem_ctx_longdouble_p(shmem_ctx_t ctx, long double *dest, long double value, int pe) {
    pshmem_ctx_longdouble_put(ctx, dest, &value, 1, pe);
}

long double pshmem_longdouble_g(const long double *source, int pe) {
    long double value;
    pshmem_longdouble_get(&value, source, 1, pe);
    return value;
}

long double pshmem_ctx_longdouble_g(shmem_ctx_t ctx, const long double *source, int pe) {
    long double value;
    pshmem_ctx_longdouble_get(ctx, &value, source, 1, pe);
    return value;
}

/* Reads the sources of the PEs `from` to `until`, in their order, between two synchronisations, and
 * joins them. Not for speed. */
#define SHMEM_JOIN(name, from, until, start, joined)                                                        \
    int pshmem_longdouble_##name(shmem_team_t team, long double *dest, const long double *source,           \
                                 size_t n) {                                                                \
        int me = pshmem_team_my_pe(team), first = (from), last = (until);                                   \
        long double *all = malloc((2 * n + 1) * sizeof *all), *one = all + n;                               \
        if (!all) return 1;                                                                                 \
        pshmem_team_sync(team);                                                                             \
        for (size_t i = 0; i < n; i++) all[i] = (start);                                                    \
        for (int pe = first; pe < last; pe++) {                                                             \
            int world = pshmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD);                               \
            pshmem_longdouble_get(one, source, n, world);                                                   \
            for (size_t i = 0; i < n; i++) {                                                                \
                long double a = all[i], b = one[i];                                                         \
                all[i] = pe == 0 ? b : (joined);                                                            \
            }                                                                                               \
        }                                                                                                   \
        pshmem_team_sync(team);                                                                             \
        for (size_t i = 0; i < n; i++) dest[i] = all[i];                                                    \
        free(all);                                                                                          \
        pshmem_team_sync(team);                                                                             \
        (void)me;                                                                                           \
        return 0;                                                                                           \
    }

SHMEM_JOIN(max_reduce, 0, pshmem_team_n_pes(team), 0, a > b ? a : b)
SHMEM_JOIN(min_reduce, 0, pshmem_team_n_pes(team), 0, a < b ? a : b)
SHMEM_JOIN(sum_reduce, 0, pshmem_team_n_pes(team), 0, a + b)
SHMEM_JOIN(prod_reduce, 0, pshmem_team_n_pes(team), 0, a * b)
SHMEM_JOIN(sum_inscan, 0, me + 1, 0, a + b)
SHMEM_JOIN(sum_exscan, 0, me, 0, a + b)
