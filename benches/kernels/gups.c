/* Random updates of a table that lies on all PEs, RandomAccess of the HPC Challenge benchmarks (D. Koester
   and R. Lucas, 2005), in C: the same computation as in examples/examples/gups.rs, and described there.

   oshcc -O3 -std=c11 -Wall -Wextra gups.c -lm && oshrun -np 2 ./a.out [log2_words] */

#include "kernel.h"

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
    size_t words = (size_t)1 << log2, total = words * shmem_n_pes(), updates = UPDATES * words;
    unsigned long random = power(updates * shmem_my_pe());
    for (size_t i = 0; i < updates; i++) {
        random = next(random);
        size_t index = (unsigned __int128)random * total >> 64;
        shmem_ulong_atomic_xor(&table[index & (words - 1)], random, index >> log2);
    }
}

int main(int argc, char **argv) {
    shmem_init();
    argument arguments[] = {{"log2_words", 14}};
    numbers(argc, argv, arguments, 1);
    size_t log2 = arguments[0].value;
    if (log2 > 40) ALL_FAIL("log2_words is 40 at most, not %zu: each PE has 2^log2_words words", log2);
    size_t me = shmem_my_pe(), n_pes = shmem_n_pes(), words = (size_t)1 << log2;

    unsigned long *table = symmetric_memory(words, sizeof *table);
    for (size_t i = 0; i < words; i++) table[i] = me * words + i;

    shmem_barrier_all();
    double start = seconds();
    update(table, log2);
    shmem_barrier_all();
    double took = seconds() - start;

    unsigned long checksum = 0; /* depends on where each word is */
    for (size_t i = 0; i < words; i++) checksum += table[i] * ((me * words + i) | 1);
    checksum = count_of_all(checksum);

    update(table, log2);
    shmem_barrier_all();
    size_t wrong = 0;
    for (size_t i = 0; i < words; i++) wrong += table[i] != me * words + i;
    wrong = count_of_all(wrong);
    if (wrong > 0)
        ALL_FAIL("%zu of %zu words are wrong after all updates and their inverses", wrong, words * n_pes);

    if (me == 0) {
        size_t updates = UPDATES * words * n_pes;
        printf("%zu updates of %zu words on %zu PEs: all were undone again\n", updates, words * n_pes, n_pes);
        printf("checksum before that: %lu\n", checksum);
        report("gups", (double)updates * 1e-9, "GUP/s", took, "for all updates");
    }
    shmem_finalize();
    return 0;
}
