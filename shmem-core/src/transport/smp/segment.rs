//! The single memory object of a job.
//!
//! ```text
//! ┌─ control ────────────────────────────────────┬─ heap of PE 0 ─┬─ heap of PE 1 ─┬─ …
//! │ Header │ PeRecord × n                        │                │                │
//! └──────────────────────────────────────────────┴────────────────┴────────────────┴─ …
//! ```
//!
//! Every PE maps the whole object, so the heap of PE p is at `base + heaps + p * stride` in all of
//! them. The supervisor maps only the control area. The object has no name in the file system and
//! is sparse: the system allocates a page when it is first written, and frees all of them when the
//! last process ends.
//!
//! Heaps start at a page, and at 2 MiB if they are that large, in the object and in the address
//! space alike: huge pages need this. A PE maps the object so that its own heap starts at a
//! multiple of the largest power of two that fits into it, so that its objects can have any
//! alignment. This also gives all copies of one symmetric object the same place within a page,
//! which keeps transfers between them out of the 4 KiB aliasing trap (see [`copy`](super::copy)).

use std::ffi::c_int;
use std::io;
use std::mem::size_of;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags};
use rustix::process::{Resource, getrlimit};

use crate::system::error::Error;
use crate::system::os::System;
use crate::system::status::PeStatus;
use crate::system::threads::is_only_awake_thread;
use crate::system::trace::TraceRecord;
use crate::transport::layout::{self, align_of_heap};
use crate::transport::node::deadlock::Presence;
use crate::transport::node::fault::Mapped;
use crate::transport::node::record::{Node, PeRecord};
use crate::transport::node::traffic::Traffic;

/// The size of a huge page, and the alignment that it needs.
const HUGE: usize = 2 << 20;

/// The values that the supervisor decides for all PEs.
#[repr(C, align(128))]
struct Header {
    n_pes: AtomicU32,
    /// The number of cores that the job can use. The supervisor counts them once: processes bound
    /// to different cores would count differently.
    cores: AtomicU32,
    heap_size: AtomicU64,
}

/// The offsets of the parts of the object, in bytes from its start.
#[derive(Clone, Copy, Debug)]
struct SegmentLayout {
    /// The size of the control area, in whole pages.
    control: usize,
    /// The alignment of a heap in its own PE.
    own_align: usize,
    heaps: usize,
    stride: usize,
    total: usize,
}

impl SegmentLayout {
    /// The offset of the PEs' records.
    const RECORDS: usize = size_of::<Header>();

    /// The layout of a job, or `None` where its size exceeds the range of file sizes.
    fn new(n_pes: usize, heap_size: usize) -> Option<SegmentLayout> {
        let page = rustix::param::page_size();
        let align = if heap_size >= HUGE { HUGE.max(page) } else { page };
        let control = SegmentLayout::RECORDS.checked_add(n_pes.checked_mul(size_of::<PeRecord>())?)?;
        let control = control.checked_next_multiple_of(page)?;
        let heaps = control.checked_next_multiple_of(align)?;
        let stride = heap_size.checked_next_multiple_of(align)?;
        let total = heaps.checked_add(n_pes.checked_mul(stride)?)?;
        i64::try_from(total).ok()?;
        let own_align = align_of_heap(heap_size).max(align);
        Some(SegmentLayout { control, own_align, heaps, stride, total })
    }
}

/// A job's memory, mapped into this process. Dropping it unmaps it.
pub(crate) struct Segment {
    system: System,
    /// The memory object. A PE keeps a duplicate of the descriptor that it inherited, so that it
    /// can map a second view.
    fd: OwnedFd,
    base: NonNull<u8>,
    /// The number of bytes mapped: all of them, or the control area.
    mapped: usize,
    layout: SegmentLayout,
    n_pes: usize,
    heap_size: usize,
    /// A second view of one heap; null until `second_view` makes it.
    second: AtomicPtr<u8>,
    /// The PE that owns that heap.
    second_of: AtomicUsize,
}

// SAFETY: a `Segment` owns its mapping, which any thread may use. `&Segment` gives access only to
// objects made of atomics, and to raw pointers, whose use is the caller's to justify.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

