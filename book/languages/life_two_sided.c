#include "life.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int up = (me + n - 1) % n, down = (me + 1) % n;
    start(me);
    for (int i = 0; i < 34; i++) {
        MPI_Sendrecv(cells[1], COLUMNS, MPI_CHAR, up, 0,
                     cells[ROWS + 1], COLUMNS, MPI_CHAR, down, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(cells[ROWS], COLUMNS, MPI_CHAR, down, 1,
                     cells[0], COLUMNS, MPI_CHAR, up, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        generation();
    }
    print(me, n);
    MPI_Finalize();
    return 0;
}
