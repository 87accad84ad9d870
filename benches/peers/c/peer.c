/* The peer in C: small works over OpenSHMEM 1.4 or 1.5, asked for over a socket: see ../README.md.
 *
 *     oshcc -O3 -std=c11 -Wall -Wextra -o peer peer.c
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <shmem.h>

/* Teams and signals came with 1.5. */
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define TEAMS 1
#else
#define TEAMS 0
#endif

/* 1.4 names no atomic operations of uint64_t: those of unsigned long are the same. */
_Static_assert(sizeof(unsigned long) == 8, "an unsigned long has 64 bits");

/* Bytes of each of the arrays. */
#define ROOM ((size_t)16 << 20)

/* What is put and got by value goes over so many words in turn. */
#define WORDS 1024

/* What one line asks for. The stride is in elements of 8 bytes, on the symmetric side. */
typedef struct {
    size_t bytes;
    size_t stride;
    size_t repeats;
} Work;

static int me, n_pes;
/* Private memory, from which is put and into which is got. */
static char *own;
/* Symmetric memory: what collectives take, and what they and the transfers of PE 0 write. */
static char *from, *to;
/* A symmetric cell for the atomic operations of PE 0, and what PE 0 knows it to hold on PE 1. */
static unsigned long *cell, counted;
/* A symmetric word that says which round trip is there, and the last one. */
static uint64_t *flag, round_trip;
/* How often each PE has come to this one, each word on a line of its own; and how often this PE has met each. */
static uint64_t *came, *meetings;
/* A symmetric word that all add to at the start. */
static unsigned long *counted_by_all;
/* What random indices are made of. */
static uint64_t state;
/* The part of an array in blocks of which PE 0 has the first, with a frame around it. */
static double *frame;
/* What is got by value ends here, so that it has to be got. */
static volatile uint64_t total;

_Noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "peer: PE %d: %s%s%s\n", me, what, *why ? ": " : "", why);
    shmem_global_exit(1);
    abort();
}

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What PE 0 does alone, to PE 1. */

static void p(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_uint64_p((uint64_t *)to + i % WORDS, i, 1);
    shmem_quiet();
}

static void p_quiet(Work w)
{
    for (size_t i = 0; i < w.repeats; i++) {
        shmem_uint64_p((uint64_t *)to + i % WORDS, i, 1);
        shmem_quiet();
    }
}

static void g(Work w)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w.repeats; i++)
        sum += shmem_uint64_g((uint64_t *)to + i % WORDS, 1);
    shmem_quiet();
    total = sum;
}

static void put(Work w)
{
    if (w.stride == 1)
        for (size_t i = 0; i < w.repeats; i++)
            shmem_putmem(to, own, w.bytes, 1);
    else
        for (size_t i = 0; i < w.repeats; i++)
            shmem_double_iput((double *)to, (double *)own, (ptrdiff_t)w.stride, 1, w.bytes / 8, 1);
    shmem_quiet();
}

static void get(Work w)
{
    if (w.stride == 1)
        for (size_t i = 0; i < w.repeats; i++)
            shmem_getmem(own, to, w.bytes, 1);
    else
        for (size_t i = 0; i < w.repeats; i++)
            shmem_double_iget((double *)own, (double *)to, 1, (ptrdiff_t)w.stride, w.bytes / 8, 1);
    shmem_quiet();
}

static void put_nbi(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_putmem_nbi(to, own, w.bytes, 1);
    shmem_quiet();
}

static void fetch_add(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_ulong_atomic_fetch_add(cell, 1, 1);
    shmem_quiet();
    counted += w.repeats;
}

static void add(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_ulong_atomic_add(cell, 1, 1);
    shmem_quiet();
    counted += w.repeats;
}

static void compare_swap(Work w)
{
    for (size_t i = 0; i < w.repeats; i++, counted++)
        shmem_ulong_atomic_compare_swap(cell, counted, counted + 1, 1);
    shmem_quiet();
}

/* Lists, columns and blocks: the library has no call for them. */

enum { LISTED = 1024, AMONG = 1 << 16, SIDE = 32, PLANE = 64 };

static size_t listed(size_t i)
{
    return i * 40503 % AMONG;
}

static void gather_constant(Work w)
{
    static const size_t list[4] = {2, 3, 5, 7};
    for (size_t i = 0; i < w.repeats; i++)
        for (int j = 0; j < 4; j++)
            total = shmem_uint64_g((uint64_t *)to + list[j], 1);
}