impl Segment {
    /// Makes the memory of a job of `n_pes` PEs with `heap_size` bytes of symmetric heap each, and
    /// maps the control area. For the supervisor.
    pub(crate) fn create(system: System, n_pes: usize, heap_size: usize) -> Result<Segment, Error> {
        assert!(n_pes > 0, "a job has at least one PE");
        let layout = SegmentLayout::new(n_pes, heap_size).ok_or_else(|| too_large(n_pes, heap_size, None))?;
        let fd = system.create_memory().map_err(|source| Error::System {
            what: "cannot make shared memory for the job".into(),
            source,
        })?;
        // Checked beforehand, because the system reports it by a signal.
        if let Some(limit) = getrlimit(Resource::Fsize).current.filter(|&limit| limit < layout.total as u64) {
            return Err(beyond_file_size(n_pes, heap_size, &layout, limit));
        }
        rustix::fs::ftruncate(&fd, layout.total as u64)
            .map_err(|error| too_large(n_pes, heap_size, Some(error.into())))?;
        system.fix_size(&fd).map_err(|source| Error::System {
            what: "cannot fix the size of the job's shared memory".into(),
            source,
        })?;
        commit(&fd, layout.control)?;
        let base = map(&fd, 0, layout.control, 0, rustix::param::page_size())
            .map_err(|source| Error::System { what: "cannot map the job's control area".into(), source })?;
        let segment = Segment::new(system, fd, base, layout.control, layout, n_pes, heap_size);
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let header = segment.header();
        header.n_pes.store(n_pes as u32, Ordering::Relaxed);
        header.cores.store(u32::try_from(cores).unwrap_or(u32::MAX), Ordering::Relaxed);
        header.heap_size.store(heap_size as u64, Ordering::Release);
        Ok(segment)
    }

    /// Maps the whole memory of the job that this process was started for, and closes `fd`. For a
    /// PE.
    pub(crate) fn attach(
        system: System,
        fd: OwnedFd,
        pe: usize,
        n_pes: usize,
        heap_size: usize,
    ) -> Result<Segment, Error> {
        let layout = SegmentLayout::new(n_pes, heap_size).ok_or_else(|| too_large(n_pes, heap_size, None))?;
        // Checked before the mapping: an access past the end of a file is a bus error.
        let size = rustix::fs::fstat(&fd)
            .map_err(|error| Error::System {
                what: "the job's memory was not handed down".into(),
                source: error.into(),
            })?
            .st_size;
        if size != layout.total as i64 {
            return Err(Error::Job {
                reason: format!(
                    "the memory that was handed down has {size} bytes, and a job of {n_pes} PEs with {heap_size} bytes of \
                 symmetric heap has {}: the PEs and their supervisor are not the same program",
                    layout.total
                ),
            });
        }
        let own = layout.heaps + pe * layout.stride;
        let base = map(&fd, 0, layout.total, own, layout.own_align)
            .map_err(|source| too_large(n_pes, heap_size, Some(source)))?;
        // The number of the inherited descriptor is known to other code, so that descriptor is
        // closed. The number of the duplicate is not known.
        let kept = rustix::io::fcntl_dupfd_cloexec(&fd, 0).map_err(|error| Error::System {
            what: "cannot copy the descriptor of the job's memory".into(),
            source: error.into(),
        })?;
        let segment = Segment::new(system, kept, base, layout.total, layout, n_pes, heap_size);
        let header = segment.header();
        let (theirs, size) = (header.n_pes.load(Ordering::Acquire), header.heap_size.load(Ordering::Acquire));
        if (theirs as usize, size as usize) != (n_pes, heap_size) {
            return Err(Error::Job {
                reason: format!(
                    "the job's memory was made for {theirs} PEs with {size} bytes of symmetric heap, and this PE was \
                 told {n_pes} and {heap_size}"
                ),
            });
        }
        segment.ask_for_huge_pages();
        Ok(segment)
    }

