/* The pipeline of the Parallel Research Kernels (Van der Wijngaart and Mattson, 2014; ParRes/Kernels on
   GitHub) in C: the same computation as in examples/examples/prk_synch_p2p.rs, and described there.

   oshcc -O3 -std=c11 -Wall -Wextra prk_synch_p2p.c -lm &&
   oshrun -np 2 ./a.out [iterations] [rows] [columns] */

#include "kernel.h"

/* The next column, from the one before it. Both begin with the row above mine. */
static void advance(const double *restrict before, double *restrict column, size_t rows) {
    double above = column[0];
    for (size_t i = 1; i <= rows; i++) {
        above += before[i] - before[i - 1];
        column[i] = above;
    }
}

int main(int argc, char **argv) {
    shmem_init();
    argument arguments[] = {{"iterations", 10}, {"rows", 500}, {"columns", 500}};
    numbers(argc, argv, arguments, 3);
    size_t iterations = arguments[0].value, rows = arguments[1].value, columns = arguments[2].value;
    if (rows < 2) ALL_FAIL("rows is %zu; it is at least 2", rows);
    if (columns < 2) ALL_FAIL("columns is %zu; it is at least 2", columns);

    /* The first row is given. With more PEs than other rows, the last PEs have nothing to do. */
    size_t me = shmem_my_pe(), n_pes = MIN((size_t)shmem_n_pes(), rows - 1);
    size_t top = me < n_pes ? 1 + part(rows - 1, n_pes, me) : 1;
    size_t mine = me < n_pes ? 1 + part(rows - 1, n_pes, me + 1) - top : 0;

    double *above = symmetric_memory(columns, sizeof *above); /* the row above mine, by column */
    unsigned long *ready = symmetric_memory(1, sizeof *ready); /* how many of its cells have been put */
    double *corner = symmetric_memory(1, sizeof *corner);
    size_t pitch = mine + 1;
    double *grid = private_memory(columns * pitch, sizeof *grid);
    for (size_t i = 0; i <= mine; i++) grid[i] = (double)(top - 1 + i);
    if (me == 0)
        for (size_t j = 0; j < columns; j++) grid[j * pitch] = (double)j;

    double start = 0.0;
    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1) { /* the first was to warm up */
            shmem_barrier_all();
            start = seconds();
        }
        if (me >= n_pes) continue;

        if (me == 0 && iteration > 0 && n_pes > 1) {
            shmem_ulong_wait_until(ready, SHMEM_CMP_GE, iteration);
            grid[0] = *corner;
        }
        for (size_t j = 1; j < columns; j++) {
            double *column = grid + j * pitch;
            unsigned long count = iteration * (columns - 1) + j;
            if (me > 0) {
                shmem_ulong_wait_until(ready, SHMEM_CMP_GE, count);
                column[0] = above[j];
            }
            advance(column - pitch, column, mine);
            if (me + 1 < n_pes) {
                shmem_double_p(&above[j], column[mine], me + 1);
                shmem_fence();
                shmem_ulong_p(ready, count, me + 1);
            }
        }
        /* The last cell of this iteration goes to the first of the next. */
        if (me + 1 == n_pes) {
            double value = -grid[columns * pitch - 1];
            if (me == 0) {
                grid[0] = value;
            } else {
                shmem_double_p(corner, value, 0);
                shmem_fence();
                shmem_ulong_p(ready, iteration + 1, 0);
            }
        }
    }
    double took = max_of_all(seconds() - start) / (double)iterations;

    double got = sum_of_all(me + 1 == n_pes ? grid[columns * pitch - 1] : 0.0);
    double expected = (double)(iterations + 1) * (double)(rows + columns - 2);
    if (!(fabs(got - expected) / expected < 1e-8))
        ALL_FAIL("the last cell is %.17g, not %.17g", got, expected);

    if (me == 0) {
        printf("%zu iterations of %zu x %zu cells on %d PEs: the last cell is %.17g, as it must be\n",
               iterations, rows, columns, shmem_n_pes(), got);
        double operations = 2.0 * (double)(rows - 1) * (double)(columns - 1);
        report("prk_synch_p2p", operations * 1e-6, "MFlop/s", took, "an iteration");
    }
    shmem_finalize();
    return 0;
}
