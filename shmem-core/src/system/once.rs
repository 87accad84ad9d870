//! A process's place in a job, which it can take once, and may fail to take.

use once_cell::sync::OnceCell;

use crate::system::error::Error;

/// Makes the value of `cell`. Of several threads that call it, one makes the value, and the others
/// wait. They fail if it succeeds, and may try themselves if it fails.
pub(crate) fn join<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    let mut made_here = false;
    let value = cell.get_or_try_init(|| {
        made_here = true;
        make()
    })?;
    if made_here {
        Ok(value)
    } else {
        // Without this check a PE would take itself for a supervisor, and start more PEs, which
        // would do the same.
        Err(Error::Job {
            reason: String::from(
                "a process joins only one job: the function that is marked #[shmem::main] was called a second time",
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Many threads call at once, and the first ones fail: exactly one succeeds, and no other makes
    /// a value after it.
    #[test]
    fn of_many_threads_one_joins() {
        for failures in [0, 1, 5] {
            let (cell, made, joined) = (OnceCell::new(), AtomicUsize::new(0), AtomicUsize::new(0));
            let start = Barrier::new(16);
            std::thread::scope(|scope| {
                for _ in 0..16 {
                    scope.spawn(|| {
                        start.wait();
                        let result = join(&cell, || {
                            if made.fetch_add(1, Ordering::Relaxed) < failures {
                                return Err(Error::Job { reason: String::from("not yet") });
                            }
                            std::thread::yield_now();
                            Ok(7)
                        });
                        joined.fetch_add(usize::from(result.is_ok()), Ordering::Relaxed);
                    });
                }
            });
            assert_eq!(cell.get(), Some(&7));
            assert_eq!((made.into_inner(), joined.into_inner()), (failures + 1, 1));
        }
    }
}