static void gather(Work w)
{
    for (size_t i = 0; i < w.repeats; i++) {
        for (size_t j = 0; j < LISTED; j++)
            shmem_uint64_get_nbi((uint64_t *)own + j, (uint64_t *)to + listed(j), 1, 1);
        shmem_quiet();
    }
}

static void scatter(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        for (size_t j = 0; j < LISTED; j++)
            shmem_uint64_put_nbi((uint64_t *)to + listed(j), (uint64_t *)own + j, 1, 1);
    shmem_quiet();
}

static void outer(Work w)
{
    for (size_t r = 0; r < w.repeats; r++) {
        for (size_t i = 0; i < SIDE; i++)
            for (size_t j = 0; j < SIDE; j++)
                shmem_double_get_nbi((double *)own + SIDE * i + j,
                                     (double *)to + i * 37 % PLANE * PLANE + j * 11 % PLANE, 1, 1);
        shmem_quiet();
    }
}

static void reversed(Work w)
{
    uint64_t *mine = (uint64_t *)own;
    for (size_t r = 0; r < w.repeats; r++) {
        shmem_uint64_get(mine, (uint64_t *)to, LISTED, 1);
        for (size_t i = 0; i < LISTED / 2; i++) {
            uint64_t first = mine[i];
            mine[i] = mine[LISTED - 1 - i];
            mine[LISTED - 1 - i] = first;
        }
    }
}

static void column(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_double_iput((double *)to + PLANE - 1, (double *)own, PLANE, 1, PLANE, 1);
    shmem_quiet();
}

static void block(Work w)
{
    for (size_t r = 0; r < w.repeats; r++)
        for (size_t i = 0; i < SIDE; i++)
            shmem_double_put((double *)to + (16 + i) * PLANE + 16, (double *)own + SIDE * i, SIDE, 1);
    shmem_quiet();
}

/* What all do together. */

/* A random index below `len`: Marsaglia's xorshift. */
static size_t random_index(size_t len)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)((unsigned __int128)state * len >> 64);
}

/* One by one: the library has no other way. */
static void updates(Work w)
{
    size_t table = ROOM / 8, len = table * (size_t)n_pes;
    for (size_t r = 0; r < w.repeats; r++) {
        for (size_t k = 0; k < w.bytes / 8; k++) {
            size_t i = random_index(len);
            shmem_ulong_atomic_add((unsigned long *)to + i % table, 1, (int)(i / table));
        }
        shmem_barrier_all();
    }
}

static void lookups(Work w)
{
    size_t table = ROOM / 8, len = table * (size_t)n_pes;
    for (size_t r = 0; r < w.repeats; r++) {
        for (size_t k = 0; k < w.bytes / 8; k++) {
            size_t i = random_index(len);
            shmem_uint64_get_nbi((uint64_t *)own + k, (uint64_t *)to + i % table, 1, (int)(i / table));
        }
        shmem_barrier_all();
    }
}

/* With some PEs, each of which names this one. */
static void meet(const int *pes, int n)
{
    for (int k = 0; k < n; k++)
        shmem_uint64_p(came + 8 * me, ++meetings[pes[k]], pes[k]);
    for (int k = 0; k < n; k++)
        shmem_uint64_wait_until(came + 8 * pes[k], SHMEM_CMP_GE, meetings[pes[k]]);
}

static void sync_with(Work w)
{
    int ring[2] = {(me + n_pes - 1) % n_pes, (me + 1) % n_pes};
    for (size_t i = 0; i < w.repeats; i++)
        meet(ring, n_pes == 2 ? 1 : 2);
}

static void barrier_with(Work w)
{
    int ring[2] = {(me + n_pes - 1) % n_pes, (me + 1) % n_pes};
    for (size_t i = 0; i < w.repeats; i++) {
        shmem_quiet();
        meet(ring, n_pes == 2 ? 1 : 2);
    }
}

/* An array of 512 x 512 in blocks over a grid of PEs: each puts its borders to the frames of its neighbours, and
 * meets them before and after. */
enum { SQUARE = 512 };