    fn new(
        system: System,
        fd: OwnedFd,
        base: NonNull<u8>,
        mapped: usize,
        layout: SegmentLayout,
        n_pes: usize,
        heap_size: usize,
    ) -> Segment {
        let (second, second_of) = (AtomicPtr::new(ptr::null_mut()), AtomicUsize::new(0));
        Segment { system, fd, base, mapped, layout, n_pes, heap_size, second, second_of }
    }

    /// The memory object, which PEs inherit. The descriptor is closed on exec unless the child
    /// changes that.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// The size in bytes of each PE's symmetric heap.
    pub(crate) fn heap_size(&self) -> usize {
        self.heap_size
    }

    /// The alignment of every heap, in its own PE.
    pub(crate) fn heap_align(&self) -> usize {
        self.layout.own_align
    }

    /// The number of cores that the job can use, as the supervisor counted them.
    pub(crate) fn cores(&self) -> usize {
        self.header().cores.load(Ordering::Relaxed) as usize
    }

    /// Sets the number of cores, for a test.
    #[cfg(test)]
    pub(super) fn set_cores(&self, cores: u32) {
        self.header().cores.store(cores, Ordering::Relaxed);
    }

    /// Whether the heaps are large enough for huge pages, and this machine is configured to back
    /// them with huge pages.
    pub(crate) fn huge_pages(&self) -> bool {
        self.layout.stride >= HUGE && self.system.huge_pages()
    }

    /// The part of `pe`'s record that the supervisor reads.
    pub(crate) fn status(&self, pe: usize) -> &PeStatus {
        &self.record(pe).status
    }

    /// What `pe` leaves for the others and the supervisor to read.
    pub(crate) fn presence(&self, pe: usize) -> &Presence {
        &self.record(pe).presence
    }

    /// How much `pe` has moved.
    pub(crate) fn traffic(&self, pe: usize) -> &Traffic {
        &self.record(pe).traffic
    }

    /// Where the supervisor asks what `pe` executes.
    pub(crate) fn trace(&self, pe: usize) -> &TraceRecord {
        &self.record(pe).trace
    }

    /// The start of the heap of `pe`, which has at least `heap_size()` bytes.
    ///
    /// # Panics
    ///
    /// In the supervisor, which does not map the heaps, and where there is no such PE.
    pub(crate) fn heap(&self, pe: usize) -> *mut u8 {
        assert!(pe < self.n_pes, "PE {pe} does not exist: the job has {}", self.n_pes);
        assert!(self.mapped == self.layout.total, "the heaps are not mapped in the supervisor");
        // SAFETY: by `SegmentLayout::new`, `heaps + (pe + 1) * stride <= total`, and `total` bytes are
        // mapped.
        unsafe { self.base.as_ptr().add(self.layout.heaps + pe * self.layout.stride) }
    }

    /// Allows or forbids every thread of this process to access the heaps through
    /// [`heap`](Segment::heap).
    ///
    /// When it returns, earlier accesses of all threads are complete, and a thread that tries again
    /// gets a SIGSEGV.
    pub(super) fn protect(&self, access: bool) -> io::Result<()> {
        let flags = if access { MprotectFlags::READ | MprotectFlags::WRITE } else { MprotectFlags::empty() };
        // SAFETY: the range is inside of our own mapping, which holds no Rust object: heaps are
        // accessed through raw pointers alone, and an access that is not allowed ends the process.
        unsafe {
            let heaps = self.base.as_ptr().add(self.layout.heaps);
            Ok(rustix::mm::mprotect(heaps.cast(), self.layout.total - self.layout.heaps, flags)?)
        }
    }

