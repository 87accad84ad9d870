//! What holds of every library that the crate links, asked of the one that is installed. No job
//! runs: nothing is called.

#[cfg(no_library)]
#[test]
#[ignore = "built without an OpenSHMEM library, as DOCS_RS asks"]
fn built_without_a_library() {}

#[cfg(not(no_library))]
mod linked {
    use shmem_sys::*;

    #[test]
    fn required_functions_are_linked() {
        let addresses = [
            shmem_init_thread as *const () as usize,
            shmem_ctx_putmem_nbi as *const () as usize,
            shmem_ctx_iget128 as *const () as usize,
            shmem_ulonglong_atomic_compare_swap as *const () as usize,
            shmem_ctx_uint_atomic_fetch_xor as *const () as usize,
            shmem_uint64_wait_until as *const () as usize,
        ];
        for (index, address) in addresses.iter().enumerate() {
            assert_ne!(*address, 0);
            assert!(!addresses[..index].contains(address), "two functions at one address");
        }
    }

    /// Which these are is the library's affair. That this program was linked and loaded says that
    /// they are there.
    #[test]
    fn optional_functions_are_linked_where_they_are_there() {
        let addresses = [
            optional::shmem_barrier.map(|function| function as usize),
            optional::shmem_broadcast64.map(|function| function as usize),
            optional::shmem_long_sum_to_all.map(|function| function as usize),
            optional::shmem_team_sync.map(|function| function as usize),
            optional::shmem_broadcastmem.map(|function| function as usize),
            optional::shmem_uint64_sum_reduce.map(|function| function as usize),
            optional::shmem_pe_quiet.map(|function| function as usize),
            optional::SHMEM_TEAM_WORLD.map(|function| function as usize),
        ];
        assert!(addresses.iter().flatten().all(|address| *address != 0));
        assert_eq!(optional::shmem_team_split_strided.is_some(), optional::shmem_team_my_pe.is_some());
        assert_eq!(optional::SHMEM_SIGNAL_SET.is_some(), optional::SHMEM_SIGNAL_ADD.is_some());
    }

    #[test]
    fn constants_are_told_apart() {
        let comparisons =
            [SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE];
        for (index, comparison) in comparisons.iter().enumerate() {
            assert!(!comparisons[..index].contains(comparison), "{comparisons:?}");
        }
        let levels =
            [SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE];
        assert!(levels.is_sorted_by(|low, high| low < high), "{levels:?}");
        for size in [
            SHMEM_BARRIER_SYNC_SIZE,
            SHMEM_BCAST_SYNC_SIZE,
            SHMEM_COLLECT_SYNC_SIZE,
            SHMEM_REDUCE_SYNC_SIZE,
            SHMEM_ALLTOALL_SYNC_SIZE,
            SHMEM_REDUCE_MIN_WRKDATA_SIZE,
        ] {
            assert!(size > 0);
        }
    }

    #[test]
    fn the_default_context_is_one_value() {
        assert_eq!(ctx_default(), ctx_default());
    }

    #[test]
    fn the_launcher_is_a_program() {
        if let Some(launcher) = LAUNCHER {
            assert!(
                std::path::Path::new(launcher).is_file(),
                "{launcher} was there when the crate was built"
            );
        }
    }
}
