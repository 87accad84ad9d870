#include "life.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int up = (me + n - 1) % n, down = (me + 1) % n;
    start(me);
    MPI_Win window;
    MPI_Win_create(cells, sizeof cells, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < 34; i++) {
        MPI_Win_fence(0, window);
        MPI_Put(cells[1], COLUMNS, MPI_CHAR, up, (ROWS + 1) * COLUMNS,
                COLUMNS, MPI_CHAR, window);
        MPI_Put(cells[ROWS], COLUMNS, MPI_CHAR, down, 0,
                COLUMNS, MPI_CHAR, window);
        MPI_Win_fence(0, window);
        generation();
    }
    MPI_Win_free(&window);
    print(me, n);
    MPI_Finalize();
    return 0;
}
