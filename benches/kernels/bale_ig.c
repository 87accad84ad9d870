/* Random reads of a table that lies on all PEs: bale's ig (index gather), in its model of single gets.
 *
 * The heading of examples/examples/bale_ig.rs tells what it does, what the arguments are, and how it is
 * checked. */

#include "random_access.h"

int main(int argc, char **argv) {
    shmem_init();
    unsigned long me = (unsigned long)shmem_my_pe();
    unsigned long n_pes = (unsigned long)shmem_n_pes();
    unsigned long numbers[] = {100000, 1000};
    read_numbers(argc, argv, 2, (const char *const[]){"gets", "table_words"}, numbers);
    unsigned long gets = numbers[0], words = numbers[1];

    long *table = allocate(words);
    for (unsigned long i = 0; i < words; i++) {
        table[i] = -(long)(i * n_pes + me + 1);
    }
    struct entry *entries = random_entries(gets, words);
    long *targets = malloc(gets * sizeof *targets);
    if (targets == NULL) {
        fail("no memory for %lu targets", gets);
    }
    for (unsigned long i = 0; i < gets; i++) {
        targets[i] = 1; /* else its pages are made in the time that is taken */
    }

    shmem_barrier_all();
    double start = now();
    for (unsigned long i = 0; i < gets; i++) {
        shmem_long_get_nbi(&targets[i], &table[entries[i].place], 1, (int)entries[i].pe);
    }
    shmem_quiet();
    shmem_barrier_all();
    static unsigned long times, wrongs, checksums;
    double seconds = mean_time(&times, now() - start);

    unsigned long wrong = 0, checksum = 0;
    for (unsigned long i = 0; i < gets; i++) {
        wrong += targets[i] != -(long)(entries[i].place * n_pes + entries[i].pe + 1);
        checksum += (unsigned long)targets[i];
    }
    wrong = sum(&wrongs, wrong);
    if (wrong > 0) {
        fail("%lu of %lu gets brought another value than that of their index", wrong, gets * n_pes);
    }
    checksum = sum(&checksums, checksum);

    if (me == 0) {
        unsigned long all = gets * n_pes;
        printf("%lu gets from %lu words on %lu PEs: all brought what they should\n", all, words * n_pes,
               n_pes);
        printf("sum of all that was got: %ld\n", (long)checksum);
        printf("bale_ig: %.4f Mgets/s, %.6f s for all gets\n", (double)all / seconds / 1e6, seconds);
    }
    shmem_finalize();
    return 0;
}
