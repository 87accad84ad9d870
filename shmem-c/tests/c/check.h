/* What the programs that check themselves share. `main` sets the four numbers. */

#include <shmem.h>
#include <stdio.h>

static int me, n, right, left;

/* Ends the job if the condition does not hold. */
#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition)) {                                                                           \
            fprintf(stderr, "PE %d of %d: %s, line %d: %s\n", me, n, __func__, __LINE__, #condition); \
            shmem_global_exit(9);                                                                     \
        }                                                                                             \
    } while (0)