static void halo(Work w)
{
    int across = 1;
    for (int k = 1; k * k <= n_pes; k++)
        if (n_pes % k == 0)
            across = k;
    int down = n_pes / across, row = me / across, col = me % across;
    size_t rows = (size_t)(SQUARE / down), columns = (size_t)(SQUARE / across), pitch = columns + 2;
    int neighbours[8], n = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            if ((i != 0 || j != 0) && row + i >= 0 && row + i < down && col + j >= 0 && col + j < across)
                neighbours[n++] = (row + i) * across + col + j;
    for (size_t r = 0; r < w.repeats; r++) {
        meet(neighbours, n);
        for (int k = 0; k < n; k++) {
            int i = neighbours[k] / across - row, j = neighbours[k] % across - col;
            size_t from_i = i > 0 ? rows : 1, from_j = j > 0 ? columns : 1;
            size_t to_i = i > 0 ? 0 : i < 0 ? rows + 1 : 1, to_j = j > 0 ? 0 : j < 0 ? columns + 1 : 1;
            double *source = frame + from_i * pitch + from_j, *target = frame + to_i * pitch + to_j;
            if (i == 0)
                shmem_double_iput(target, source, (ptrdiff_t)pitch, (ptrdiff_t)pitch, rows, neighbours[k]);
            else
                shmem_double_put(target, source, j == 0 ? columns : 1, neighbours[k]);
        }
        shmem_quiet();
        meet(neighbours, n);
        /* A word of each cache line of what has come: what nobody reads has not come. */
        for (int k = 0; k < n; k++) {
            int i = neighbours[k] / across - row, j = neighbours[k] % across - col;
            size_t at_i = i > 0 ? rows + 1 : i < 0 ? 0 : 1, at_j = j > 0 ? columns + 1 : j < 0 ? 0 : 1;
            size_t count = i == 0 ? rows : j == 0 ? columns : 1, step = i == 0 ? pitch : 1;
            for (size_t c = 0; c < count; c += step == 1 ? 8 : 1)
                (void)((volatile double *)frame)[at_i * pitch + at_j + c * step];
        }
    }
}

static void barrier(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_barrier_all();
}

static void sync_all(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_sync_all();
}

/* A word of each cache line of what has come: what nobody reads has not come. */
static void look(size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        (void)*(volatile uint64_t *)((char *)to + i);
}

/* Writes a word of each cache line of what a PE gives, the value that it has already: what has not
 * changed need not be sent. */
static void renew(size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64) {
        volatile uint64_t *word = (volatile uint64_t *)((char *)from + i);
        *word = *word;
    }
}

#if TEAMS

static void signal_to(int pe, size_t bytes)
{
    shmem_putmem_signal(to, own, bytes, flag, round_trip, SHMEM_SIGNAL_SET, pe);
}

static void wait_for_signal(void)
{
    shmem_signal_wait_until(flag, SHMEM_CMP_EQ, round_trip);
}

static void reduce(Work w)
{
    for (size_t i = 0; i < w.repeats; i++) {
        renew(w.bytes);
        shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double *)to, (double *)from, w.bytes / 8);
        look(w.bytes);
    }
}

static void broadcast(Work w)
{
    for (size_t i = 0; i < w.repeats; i++) {
        renew(me == 0 ? w.bytes : 0);
        shmem_broadcastmem(SHMEM_TEAM_WORLD, to, from, w.bytes, 0);
        look(w.bytes);
    }
}

static void fcollect(Work w)
{
    for (size_t i = 0; i < w.repeats; i++) {
        renew(w.bytes);
        shmem_fcollectmem(SHMEM_TEAM_WORLD, to, from, w.bytes);
        look(w.bytes * (size_t)n_pes);
    }
}

static void collect(Work w)
{
    for (size_t i = 0; i < w.repeats; i++) {
        renew(w.bytes);
        shmem_collectmem(SHMEM_TEAM_WORLD, to, from, w.bytes);
        look(w.bytes * (size_t)n_pes);
    }
}

static void alltoall(Work w)
{
    for (size_t i = 0; i < w.repeats; i++) {
        renew(w.bytes * (size_t)n_pes);
        shmem_alltoallmem(SHMEM_TEAM_WORLD, to, from, w.bytes);
        look(w.bytes * (size_t)n_pes);
    }
}

#else

static void signal_to(int pe, size_t bytes)
{
    shmem_putmem(to, own, bytes, pe);
    shmem_fence();
    shmem_uint64_p(flag, round_trip, pe);
}

