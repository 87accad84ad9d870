/* ISx, a scalable integer sort (U. Hanebutte and J. Hemstad, PGAS 2015), in C: the same computation as in
   examples/examples/isx.rs, and described there.

   oshcc -O3 -std=c11 -Wall -Wextra isx.c -lm && oshrun -np 2 ./a.out [keys] [iterations] [bits] */

#include "kernel.h"

/* PCG32, M. E. O'Neill's generator with a state of 64 bits and 32 bits of output (XSH RR), of 2014. */
typedef struct {
    uint64_t state, increment;
} pcg32;

static inline uint32_t pcg32_next(pcg32 *random) {
    uint64_t old = random->state;
    random->state = old * UINT64_C(6364136223846793005) + random->increment;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (mixed >> turn) | (mixed << (-turn & 31));
}

static pcg32 pcg32_new(uint64_t number) {
    pcg32 random = {0, (number << 1) | 1};
    pcg32_next(&random);
    random.state += number;
    pcg32_next(&random);
    return random;
}

static inline size_t pe_of(uint32_t key, size_t n_pes, unsigned bits) {
    return (size_t)(((uint64_t)key * n_pes) >> bits);
}

/* The first key that goes to a PE. */
static size_t first_of(size_t pe, size_t n_pes, unsigned bits) {
    return ((pe << bits) + n_pes - 1) / n_pes;
}

int main(int argc, char **argv) {
    shmem_init();
    argument arguments[] = {{"keys", 1 << 16}, {"iterations", 3}, {"bits", 28}};
    numbers(argc, argv, arguments, 3);
    size_t keys_each = arguments[0].value, iterations = arguments[1].value, bits = arguments[2].value;
    if (bits > 32) ALL_FAIL("bits is a number from 1 to 32, not %zu", bits);
    size_t me = shmem_my_pe(), n_pes = shmem_n_pes();
    size_t first = first_of(me, n_pes, bits), width = first_of(me + 1, n_pes, bits) - first;

    size_t room = keys_each + keys_each / 4 + 64;
    uint32_t *bucket = symmetric_memory(room, sizeof *bucket);
    unsigned long *reserved = symmetric_memory(1, sizeof *reserved); /* how much of the bucket */
    uint32_t *keys = private_memory(keys_each, sizeof *keys);
    uint32_t *piles = private_memory(keys_each, sizeof *piles);
    uint32_t *counts = private_memory(MAX(width, 1), sizeof *counts);
    size_t *places = private_memory(n_pes, sizeof *places);
    double took = 0.0;

    for (size_t iteration = 0; iteration <= iterations; iteration++) {
        *reserved = 0;
        shmem_barrier_all();
        double start = seconds();

        pcg32 random = pcg32_new(me);
        for (size_t i = 0; i < keys_each; i++) keys[i] = pcg32_next(&random) >> (32 - bits);

        memset(places, 0, n_pes * sizeof *places);
        for (size_t i = 0; i < keys_each; i++) places[pe_of(keys[i], n_pes, bits)]++;
        size_t begin = 0;
        for (size_t pe = 0; pe < n_pes; pe++) {
            size_t size = places[pe];
            places[pe] = begin;
            begin += size;
        }
        for (size_t i = 0; i < keys_each; i++) piles[places[pe_of(keys[i], n_pes, bits)]++] = keys[i];

        for (size_t step = 0; step < n_pes; step++) {
            size_t pe = (me + step) % n_pes;
            size_t begin = pe == 0 ? 0 : places[pe - 1], size = places[pe] - begin;
            size_t start = shmem_ulong_atomic_fetch_add(reserved, size, pe);
            if (start + size > room) FAIL("the bucket of PE %zu has no room for all keys", pe);
            shmem_putmem(bucket + start, piles + begin, size * sizeof *piles, pe);
        }
        shmem_barrier_all();

        size_t received = *reserved;
        memset(counts, 0, width * sizeof *counts);
        for (size_t i = 0; i < received; i++) counts[bucket[i] - first]++;
        shmem_barrier_all();
        if (iteration > 0) took += seconds() - start; /* the first was to warm up */
    }

    size_t received = *reserved, counted = 0;
    long sum = 0, made = 0;
    for (size_t i = 0; i < received; i++)
        if (bucket[i] < first || bucket[i] - first >= width)
            FAIL("PE %zu holds the key %u, which is not its own", me, bucket[i]);
    for (size_t i = 0; i < width; i++) {
        counted += counts[i];
        sum += (first + i) * counts[i];
    }
    if (counted != received) FAIL("PE %zu holds %zu keys, and counted %zu", me, received, counted);
    size_t total = count_of_all(received);
    if (total != keys_each * n_pes)
        ALL_FAIL("%zu keys were sorted, and %zu are in the buckets", keys_each * n_pes, total);
    for (size_t i = 0; i < keys_each; i++) made += keys[i];
    made = count_of_all(made);
    sum = count_of_all(sum);
    if (made != sum) ALL_FAIL("the sum of the keys was %ld, and is %ld in the buckets", made, sum);

    took = max_of_all(took) / (double)iterations;
    if (me == 0) {
        printf("%zu keys of %zu bits on %zu PEs: all in their buckets, their sum is %ld\n", total, bits,
               n_pes, sum);
        report("isx", (double)total * 1e-6, "Mkeys/s", took, "an iteration");
    }
    shmem_finalize();
    return 0;
}
