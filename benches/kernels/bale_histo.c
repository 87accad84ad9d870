/* A histogram in a table that lies on all PEs: bale's histo, in its model of single atomic updates.
 *
 * The heading of examples/examples/bale_histo.rs tells what it does, what the arguments are, and how it is
 * checked. */

#include "random_access.h"

int main(int argc, char **argv) {
    shmem_init();
    unsigned long me = (unsigned long)shmem_my_pe();
    unsigned long n_pes = (unsigned long)shmem_n_pes();
    unsigned long numbers[] = {100000, 1000};
    read_numbers(argc, argv, 2, (const char *const[]){"updates", "table_words"}, numbers);
    unsigned long updates = numbers[0], words = numbers[1];

    unsigned long *table = allocate(words);
    for (unsigned long i = 0; i < words; i++) {
        table[i] = 0;
    }
    struct entry *entries = random_entries(updates, words);

    shmem_barrier_all();
    double start = now();
    for (unsigned long i = 0; i < updates; i++) {
        shmem_ulong_atomic_inc(&table[entries[i].place], (int)entries[i].pe);
    }
    shmem_barrier_all();
    static unsigned long times, helds, wrongs;
    double seconds = mean_time(&times, now() - start);

    unsigned long held = 0;
    for (unsigned long i = 0; i < words; i++) {
        held += table[i];
    }
    held = sum(&helds, held);
    if (held != updates * n_pes) {
        fail("the table counts %lu updates, and %lu were made", held, updates * n_pes);
    }

    for (unsigned long i = 0; i < updates; i++) {
        shmem_ulong_atomic_add(&table[entries[i].place], -1UL, (int)entries[i].pe);
    }
    shmem_barrier_all();
    unsigned long wrong = 0;
    for (unsigned long i = 0; i < words; i++) {
        wrong += table[i] != 0;
    }
    wrong = sum(&wrongs, wrong);
    if (wrong > 0) {
        fail("%lu words are not 0 after all updates were taken back", wrong);
    }

    if (me == 0) {
        unsigned long all = updates * n_pes;
        printf("%lu updates of %lu words on %lu PEs: all were taken back\n", all, words * n_pes, n_pes);
        printf("bale_histo: %.4f Mupdates/s, %.6f s for all updates\n", (double)all / seconds / 1e6, seconds);
    }
    shmem_finalize();
    return 0;
}
