//! The embedded transport: PEs are processes on one host, and every PE maps the memory of all.
//!
//! A put is a store and a get is a load, so nothing ever waits for the target PE to do anything.
//!
//! # Memory ordering
//!
//! * `put`, `get` and their strided forms are plain accesses: nothing orders them among one
//!   another.
//! * [`fence`](Transport::fence) and [`quiet`](Transport::quiet) are fences of the processor. A put
//!   is complete when its stores are visible to all PEs; the streaming stores of large copies,
//!   which an ordinary fence would not wait for on x86-64, are completed by the copy itself (see
//!   [`copy`](super::copy)).
//! * [`amo`](Transport::amo) is acquire and release: what a PE stored before updating a cell is
//!   seen by the PE that reads the update.
//! * A context has no queue of its own: every operation is issued when it is called, and `fence`
//!   and `quiet` of any context order and complete all.
//! * [`sync_all`](Transport::sync_all) orders everything before it on any PE ahead of everything
//!   after it on every PE.
//!
//! Who may race with whom, and why safe code cannot get undefined behaviour from it, is the design
//! of the layers above; here every byte of a heap is memory that other processes may change at any
//! time, and the accesses are made so that this is harmless (see [`copy`](super::copy)).

mod phase;
pub(crate) mod segment;

use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

use self::phase::PhaseChanges;
use self::segment::Segment;
use super::copy::{copy, copy_strided};
use super::layout::{self, MAX_ALIGN};
use super::node::barrier::{Barrier, TeamMeeting};
use super::node::fault;
use super::node::phase_change::PhaseMeeting;
use super::node::record::Node as _;
use super::{
    Amo, Contexts, Ctx, Endpoint, Facts, HeapAccess, Meeting, Meetings, Members, Run, Transport, Width, cell,
};
use crate::system::error::Error;
use crate::system::status::State;
use crate::system::threads::{ThreadLevel, is_only_thread};
use crate::transport::closed;

/// One PE's access to the memory of its job.
pub(crate) struct SmpTransport {
    segment: &'static Segment,
    pe: usize,
    barrier: Barrier<Segment>,
    phases: PhaseChanges,
    end: PhaseMeeting,
}

impl SmpTransport {
    /// Joins the job whose memory is `segment` as `pe`.
    ///
    /// The memory stays mapped until the process ends, as a transport promises.
    pub(crate) fn new(segment: Segment, pe: usize) -> SmpTransport {
        assert!(pe < segment.n_pes(), "PE {pe} does not exist: the job has {}", segment.n_pes());
        let segment: &'static Segment = Box::leak(Box::new(segment));
        fault::explain_bus_errors(segment, pe);
        SmpTransport {
            segment,
            pe,
            barrier: Barrier::new(segment, pe),
            phases: PhaseChanges::new(segment, pe),
            end: segment.end_of_job(pe),
        }
    }

    /// This PE's end of the transport.
    pub(crate) fn endpoint(self) -> Endpoint {
        Endpoint::new(self.facts(), self)
    }

    /// What does not change about the job.
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            name: "smp",
            my_pe: self.pe,
            n_pes: self.segment.n_pes(),
            heap_size: self.segment.heap_size(),
            heap_align: self.segment.heap_align(),
            most_align: MAX_ALIGN,
            fresh_heaps_are_zero: true,
            direct_atomics: true,
            oversubscribed: self.segment.is_oversubscribed(),
            thread_level: ThreadLevel::Multiple,
            groups: None,
        }
    }

    /// The job's memory.
    pub(crate) fn segment(&self) -> &'static Segment {
        self.segment
    }

    /// The byte at `offset` in the heap of `pe`.
    ///
    /// # Safety
    ///
    /// `offset + len <= heap_size()`, where `len` is what will be accessed from there on.
    unsafe fn at(&self, pe: usize, offset: usize, len: usize) -> *mut u8 {
        if self.phases.is_closed() {
            closed::refuse_transfer();
        }
        debug_assert!(offset.checked_add(len).is_some_and(|end| end <= self.segment.heap_size()));
        // SAFETY: inside the heap of `pe`, by the caller's word; the heap is one mapped object.
        unsafe { self.segment.heap(pe).add(offset) }
    }
}