    /// The start of the heap of `pe` in a second view, whose access rights
    /// [`protect`](Segment::protect) does not change.
    ///
    /// The first call makes the view, and later calls must name the same `pe`. Only one thread may
    /// call it at a time.
    pub(super) fn second_view(&self, pe: usize) -> io::Result<NonNull<u8>> {
        assert!(pe < self.n_pes, "PE {pe} does not exist: the job has {}", self.n_pes);
        if let Some(view) = NonNull::new(self.second.load(Ordering::Acquire)) {
            assert!(self.second_of.load(Ordering::Relaxed) == pe, "the second view is of another heap");
            return Ok(view);
        }
        let start = self.layout.heaps + pe * self.layout.stride;
        let view = map(&self.fd, start as u64, self.layout.stride, 0, self.layout.own_align)?;
        advise_huge_pages(view.as_ptr(), self.layout.stride);
        self.second_of.store(pe, Ordering::Relaxed);
        self.second.store(view.as_ptr(), Ordering::Release);
        Ok(view)
    }

    /// Maps the `len` bytes from `offset` on in the heap of `pe` once more, at `address`.
    ///
    /// # Safety
    ///
    /// As [`HeapAccess::map_over`](crate::transport::HeapAccess::map_over).
    pub(super) unsafe fn map_over(
        &self,
        pe: usize,
        address: NonNull<u8>,
        offset: usize,
        len: usize,
    ) -> io::Result<()> {
        let from = self.layout.heaps + pe * self.layout.stride + offset;
        // SAFETY: the caller lets the pages at `address` be replaced.
        unsafe { map_fixed(&self.fd, from as u64, len, address.as_ptr()) }
    }

    /// See [`HeapAccess::touched`](crate::transport::HeapAccess::touched): the system knows which
    /// pages of the object it has allocated.
    pub(super) fn touched(&self, pe: usize, range: Range<usize>) -> Option<Range<usize>> {
        if range.is_empty() {
            return None;
        }
        // All PEs have one position in the object. Each call names a place of its own and returns
        // the answer, so it does not matter where the position is.
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{SeekFrom, seek};
            let heap = (self.layout.heaps + pe * self.layout.stride) as u64;
            let end = heap + range.end as u64;
            let start = match seek(&self.fd, SeekFrom::Data(heap + range.start as u64)) {
                Ok(start) if start < end => start,
                Ok(_) | Err(Errno::NXIO) => return None,
                // A system that does not tell.
                Err(_) => return Some(range),
            };
            let stop = seek(&self.fd, SeekFrom::Hole(start)).map_or(end, |stop| stop.min(end));
            if start < stop {
                return Some((start - heap) as usize..(stop - heap) as usize);
            }
        }
        let _ = pe;
        Some(range)
    }

    fn header(&self) -> &Header {
        // SAFETY: as in `record`; it is the first thing in the control area.
        unsafe { &*self.base.as_ptr().cast() }
    }

    /// Requests huge pages. Best effort: without them everything works, with more page faults.
    fn ask_for_huge_pages(&self) {
        let heaps = self.base.as_ptr().wrapping_add(self.layout.heaps);
        advise_huge_pages(heaps, self.layout.total - self.layout.heaps);
    }
}

/// Requests huge pages for a mapping of ours, where it is large enough. Best effort.
fn advise_huge_pages(start: *mut u8, len: usize) {
    #[cfg(target_os = "linux")]
    if len >= HUGE {
        // SAFETY: the callers name parts of mappings that this module made, and this advice does
        // not change contents.
        let _ = unsafe { rustix::mm::madvise(start.cast(), len, rustix::mm::Advice::LinuxHugepage) };
    }
    let _ = (start, len);
}

// SAFETY: the heaps have `heap_size` bytes, which include the runtime's part, and start at pages of
// the mapping, which lasts until the value is dropped; a new memory object is zeros.
unsafe impl Node for Segment {
    fn system(&self) -> System {
        self.system
    }

    fn n_pes(&self) -> usize {
        self.n_pes
    }

    fn is_oversubscribed(&self) -> bool {
        self.n_pes > self.cores()
    }

    fn record(&self, pe: usize) -> &PeRecord {
        assert!(pe < self.n_pes, "PE {pe} does not exist: the job has {}", self.n_pes);
        // SAFETY:
        // * in bounds: the table has `n_pes` records, in the control area, which is mapped in every
        //   process;
        // * aligned: the mapping starts at a page, and the header has a multiple of the alignment;
        // * valid: a record consists of atomics alone, for which the zeros of a new file, and
        //   whatever else other processes write, are valid; being atomics, they may be shared;
        // * alive: the mapping goes when `self` is dropped, not before.
        unsafe { self.base.add(SegmentLayout::RECORDS).cast::<PeRecord>().add(pe).as_ref() }
    }

