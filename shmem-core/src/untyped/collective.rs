//! Collectives as only C has them.

use super::{Many, Member};
use crate::collective::Moved;
use crate::{Remote, Team};

impl Member {
    /// As [`Team::broadcast`], and leaves the destination of the root alone, which other PEs may write to
    /// meanwhile (`shmem_broadcast32` and `shmem_broadcast64`). Collective.
    ///
    /// # Panics
    ///
    /// As `broadcast`.
    #[track_caller]
    pub fn broadcast_to_others<T: Moved>(
        &self,
        team: &Team,
        destination: Remote<'_, T, Many>,
        source: Remote<'_, T, Many>,
        root: usize,
    ) {
        team.broadcast_to(destination, source, root, false);
    }

    /// Broadcasts the `len` bytes at `source` on member `root` to `destination`, as
    /// [`Team::broadcast`] or, unless `on_root` says otherwise, as
    /// [`broadcast_to_others`](Member::broadcast_to_others). Collective.
    ///
    /// This is the short way. It returns false, and has done nothing, where one of the two others has to
    /// be called. Members may go different ways.
    ///
    /// # Safety
    ///
    /// `source` is readable and `destination` writable for `len` bytes, in symmetric memory of this
    /// PE: places that [`near`](super::near()) has returned.
    ///
    /// # Panics
    ///
    /// When there is no PE `root`.
    #[inline]
    #[track_caller]
    pub unsafe fn broadcast_bytes(
        &self,
        team: &Team,
        destination: *mut u8,
        source: *const u8,
        len: usize,
        root: usize,
        on_root: bool,
    ) -> bool {
        // SAFETY: the caller's promise.
        unsafe { team.broadcast_bytes(destination, source, len, root, on_root) }
    }

    /// As [`Team::collect`], to the elements that `destination` returns for the number of all: C does not say how much
    /// room there is (`shmem_collect`). They are apart from the source, and begin at one place, however many they
    /// are. Collective.
    ///
    /// # Panics
    ///
    /// As `collect`, and when `destination` does.
    #[track_caller]
    pub fn collect_apart<'a, T: Moved>(
        &self,
        team: &Team,
        destination: impl Fn(usize) -> Remote<'a, T, Many>,
        source: Remote<'a, T, Many>,
    ) {
        team.collect_apart(destination, source);
    }
}
