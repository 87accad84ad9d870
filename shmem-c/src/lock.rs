//! Locks.

use std::ffi::{c_int, c_long};

use crate::job::{member, offset};

/// `shmem_set_lock`.
pub(crate) unsafe fn set(lock: *mut c_long) {
    let member = member();
    // SAFETY: the caller's promise.
    unsafe { member.lock(offset(member, lock.cast(), "lock")) }
}

/// `shmem_test_lock`: 0 where this PE has the lock now.
pub(crate) unsafe fn test(lock: *mut c_long) -> c_int {
    let member = member();
    // SAFETY: the caller's promise.
    (!unsafe { member.try_lock(offset(member, lock.cast(), "lock")) }).into()
}

/// `shmem_clear_lock`.
pub(crate) unsafe fn clear(lock: *mut c_long) {
    let member = member();
    // SAFETY: the caller's promise.
    unsafe { member.unlock(offset(member, lock.cast(), "lock")) }
}
