/* The stencil of the Parallel Research Kernels (Van der Wijngaart and Mattson, 2014; ParRes/Kernels on
   GitHub) in C: the same computation as in examples/examples/prk_stencil.rs, and described there.

   oshcc -O3 -std=c11 -Wall -Wextra prk_stencil.c -lm && oshrun -np 2 ./a.out [iterations] [order] */

#include "kernel.h"

enum { RADIUS = 2, FRAME = 2 * RADIUS };
enum { UP, DOWN, LEFT, RIGHT, SIDES }; /* the opposite of a side is side ^ 1 */

/* A rectangle of my grid, whose rows and columns are counted with the frame. */
typedef struct {
    size_t row, column, rows, columns;
} rectangle;

/* The PE that has the next block on a side: what it gets of my block, and where I keep what I get of its. */
typedef struct {
    int pe, side;
    rectangle edge, frame;
} neighbour;

/* Rows or columns of mine, from 0 on. */
typedef struct {
    size_t first, end;
} run;

/* Those of `count` from `start` on without what is so close to the edge of the whole grid that the stencil
   does not fit. */
static run reached(size_t order, size_t start, size_t count) {
    size_t first = MAX(start, RADIUS), end = MAX(MIN(start + count, order - RADIUS), first);
    return (run){first - start, end - start};
}

static void pack(const double *grid, size_t pitch, rectangle r, double *values) {
    for (size_t i = 0; i < r.rows; i++)
        memcpy(values + i * r.columns, grid + (r.row + i) * pitch + r.column, r.columns * sizeof *grid);
}

static void unpack(double *grid, size_t pitch, rectangle r, const double *values) {
    for (size_t i = 0; i < r.rows; i++)
        memcpy(grid + (r.row + i) * pitch + r.column, values + i * r.columns, r.columns * sizeof *grid);
}

// ANCHOR: apply
/* Adds to `count` cells of `out` what the stencil gives for those that start at `in`. */
static void apply(const double *restrict in, size_t pitch, double *restrict out, size_t count) {
    const double *up2 = in - 2 * pitch, *up = in - pitch, *down = in + pitch, *down2 = in + 2 * pitch;
    for (size_t j = 0; j < count; j++)
        out[j] += 0.125 * (down2[j] - up2[j]) + 0.25 * (down[j] - up[j]) + 0.25 * (in[j + 1] - in[j - 1])
                  + 0.125 * (in[j + 2] - in[j - 2]);
}
// ANCHOR_END: apply

static void refresh(double *cells, size_t count) {
    for (size_t j = 0; j < count; j++) cells[j] += 1.0;
}

