// The routines of NVSHMEM that kernels call, and the constants. RS_ROUTINE and RS_CONSTANT say what
// becomes of each.
RS_CONSTANT(NVSHMEM_CMP_EQ, 0)
RS_CONSTANT(NVSHMEM_CMP_NE, 1)
RS_CONSTANT(NVSHMEM_CMP_GT, 2)
RS_CONSTANT(NVSHMEM_CMP_LE, 3)
RS_CONSTANT(NVSHMEM_CMP_LT, 4)
RS_CONSTANT(NVSHMEM_CMP_GE, 5)
RS_CONSTANT(NVSHMEM_TEAM_WORLD, 0)
RS_ROUTINE(int, nvshmem_my_pe, (void))
RS_ROUTINE(int, nvshmem_n_pes, (void))
RS_ROUTINE(int, nvshmem_team_my_pe, (int))
RS_ROUTINE(int, nvshmem_team_n_pes, (int))
RS_ROUTINE(void, nvshmem_fence, (void))
RS_ROUTINE(void, nvshmem_quiet, (void))

#define RS_MOVE_ROUTINES(T, NAME, SCOPE) \
    RS_ROUTINE(void, NAME##_put##SCOPE, (T *, const T *, size_t, int)) \
    RS_ROUTINE(void, NAME##_get##SCOPE, (T *, const T *, size_t, int))
#define RS_ELEMENT_ROUTINES(T, NAME) \
    RS_ROUTINE(T, nvshmem_##NAME##_g, (const T *, int)) \
    RS_ROUTINE(void, nvshmem_##NAME##_p, (T *, const T, int)) \
    RS_MOVE_ROUTINES(T, nvshmem_##NAME, ) \
    RS_MOVE_ROUTINES(T, nvshmemx_##NAME, _warp) \
    RS_MOVE_ROUTINES(T, nvshmemx_##NAME, _block)
// The device library has nothing for `signed char`.
RS_ELEMENT_ROUTINES(char, char)
RS_ELEMENT_ROUTINES(short, short)
RS_ELEMENT_ROUTINES(int, int)
RS_ELEMENT_ROUTINES(long, long)
RS_ELEMENT_ROUTINES(long long, longlong)
RS_ELEMENT_ROUTINES(unsigned char, uchar)
RS_ELEMENT_ROUTINES(unsigned short, ushort)
RS_ELEMENT_ROUTINES(unsigned int, uint)
RS_ELEMENT_ROUTINES(unsigned long, ulong)
RS_ELEMENT_ROUTINES(unsigned long long, ulonglong)
RS_ELEMENT_ROUTINES(float, float)
RS_ELEMENT_ROUTINES(double, double)
#undef RS_ELEMENT_ROUTINES
#undef RS_MOVE_ROUTINES

#define RS_CELL_ROUTINES(T, NAME) \
    RS_ROUTINE(T, nvshmem_##NAME##_atomic_fetch, (const T *, int)) \
    RS_ROUTINE(void, nvshmem_##NAME##_atomic_set, (T *, T, int)) \
    RS_ROUTINE(T, nvshmem_##NAME##_atomic_swap, (T *, T, int)) \
    RS_ROUTINE(T, nvshmem_##NAME##_atomic_compare_swap, (T *, T, T, int)) \
    RS_ROUTINE(void, nvshmem_##NAME##_atomic_add, (T *, T, int)) \
    RS_ROUTINE(T, nvshmem_##NAME##_atomic_fetch_add, (T *, T, int)) \
    RS_ROUTINE(void, nvshmem_##NAME##_atomic_and, (T *, T, int)) \
    RS_ROUTINE(T, nvshmem_##NAME##_atomic_fetch_and, (T *, T, int)) \
    RS_ROUTINE(void, nvshmem_##NAME##_atomic_or, (T *, T, int)) \
    RS_ROUTINE(T, nvshmem_##NAME##_atomic_fetch_or, (T *, T, int)) \
    RS_ROUTINE(void, nvshmem_##NAME##_atomic_xor, (T *, T, int)) \
    RS_ROUTINE(T, nvshmem_##NAME##_atomic_fetch_xor, (T *, T, int))
RS_CELL_ROUTINES(unsigned int, uint)
RS_CELL_ROUTINES(unsigned long long, ulonglong)
#undef RS_CELL_ROUTINES

#define RS_WAIT_ROUTINES(T, NAME) RS_ROUTINE(void, nvshmem_##NAME##_wait_until, (T *, int, T))
RS_WAIT_ROUTINES(int, int)
RS_WAIT_ROUTINES(unsigned int, uint)
RS_WAIT_ROUTINES(long, long)
RS_WAIT_ROUTINES(unsigned long, ulong)
RS_WAIT_ROUTINES(long long, longlong)
RS_WAIT_ROUTINES(unsigned long long, ulonglong)
#undef RS_WAIT_ROUTINES
