#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 16 };

/* The rows of this rank, and one of each neighbour. */
static char cells[ROWS + 2][COLUMNS];

/* A glider on rank 0. */
static void start(int me) {
    if (me == 0)
        cells[1][2] = cells[2][3] = cells[3][1] = cells[3][2] = cells[3][3] = 1;
}

static void generation(void) {
    char old[ROWS + 2][COLUMNS];
    memcpy(old, cells, sizeof old);
    for (int row = 1; row <= ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            int around = -old[row][column];
            for (int i = row - 1; i <= row + 1; i++)
                for (int j = column - 1; j <= column + 1; j++)
                    around += old[i][(j + COLUMNS) % COLUMNS];
            cells[row][column] = around == 3 || (around == 2 && old[row][column]);
        }
}

static void print(int me, int n) {
    int alive = 0, all[n];
    for (int row = 1; row <= ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            alive += cells[row][column];
    MPI_Gather(&alive, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) {
        printf("alive:");
        for (int pe = 0; pe < n; pe++)
            printf(" %d", all[pe]);
        printf("\n");
    }
}