    fn heap_start(&self, pe: usize) -> NonNull<u8> {
        NonNull::new(self.heap(pe)).expect("the heaps are mapped")
    }

    fn acts_alone(&self) -> bool {
        is_only_awake_thread()
    }

    fn complete(&self) {}
}

impl Mapped for Segment {
    fn contains(&self, address: usize) -> bool {
        let start = self.base.as_ptr() as usize;
        (start..start + self.mapped).contains(&address) || self.locate(address).is_some()
    }

    fn in_heaps(&self, address: usize) -> bool {
        let start = self.base.as_ptr() as usize;
        (start + self.layout.heaps..start + self.mapped).contains(&address)
    }

    fn locate(&self, address: usize) -> Option<(usize, usize)> {
        let second = self.second.load(Ordering::Acquire) as usize;
        if second != 0 && (second..second + self.layout.stride).contains(&address) {
            return Some((self.second_of.load(Ordering::Relaxed), address - second));
        }
        let offset = address.checked_sub(self.base.as_ptr() as usize + self.layout.heaps)?;
        let pe = offset.checked_div(self.layout.stride)?;
        (pe < self.n_pes).then_some((pe, offset % self.layout.stride))
    }

    fn status(&self, pe: usize) -> &PeStatus {
        Segment::status(self, pe)
    }

    fn end(&self, signal: c_int) -> ! {
        // SAFETY: `_exit` has no precondition; `exit` would run code that may need the missing
        // memory.
        unsafe { libc::_exit(128 + signal) }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: the range is the mapping that `map` made, and no reference into it outlives
        // `self`.
        let _ = unsafe { rustix::mm::munmap(self.base.as_ptr().cast(), self.mapped) };
        let second = *self.second.get_mut();
        if !second.is_null() {
            // SAFETY: as above, for the mapping that `second_view` made.
            let _ = unsafe { rustix::mm::munmap(second.cast(), self.layout.stride) };
        }
    }
}

/// Allocates the first `len` bytes now, when the system can return an error, rather than at the
/// first access, when it can only kill the process.
fn commit(fd: &OwnedFd, len: usize) -> Result<(), Error> {
    #[cfg(target_os = "linux")]
    if let Err(error @ (Errno::NOSPC | Errno::NOMEM)) =
        rustix::fs::fallocate(fd, rustix::fs::FallocateFlags::empty(), 0, len as u64)
    {
        return Err(Error::System {
            what: format!(
                "the system has no {len} bytes of shared memory left, not even for the job's control area; free \
                 memory, or enlarge /dev/shm if SHMEM_SYSTEM=portable is set"
            ),
            source: error.into(),
        });
    }
    let _ = (fd, len);
    Ok(())
}

/// Maps `len` bytes of `fd` from the byte `from` on, so that byte `at` of them lies at a multiple
/// of `align`, a power of two. `from`, `len`, `at` and `align` are multiples of the page size.
fn map(fd: &OwnedFd, from: u64, len: usize, at: usize, align: usize) -> io::Result<NonNull<u8>> {
    let page = rustix::param::page_size();
    let reserve = len.checked_add(align - page).ok_or(io::ErrorKind::OutOfMemory)?;
    // Reserves address space with room to align in; the object then replaces part of it.
    // SAFETY: a new mapping at a place that the system chooses touches nothing that exists.
    let start = unsafe {
        rustix::mm::mmap_anonymous(
            ptr::null_mut(),
            reserve,
            ProtFlags::empty(),
            MapFlags::PRIVATE | NORESERVE,
        )?
    };
    let skip = (start as usize + at).next_multiple_of(align) - (start as usize + at);
    let rest = reserve - skip - len;
    // SAFETY: `skip <= align - page`, so `skip..skip + len` lies in the reservation above, whose
    // address nothing else has: it may be replaced, and the rest of it on either side may be
    // unmapped.
    unsafe {
        let base = start.cast::<u8>().add(skip);
        if let Err(error) = map_fixed(fd, from, len, base) {
            let _ = rustix::mm::munmap(start, reserve);
            return Err(error);
        }
        if skip > 0 {
            let _ = rustix::mm::munmap(start, skip);
        }
        if rest > 0 {
            let _ = rustix::mm::munmap(base.add(len).cast(), rest);
        }
        Ok(NonNull::new_unchecked(base))
    }
}