static void wait_for_signal(void)
{
    shmem_uint64_wait_until(flag, SHMEM_CMP_EQ, round_trip);
}

/* A collective synchronises by words that are its own until all PEs have left it. Where no PE leaves before
 * all have come, two sets of them in turns are enough: who is in the call after the next has left the next,
 * so all have come to that, and have left this one. All are free when a work begins, after a barrier. */
enum { SYNCS = 64 };
static long *sync_words[SYNCS];
static double *work_words[2];

static void reduce(Work w)
{
    for (size_t i = 0; i < w.repeats; i++) {
        renew(w.bytes);
        shmem_double_sum_to_all((double *)to, (double *)from, (int)(w.bytes / 8), 0, 0, n_pes,
                                work_words[i % 2], sync_words[i % 2]);
        look(w.bytes);
    }
}

/* The root may leave before anybody has come: so all meet before words are used again, and there are many, so
 * that this is seldom. The routine leaves the root's own destination alone: the root copies, and all have the
 * bytes, as in 1.5. */
static void broadcast(Work w)
{
    bool words = w.bytes % 8 != 0;
    void (*routine)(void *, const void *, size_t, int, int, int, int, long *) =
        words ? shmem_broadcast32 : shmem_broadcast64;
    size_t elements = w.bytes / (words ? 4 : 8);
    for (size_t i = 0; i < w.repeats; i++) {
        if (i != 0 && i % SYNCS == 0)
            shmem_sync_all();
        renew(me == 0 ? w.bytes : 0);
        routine(to, from, elements, 0, 0, 0, n_pes, sync_words[i % SYNCS]);
        if (me == 0)
            memcpy(to, from, w.bytes);
        look(w.bytes);
    }
}

/* By a routine for elements of 4 bytes or one of 8, to which each PE gives so many bytes. */
typedef void Routine(void *, const void *, size_t, int, int, int, long *);

static void with_all(Work w, Routine *of_4, Routine *of_8, size_t given)
{
    bool words = w.bytes % 8 != 0;
    Routine *routine = words ? of_4 : of_8;
    size_t elements = w.bytes / (words ? 4 : 8);
    for (size_t i = 0; i < w.repeats; i++) {
        renew(given);
        routine(to, from, elements, 0, 0, n_pes, sync_words[i % 2]);
        look(w.bytes * (size_t)n_pes);
    }
}

static void fcollect(Work w)
{
    with_all(w, shmem_fcollect32, shmem_fcollect64, w.bytes);
}

static void collect(Work w)
{
    with_all(w, shmem_collect32, shmem_collect64, w.bytes);
}

static void alltoall(Work w)
{
    with_all(w, shmem_alltoall32, shmem_alltoall64, w.bytes * (size_t)n_pes);
}

#endif

static void ping_pong(Work w)
{
    if (me > 1)
        return;
    for (size_t i = 0; i < w.repeats; i++) {
        round_trip++;
        if (me == 0) {
            signal_to(1, w.bytes);
            wait_for_signal();
        } else {
            wait_for_signal();
            signal_to(0, w.bytes);
        }
    }
}

/* Who takes part. */
typedef enum {
    ALONE, /* PE 0, while the others sleep */
    PAIR,  /* PE 0 and PE 1 */
    ALL,
    EACH, /* all, and the bytes of all PEs come to lie side by side */
} Who;

typedef struct {
    const char *name;
    void (*work)(Work);
    Who who;
    /* The bytes are a multiple of this, and not more than that. */
    size_t unit, most;
    bool strided;
} Operation;

#define WORD (TEAMS ? 1 : 4)

