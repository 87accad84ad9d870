#include <shmem.h>
#include <stdio.h>

static double grid[4][10];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    int left = (me + n - 1) % n, right = (me + 1) % n;
    for (int row = 0; row < 4; row++)
        for (int column = 1; column < 9; column++)
            grid[row][column] = 10 * me + row;
    shmem_double_iput(&grid[0][9], &grid[0][1], 10, 10, 4, left);
    shmem_double_iput(&grid[0][0], &grid[0][8], 10, 10, 4, right);
    shmem_barrier_all();
    if (me == 0)
        for (int row = 0; row < 4; row++)
            printf("%.0f %.0f ", grid[row][0], grid[row][9]);
    shmem_finalize();
    return 0;
}
