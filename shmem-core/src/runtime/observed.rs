//! A transport whose operations are [observed](super::observe), and passed on to another one.
//!
//! It sees all operations where the table of directly addressable peers is closed for that.
//! Operations on the runtime's own part of a heap are not the program's, and are not observed.
//!
//! Contexts that only a run which looks for races tells apart are one context of the other transport.

use shmem_races::{Event, Kind};

use crate::runtime::observe::{self, OperationKind};
use crate::runtime::recorder::notes::RunKind;
use crate::runtime::{races, recorder};
use crate::transport::{Amo, Ctx, Run, Transport, Width, layout};

/// A transport whose operations are observed.
pub(crate) struct Observed {
    inner: &'static dyn Transport,
}

impl Observed {
    pub(crate) fn new(inner: &'static dyn Transport) -> Observed {
        Observed { inner }
    }

    fn observe(&self, kind: OperationKind, pe: usize, offset: usize, bytes: usize) {
        if offset >= layout::END {
            observe::operation(kind, pe, bytes);
        }
    }

    /// After an update of the cell at `offset`.
    fn updated(&self, pe: usize, offset: usize) {
        if offset >= layout::END {
            observe::updated(pe, offset);
        }
    }
}

// SAFETY: every method passes its arguments on to a transport, which keeps the promises of the
// trait, and returns what that returns. A context that the transport does not know is carried by its
// default one, which orders and completes what it must.
unsafe impl Transport for Observed {
    unsafe fn put(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        self.observe(OperationKind::Put, pe, offset, len);
        races::transfer(Kind::Put, ctx, pe, offset, len);
        recorder::transfer(OperationKind::Put, pe, offset..offset + len, len, || {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.put(ctx.carrier(), pe, offset, src, len) }
        })
    }

    unsafe fn get(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        self.observe(OperationKind::Get, pe, offset, len);
        races::transfer(Kind::Get, ctx, pe, offset, len);
        recorder::transfer(OperationKind::Get, pe, offset..offset + len, len, || {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.get(ctx.carrier(), pe, offset, dst, len) }
        })
    }

    unsafe fn put_nbi(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        self.observe(OperationKind::Put, pe, offset, len);
        races::transfer_nbi(Kind::Put, ctx, pe, offset, len);
        recorder::transfer(OperationKind::Put, pe, offset..offset + len, len, || {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.put_nbi(ctx.carrier(), pe, offset, src, len) }
        })
    }

    unsafe fn get_nbi(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        self.observe(OperationKind::Get, pe, offset, len);
        races::transfer(Kind::GetNbi, ctx, pe, offset, len);
        recorder::transfer(OperationKind::Get, pe, offset..offset + len, len, || {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.get_nbi(ctx.carrier(), pe, offset, dst, len) }
        })
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
        self.observe(OperationKind::Iput, pe, offset, run.count * elem);
        races::strided(Kind::Put, ctx, pe, offset, run, elem);
        let extent = recorder::extent(offset, run, elem);
        recorder::transfer(OperationKind::Iput, pe, extent, run.count * elem, || {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.iput(ctx.carrier(), pe, offset, run, src, src_stride, elem) }
        })
    }

    unsafe fn iget(
        &self,
        ctx: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        dst: *mut u8,
        dst_stride: usize,
        elem: usize,
    ) {
        self.observe(OperationKind::Iget, pe, offset, run.count * elem);
        races::strided(Kind::Get, ctx, pe, offset, run, elem);
        let extent = recorder::extent(offset, run, elem);
        recorder::transfer(OperationKind::Iget, pe, extent, run.count * elem, || {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.iget(ctx.carrier(), pe, offset, run, dst, dst_stride, elem) }
        })
    }

    unsafe fn amo(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        self.observe(OperationKind::of(op), pe, offset, width.bytes());
        let before = recorder::atomic(pe, offset, width, op, || {
            races::atomic(ctx, pe, offset, width, op, true, || {
                // SAFETY: the caller's promises, which are the same.
                unsafe { self.inner.amo(ctx.carrier(), pe, offset, width, op) }
            })
        });
        let is_update = match op {
            Amo::Fetch => false,
            Amo::CompareSwap { expected, .. } => before == expected,
            _ => true,
        };
        if is_update {
            self.updated(pe, offset);
        }
        before
    }

    unsafe fn update(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
        self.observe(OperationKind::of(op), pe, offset, width.bytes());
        if races::watches() || recorder::records() {
            // The order of the updates is known only if each is over before the next, and what a cell
            // holds after one, if that returns what was there before.
            recorder::atomic(pe, offset, width, op, || {
                races::atomic(ctx, pe, offset, width, op, false, || {
                    // SAFETY: the caller's promises, which are the same.
                    unsafe { self.inner.amo(ctx.carrier(), pe, offset, width, op) }
                })
            });
        } else {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.update(ctx.carrier(), pe, offset, width, op) }
        }
        self.updated(pe, offset);
    }

    fn fence(&self, ctx: Ctx) {
        observe::fence();
        races::order(|| Event::Fence { ctx: ctx.number() });
        recorder::order(RunKind::Fence, || self.inner.fence(ctx.carrier()));
    }

    fn quiet(&self, ctx: Ctx) {
        observe::quiet();
        recorder::order(RunKind::Quiet, || self.inner.quiet(ctx.carrier()));
        races::order(|| Event::Quiet { ctx: ctx.number() });
    }

    fn pe_quiet(&self, ctx: Ctx, pes: &[usize]) {
        observe::quiet();
        recorder::order(RunKind::Quiet, || self.inner.pe_quiet(ctx.carrier(), pes));
        pes.iter().for_each(|&pe| races::order(|| Event::PeQuiet { ctx: ctx.number(), pe: pe as u16 }));
    }
}
