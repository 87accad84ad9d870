/* What a Fortran program cannot do by itself: a socket, and a clock that counts nanoseconds. */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static FILE *lines;
static int to_conductor;

/* Connects to the socket of who asks; 0, or why not. */
int bench_connect(int pe, int n_pes)
{
    const char *path = getenv("BENCH_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "peer: BENCH_SOCKET is to be the path of a socket\n");
        return 1;
    }
    strcpy(address.sun_path, path);
    to_conductor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (to_conductor < 0 || connect(to_conductor, (struct sockaddr *)&address, sizeof address) != 0
        || (lines = fdopen(to_conductor, "r")) == NULL
        || dprintf(to_conductor, "%ld %d %d\n", (long)getpid(), pe, n_pes) < 0) {
        fprintf(stderr, "peer: cannot use the socket %s\n", path);
        return 1;
    }
    return 0;
}

/* The next line, without its end and filled up with blanks; its length, or -1 at the end. */
int bench_read(char *line, int size)
{
    if (fgets(line, size, lines) == NULL)
        return -1;
    int length = (int)strcspn(line, "\n");
    memset(line + length, ' ', (size_t)(size - length));
    return length;
}

/* Answers with a time, or with `none` to what is below 0. */
int bench_answer(int64_t nanoseconds)
{
    int written = nanoseconds < 0 ? dprintf(to_conductor, "none\n")
                                  : dprintf(to_conductor, "%lld\n", (long long)nanoseconds);
    return written < 0;
}

int64_t bench_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