/// Maps `len` bytes of `fd` from the byte `from` on, at `address`. All are multiples of the page
/// size.
///
/// # Safety
///
/// Whatever is mapped at `address` may be replaced.
unsafe fn map_fixed(fd: &OwnedFd, from: u64, len: usize, address: *mut u8) -> io::Result<()> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let flags = MapFlags::SHARED | MapFlags::FIXED | NORESERVE;
    // SAFETY: the caller's promise.
    unsafe { rustix::mm::mmap(address.cast(), len, access, flags, fd, from)? };
    Ok(())
}

/// The system reserves no memory for pages that are never touched.
#[cfg(not(target_os = "freebsd"))]
const NORESERVE: MapFlags = MapFlags::NORESERVE;
/// FreeBSD never reserves memory.
#[cfg(target_os = "freebsd")]
const NORESERVE: MapFlags = MapFlags::empty();

/// The error that the job's memory cannot be made or mapped.
fn too_large(n_pes: usize, heap_size: usize, source: Option<io::Error>) -> Error {
    let heap = heap_size.saturating_sub(layout::END);
    let source = source.unwrap_or_else(|| io::ErrorKind::OutOfMemory.into());
    let limited = getrlimit(Resource::As).current.zip(SegmentLayout::new(n_pes, heap_size));
    let what = match limited {
        // A local phase maps the PE's own heap a second time; and a process needs address space for
        // more than heaps.
        Some((limit, layout)) => format!(
            "{n_pes} PEs with {heap} bytes of symmetric heap each need {} bytes of address space in every process, and the limit is {limit}; \
             raise it (ulimit -v unlimited){}",
            layout.total,
            less(n_pes, heap, |layout| layout.total + layout.stride + layout.own_align
                <= limit as usize / 4 * 3)
        ),
        None => format!(
            "{n_pes} PEs with {heap} bytes of symmetric heap each do not fit the address space of a process; \
             set SHMEM_SYMMETRIC_SIZE to less (for example SHMEM_SYMMETRIC_SIZE=1G)"
        ),
    };
    Error::System { what, source }
}

/// The error that the job's memory is larger than a file may be.
fn beyond_file_size(n_pes: usize, heap_size: usize, layout: &SegmentLayout, limit: u64) -> Error {
    let heap = heap_size.saturating_sub(layout::END);
    Error::System {
        what: format!(
            "{n_pes} PEs with {heap} bytes of symmetric heap each share memory of {} bytes, which counts as a file although it is on no disk, \
             and the limit for a file is {limit}; raise it (ulimit -f unlimited){}",
            layout.total,
            less(n_pes, heap, |layout| layout.total as u64 <= limit)
        ),
        source: Errno::FBIG.into(),
    }
}

/// Suggests a heap smaller than `heap` whose layout `fits`, or fewer PEs where there is none.
fn less(n_pes: usize, heap: usize, fits: impl Fn(&SegmentLayout) -> bool) -> String {
    let sizes = (20..heap.max(1).ilog2()).rev().map(|bits| 1_usize << bits);
    let layout = |size: usize| {
        SegmentLayout::new(n_pes, size.checked_add(layout::END)?.checked_next_multiple_of(4096)?)
    };
    match sizes.into_iter().find(|&size| layout(size).is_some_and(|layout| fits(&layout))) {
        Some(size) => format!(
            ", or set SHMEM_SYMMETRIC_SIZE to less (for example SHMEM_SYMMETRIC_SIZE={}M)",
            size >> 20
        ),
        None => ", or set SHMEM_NPES to fewer".to_owned(),
    }
}