// SAFETY: the transfers below compute the addresses of exactly the bytes that their arguments name,
// and are done with local memory when they return; nothing here belongs to a thread.
unsafe impl Transport for SmpTransport {
    unsafe fn put(&self, _: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        // SAFETY: the caller's word on both sides.
        unsafe { copy(self.at(pe, offset, len), src, len) }
    }

    unsafe fn get(&self, _: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        // SAFETY: the caller's word on both sides.
        unsafe { copy(dst, self.at(pe, offset, len), len) }
    }

    unsafe fn iput(
        &self,
        _: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        src: *const u8,
        src_stride: usize,
        elem: usize,
    ) {
        // SAFETY: the caller's word for every element.
        unsafe {
            let dst = self.at(pe, offset, extent(run, elem));
            copy_strided(dst, run.stride, src, src_stride, run.count, elem);
        }
    }

    unsafe fn iget(&self, _: Ctx, pe: usize, offset: usize, run: Run, dst: *mut u8, elem: usize) {
        // SAFETY: the caller's word for every element.
        unsafe {
            let src = self.at(pe, offset, extent(run, elem));
            copy_strided(dst, elem, src, run.stride, run.count, elem);
        }
    }

    unsafe fn amo(&self, _: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        // SAFETY: the cell is in the heap and aligned, by the caller's word; the mapping lasts as
        // long as the process; an atomic object is accessed only by atomic operations.
        unsafe { cell::amo(self.at(pe, offset, width.bytes()), width, op) }
    }

    fn fence(&self, _: Ctx) {
        fence(Ordering::Release);
    }

    fn quiet(&self, _: Ctx) {
        fence(Ordering::SeqCst);
    }
}

// SAFETY:
// * `Segment::heap` gives `heap_size` bytes, aligned by the segment's layout to `heap_align`, which
//   is a page or more, readable and writable; the segment is leaked, so they stay mapped until the
//   process ends;
// * between `close` and `open`, `at` refuses what begins then; what has begun before, or uses an
//   address that it got before, is in another thread, whose access to the heaps the system refuses
//   (see `phase`).
unsafe impl HeapAccess for SmpTransport {
    fn peer(&self, pe: usize) -> Option<*mut u8> {
        Some(self.segment.heap(pe))
    }

    fn refuse_transfers(&self) {
        self.phases.refuse_transfers();
    }

    fn close(&self) -> Result<NonNull<u8>, Error> {
        self.phases.close()
    }

    fn open(&self) -> Result<(), Error> {
        self.phases.open()
    }
}

// A context has no queue of its own, so there is one for all.
impl Contexts for SmpTransport {
    fn create(&self) -> Result<Ctx, Error> {
        Ok(Ctx::DEFAULT)
    }

    fn destroy(&self, ctx: Ctx) {
        self.quiet(ctx);
    }
}

impl Meetings for SmpTransport {
    fn meeting(&self, offset: usize, members: &Members, rank: usize, identity: u64) -> Box<dyn Meeting> {
        self.segment.team_counters(self.pe, offset).identify(identity);
        let world = (offset == layout::TEAMS).then(|| self.barrier.clone());
        Box::new(TeamMeeting::new(self.segment, offset, members, rank, world))
    }

    fn is_deserted(&self) -> bool {
        let gone = |pe| matches!(self.segment.status(pe).state(), State::Leaving | State::Finished);
        (0..self.segment.n_pes()).all(|pe| pe == self.pe || gone(pe)) && is_only_thread()
    }

    fn has_returned_alone(&self, pe: usize) -> bool {
        self.segment.record(pe).presence.ended_alone.load(Ordering::Acquire) != 0
    }

    fn sync_all(&self) {
        self.barrier.sync();
    }

    fn barrier_all(&self) {
        // Counting in releases what this PE has stored, to everybody who sees the count: no fence
        // of its own is needed.
        self.barrier.sync();
    }

    fn sync_phase(&self) {
        self.phases.sync();
    }

    fn sync_end(&self) {
        self.segment.record(self.pe).presence.ends_alone(is_only_thread());
        // As in `barrier_all`, counting in completes this PE's stores.
        self.end.sync(|_| {});
    }
}

/// The bytes from the first to past the last element of `run`.
fn extent(run: Run, elem: usize) -> usize {
    match run.count {
        0 => 0,
        count => (count - 1) * run.stride + elem,
    }
}

#[cfg(test)]
mod tests;