static const Operation operations[] = {
    {"p", p, ALONE, 8, 8, false},
    {"p_quiet", p_quiet, ALONE, 8, 8, false},
    {"g", g, ALONE, 8, 8, false},
    {"put", put, ALONE, 1, ROOM, true},
    {"get", get, ALONE, 1, ROOM, true},
    {"put_nbi", put_nbi, ALONE, 1, ROOM, false},
    {"fetch_add", fetch_add, ALONE, 8, 8, false},
    {"add", add, ALONE, 8, 8, false},
    {"compare_swap", compare_swap, ALONE, 8, 8, false},
    {"gather_constant", gather_constant, ALONE, 32, 32, false},
    {"gather", gather, ALONE, LISTED * 8, LISTED * 8, false},
    {"scatter", scatter, ALONE, LISTED * 8, LISTED * 8, false},
    {"outer", outer, ALONE, SIDE * SIDE * 8, SIDE * SIDE * 8, false},
    {"reversed", reversed, ALONE, LISTED * 8, LISTED * 8, false},
    {"column", column, ALONE, PLANE * 8, PLANE * 8, false},
    {"block", block, ALONE, SIDE * SIDE * 8, SIDE * SIDE * 8, false},
    {"updates", updates, ALL, 8, ROOM, false},
    {"updates_batch", updates, ALL, 8, ROOM, false},
    {"lookups", lookups, ALL, 8, ROOM, false},
    {"lookups_batch", lookups, ALL, 8, ROOM, false},
    {"sync_with", sync_with, ALL, 1, 0, false},
    {"barrier_with", barrier_with, ALL, 1, 0, false},
    {"halo", halo, ALL, SQUARE * 8, SQUARE * 8, false},
    {"ping_pong", ping_pong, PAIR, 1, ROOM, false},
    {"barrier", barrier, ALL, 1, 0, false},
    {"sync", sync_all, ALL, 1, 0, false},
    {"reduce", reduce, ALL, 8, ROOM, false},
    {"broadcast", broadcast, ALL, WORD, ROOM, false},
    {"fcollect", fcollect, EACH, WORD, ROOM, false},
    {"collect", collect, EACH, WORD, ROOM, false},
    {"alltoall", alltoall, EACH, WORD, ROOM, false},
    {"alltoall_to_ready", alltoall, EACH, WORD, ROOM, false},
};

/* The operation of this name, if it can do this work here. All PEs think so, or none. */
static const Operation *find(const char *name, Work *w)
{
    const Operation *o = operations, *end = o + sizeof operations / sizeof *operations;
    while (o < end && strcmp(o->name, name) != 0)
        o++;
    if (o == end || (o->who <= PAIR && n_pes < 2))
        return NULL;
    if (w->bytes % o->unit != 0 || (w->bytes == 0) != (o->most == 0))
        return NULL;
    /* One element has no stride. */
    if (o->strided && w->bytes < 8)
        w->stride = 1;
    if (w->stride == 0 || (w->stride != 1 && (!o->strided || w->bytes % 8 != 0)))
        return NULL;
    size_t parts = o->who == EACH ? (size_t)n_pes : w->stride;
    return w->bytes <= o->most / parts ? o : NULL;
}

/* The nanoseconds that it took, on PE 0. */
static uint64_t perform(const Operation *o, Work w)
{
    if (o->who == ALONE && me != 0)
        return 0;
    if (o->who != ALONE)
        shmem_barrier_all();
    uint64_t start = nanoseconds();
    o->work(w);
    uint64_t end = nanoseconds();
    return me == 0 ? end - start : 0;
}

static void expect(double found, double expected, const char *what)
{
    if (found != expected)
        fail(what, "does not do what it says");
}

/* What all do with random cells and with their neighbours. */
static void try_neighbours(void)
{
    memset(to, 0, ROOM);
    shmem_barrier_all();
    updates((Work){8 * 1000, 1, 2});
    unsigned long held = 0;
    for (size_t i = 0; i < ROOM / 8; i++)
        held += ((unsigned long *)to)[i];
    /* Added up by PE 0, one after the other. */
    shmem_ulong_atomic_add(counted_by_all, held, 0);
    shmem_barrier_all();
    if (me == 0)
        expect((double)*counted_by_all, 2000.0 * n_pes, "updates");
    lookups((Work){8 * 1000, 1, 2});
    sync_with((Work){0, 1, 3});
    barrier_with((Work){0, 1, 3});
    for (size_t i = 0; i < (SQUARE + 2) * (SQUARE + 2); i++)
        frame[i] = me + 1;
    halo((Work){SQUARE * 8, 1, 2});
    /* PE 0 has the upper left part, and PE `across` the one below it. */
    int across = 1;
    for (int k = 1; k * k <= n_pes; k++)
        if (n_pes % k == 0)
            across = k;
    size_t rows = (size_t)(SQUARE / (n_pes / across)), columns = (size_t)(SQUARE / across);
    if (me == 0) {
        expect(frame[(rows + 1) * (columns + 2) + 1], across + 1, "halo, below");
        expect(frame[columns + 2 + columns + 1], across > 1 ? 2 : 1, "halo, to the right");
        expect(frame[0], 1, "halo, outside");
    }
    memset(to, 0, ROOM);
    shmem_barrier_all();
}

