//! The heaps of all PEs as this process sees them, and how they are closed for a local phase.
//!
//! A heap is one block of the library's symmetric memory. For a PE on the same node the library may
//! report where the block is mapped here (`shmem_ptr`). The others are reached through the library
//! alone.
//!
//! Loads and stores do not use the library's mapping, but a second one of the same pages. It is
//! this transport's own, and stays when the library is finalised, because a thread that the program
//! has left running may still hold an address. For a local phase the second mapping is made
//! inaccessible if the process has threads that may hold an address in it, and the PE accesses its
//! own heap in the library's mapping; see [`phase`](crate::phase). That mapping stays open to the
//! library, which over some networks carries out other PEs' operations in it, until those PEs come
//! to the phase too. The library has threads of its own, which do not touch symmetric memory while
//! no operation is under way. The threads that it had when the job began are known, and do not
//! count as the program's.
//!
//! Where the system has no second mapping of a peer's heap, that heap is reached through the
//! library. Where it has none of this PE's own heap, the library's mapping is used, and a phase is
//! refused if other threads exist.

use std::ffi::c_int;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering;

use rustix::io::Errno;
use rustix::mm::MprotectFlags;

use super::near::NearTable;
use super::short::WAY;
use crate::system::error::Error;
use crate::system::status::PeStatus;
use crate::transport::node::fault::Mapped;

/// The start of this PE's heap; null before it is allocated.
#[inline(always)]
pub(super) fn own() -> *mut u8 {
    WAY.heap.load(Ordering::Relaxed)
}

/// The heaps of all PEs.
pub(super) struct Heaps {
    me: usize,
    size: usize,
    /// The alignment of all heaps, in all mappings here that are this transport's or this PE's own.
    align: usize,
    /// The addresses of heaps for loads and stores in this process.
    starts: NearTable<u8>,
    /// Why this PE's heap has no second mapping.
    refused: Option<Errno>,
    status: &'static PeStatus,
}

impl Heaps {
    /// `mapped` are the addresses in this process that the library reports for the heaps of `size`
    /// bytes, which are whole pages of shared memory, of PEs in ascending order; null for a heap that is
    /// not mapped. Each heap begins at a multiple of `align`, a power of two, in its own PE.
    pub(super) fn new(
        me: usize,
        size: usize,
        align: usize,
        mapped: impl Iterator<Item = (usize, *mut u8)>,
        status: &'static PeStatus,
    ) -> Heaps {
        let mut own = (ptr::null_mut(), None);
        let start = |(pe, mapped): (usize, *mut u8)| {
            let view = if mapped.is_null() { Err(Errno::NXIO) } else { second_view(mapped, size, align) };
            if pe == me {
                own = (mapped, view.err());
            }
            let start = match view {
                Ok(view) => view.as_ptr(),
                Err(_) if pe == me => mapped,
                Err(_) => ptr::null_mut(),
            };
            (pe, start)
        };
        let starts = NearTable::new(mapped.map(start));
        WAY.heap.store(own.0, Ordering::Relaxed);
        Heaps { me, size, align, starts, refused: own.1, status }
    }

    /// The size of each heap in bytes.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The address of the heap of `pe` for loads and stores in this process.
    pub(super) fn start(&self, pe: usize) -> Option<NonNull<u8>> {
        NonNull::new(self.starts.get(pe))
    }

