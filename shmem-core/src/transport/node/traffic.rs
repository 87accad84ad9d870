//! How much a PE communicates, in memory that the supervisor reads while the job runs.
//!
//! A PE writes it in a run that counts (`SHMEM_STATS`).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The counts of one PE. Zeros are its first state.
#[repr(C, align(64))]
pub(crate) struct Traffic {
    is_counted: AtomicU32,
    calls: AtomicU64,
    bytes: AtomicU64,
}

/// The counts at one time: the operations on any PE, the collective calls, and the bytes of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transferred {
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
}

impl Traffic {
    /// Begins to count, from zero.
    pub(crate) fn begin(&self) {
        self.calls.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
        self.is_counted.store(1, Ordering::Release);
    }

    /// Counts `calls` that moved so many bytes.
    pub(crate) fn add(&self, calls: u64, bytes: u64) {
        self.calls.fetch_add(calls, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The counts; `None` in a run that does not count.
    pub(crate) fn read(&self) -> Option<Transferred> {
        (self.is_counted.load(Ordering::Acquire) != 0).then(|| Transferred {
            calls: self.calls.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_read() {
        // SAFETY: made of atomic integers, for which zeros are values.
        let traffic: Box<Traffic> = unsafe { Box::new(std::mem::zeroed()) };
        traffic.add(1, 8);
        assert_eq!(traffic.read(), None);
        traffic.begin();
        assert_eq!(traffic.read(), Some(Transferred { calls: 0, bytes: 0 }));
        traffic.add(1, 8);
        traffic.add(2, 30);
        assert_eq!(traffic.read(), Some(Transferred { calls: 3, bytes: 38 }));
    }
}
