/* What a program finds when it is started, and how it ends; the argument chooses. */

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int global = 1;

static int number(const char *name) {
    const char *value = getenv(name);
    return value ? atoi(value) : -1;
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    /* In the buffer, if the output is no terminal. */
    printf("%s", !strcmp(what, "early") ? "early " : "");
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    if (!strcmp(what, "variables")) {
        int is_right = number("PMI_RANK") == me && number("PMI_SIZE") == n && number("OMPI_COMM_WORLD_RANK") == me &&
                       number("OMPI_COMM_WORLD_SIZE") == n && number("OMPI_COMM_WORLD_LOCAL_RANK") == me &&
                       number("OMPI_COMM_WORLD_LOCAL_SIZE") == n;
        if (!is_right) shmem_global_exit(9);
        printf("%s %s ", getenv("FIRST"), getenv("SECOND"));
    }
    if (!strcmp(what, "fork")) {
        /* A child without exec shares the variables, unless SHMEM_GLOBALS=0. */
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            global = 2;
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        printf("%d ", global);
    }
    if (!strcmp(what, "again")) {
        shmem_barrier_all();
        shmem_finalize();
        shmem_init();
    }
    if (!strcmp(what, "system") && me == 0) {
        fflush(stdout);
        /* A program that this PE starts is no PE of this job. */
        if (system(words[2]) != 0) shmem_global_exit(9);
    }
    printf("PE %d of %d is done\n", me, n);
    if (!strcmp(what, "implicit")) return 0;
    shmem_finalize();
    return 0;
}
