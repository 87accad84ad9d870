/* The transpose of the Parallel Research Kernels (Van der Wijngaart and Mattson, 2014; ParRes/Kernels on
   GitHub) in C: the same computation as in examples/examples/prk_transpose.rs, and described there.

   oshcc -O3 -std=c11 -Wall -Wextra prk_transpose.c -lm && oshrun -np 2 ./a.out [iterations] [order] [tile] */

#include "kernel.h"

/* A run of rows or columns. */
typedef struct {
    size_t start, count;
} run;

/* What PE `pe` has. */
static run of_pe(size_t order, size_t pe) {
    size_t start = part(order, shmem_n_pes(), pe);
    return (run){start, part(order, shmem_n_pes(), pe + 1) - start};
}

/* Piece `index` of a run, in pieces of `tile`; there may be none left. */
static run piece(run whole, size_t tile, size_t index) {
    size_t start = MIN(index * tile, whole.count);
    return (run){whole.start + start, MIN(tile, whole.count - start)};
}

/* Writes a tile of `a`, turned, to `turned`, and adds 1 to it. Columns are counted from my first. */
static void turn(double *restrict a, size_t order, run rows, run columns, double *restrict turned) {
    for (size_t j = 0; j < columns.count; j++) {
        double *column = a + (columns.start + j) * order + rows.start;
        for (size_t i = 0; i < rows.count; i++) {
            turned[i * columns.count + j] = column[i];
            column[i] += 1.0;
        }
    }
}

/* Adds a tile to that of `b`. */
static void add(double *restrict b, size_t order, run rows, run columns, const double *restrict tile) {
    for (size_t j = 0; j < columns.count; j++) {
        double *column = b + (columns.start + j) * order + rows.start;
        for (size_t i = 0; i < rows.count; i++) column[i] += tile[j * rows.count + i];
    }
}

int main(int argc, char **argv) {
    shmem_init();
    argument arguments[] = {{"iterations", 10}, {"order", 1000}, {"tile", 32}};
    numbers(argc, argv, arguments, 3);
    size_t iterations = arguments[0].value, order = arguments[1].value;

    size_t me = shmem_my_pe(), n_pes = shmem_n_pes();
    run mine = of_pe(order, me), my_columns = {0, mine.count};
    size_t most = of_pe(order, 0).count; /* nobody has more */
    size_t tile = MIN(arguments[2].value, most), tiles = (most + tile - 1) / tile;

    double *a = private_memory(mine.count * order, sizeof *a);
    double *b = private_memory(mine.count * order, sizeof *b);
    for (size_t k = 0; k < mine.count * order; k++) a[k] = (double)(mine.start * order + k);

    /* For each phase: two strips of tiles that were sent to me, how many strips there have been, and how many
       of mine have been taken by the PE that I send to. */
    double *turned = private_memory(tile * tile, sizeof *turned);
    double *inbox = symmetric_memory((n_pes - 1) * 2 * tiles * tile * tile, sizeof *inbox);
    unsigned long *arrived = symmetric_memory(n_pes, sizeof *arrived);
    unsigned long *taken = symmetric_memory(n_pes, sizeof *taken);

    double start = 0.0;
    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1) { /* the first was to warm up */
            shmem_barrier_all();
            start = seconds();
        }
        for (size_t strip = 0; strip < tiles; strip++) /* my own block */
            for (size_t t = 0; t < tiles; t++) {
                turn(a, order, piece(mine, tile, t), piece(my_columns, tile, strip), turned);
                add(b, order, piece(mine, tile, strip), piece(my_columns, tile, t), turned);
            }
        for (size_t phase = 1; phase < n_pes; phase++) {
            size_t to = (me + n_pes - phase) % n_pes, from = (me + phase) % n_pes;
            run theirs = of_pe(order, to), senders = of_pe(order, from);
            for (size_t strip = 0; strip < tiles; strip++) {
                size_t number = iteration * tiles + strip;
                double *box = inbox + ((phase - 1) * 2 + number % 2) * tiles * tile * tile;

                run columns = piece(my_columns, tile, strip);
                shmem_ulong_wait_until(&taken[phase], SHMEM_CMP_GE, number < 2 ? 0 : number - 1);
                for (size_t t = 0; t < tiles; t++) {
                    run rows = piece(theirs, tile, t);
                    turn(a, order, rows, columns, turned);
                    shmem_double_put(box + t * tile * tile, turned, rows.count * columns.count, to);
                }
                shmem_fence();
                shmem_ulong_p(&arrived[phase], number + 1, to);

                run rows = piece(senders, tile, strip);
                shmem_ulong_wait_until(&arrived[phase], SHMEM_CMP_GT, number);
                for (size_t t = 0; t < tiles; t++)
                    add(b, order, rows, piece(my_columns, tile, t), box + t * tile * tile);
                shmem_ulong_p(&taken[phase], number + 1, from);
            }
        }
    }
    double took = max_of_all(seconds() - start) / (double)iterations;

    double wrong = 0.0, refreshed = 0.5 * (double)(iterations + 1) * (double)iterations;
    for (size_t j = 0; j < mine.count; j++)
        for (size_t i = 0; i < order; i++)
            wrong += fabs(b[j * order + i]
                          - ((double)(i * order + mine.start + j) * (double)(iterations + 1) + refreshed));
    wrong = sum_of_all(wrong);
    if (!(wrong <= 1e-8)) ALL_FAIL("the differences sum up to %g, and may sum up to 1e-8", wrong);

    if (me == 0) {
        printf("%zu iterations of order %zu in tiles of %zu on %zu PEs: the differences sum up to %g\n",
               iterations, order, tile, n_pes, wrong);
        double bytes = 2.0 * sizeof *a * (double)order * (double)order;
        report("prk_transpose", bytes * 1e-6, "MB/s", took, "an iteration");
    }
    shmem_finalize();
    return 0;
}
