//! Locks of 8 bytes, as C has them.

use std::panic::Location;

use super::Member;
use crate::lock::PackedLock;
use crate::runtime::direct;
use crate::runtime::region::Region;

impl Member {
    /// Waits for the lock that the 8 bytes at `offset` of all PEs are (`shmem_set_lock`). It begins
    /// as zeros. First come, first served; threads of a PE, up to 255, take turns.
    ///
    /// # Safety
    ///
    /// The bytes are in claimed memory, or in memory of the process that is symmetric where it is,
    /// and only these functions access them.
    ///
    /// # Panics
    ///
    /// When they are outside of symmetric memory, and when they are not aligned to 8.
    #[track_caller]
    pub unsafe fn lock(&self, offset: usize) {
        self.packed(offset).lock(Location::caller());
    }

    /// Takes the lock if it is free, and returns whether it was (`shmem_test_lock`). Never waits.
    ///
    /// # Safety
    ///
    /// As [`lock`](Member::lock).
    ///
    /// # Panics
    ///
    /// As `lock`.
    #[must_use]
    #[track_caller]
    pub unsafe fn try_lock(&self, offset: usize) -> bool {
        self.packed(offset).try_lock(Location::caller())
    }

    /// Completes the operations of the default context, and gives the lock to the next who waits for
    /// it (`shmem_clear_lock`).
    ///
    /// # Safety
    ///
    /// As [`lock`](Member::lock).
    ///
    /// # Panics
    ///
    /// As `lock`; also when this PE does not have the lock.
    #[track_caller]
    pub unsafe fn unlock(&self, offset: usize) {
        self.packed(offset).unlock();
    }

    #[track_caller]
    fn packed(&self, offset: usize) -> PackedLock {
        let what = &"the lock";
        self.check(direct::my_pe(), &Region::one(offset), 8, what);
        assert!(offset.is_multiple_of(8), "{what} does not lie at a multiple of 8");
        PackedLock::at(offset)
    }
}
