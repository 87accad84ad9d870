// ISx, a scalable integer sort (U. Hanebutte and J. Hemstad, PGAS 2015), for OpenSHMEM 1.4 and later. The
// same steps and arguments as examples/examples/isx.rs, where they are described: isx [keys=65536]
// [iterations=3] [bits=28]

// For clock_gettime.
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    uint64_t state, increment;
} Pcg32;

static inline uint32_t pcg32_next(Pcg32 *random) {
    uint64_t old = random->state;
    random->state = old * UINT64_C(6364136223846793005) + random->increment;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (mixed >> turn) | (mixed << (-turn & 31));
}

static Pcg32 pcg32_new(uint64_t number) {
    Pcg32 random = {0, (number << 1) | 1};
    pcg32_next(&random);
    random.state += number;
    pcg32_next(&random);
    return random;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Ends the job when memory is missing.
static void *existing(void *memory) {
    if (!memory) {
        fprintf(stderr, "isx: not enough memory; SHMEM_SYMMETRIC_SIZE gives more of the symmetric one\n");
        shmem_global_exit(1);
    }
    return memory;
}

#define USAGE "the arguments are [keys=65536] [iterations=3] [bits=28]"

// The numbers on the command line, each by its place, or else its default.
static void numbers(int argc, char **argv, int n, const char *const names[], size_t values[]) {
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        unsigned long long value = strtoull(argv[i], &end, 10);
        if (i <= n && value > 0 && !*end && *argv[i] != '-') {
            values[i - 1] = (size_t)value;
            continue;
        }
        if (shmem_my_pe() == 0 && i > n)
            fprintf(stderr, "isx: \"%s\" is one argument too many: %s\n", argv[i], USAGE);
        else if (shmem_my_pe() == 0)
            fprintf(stderr, "isx: %s is a number above 0, not \"%s\": %s\n", names[i - 1], argv[i], USAGE);
        shmem_global_exit(1);
    }
}

static inline size_t pe_of(uint32_t key, size_t n_pes, unsigned bits) {
    return (size_t)(((uint64_t)key * n_pes) >> bits);
}

// The first key that goes to a PE.
static size_t first_of(size_t pe, size_t n_pes, unsigned bits) {
    return ((pe << bits) + n_pes - 1) / n_pes;
}

int main(int argc, char **argv) {
    shmem_init();
    size_t values[3] = {1 << 16, 3, 28};
    numbers(argc, argv, 3, (const char *const[]){"keys", "iterations", "bits"}, values);
    size_t keys_each = values[0], iterations = values[1];
    if (values[2] > 32) {
        if (shmem_my_pe() == 0)
            fprintf(stderr, "isx: bits is a number from 1 to 32, not %zu\n", values[2]);
        shmem_global_exit(1);
    }
    unsigned bits = (unsigned)values[2];
    size_t me = (size_t)shmem_my_pe(), n_pes = (size_t)shmem_n_pes();
    size_t first = first_of(me, n_pes, bits), width = first_of(me + 1, n_pes, bits) - first;

    size_t room = keys_each + keys_each / 4 + 64;
    uint32_t *bucket = existing(shmem_malloc(room * sizeof *bucket));
    // How much room is reserved; the sums of the check.
    long long *reserved = existing(shmem_calloc(1, sizeof *reserved));
    long long *sums = existing(shmem_calloc(3, sizeof *sums));
    double *times = existing(shmem_calloc(n_pes, sizeof *times));
    uint32_t *keys = existing(malloc(keys_each * sizeof *keys));
    uint32_t *piles = existing(malloc(keys_each * sizeof *piles));
    uint32_t *counts = existing(malloc(width * sizeof *counts));
    size_t *places = existing(malloc(n_pes * sizeof *places));
    double seconds = 0;

    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        *reserved = 0;
        shmem_barrier_all();
        double start = now();

        Pcg32 random = pcg32_new(me);
        for (size_t i = 0; i < keys_each; i++)
            keys[i] = pcg32_next(&random) >> (32 - bits);

        memset(places, 0, n_pes * sizeof *places);
        for (size_t i = 0; i < keys_each; i++)
            places[pe_of(keys[i], n_pes, bits)]++;
        size_t begin = 0;
        for (size_t pe = 0; pe < n_pes; pe++) {
            size_t size = places[pe];
            places[pe] = begin;
            begin += size;
        }
        for (size_t i = 0; i < keys_each; i++)
            piles[places[pe_of(keys[i], n_pes, bits)]++] = keys[i];

        for (size_t step = 0; step < n_pes; step++) {
            size_t pe = (me + step) % n_pes;
            size_t begin = pe == 0 ? 0 : places[pe - 1], size = places[pe] - begin;
            size_t start = (size_t)shmem_longlong_atomic_fetch_add(reserved, (long long)size, (int)pe);
            if (start + size > room) {
                fprintf(stderr, "isx: the bucket of PE %zu has no room for all keys\n", pe);
                shmem_global_exit(1);
            }
            shmem_putmem(bucket + start, piles + begin, size * sizeof *piles, (int)pe);
        }
        shmem_barrier_all();

        size_t received = (size_t)*reserved;
        memset(counts, 0, width * sizeof *counts);
        for (size_t i = 0; i < received; i++)
            counts[bucket[i] - first]++;
        shmem_barrier_all();
        if (iteration > 0)
            seconds += now() - start;
    }

    size_t received = (size_t)*reserved, counted = 0;
    long long made = 0, sum = 0;
    for (size_t i = 0; i < received; i++) {
        if (bucket[i] < first || bucket[i] - first >= width) {
            fprintf(stderr, "isx: PE %zu holds the key %" PRIu32 ", which is not its own\n", me, bucket[i]);
            shmem_global_exit(1);
        }
    }
    for (size_t i = 0; i < width; i++) {
        counted += counts[i];
        sum += (long long)((first + i) * counts[i]);
    }
    if (counted != received) {
        fprintf(stderr, "isx: PE %zu holds %zu keys, and counted %zu\n", me, received, counted);
        shmem_global_exit(1);
    }
    for (size_t i = 0; i < keys_each; i++)
        made += keys[i];
    shmem_longlong_atomic_add(&sums[0], (long long)received, 0);
    shmem_longlong_atomic_add(&sums[1], made, 0);
    shmem_longlong_atomic_add(&sums[2], sum, 0);
    shmem_double_p(&times[me], seconds, 0);
    shmem_barrier_all();
    if (me == 0) {
        if ((size_t)sums[0] != keys_each * n_pes || sums[1] != sums[2]) {
            fprintf(stderr, "isx: %zu keys have the sum %lld, and %lld in the buckets the sum %lld\n",
                    keys_each * n_pes, sums[1], sums[0], sums[2]);
            shmem_global_exit(1);
        }
        for (size_t pe = 0; pe < n_pes; pe++)
            seconds = times[pe] > seconds ? times[pe] : seconds;
        double each = seconds / (double)iterations;
        printf("%lld keys of %u bits on %zu PEs: all in their buckets, their sum is %lld\n", sums[0], bits,
               n_pes, sums[2]);
        printf("isx: %.4f Mkeys/s, %.6f s an iteration\n", (double)sums[0] / each / 1e6, each);
    }
    shmem_finalize();
    return 0;
}
