/* Random updates of a table that lies on all PEs: the RandomAccess kernel of the HPC Challenge benchmarks.
 *
 * The heading of examples/examples/gups.rs tells what it does, what the argument is, and how it is
 * checked. */

#include "random_access.h"

/* Updates for each word of the table. */
enum { UPDATES = 4 };

/* A polynomial over GF(2), a bit for each coefficient, times x, modulo x^64 + x^2 + x + 1. */
static unsigned long next(unsigned long random) {
    return (random << 1) ^ ((random >> 63) * 7);
}

/* The power of x with this exponent, which is the number that the stream has there. */
static unsigned long power(unsigned long exponent) {
    /* Squaring doubles exponents: each coefficient at x^i goes to x^2i. */
    unsigned long doubled[64] = {1};
    for (int i = 1; i < 64; i++) {
        doubled[i] = next(next(doubled[i - 1]));
    }
    unsigned long result = 1;
    for (int bit = 63; bit >= 0; bit--) {
        unsigned long square = 0;
        for (int i = 0; i < 64; i++) {
            square ^= (result >> i & 1) * doubled[i];
        }
        result = exponent >> bit & 1 ? next(square) : square;
    }
    return result;
}

/* This PE's part of all updates, of a table with 2^log2 words on each PE. */
static void update(unsigned long *table, int log2) {
    unsigned long words = 1UL << log2;
    unsigned long total = words * (unsigned long)shmem_n_pes();
    unsigned long updates = UPDATES * words;
    unsigned long random = power(updates * (unsigned long)shmem_my_pe());
    for (unsigned long i = 0; i < updates; i++) {
        random = next(random);
        unsigned long index = (unsigned long)((unsigned __int128)random * total >> 64);
        shmem_ulong_atomic_xor(&table[index & (words - 1)], random, (int)(index >> log2));
    }
}

int main(int argc, char **argv) {
    shmem_init();
    unsigned long me = (unsigned long)shmem_my_pe();
    unsigned long n_pes = (unsigned long)shmem_n_pes();
    unsigned long numbers[] = {14};
    read_numbers(argc, argv, 1, (const char *const[]){"log2_words"}, numbers);
    int log2 = (int)numbers[0];
    if (numbers[0] > 40) {
        fail("log2_words is 40 at most, not %lu: each PE has 2^log2_words words", numbers[0]);
    }

    unsigned long words = 1UL << log2;
    unsigned long *table = allocate(words);
    for (unsigned long i = 0; i < words; i++) {
        table[i] = me * words + i;
    }

    shmem_barrier_all();
    double start = now();
    update(table, log2);
    shmem_barrier_all();
    double seconds = now() - start;

    unsigned long checksum = 0; /* depends on where each word is */
    for (unsigned long i = 0; i < words; i++) {
        checksum += table[i] * ((me * words + i) | 1);
    }
    static unsigned long checksums, wrongs;
    checksum = sum(&checksums, checksum);

    update(table, log2);
    shmem_barrier_all();
    unsigned long wrong = 0;
    for (unsigned long i = 0; i < words; i++) {
        wrong += table[i] != me * words + i;
    }
    wrong = sum(&wrongs, wrong);
    if (wrong > 0) {
        fail("%lu of %lu words are wrong after all updates and their inverses", wrong, words * n_pes);
    }

    if (me == 0) {
        unsigned long updates = UPDATES * words * n_pes;
        printf("%lu updates of %lu words on %lu PEs: all were undone again\n", updates, words * n_pes,
               n_pes);
        printf("checksum before that: %lu\n", checksum);
        printf("gups: %.8f GUP/s, %.6f s for all updates\n", (double)updates / seconds / 1e9, seconds);
    }
    shmem_finalize();
    return 0;
}