int main(int argc, char **argv) {
    shmem_init();
    argument arguments[] = {{"iterations", 10}, {"order", 1000}};
    numbers(argc, argv, arguments, 2);
    size_t iterations = arguments[0].value, order = arguments[1].value;

    int me = shmem_my_pe(), n_pes = shmem_n_pes();
    int across = 1;
    for (int k = 1; k * k <= n_pes; k++)
        if (n_pes % k == 0) across = k;
    int down = n_pes / across;
    size_t least = MAX(FRAME + 1, RADIUS * (size_t)down);
    if (order < least) ALL_FAIL("order is %zu; on %d PEs it is at least %zu", order, n_pes, least);

    size_t top = part(order, down, me / across), h = part(order, down, me / across + 1) - top;
    size_t left = part(order, across, me % across), w = part(order, across, me % across + 1) - left;
    size_t pitch = w + FRAME;
    run rows = reached(order, top, h), columns = reached(order, left, w);
    double *grid = private_memory((h + FRAME) * pitch, sizeof *grid);
    double *out = private_memory(h * w, sizeof *out);
    for (size_t i = 0; i < h; i++)
        for (size_t j = 0; j < w; j++) grid[(i + RADIUS) * pitch + j + RADIUS] = (double)(top + i + left + j);

    neighbour neighbours[SIDES];
    int count = 0;
    if (me / across > 0)
        neighbours[count++] =
            (neighbour){me - across, UP, {RADIUS, RADIUS, RADIUS, w}, {0, RADIUS, RADIUS, w}};
    if (me / across < down - 1)
        neighbours[count++] =
            (neighbour){me + across, DOWN, {h, RADIUS, RADIUS, w}, {h + RADIUS, RADIUS, RADIUS, w}};
    if (me % across > 0)
        neighbours[count++] = (neighbour){me - 1, LEFT, {RADIUS, RADIUS, h, RADIUS}, {RADIUS, 0, h, RADIUS}};
    if (me % across < across - 1)
        neighbours[count++] =
            (neighbour){me + 1, RIGHT, {RADIUS, w, h, RADIUS}, {RADIUS, w + RADIUS, h, RADIUS}};

    // ANCHOR: memory
    /* Block 0 is the largest. A halo is put into the one half while the other is read. */
    size_t longest = RADIUS * MAX(part(order, down, 1), part(order, across, 1));
    double *halo = symmetric_memory(2 * SIDES * longest, sizeof *halo);
    unsigned long *arrived = symmetric_memory(2, sizeof *arrived);
    double *values = private_memory(longest, sizeof *values);
    // ANCHOR_END: memory

    double start = 0.0;
    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1) { /* the first was to warm up */
            shmem_barrier_all();
            start = seconds();
        }
        size_t turn = iteration % 2;
        // ANCHOR: exchange
        for (int k = 0; k < count; k++) {
            neighbour *to = &neighbours[k];
            pack(grid, pitch, to->edge, values);
            shmem_double_put(halo + (turn * SIDES + (to->side ^ 1)) * longest, values,
                             to->edge.rows * to->edge.columns, to->pe);
        }
        shmem_fence();
        for (int k = 0; k < count; k++) shmem_ulong_atomic_inc(&arrived[turn], neighbours[k].pe);
        shmem_ulong_wait_until(&arrived[turn], SHMEM_CMP_GE, count * (iteration / 2 + 1));
        for (int k = 0; k < count; k++)
            unpack(grid, pitch, neighbours[k].frame, halo + (turn * SIDES + neighbours[k].side) * longest);
        // ANCHOR_END: exchange

        /* The stencil reaches two rows back, so a row is renewed two rows later, while it is in the cache. */
        for (size_t i = 0; i < h + RADIUS; i++) {
            if (rows.first <= i && i < rows.end)
                apply(grid + (i + RADIUS) * pitch + RADIUS + columns.first, pitch,
                      out + i * w + columns.first, columns.end - columns.first);
            if (i >= RADIUS) refresh(grid + i * pitch + RADIUS, w);
        }
    }
    double took = max_of_all(seconds() - start) / (double)iterations;

    double sum = 0.0, off = 0.0, expected = 2.0 * (double)(iterations + 1);
    for (size_t i = rows.first; i < rows.end; i++)
        for (size_t j = columns.first; j < columns.end; j++) {
            sum += fabs(out[i * w + j]);
            off = fmax(off, fabs(out[i * w + j] - expected));
        }
    double active = (double)(order - FRAME) * (double)(order - FRAME);
    double norm = sum_of_all(sum) / active;
    off = max_of_all(off);
    if (!(fabs(norm - expected) <= 1e-8 && off <= 1e-8))
        ALL_FAIL("the L1 norm is %.17g, not %g, and a cell is off by up to %g", norm, expected, off);

    if (me == 0) {
        printf("%zu iterations of order %zu on %d PEs (%d × %d): the L1 norm is %g, as it must be\n",
               iterations, order, n_pes, down, across, norm);
        double operations = (8 * RADIUS + 3) * active;
        report("prk_stencil", operations * 1e-6, "MFlop/s", took, "an iteration");
    }
    shmem_finalize();
    return 0;
}
