/* A histogram in a table that lies on all PEs, bale's histo (J. Devinney and others, 2020), in C: the same
   computation as in examples/examples/bale_histo.rs, and described there.

   oshcc -O3 -std=c11 -Wall -Wextra bale_histo.c -lm && oshrun -np 2 ./a.out [updates] [table_words] */

#include "bale.h"

int main(int argc, char **argv) {
    shmem_init();
    argument arguments[] = {{"updates", 100000}, {"table_words", 1000}};
    numbers(argc, argv, arguments, 2);
    size_t updates = arguments[0].value, words = arguments[1].value;
    size_t n_pes = shmem_n_pes(), all = updates * n_pes;

    unsigned long *table = symmetric_memory(words, sizeof *table);
    entry *entries = random_entries(updates, words);

    shmem_barrier_all();
    double start = seconds();
    for (size_t k = 0; k < updates; k++) shmem_ulong_atomic_inc(&table[entries[k].place], entries[k].pe);
    shmem_barrier_all();
    double took = mean_of_all(seconds() - start);

    size_t held = 0;
    for (size_t k = 0; k < words; k++) held += table[k];
    held = count_of_all(held);
    if (held != all) ALL_FAIL("the table counts %zu updates, and %zu were made", held, all);

    for (size_t k = 0; k < updates; k++)
        shmem_ulong_atomic_add(&table[entries[k].place], -1UL, entries[k].pe);
    shmem_barrier_all();
    size_t wrong = 0;
    for (size_t k = 0; k < words; k++) wrong += table[k] != 0;
    wrong = count_of_all(wrong);
    if (wrong > 0) ALL_FAIL("%zu words are not 0 after all updates were taken back", wrong);

    if (shmem_my_pe() == 0) {
        printf("%zu updates of %zu words on %zu PEs: all were taken back\n", all, words * n_pes, n_pes);
        report("bale_histo", (double)all * 1e-6, "Mupdates/s", took, "for all updates");
    }
    shmem_finalize();
    return 0;
}
