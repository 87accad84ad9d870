//! The heaps of all PEs as this process sees them, and how they are closed for a local phase.
//!
//! A heap is one block of the library's symmetric memory. Of a PE on the same node the library may say where it is mapped here
//! (`shmem_ptr`); the others are reached through the library alone.
//!
//! For a local phase the pages of all heaps that are mapped here are made inaccessible if the process has threads that may hold an address, and
//! the PE accesses its own in a second mapping of the same pages; see [`phase`](crate::phase). The library has threads of its own, which do
//! not touch symmetric memory while nothing is under way: those that it had when the job began are known, and are not taken for
//! the program's.

use std::ffi::c_int;
use std::io;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use rustix::mm::{MprotectFlags, MremapFlags};

use super::short::WAY;
use crate::error::Error;
use crate::launch::status::PeStatus;
use crate::transport::smp::fault::Mapped;

/// The start of the heap of this PE; null before it has one.
#[inline(always)]
pub(super) fn own() -> *mut u8 {
    WAY.heap.load(Ordering::Relaxed)
}

/// The heaps of all PEs.
pub(super) struct Heaps {
    me: usize,
    size: usize,
    /// The start of each heap in this process, or null.
    starts: Box<[AtomicPtr<u8>]>,
    /// This PE's own heap in a second mapping; null until it is asked for.
    second: AtomicPtr<u8>,
    status: &'static PeStatus,
}

impl Heaps {
    /// `starts` are where the heaps of `size` bytes, whole pages, begin in this process; null where that is nowhere.
    pub(super) fn new(
        me: usize,
        size: usize,
        starts: impl Iterator<Item = *mut u8>,
        status: &'static PeStatus,
    ) -> Heaps {
        let starts: Box<[_]> = starts.map(AtomicPtr::new).collect();
        WAY.heap.store(starts[me].load(Ordering::Relaxed), Ordering::Relaxed);
        Heaps { me, size, starts, second: AtomicPtr::new(ptr::null_mut()), status }
    }

    /// Bytes of each heap.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The start of the heap of `pe` in this process.
    #[inline(always)]
    pub(super) fn start(&self, pe: usize) -> Option<NonNull<u8>> {
        NonNull::new(self.starts[pe].load(Ordering::Relaxed))
    }

    /// What all heaps that are mapped here start at a multiple of, at most 2 MiB.
    pub(super) fn align(&self) -> usize {
        self.mapped().fold(2 << 20, |align, start| align.min(1 << start.addr().get().trailing_zeros()))
    }

    fn mapped(&self) -> impl Iterator<Item = NonNull<u8>> {
        (0..self.starts.len()).filter_map(|pe| self.start(pe))
    }

    /// Allows or forbids this process the access to all heaps that are mapped here, for every thread of it.
    pub(super) fn protect(&self, access: bool) -> Result<(), Error> {
        let flags = if access { MprotectFlags::READ | MprotectFlags::WRITE } else { MprotectFlags::empty() };
        for start in self.mapped() {
            // SAFETY: whole pages of the library's symmetric memory, which were allocated for this, and are accessed through raw
            // pointers and by the library alone; an access that is not allowed ends the process.
            let done = unsafe { rustix::mm::mprotect(start.as_ptr().cast(), self.size, flags) };
            done.map_err(|errno| Error::System {
                what: String::from(if access {
                    "cannot give access to symmetric memory back after a local phase"
                } else {
                    "cannot take other threads' access to symmetric memory away for a local phase"
                }),
                source: errno.into(),
            })?;
        }
        Ok(())
    }

    /// The start of this PE's heap in a second mapping, which [`protect`](Heaps::protect) leaves alone. By one thread at a time.
    pub(super) fn second_view(&self) -> Result<NonNull<u8>, Error> {
        if let Some(view) = NonNull::new(self.second.load(Ordering::Acquire)) {
            return Ok(view);
        }
        let view = second_view(own(), self.size).map_err(|source| Error::System {
            what: String::from("cannot map the symmetric heap a second time, for a local phase of a process with several threads"),
            source,
        })?;
        self.second.store(view.as_ptr(), Ordering::Release);
        Ok(view)
    }

    fn range(&self, start: *mut u8) -> Range<usize> {
        start.addr()..start.addr() + self.size
    }
}

/// Maps the `size` bytes from `start` on, shared memory, once more.
#[cfg(target_os = "linux")]
fn second_view(start: *mut u8, size: usize) -> io::Result<NonNull<u8>> {
    // SAFETY: Linux makes a second mapping of the same pages when the old size is 0 and the mapping is a shared one; the old one stays. It
    // refuses other mappings.
    let view = unsafe { rustix::mm::mremap(start.cast(), 0, size, MremapFlags::MAYMOVE) }?;
    NonNull::new(view.cast()).ok_or_else(|| io::Error::other("no address"))
}

#[cfg(not(target_os = "linux"))]
fn second_view(_start: *mut u8, _size: usize) -> io::Result<NonNull<u8>> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

impl Mapped for Heaps {
    fn contains(&self, address: usize) -> bool {
        self.locate(address).is_some()
    }

    fn in_heaps(&self, address: usize) -> bool {
        self.mapped().any(|start| self.range(start.as_ptr()).contains(&address))
    }

    fn locate(&self, address: usize) -> Option<(usize, usize)> {
        let second = self.second.load(Ordering::Acquire);
        if !second.is_null() && self.range(second).contains(&address) {
            return Some((self.me, address - second.addr()));
        }
        (0..self.starts.len()).find_map(|pe| {
            let start = self.start(pe)?;
            self.range(start.as_ptr()).contains(&address).then(|| (pe, address - start.addr().get()))
        })
    }

    fn status(&self, _pe: usize) -> &PeStatus {
        self.status
    }

    fn end(&self, signal: c_int) -> ! {
        // The launcher ends a job when a signal ends one of its processes, and may wait for ever when one exits.
        // SAFETY: all of them may be called in a signal handler. The signal is blocked in its handler, and let through.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, signal);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, ptr::null_mut());
            libc::raise(signal);
            libc::_exit(128 + signal)
        }
    }
}
