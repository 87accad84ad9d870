//! Handles of teams and contexts: numbers that say which entry of a table is meant, so a handle that
//! is not valid is found.

use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A handle as C has it.
pub(crate) type Handle = usize;

/// `SHMEM_CTX_INVALID` and `SHMEM_TEAM_INVALID`.
pub(crate) const INVALID: Handle = 0;
/// `SHMEM_CTX_DEFAULT`.
pub(crate) const DEFAULT: Handle = 1;
/// `SHMEM_TEAM_WORLD`.
pub(crate) const WORLD: Handle = 0x1_0001;
/// `SHMEM_TEAM_SHARED`.
pub(crate) const SHARED: Handle = 0x1_0002;

/// How many teams, and how many contexts, a PE can have.
const MOST: usize = 4096;

/// The values of one kind of handle.
pub(crate) struct Table<T: 'static> {
    first: Handle,
    entries: [AtomicPtr<T>; MOST],
    /// Entries are made and taken one at a time.
    one_at_a_time: Mutex<()>,
}

impl<T: Send + Sync> Table<T> {
    /// A table whose handles begin with `first`.
    pub(crate) const fn new(first: Handle) -> Table<T> {
        Table {
            first,
            entries: [const { AtomicPtr::new(ptr::null_mut()) }; MOST],
            one_at_a_time: Mutex::new(()),
        }
    }

    /// Makes a handle; `None` when there are too many.
    pub(crate) fn insert(&self, value: T) -> Option<Handle> {
        let _guard = self.one_at_a_time.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let free = self.entries.iter().position(|entry| entry.load(Ordering::Relaxed).is_null())?;
        self.entries[free].store(Box::into_raw(Box::new(value)), Ordering::Release);
        Some(self.first + free)
    }

    /// The value of a handle.
    ///
    /// # Safety
    ///
    /// As C has it: no other thread takes the handle while the value is used.
    #[inline]
    pub(crate) unsafe fn get(&self, handle: Handle) -> Option<&T> {
        let entry = self.entries.get(handle.wrapping_sub(self.first))?.load(Ordering::Acquire);
        // SAFETY: null, or a value that `insert` has leaked and nobody has taken, by the caller's
        // promise.
        unsafe { entry.as_ref() }
    }

    /// Takes the value of a handle, which is not valid afterwards.
    pub(crate) fn take(&self, handle: Handle) -> Option<Box<T>> {
        let entry = self.entries.get(handle.wrapping_sub(self.first))?;
        let value = entry.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: `insert` has leaked it, and the swap has given it to this thread alone.
        (!value.is_null()).then(|| unsafe { Box::from_raw(value) })
    }

    /// Takes all values that `chosen` chooses.
    ///
    /// # Safety
    ///
    /// As [`get`](Table::get), for all handles.
    pub(crate) unsafe fn take_all(&self, chosen: impl Fn(&T) -> bool) {
        for handle in self.first..self.first + MOST {
            // SAFETY: the caller's promise.
            if unsafe { self.get(handle) }.is_some_and(&chosen) {
                drop(self.take(handle));
            }
        }
    }
}