/* Each work once, with a look at what it did. */
static void try_all(void)
{
    double *mine = (double *)own, *given = (double *)from, *taken = (double *)to;

    if (n_pes > 1 && me == 0) {
        for (int i = 0; i < 8; i++)
            mine[i] = i + 1;
        put((Work){64, 3, 2});
        get((Work){24 * 8, 1, 2});
        for (int i = 0; i < 24; i++)
            expect(mine[i], i % 3 == 0 ? i / 3 + 1 : 0, "put with a stride, or get");
        get((Work){64, 3, 2});
        for (int i = 0; i < 8; i++)
            expect(mine[i], i + 1, "get with a stride");
        put((Work){64, 1, 2});
        memset(own, 0, 64);
        get((Work){64, 1, 2});
        for (int i = 0; i < 8; i++)
            expect(mine[i], i + 1, "put");
        mine[7] = 10;
        put_nbi((Work){64, 1, 2});
        get((Work){64, 1, 2});
        expect(mine[7], 10, "put_nbi");
        p((Work){8, 1, 4});
        g((Work){8, 1, 4});
        expect((double)total, 0 + 1 + 2 + 3, "p or g");
        fetch_add((Work){8, 1, 2});
        add((Work){8, 1, 3});
        compare_swap((Work){8, 1, 4});
        expect((double)shmem_ulong_atomic_fetch(cell, 1), 9, "an atomic operation");
        expect((double)counted, 9, "counting");
        for (size_t i = 0; i < LISTED; i++)
            ((uint64_t *)own)[i] = i + 1;
        scatter((Work){LISTED * 8, 1, 1});
        memset(own, 0, LISTED * 8);
        gather((Work){LISTED * 8, 1, 1});
        for (size_t i = 0; i < LISTED; i++)
            expect((double)((uint64_t *)own)[i], (double)(i + 1), "gather or scatter");
        for (size_t i = 0; i < PLANE * PLANE; i++)
            mine[i] = (double)i;
        put((Work){PLANE * PLANE * 8, 1, 1});
        outer((Work){SIDE * SIDE * 8, 1, 1});
        expect(mine[SIDE * 3 + 7], 3 * 37 % PLANE * PLANE + 7 * 11 % PLANE, "outer");
        get((Work){16, 1, 1});
        expect(mine[1], 1, "get");
        for (size_t i = 0; i < SIDE * SIDE; i++)
            mine[i] = -1 - (double)i;
        column((Work){PLANE * 8, 1, 1});
        block((Work){SIDE * SIDE * 8, 1, 1});
        get((Work){PLANE * PLANE * 8, 1, 1});
        expect(mine[PLANE * 5 - 1], -5, "column");
        expect(mine[PLANE * 47 + 47], -1024, "block");
        expect(mine[PLANE * 47 + 48], PLANE * 47 + 48, "block");
        double second = mine[1];
        reversed((Work){LISTED * 8, 1, 1});
        expect(mine[LISTED - 2], second, "reversed");
        gather_constant((Work){32, 1, 1});
    }
    shmem_barrier_all();
    if (n_pes > 1)
        try_neighbours();

    if (n_pes > 1 && me < 2) {
        mine[0] = 20 + me;
        ping_pong((Work){8, 1, 3});
        expect(taken[0], 20 + 1 - me, "ping_pong");
    }
    barrier((Work){0, 1, 2});
    sync_all((Work){0, 1, 2});

    /* More often than there are words to synchronise by. */
    size_t often = 150;
    given[0] = me + 1;
    shmem_barrier_all();
    reduce((Work){8, 1, often});
    expect(taken[0], n_pes * (n_pes + 1) / 2, "reduce");
    shmem_barrier_all();
    given[0] = me + 30;
    broadcast((Work){8, 1, often});
    expect(taken[0], 30, "broadcast");
    shmem_barrier_all();
    fcollect((Work){8, 1, often});
    for (int i = 0; i < n_pes; i++)
        expect(taken[i], i + 30, "fcollect");
    shmem_barrier_all();
    given[0] = me + 60;
    shmem_barrier_all();
    collect((Work){8, 1, often});
    for (int i = 0; i < n_pes; i++)
        expect(taken[i], i + 60, "collect");
    shmem_barrier_all();
    for (int i = 0; i < n_pes; i++)
        given[i] = me * n_pes + i;
    alltoall((Work){8, 1, often});
    for (int i = 0; i < n_pes; i++)
        expect(taken[i], i * n_pes + me, "alltoall");
    shmem_barrier_all();
}

