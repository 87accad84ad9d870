//! The embedded transport: PEs are processes on one host, and every PE maps the memory of all.
//!
//! A put is a store and a get is a load, so an operation never waits for the target PE.
//!
//! # Memory ordering
//!
//! * `put`, `get` and their strided forms are plain accesses: nothing orders them among one
//!   another.
//! * [`fence`](Transport::fence) and [`quiet`](Transport::quiet) are fences of the processor. A put
//!   is complete when its stores are visible to all PEs. An ordinary fence on x86-64 would not wait
//!   for the streaming stores of large copies, so the copy itself completes them (see
//!   [`copy`](super::copy)).
//! * [`amo`](Transport::amo) acquires and releases: a PE that reads an update also sees what the
//!   updating PE stored before it.
//! * A context has no queue of its own: every operation is issued when it is called, and `fence`
//!   and `quiet` of any context order and complete all.
//! * [`sync_all`](Meetings::sync_all) orders everything before it on any PE ahead of everything
//!   after it on every PE.
//!
//! The layers above decide which accesses may race, and ensure that safe code cannot get undefined
//! behaviour from it. Here every byte of a heap is memory that other processes may change at any
//! time, and the accesses are made so that this is harmless (see [`copy`](super::copy)).

mod phase;
pub(crate) mod segment;

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

use self::phase::PhaseChanges;
use self::segment::Segment;
use super::copy::{copy, copy_strided, copy_strided_to_pe, copy_to_pe};
use super::layout::{self, MAX_ALIGN};
use super::node::barrier::{Barrier, TeamMeeting};
use super::node::deadlock;
use super::node::fault;
use super::node::phase_change::PhaseMeeting;
use super::node::record::Node as _;
use super::node::traffic::Traffic;
use super::node::waits::WaitRecord;
use super::{
    Amo, Contexts, Ctx, Endpoint, Facts, HeapAccess, Meeting, Meetings, Members, Run, Transport, Width, cell,
};
use crate::system::error::Error;
use crate::system::status::PeState;
use crate::system::threads::{self, is_only_thread};
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

    /// This PE's endpoint of the transport.
    pub(crate) fn endpoint(self) -> Endpoint {
        Endpoint::new(self.facts(), self)
    }

    /// The facts about the job.
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
            thread_level: threads::declared(),
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
        // SAFETY: inside the heap of `pe`, as the caller promises; the heap is one mapped object.
        unsafe { self.segment.heap(pe).add(offset) }
    }
}

// SAFETY: the transfers below compute the addresses of exactly the bytes that their arguments name,
// and are done with local memory when they return; no state belongs to a thread.
unsafe impl Transport for SmpTransport {
    unsafe fn put(&self, _: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        // SAFETY: the caller promises both sides.
        unsafe { copy_to_pe(self.at(pe, offset, len), src, len) }
    }

    unsafe fn get(&self, _: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        // SAFETY: the caller promises both sides.
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
        // SAFETY: the caller's promise for every element.
        unsafe {
            let dst = self.at(pe, offset, extent(run, elem));
            copy_strided_to_pe(dst, run.stride, src, src_stride, run.count, elem);
        }
    }

    unsafe fn iget(
        &self,
        _: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        dst: *mut u8,
        dst_stride: usize,
        elem: usize,
    ) {
        // SAFETY: the caller's promise for every element.
        unsafe {
            let src = self.at(pe, offset, extent(run, elem));
            copy_strided(dst, dst_stride, src, run.stride, run.count, elem);
        }
    }

    unsafe fn amo(&self, _: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        // SAFETY: the cell is in the heap and aligned, as the caller promises; the mapping lasts as
        // long as the process; an atomic object is accessed only by atomic operations.
        unsafe { cell::amo(self.at(pe, offset, width.bytes()), width, op) }
    }

    fn fence(&self, _: Ctx) {
        fence(Ordering::Release);
    }

    fn quiet(&self, _: Ctx) {
        fence(Ordering::SeqCst);
    }

    fn has_stores_alone(&self) -> bool {
        true
    }
}

// SAFETY:
// * `Segment::heap` gives `heap_size` bytes, aligned by the segment's layout to `heap_align`, which
//   is a page or more, readable and writable; the segment is leaked, so they stay mapped until the
//   process ends;
// * between `close` and `open`, `at` refuses the transfers that begin then; a transfer that has
//   begun before, or an access by an address that was read before, is in another thread, whose
//   access to the heaps the system refuses (see `phase`).
unsafe impl HeapAccess for SmpTransport {
    fn peer(&self, pe: usize) -> Option<*mut u8> {
        Some(self.segment.heap(pe))
    }

    fn peers(&self) -> Vec<usize> {
        (0..self.segment.n_pes()).collect()
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

    unsafe fn map_over(&self, address: NonNull<u8>, offset: usize, len: usize) -> Result<(), Error> {
        // SAFETY: the caller's promises.
        unsafe { self.segment.map_over(self.pe, address, offset, len) }.map_err(|source| Error::System {
            what: format!("cannot map {len} bytes of the symmetric heap over the address {address:p}"),
            source,
        })
    }

    fn touched(&self, range: Range<usize>) -> Option<Range<usize>> {
        self.segment.touched(self.pe, range)
    }
}

// A context has no queue of its own, so one value serves as all.
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
        let gone = |pe| matches!(self.segment.status(pe).state(), PeState::Leaving | PeState::Finished);
        (0..self.segment.n_pes()).all(|pe| pe == self.pe || gone(pe)) && is_only_thread()
    }

    fn wait_record(&self) -> &WaitRecord {
        &self.segment.record(self.pe).presence.wait
    }

    fn traffic(&self) -> &Traffic {
        &self.segment.record(self.pe).traffic
    }

    fn acts_alone(&self) -> bool {
        self.segment.acts_alone()
    }

    fn has_returned_alone(&self, pe: usize) -> bool {
        self.segment.record(pe).presence.ended_alone.load(Ordering::Acquire) != 0
    }

    fn sync_all(&self) {
        self.barrier.sync();
    }

    fn barrier_all(&self) {
        // Counting in releases what this PE has stored, to every PE that sees the count: no further
        // fence is needed.
        self.barrier.sync();
    }

    fn sync_phase(&self) {
        self.phases.sync();
    }

    fn sync_end(&self) {
        self.segment.record(self.pe).presence.ends_alone(is_only_thread());
        // As in `barrier_all`, counting in completes this PE's stores.
        self.end.sync(|sleep, number| deadlock::end_sleeps(self.segment, sleep, self.pe, number));
    }

    fn revoke_end(&self) {
        self.segment.record(self.pe).presence.revoke_end();
    }
}

/// The number of bytes from the first to past the last element of `run`.
fn extent(run: Run, elem: usize) -> usize {
    match run.count {
        0 => 0,
        count => (count - 1) * run.stride + elem,
    }
}

#[cfg(test)]
mod tests;
