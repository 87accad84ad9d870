/* Does as little as a job can: joins it, meets all PEs in a barrier, and ends. See ../../src/bin/meet.rs.
 *
 *     oshcc -O3 -std=c11 -Wall -Wextra -o meet meet.c
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <shmem.h>

/* Says that this PE is there, and sleeps until the conductor, which gives no orders, ends. */
static int show(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return 1;
    strcpy(address.sun_path, path);
    int conductor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (conductor < 0 || connect(conductor, (struct sockaddr *)&address, sizeof address) != 0)
        return 1;
    char line[64];
    int len = snprintf(line, sizeof line, "%ld %d %d\n", (long)getpid(), shmem_my_pe(), shmem_n_pes());
    return write(conductor, line, (size_t)len) != len || read(conductor, line, 1) != 0;
}

int main(void)
{
    shmem_init();
    shmem_barrier_all();
    const char *path = getenv("BENCH_SOCKET");
    if (path && show(path) != 0) {
        perror("meet: cannot speak to the conductor");
        shmem_global_exit(1);
    }
    shmem_finalize();
    return 0;
}
