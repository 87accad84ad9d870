/* Random reads of a table that lies on all PEs, bale's ig (J. Devinney and others, 2020), in C: the same
   computation as in examples/examples/bale_ig.rs, and described there.

   oshcc -O3 -std=c11 -Wall -Wextra bale_ig.c -lm && oshrun -np 2 ./a.out [gets] [table_words] */

#include "bale.h"

int main(int argc, char **argv) {
    shmem_init();
    argument arguments[] = {{"gets", 100000}, {"table_words", 1000}};
    numbers(argc, argv, arguments, 2);
    size_t gets = arguments[0].value, words = arguments[1].value;
    size_t me = shmem_my_pe(), n_pes = shmem_n_pes(), all = gets * n_pes;

    long *table = symmetric_memory(words, sizeof *table);
    for (size_t k = 0; k < words; k++) table[k] = -(long)(k * n_pes + me + 1);
    entry *entries = random_entries(gets, words);
    long *targets = private_memory(gets, sizeof *targets);
    for (size_t k = 0; k < gets; k++) targets[k] = 1; /* else its pages are made in the time that is taken */

    shmem_barrier_all();
    double start = seconds();
    for (size_t k = 0; k < gets; k++)
        shmem_long_get_nbi(&targets[k], &table[entries[k].place], 1, entries[k].pe);
    shmem_quiet();
    shmem_barrier_all();
    double took = mean_of_all(seconds() - start);

    size_t wrong = 0;
    long checksum = 0;
    for (size_t k = 0; k < gets; k++) {
        wrong += targets[k] != -(long)(entries[k].place * n_pes + entries[k].pe + 1);
        checksum += targets[k];
    }
    wrong = count_of_all(wrong);
    if (wrong > 0) ALL_FAIL("%zu of %zu gets brought another value than that of their index", wrong, all);
    checksum = count_of_all(checksum);

    if (me == 0) {
        printf("%zu gets from %zu words on %zu PEs: all brought what they should\n", all, words * n_pes,
               n_pes);
        printf("sum of all that was got: %ld\n", checksum);
        report("bale_ig", (double)all * 1e-6, "Mgets/s", took, "for all gets");
    }
    shmem_finalize();
    return 0;
}
