//! A transport that counts what it is asked for, and passes it on to another one.
//!
//! It sees everything, because the table of directly addressable peers stays closed in a run that counts. The runtime's own part of a heap
//! is not the program's, and not counted.

use std::ptr::NonNull;

use crate::runtime::statistics::{Counts, Kind};
use crate::system::error::Error;
use crate::system::threads::ThreadLevel;
use crate::transport::{Amo, Ctx, Groups, Meeting, Members, Run, Transport, Width, layout};

/// A transport, counted.
pub(crate) struct Counted {
    inner: Box<dyn Transport>,
    counts: &'static Counts,
}

impl Counted {
    pub(crate) fn new(inner: Box<dyn Transport>, counts: &'static Counts) -> Counted {
        Counted { inner, counts }
    }

    fn count(&self, kind: Kind, pe: usize, offset: usize, bytes: usize) {
        if offset >= layout::END {
            self.counts.operation(kind, pe, bytes);
        }
    }
}

// SAFETY: every method passes its arguments on to a transport, which keeps the promises of the trait, and returns what that
// returns.
unsafe impl Transport for Counted {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn my_pe(&self) -> usize {
        self.inner.my_pe()
    }

    fn n_pes(&self) -> usize {
        self.inner.n_pes()
    }

    fn heap_size(&self) -> usize {
        self.inner.heap_size()
    }

    fn fresh_heaps_are_zero(&self) -> bool {
        self.inner.fresh_heaps_are_zero()
    }

    fn groups(&self) -> Option<Groups> {
        self.inner.groups()
    }

    fn heap_align(&self) -> usize {
        self.inner.heap_align()
    }

    fn most_align(&self) -> usize {
        self.inner.most_align()
    }

    fn peer(&self, pe: usize) -> Option<*mut u8> {
        self.inner.peer(pe)
    }

    fn direct_atomics(&self) -> bool {
        self.inner.direct_atomics()
    }

    fn thread_level(&self) -> ThreadLevel {
        self.inner.thread_level()
    }

    fn create_context(&self) -> Result<Ctx, Error> {
        self.inner.create_context()
    }

    fn destroy_context(&self, ctx: Ctx) {
        self.inner.destroy_context(ctx);
    }

    unsafe fn put(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        self.count(Kind::Put, pe, offset, len);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.put(ctx, pe, offset, src, len) }
    }

    unsafe fn get(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        self.count(Kind::Get, pe, offset, len);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.get(ctx, pe, offset, dst, len) }
    }

    unsafe fn put_nbi(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        self.count(Kind::Put, pe, offset, len);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.put_nbi(ctx, pe, offset, src, len) }
    }

    unsafe fn get_nbi(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        self.count(Kind::Get, pe, offset, len);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.get_nbi(ctx, pe, offset, dst, len) }
    }

    unsafe fn iput(
        &self,
        ctx: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        src: *const u8,
        src_stride: usize,
        elem: usize,
    ) {
        self.count(Kind::Iput, pe, offset, run.count * elem);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.iput(ctx, pe, offset, run, src, src_stride, elem) }
    }

    unsafe fn iget(&self, ctx: Ctx, pe: usize, offset: usize, run: Run, dst: *mut u8, elem: usize) {
        self.count(Kind::Iget, pe, offset, run.count * elem);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.iget(ctx, pe, offset, run, dst, elem) }
    }

    unsafe fn amo(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        self.count(Kind::of(op), pe, offset, width.bytes());
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.amo(ctx, pe, offset, width, op) }
    }

    unsafe fn update(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
        self.count(Kind::of(op), pe, offset, width.bytes());
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.update(ctx, pe, offset, width, op) }
    }

    fn meeting(&self, offset: usize, members: &Members, rank: usize, identity: u64) -> Box<dyn Meeting> {
        self.inner.meeting(offset, members, rank, identity)
    }

    fn is_deserted(&self) -> bool {
        self.inner.is_deserted()
    }

    fn has_returned_alone(&self, pe: usize) -> bool {
        self.inner.has_returned_alone(pe)
    }

    fn is_over(&self) -> bool {
        self.inner.is_over()
    }

    fn is_crowded(&self) -> bool {
        self.inner.is_crowded()
    }

    fn progress(&self) -> bool {
        self.inner.progress()
    }

    fn fence(&self, ctx: Ctx) {
        self.counts.fence();
        self.inner.fence(ctx);
    }

    fn quiet(&self, ctx: Ctx) {
        self.counts.quiet();
        self.inner.quiet(ctx);
    }

    fn pe_quiet(&self, ctx: Ctx, pes: &[usize]) {
        self.counts.quiet();
        self.inner.pe_quiet(ctx, pes);
    }

    fn sync_all(&self) {
        self.inner.sync_all();
    }

    fn barrier_all(&self) {
        self.inner.barrier_all();
    }

    fn sync_phase(&self) {
        self.inner.sync_phase();
    }

    fn sync_end(&self) {
        self.inner.sync_end();
    }

    fn refuse_transfers(&self) {
        self.inner.refuse_transfers();
    }

    fn close_heaps(&self) -> Result<NonNull<u8>, Error> {
        self.inner.close_heaps()
    }

    fn open_heaps(&self) -> Result<(), Error> {
        self.inner.open_heaps()
    }
}
