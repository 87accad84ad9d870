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

/* What all do together. */

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
    for (size_t i = 0; i < w.repeats; i++)
        shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double *)to, (double *)from, w.bytes / 8);
}

static void broadcast(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_broadcastmem(SHMEM_TEAM_WORLD, to, from, w.bytes, 0);
}

static void fcollect(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_fcollectmem(SHMEM_TEAM_WORLD, to, from, w.bytes);
}

static void alltoall(Work w)
{
    for (size_t i = 0; i < w.repeats; i++)
        shmem_alltoallmem(SHMEM_TEAM_WORLD, to, from, w.bytes);
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
    for (size_t i = 0; i < w.repeats; i++)
        shmem_double_sum_to_all((double *)to, (double *)from, (int)(w.bytes / 8), 0, 0, n_pes,
                                work_words[i % 2], sync_words[i % 2]);
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
        routine(to, from, elements, 0, 0, 0, n_pes, sync_words[i % SYNCS]);
        if (me == 0)
            memcpy(to, from, w.bytes);
    }
}

static void fcollect(Work w)
{
    bool words = w.bytes % 8 != 0;
    void (*routine)(void *, const void *, size_t, int, int, int, long *) =
        words ? shmem_fcollect32 : shmem_fcollect64;
    size_t elements = w.bytes / (words ? 4 : 8);
    for (size_t i = 0; i < w.repeats; i++)
        routine(to, from, elements, 0, 0, n_pes, sync_words[i % 2]);
}

static void alltoall(Work w)
{
    bool words = w.bytes % 8 != 0;
    void (*routine)(void *, const void *, size_t, int, int, int, long *) =
        words ? shmem_alltoall32 : shmem_alltoall64;
    size_t elements = w.bytes / (words ? 4 : 8);
    for (size_t i = 0; i < w.repeats; i++)
        routine(to, from, elements, 0, 0, n_pes, sync_words[i % 2]);
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
    {"ping_pong", ping_pong, PAIR, 1, ROOM, false},
    {"barrier", barrier, ALL, 1, 0, false},
    {"sync", sync_all, ALL, 1, 0, false},
    {"reduce", reduce, ALL, 8, ROOM, false},
    {"broadcast", broadcast, ALL, WORD, ROOM, false},
    {"fcollect", fcollect, EACH, WORD, ROOM, false},
    {"alltoall", alltoall, EACH, WORD, ROOM, false},
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
    }
    shmem_barrier_all();

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
