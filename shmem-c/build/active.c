
/* Active sets: their members make a team, the first time, and the library keeps it. */

shmem_team_t libshmem_active_set(const char *routine, int PE_start, int logPE_stride, int PE_size, long *pSync);
void libshmem_active_set_end(void);
int libshmem_broadcast(shmem_team_t team, void *dest, const void *source, size_t nelems, size_t elem, int root);

/* The call on `team`, that of the active set. The name of the function begins with a p. */
#define ON_ACTIVE_SET(call)                                                                                 \
    shmem_team_t team = libshmem_active_set(__func__ + 1, PE_start, logPE_stride, PE_size, pSync);          \
    call;                                                                                                   \
    libshmem_active_set_end()
