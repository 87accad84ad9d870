/* Executes a program that a test has made, and writes down what it has read and what is in its memory
 * at the end. A line of the program is the number of a PE, the name of an operation, and its numbers;
 * each PE executes its own lines, in their order. */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "types.h"

/* Two pieces of symmetric memory, and a private one. The test has the same numbers. */
enum { BYTES = 16384, CELLS = 256, TEAMS = 6 };
enum { HEAP, STATIC, PRIVATE };

static unsigned char global[BYTES];
static unsigned char *memory[3];
/* Cells of any type of 4 and 8 bytes; signals; the counter that a lock protects. */
static uint64_t cells[CELLS], signals[64], counter;
static long lock;
static shmem_team_t teams[TEAMS];
static shmem_ctx_t contexts[TEAMS];
/* The numbers of the line. */
static long a[12];
static FILE *results;

/* A result of an operation. */
static void tell(long long value) { fprintf(results, "%lld\n", value); }

/* A place: which piece of memory, and the byte in it. */
static void *place(int number) { return memory[a[number]] + a[number + 1]; }

/* The types of elements, by their numbers: those of C, then the sizes in bits. */
#define NUMBER(name, type) RMA_##name,
enum { RMA_TYPES(NUMBER) RMA_8, RMA_16, RMA_32, RMA_64, RMA_128, RMA_mem };
#undef NUMBER
#define NUMBER(name, type) BITS_##name,
enum { BITS_TYPES(NUMBER) };
#undef NUMBER
#define NUMBER(name, type) AMO_##name,
enum { AMO_TYPES(NUMBER) };

/* A call on the context `of`, or without one where there is none. */
#define CALL(routine, ...) CALL_(routine, __VA_ARGS__)
#define CALL_(routine, ...) (of < 0 ? shmem_##routine(__VA_ARGS__) : shmem_ctx_##routine(contexts[of], __VA_ARGS__))

enum { PUT, PUT_NBI, GET, GET_NBI, IPUT, IGET, IBPUT, IBGET, P, G };

/* transfer: kind, type, context, dest, source, PE, elements or blocks, strides, elements of a block. */
#define MOVE(name, put, put_nbi, get, get_nbi, iput, iget, ibput, ibget)                                 \
    case RMA_##name:                                                                                     \
        switch (kind) {                                                                                  \
        case PUT: CALL(put, dest, source, count, pe); break;                                             \
        case PUT_NBI: CALL(put_nbi, dest, source, count, pe); break;                                     \
        case GET: CALL(get, dest, source, count, pe); break;                                             \
        case GET_NBI: CALL(get_nbi, dest, source, count, pe); break;                                     \
        case IPUT: CALL(iput, dest, source, dst, sst, count, pe); break;                                 \
        case IGET: CALL(iget, dest, source, dst, sst, count, pe); break;                                 \
        case IBPUT: CALL(ibput, dest, source, dst, sst, block, count, pe); break;                        \
        case IBGET: CALL(ibget, dest, source, dst, sst, block, count, pe); break;                        \
        default: CHECK(!"a kind of transfer");                                                           \
        }                                                                                                \
        break;
