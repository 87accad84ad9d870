/* What the kernels of bale share: random entries of a table that lies on all PEs. */

#ifndef BALE_H
#define BALE_H

#include "kernel.h"

/* An entry of a table that is dealt like cards: entry i lies on PE i % n, at place i / n. */
typedef struct {
    size_t pe, place;
} entry;

/* `count` random entries of a table with `words` words on each PE, others on each PE: by wyrand (Wang Yi,
   2019). */
static inline entry *random_entries(size_t count, size_t words) {
    size_t n_pes = shmem_n_pes();
    entry *entries = private_memory(count, sizeof *entries);
    uint64_t state = shmem_my_pe();
    for (size_t k = 0; k < count; k++) {
        state += 0x2d358dccaa6c78a5;
        unsigned __int128 product = (unsigned __int128)state * (state ^ 0x8bb84b93962eacc9);
        uint64_t random = (uint64_t)product ^ (uint64_t)(product >> 64);
        size_t index = (unsigned __int128)random * (words * n_pes) >> 64;
        entries[k] = (entry){index % n_pes, index / n_pes};
    }
    return entries;
}

/* The mean of the times that the PEs give. Collective. */
static inline double mean_of_all(double took) {
    return sum_of_all(took) / shmem_n_pes();
}

#endif