    /// The PEs whose heaps have an address in this process, in ascending order.
    pub(super) fn pes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.starts.pes()
    }

    /// Fails where this PE's heap is mapped only once: then it cannot be closed to other threads
    /// and stay open to the PE.
    pub(super) fn have_two_views(&self) -> Result<(), Error> {
        self.refused.map_or(Ok(()), |errno| {
            Err(Error::System {
                what: String::from(
                    "cannot map the symmetric heap a second time, for a local phase of a process with several threads",
                ),
                source: errno.into(),
            })
        })
    }

    /// The alignment of this PE's heap, both for loads and stores and in a local phase. Never more
    /// than was requested: otherwise a program might start only by chance.
    pub(super) fn align(&self) -> usize {
        self.align
    }

    fn mapped(&self) -> impl Iterator<Item = NonNull<u8>> {
        self.starts.pes().filter_map(|pe| self.start(pe))
    }

    /// Allows or forbids every thread of this process to load from and store to all heaps that are
    /// mapped here.
    pub(super) fn protect(&self, access: bool) -> Result<(), Error> {
        let flags = if access { MprotectFlags::READ | MprotectFlags::WRITE } else { MprotectFlags::empty() };
        for start in self.mapped() {
            // SAFETY: whole pages, mapped for this, that are accessed through raw pointers alone;
            // where they are of the library's own mapping, they were allocated for this, and the
            // library accesses them too. An access that is not allowed ends the process.
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

    fn range(&self, start: *mut u8) -> Range<usize> {
        start.addr()..start.addr() + self.size
    }
}

/// Maps the `size` bytes from `start` on a second time, at a multiple of `align`, a power of two,
/// until the process ends. `start` is the start of a page of shared memory.
#[cfg(target_os = "linux")]
pub(super) fn second_view(start: *mut u8, size: usize, align: usize) -> Result<NonNull<u8>, Errno> {
    use rustix::mm::{MapFlags, MremapFlags, ProtFlags, mmap_anonymous, mremap, mremap_fixed, munmap};

    let page = rustix::param::page_size();
    let (size, align) = (size.next_multiple_of(page), align.max(page));
    let found = |view: *mut libc::c_void| NonNull::new(view.cast::<u8>()).ok_or(Errno::NOMEM);
    // SAFETY: Linux makes a second mapping of the same pages when the old size is 0 and the mapping
    // is a shared one; the old one stays. It refuses other mappings.
    let view = found(unsafe { mremap(start.cast(), 0, size, MremapFlags::MAYMOVE) }?)?;
    if view.addr().get().is_multiple_of(align) {
        return Ok(view);
    }
    // SAFETY: the first call unmaps the mapping that was just made, and whose address nothing else
    // has; the next reserves address space that nothing else uses; then the second mapping is made
    // in the middle of that, and the rest on both sides is given back.
    unsafe {
        munmap(view.as_ptr().cast(), size)?;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let room = mmap_anonymous(ptr::null_mut(), size + align, ProtFlags::empty(), flags)?;
        let before = room.addr().next_multiple_of(align) - room.addr();
        let place = room.byte_add(before);
        let view = mremap_fixed(start.cast(), 0, size, MremapFlags::MAYMOVE, place)?;
        if before > 0 {
            munmap(room, before)?;
        }
        munmap(place.byte_add(size), align - before)?;
        found(view)
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn second_view(_start: *mut u8, _size: usize, _align: usize) -> Result<NonNull<u8>, Errno> {
    Err(Errno::NOTSUP)
}

impl Mapped for Heaps {
    fn contains(&self, address: usize) -> bool {
        self.locate(address).is_some()
    }

    fn in_heaps(&self, address: usize) -> bool {
        self.mapped().any(|start| self.range(start.as_ptr()).contains(&address))
    }

    fn locate(&self, address: usize) -> Option<(usize, usize)> {
        if self.range(own()).contains(&address) {
            return Some((self.me, address - own().addr()));
        }
        self.starts.pes().find_map(|pe| {
            let start = self.start(pe)?;
            self.range(start.as_ptr()).contains(&address).then(|| (pe, address - start.addr().get()))
        })
    }

    fn status(&self, _pe: usize) -> &PeStatus {
        self.status
    }

    fn end(&self, signal: c_int) -> ! {
        // The launcher ends a job when a signal ends one of its processes, and may wait for ever
        // when one exits. SAFETY: all of these functions may be called in a signal handler. The
        // signal is blocked in its handler, and is unblocked here.
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
