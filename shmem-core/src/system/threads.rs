//! How many threads may call the library, and whether this process has more than one.

/// How many threads of a PE may call the library: the result of
/// [`World::thread_level`](crate::World::thread_level).
///
/// Each level allows what those before it allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadLevel {
    /// A PE has one thread.
    #[doc(alias = "SHMEM_THREAD_SINGLE")]
    Single,
    /// A PE has many threads, and the main one calls.
    #[doc(alias = "SHMEM_THREAD_FUNNELED")]
    Funneled,
    /// Any thread calls, one at a time.
    #[doc(alias = "SHMEM_THREAD_SERIALIZED")]
    Serialized,
    /// Any threads call at any time.
    #[doc(alias = "SHMEM_THREAD_MULTIPLE")]
    Multiple,
}

/// Whether the calling thread is the only one of this process; false where the system does not
/// report it.
///
/// True stays true until the calling thread starts another one.
pub(crate) fn is_only_thread() -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    // One entry for each thread that has not ended, the caller's among them.
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return false;
    };
    let mut found = 0;
    for thread in threads {
        if thread.is_err() {
            return false;
        }
        found += 1;
    }
    found == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_thread_is_noticed() {
        // The test harness may have threads of its own or not; with the thread below there are at
        // least two.
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || receiver.recv());
            assert!(!is_only_thread());
            drop(sender);
        });
    }
}