#define TYPED(name, type)                                                                                \
    MOVE(name, name##_put, name##_put_nbi, name##_get, name##_get_nbi, name##_iput, name##_iget,         \
         name##_ibput, name##_ibget)
#define SIZED(size)                                                                                      \
    MOVE(size, put##size, put##size##_nbi, get##size, get##size##_nbi, iput##size, iget##size,           \
         ibput##size, ibget##size)
#define SINGLE(name, type)                                                                               \
    case RMA_##name:                                                                                     \
        if (kind == P) CALL(name##_p, dest, *(type *)source, pe);                                        \
        else *(type *)dest = CALL(name##_g, source, pe);                                                 \
        break;

static void transfer(void) {
    int kind = a[0], type = a[1], of = a[2], pe = a[7];
    void *dest = place(3), *source = place(5);
    size_t count = a[8], block = a[11];
    ptrdiff_t dst = a[9], sst = a[10];
    if (kind >= P) {
        switch (type) { RMA_TYPES(SINGLE) }
        return;
    }
    switch (type) {
        RMA_TYPES(TYPED)
        SIZED(8) SIZED(16) SIZED(32) SIZED(64) SIZED(128)
    case RMA_mem:
        switch (kind) {
        case PUT: CALL(putmem, dest, source, count, pe); break;
        case PUT_NBI: CALL(putmem_nbi, dest, source, count, pe); break;
        case GET: CALL(getmem, dest, source, count, pe); break;
        case GET_NBI: CALL(getmem_nbi, dest, source, count, pe); break;
        default: CHECK(!"a kind of transfer of bytes");
        }
    }
}

static void quiet(void) {
    if (a[0] < 0) shmem_quiet();
    else shmem_ctx_quiet(contexts[a[0]]);
}

static void fence(void) {
    if (a[0] < 0) shmem_fence();
    else shmem_ctx_fence(contexts[a[0]]);
}

/* copy: dest, source and bytes, all of this PE. */
static void copy(void) { memmove(place(0), place(2), a[4]); }

enum { FETCH, SET, SWAP, COMPARE_SWAP, INC, ADD, FETCH_INC, FETCH_ADD, AND, OR, XOR, FETCH_AND, FETCH_OR, FETCH_XOR };

/* atomic: kind, type, context, cell, two operands, PE, and whether the result comes later. */
#define LATER(name, ...)                                                                                 \
    (CALL(name##_nbi, &got, __VA_ARGS__), of < 0 ? shmem_quiet() : shmem_ctx_quiet(contexts[of]), tell(got))
#define FETCHED(name, ...) (later ? LATER(name, __VA_ARGS__) : tell(CALL(name, __VA_ARGS__)))
#define ATOMIC(name, type)                                                                               \
    case AMO_##name: {                                                                                   \
        type *cell = (type *)&cells[a[3]], x = a[4], y = a[5], got;                                      \
        switch (kind) {                                                                                  \
        case FETCH: FETCHED(name##_atomic_fetch, cell, pe); break;                                       \
        case SET: CALL(name##_atomic_set, cell, x, pe); break;                                           \
        case SWAP: FETCHED(name##_atomic_swap, cell, x, pe); break;                                      \
        case COMPARE_SWAP: FETCHED(name##_atomic_compare_swap, cell, x, y, pe); break;                   \
        case INC: CALL(name##_atomic_inc, cell, pe); break;                                              \
        case ADD: CALL(name##_atomic_add, cell, x, pe); break;                                           \
        case FETCH_INC: FETCHED(name##_atomic_fetch_inc, cell, pe); break;                               \
        case FETCH_ADD: FETCHED(name##_atomic_fetch_add, cell, x, pe); break;                            \
        }                                                                                                \
        break;                                                                                           \
    }
#define ATOMIC_BITS(name, type)                                                                          \
    case AMO_##name: {                                                                                   \
        type *cell = (type *)&cells[a[3]], x = a[4], got;                                                \
        switch (kind) {                                                                                  \
        case AND: CALL(name##_atomic_and, cell, x, pe); break;                                           \
        case OR: CALL(name##_atomic_or, cell, x, pe); break;                                             \
        case XOR: CALL(name##_atomic_xor, cell, x, pe); break;                                           \
        case FETCH_AND: FETCHED(name##_atomic_fetch_and, cell, x, pe); break;                            \
        case FETCH_OR: FETCHED(name##_atomic_fetch_or, cell, x, pe); break;                              \
        case FETCH_XOR: FETCHED(name##_atomic_fetch_xor, cell, x, pe); break;                            \
        }                                                                                                \
        break;                                                                                           \
    }

static void atomic(void) {
    int kind = a[0], type = a[1], of = a[2], pe = a[6], later = a[7];
    if (kind >= AND) {
        switch (type) { BITWISE_TYPES(ATOMIC_BITS) }
    } else {
        switch (type) { AMO_TYPES(ATOMIC) }
    }
}

/* signalled: type, context, dest, source, PE, elements, the number of the signal, value, operation,
 * whether it does not block. */
#define SIGNALLED(name, type)                                                                            \
    case RMA_##name:                                                                                     \
        if (later) CALL(name##_put_signal_nbi, dest, source, count, signal, value, op, pe);              \
        else CALL(name##_put_signal, dest, source, count, signal, value, op, pe);                        \
        break;

static void signalled(void) {
    int of = a[1], pe = a[6], op = a[10] ? SHMEM_SIGNAL_ADD : SHMEM_SIGNAL_SET, later = a[11];
    void *dest = place(2), *source = place(4);
    size_t count = a[7];
    uint64_t *signal = &signals[a[8]], value = a[9];
    switch (a[0]) { RMA_TYPES(SIGNALLED) }
}

/* flag: context, the number of the signal, value, PE. */
static void flag(void) {
    int of = a[0];
    CALL(uint64_atomic_set, &signals[a[1]], a[2], a[3]);
}

/* arrived: which way to wait, the number of the signal, value. */
static void arrived(void) {
    uint64_t *signal = &signals[a[1]], value = a[2], values[1] = {value};
    size_t found[1] = {7};
    const int status[1] = {0};
    switch (a[0]) {
    case 0: tell(shmem_signal_wait_until(signal, SHMEM_CMP_EQ, value)); break;
    case 1: shmem_uint64_wait_until(signal, SHMEM_CMP_GE, value); break;
    case 2: shmem_uint64_wait_until_all(signal, 1, status, SHMEM_CMP_EQ, value); break;
    case 3: tell(shmem_uint64_wait_until_any(signal, 1, status, SHMEM_CMP_EQ, value)); break;
    case 4: tell(shmem_uint64_wait_until_some(signal, 1, found, NULL, SHMEM_CMP_GT, value - 1) + 10 * found[0]); break;
    case 5: shmem_uint64_wait_until_all_vector(signal, 1, NULL, SHMEM_CMP_EQ, values); break;
    case 6: while (!shmem_uint64_test(signal, SHMEM_CMP_EQ, value)) {} break;
    case 7: while (shmem_uint64_test_any(signal, 1, NULL, SHMEM_CMP_EQ, value) != 0) {} break;
    default: CHECK(!"a way to wait");
    }
    tell(shmem_signal_fetch(signal));
}

/* locked: how often, what is added, the PE of the counter. */
static void locked(void) {
    for (long turn = 0; turn < a[0]; turn++) {
        if (turn % 2 == 0) shmem_set_lock(&lock);
        else while (shmem_test_lock(&lock)) {}
        shmem_uint64_p(&counter, shmem_uint64_g(&counter, a[2]) + a[1], a[2]);
        shmem_clear_lock(&lock);
    }
}

/* counted: the PE of the counter. */
static void counted(void) { tell(shmem_uint64_g(&counter, a[0])); }

static void barrier(void) { shmem_barrier_all(); }

/* sync: the team. */
static void sync_team(void) { CHECK(shmem_team_sync(teams[a[0]]) == 0); }

enum { BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS };

/* exchange: kind, type, team, dest, source, elements, the root or the strides. */
#define EXCHANGE(name, type)                                                                             \
    case RMA_##name:                                                                                     \
        switch (a[0]) {                                                                                  \
        case BROADCAST: failed = shmem_##name##_broadcast(team, dest, source, n_elements, a[8]); break;  \
        case COLLECT: failed = shmem_##name##_collect(team, dest, source, n_elements); break;            \
        case FCOLLECT: failed = shmem_##name##_fcollect(team, dest, source, n_elements); break;          \
        case ALLTOALL: failed = shmem_##name##_alltoall(team, dest, source, n_elements); break;          \
        case ALLTOALLS: failed = shmem_##name##_alltoalls(team, dest, source, a[8], a[9], n_elements); break; \
        }                                                                                                \
        break;

static void exchange(void) {
    int failed = 1;
    shmem_team_t team = teams[a[2]];
    void *dest = place(3), *source = place(5);
    size_t n_elements = a[7];
    switch (a[1]) { RMA_TYPES(EXCHANGE) }
    CHECK(failed == 0);
}

enum { REDUCE_AND, REDUCE_OR, REDUCE_XOR, REDUCE_MAX, REDUCE_MIN, REDUCE_SUM, REDUCE_PROD, INSCAN, EXSCAN };

/* reduce: kind, type, team, dest, source, elements. */
#define REDUCE(name, type)                                                                               \
    case BITS_##name:                                                                                    \
        switch (a[0]) {                                                                                  \
        case REDUCE_AND: failed = shmem_##name##_and_reduce(team, dest, source, n_elements); break;      \
        case REDUCE_OR: failed = shmem_##name##_or_reduce(team, dest, source, n_elements); break;        \
        case REDUCE_XOR: failed = shmem_##name##_xor_reduce(team, dest, source, n_elements); break;      \
        case REDUCE_MAX: failed = shmem_##name##_max_reduce(team, dest, source, n_elements); break;      \
        case REDUCE_MIN: failed = shmem_##name##_min_reduce(team, dest, source, n_elements); break;      \
        case REDUCE_SUM: failed = shmem_##name##_sum_reduce(team, dest, source, n_elements); break;      \
        case REDUCE_PROD: failed = shmem_##name##_prod_reduce(team, dest, source, n_elements); break;    \
        case INSCAN: failed = shmem_##name##_sum_inscan(team, dest, source, n_elements); break;          \
        case EXSCAN: failed = shmem_##name##_sum_exscan(team, dest, source, n_elements); break;          \
        }                                                                                                \
        break;

static void reduce(void) {
    int failed = 1;
    shmem_team_t team = teams[a[2]];
    void *dest = place(3), *source = place(5);
    size_t n_elements = a[7];
    switch (a[1]) { BITS_TYPES(REDUCE) }
    CHECK(failed == 0);
}

/* strided: the parent, start, stride, size, and the new team. */
static void strided(void) {
    CHECK(shmem_team_split_strided(teams[a[0]], a[1], a[2], a[3], NULL, 0, &teams[a[4]]) == 0);
}

/* grid: the parent, the width, and the two new teams. */
static void grid(void) {
    CHECK(shmem_team_split_2d(teams[a[0]], a[1], NULL, 0, &teams[a[2]], NULL, 0, &teams[a[3]]) == 0);
}

/* member: a team. */
static void member(void) {
    tell(shmem_team_my_pe(teams[a[0]]));
    tell(shmem_team_n_pes(teams[a[0]]));
}

/* translate: a team, its PE, another team. */
static void translate(void) { tell(shmem_team_translate_pe(teams[a[0]], a[1], teams[a[2]])); }

/* context: of a team. */
static void context(void) { CHECK(shmem_team_create_ctx(teams[a[0]], 0, &contexts[a[0]]) == 0); }

/* gone: a team, and its context. */
static void gone(void) { shmem_team_destroy(teams[a[0]]), teams[a[0]] = SHMEM_TEAM_INVALID; }

static const struct {
    const char *name;
    void (*act)(void);
} operations[] = {
    {"transfer", transfer}, {"quiet", quiet},     {"fence", fence},     {"copy", copy},       {"atomic", atomic},
    {"signalled", signalled}, {"flag", flag},     {"arrived", arrived}, {"locked", locked},   {"counted", counted},
    {"barrier", barrier},   {"sync", sync_team},  {"exchange", exchange}, {"reduce", reduce}, {"strided", strided},
    {"grid", grid},         {"member", member},   {"translate", translate}, {"context", context}, {"gone", gone},
};

static void execute(char *line) {
    char *end, *word;
    if (strtol(line, &end, 10) != me) return;
    word = strtok(end, " \n");
    memset(a, 0, sizeof a);
    for (int i = 0; i < 12 && (end = strtok(NULL, " \n")) != NULL; i++) a[i] = strtoull(end, NULL, 10);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(operations[i].name, word) == 0) {
            operations[i].act();
            return;
        }
    }
    CHECK(!"an operation");
}

/* random PROGRAM RESULTS: the results of PE 3 are in RESULTS.3. */
int main(int argc, char **argv) {
    char name[4096], line[256];
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
    CHECK(argc == 3 && shmem_pe_accessible(right) && shmem_pe_accessible(left));
    memory[HEAP] = shmem_malloc(BYTES), memory[STATIC] = global, memory[PRIVATE] = malloc(BYTES);
    for (int piece = 0; piece < 3; piece++)
        for (int i = 0; i < BYTES; i++) memory[piece][i] = (unsigned char)((i * 31) ^ (i >> 8) ^ (me * 67 + piece * 129));
    teams[0] = SHMEM_TEAM_WORLD, contexts[0] = SHMEM_CTX_DEFAULT;
    snprintf(name, sizeof name, "%s.%d", argv[2], me);
    results = fopen(name, "w");
    FILE *program = fopen(argv[1], "r");
    CHECK(results && program);
    shmem_barrier_all();
    while (fgets(line, sizeof line, program)) execute(line);
    shmem_barrier_all();
    for (int i = 0; i < CELLS; i++) tell(cells[i]);
    for (int piece = 0; piece < 3; piece++)
        for (int i = 0; i < BYTES; i++) tell(memory[piece][i]);
    CHECK(fclose(results) == 0);
    shmem_barrier_all();
    printf("PE %d of %d is done\n", me, n);
    shmem_finalize();
    return 0;
}
