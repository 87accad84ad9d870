//! A transport that counts what it is asked for, and passes it on to another one.
//!
//! It sees everything, because the table of directly addressable peers stays closed in a run that counts. The runtime's own part of a heap
//! is not the program's, and not counted.

use std::ptr::NonNull;

use super::{Amo, Meeting, Run, Transport, Width};
use crate::error::Error;
use crate::statistics::{Counts, Kind};
use crate::symmetric::heap::internal;
use crate::team::Members;

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
        if offset >= internal::END {
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

    fn heap_align(&self) -> usize {
        self.inner.heap_align()
    }

    fn peer(&self, pe: usize) -> Option<*mut u8> {
        self.inner.peer(pe)
    }

    unsafe fn put(&self, pe: usize, offset: usize, src: *const u8, len: usize) {
        self.count(Kind::Put, pe, offset, len);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.put(pe, offset, src, len) }
    }

    unsafe fn get(&self, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        self.count(Kind::Get, pe, offset, len);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.get(pe, offset, dst, len) }
    }

    unsafe fn iput(
        &self,
        pe: usize,
        offset: usize,
        run: Run,
        src: *const u8,
        src_stride: usize,
        elem: usize,
    ) {
        self.count(Kind::Iput, pe, offset, run.count * elem);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.iput(pe, offset, run, src, src_stride, elem) }
    }

    unsafe fn iget(&self, pe: usize, offset: usize, run: Run, dst: *mut u8, elem: usize) {
        self.count(Kind::Iget, pe, offset, run.count * elem);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.iget(pe, offset, run, dst, elem) }
    }

    unsafe fn amo(&self, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        let bytes = match width {
            Width::W4 => 4,
            Width::W8 => 8,
        };
        self.count(Kind::of(op), pe, offset, bytes);
        // SAFETY: the caller's promises, which are the same.
        unsafe { self.inner.amo(pe, offset, width, op) }
    }

    fn meeting(&self, offset: usize, members: &Members, rank: usize) -> Box<dyn Meeting> {
        self.inner.meeting(offset, members, rank)
    }

    fn is_deserted(&self) -> bool {
        self.inner.is_deserted()
    }

    fn is_crowded(&self) -> bool {
        self.inner.is_crowded()
    }

    fn fence(&self) {
        self.counts.fence();
        self.inner.fence();
    }

    fn quiet(&self) {
        self.counts.quiet();
        self.inner.quiet();
    }

    fn sync_all(&self) {
        self.inner.sync_all();
    }

    fn synchronisations(&self) -> u32 {
        self.inner.synchronisations()
    }

    fn barrier_all(&self) {
        self.inner.barrier_all();
    }

    fn sync_phase(&self) -> Result<(), usize> {
        self.inner.sync_phase()
    }

    fn phase_is_pending(&self) -> bool {
        self.inner.phase_is_pending()
    }

    fn close_heaps(&self) -> Result<NonNull<u8>, Error> {
        self.inner.close_heaps()
    }

    fn open_heaps(&self) -> Result<(), Error> {
        self.inner.open_heaps()
    }
}