/* Symmetric memory at the start of a page, of zeros. */
static void *symmetric(size_t bytes)
{
    void *memory = shmem_align(4096, bytes);
    if (memory == NULL)
        fail("no symmetric memory", "");
    memset(memory, 0, bytes);
    return memory;
}

static void allocate(void)
{
    if (posix_memalign((void **)&own, 4096, ROOM) != 0)
        fail("no memory", "");
    memset(own, 0, ROOM);
    from = symmetric(ROOM);
    to = symmetric(ROOM);
    cell = symmetric(sizeof *cell);
    flag = symmetric(sizeof *flag);
    counted_by_all = symmetric(sizeof *counted_by_all);
    came = symmetric((size_t)n_pes * 8 * sizeof *came);
    frame = symmetric((SQUARE + 2) * (SQUARE + 2) * sizeof *frame);
    meetings = calloc((size_t)n_pes, sizeof *meetings);
    if (meetings == NULL)
        fail("no memory", "");
    state = ((uint64_t)me + 1) * 0x9e3779b97f4a7c15 | 1;
#if !TEAMS
    size_t words = SHMEM_BCAST_SYNC_SIZE;
    if (words < SHMEM_COLLECT_SYNC_SIZE)
        words = SHMEM_COLLECT_SYNC_SIZE;
    if (words < SHMEM_REDUCE_SYNC_SIZE)
        words = SHMEM_REDUCE_SYNC_SIZE;
    if (words < SHMEM_ALLTOALL_SYNC_SIZE)
        words = SHMEM_ALLTOALL_SYNC_SIZE;
    for (int i = 0; i < SYNCS; i++) {
        sync_words[i] = symmetric(words * sizeof(long));
        for (size_t j = 0; j < words; j++)
            sync_words[i][j] = SHMEM_SYNC_VALUE;
    }
    for (int i = 0; i < 2; i++)
        work_words[i] = symmetric((ROOM / 8 / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE) * sizeof(double));
#endif
    shmem_barrier_all();
}

/* The socket of who asks. */
static int conductor(void)
{
    const char *path = getenv("BENCH_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || strlen(path) >= sizeof address.sun_path)
        fail("BENCH_SOCKET", "is to be the path of a socket");
    strcpy(address.sun_path, path);
    int socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
    if (socket_ < 0 || connect(socket_, (struct sockaddr *)&address, sizeof address) != 0)
        fail("cannot connect to the socket", path);
    return socket_;
}

int main(void)
{
    /* Open MPI 4.1 crashes in finalize with the hook that this leaves out. Others do not know it. */
    setenv("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0", 0);
    /* A library that any thread may call does more for each call. */
    int provided;
    if (getenv("BENCH_THREADS") == NULL)
        shmem_init();
    else if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0 || provided != SHMEM_THREAD_MULTIPLE)
        fail("BENCH_THREADS", "this library is not made for several threads");
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    allocate();
    try_all();

    int to_conductor = conductor();
    FILE *lines = fdopen(to_conductor, "r");
    if (lines == NULL || dprintf(to_conductor, "%ld %d %d\n", (long)getpid(), me, n_pes) < 0)
        fail("cannot use the socket", "");
    char line[128];
    while (fgets(line, sizeof line, lines) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char name[32];
        Work w;
        if (sscanf(line, "%31s %zu %zu %zu", name, &w.bytes, &w.stride, &w.repeats) != 4 || w.repeats == 0)
            fail("this is not an operation, its bytes, stride and repeats", line);
        const Operation *o = find(name, &w);
        int written = o == NULL ? dprintf(to_conductor, "none\n")
                                : dprintf(to_conductor, "%" PRIu64 "\n", perform(o, w));
        if (written < 0)
            fail("cannot answer", line);
    }
    if (ferror(lines))
        fail("cannot read from the socket", "");
    shmem_finalize();
    return 0;
}
