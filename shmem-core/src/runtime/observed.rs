//! A transport whose operations are [observed](super::observe), and passed on to another one.
//!
//! It sees all operations where the table of directly addressable peers is closed for that.
//! Operations on the runtime's own part of a heap are not the program's, and are not observed.
//!
//! Contexts that only a run which looks for races tells apart are one context of the other transport.

use std::ops::Range;

use shmem_races::{Event, Kind};

use crate::runtime::observe::{self, OperationKind};
use crate::runtime::recorder::notes::RunKind;
use crate::runtime::{races, recorder};
use crate::transport::{Amo, BatchPiece, Ctx, Run, Transport, Width, layout};

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

/// What a batch of pieces is: one operation, strided where any piece is, between these offsets, of so
/// many bytes.
fn batch(
    pieces: &[BatchPiece],
    elem: usize,
    [dense, strided]: [OperationKind; 2],
) -> (OperationKind, Range<usize>, usize) {
    let kind = if pieces.iter().all(|piece| piece.is_dense(elem)) { dense } else { strided };
    let extents = pieces.iter().map(|piece| recorder::extent(piece.offset, piece.run, elem));
    let extent = extents.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
    (kind, extent.unwrap_or(0..0), pieces.iter().map(|piece| piece.run.count * elem).sum())
}

/// The accesses of a batch, for a run that looks for races: each element, and no byte between.
fn races_of(kind: Kind, ctx: Ctx, pe: usize, pieces: &[BatchPiece], elem: usize, is_blocking: bool) {
    if !races::watches() {
        return;
    }
    for piece in pieces {
        let is_contiguous = piece.run.count == 1 || piece.run.stride == elem;
        match (is_contiguous, is_blocking) {
            (false, _) => races::strided(kind, ctx, pe, piece.offset, piece.run, elem),
            (true, true) => races::transfer(kind, ctx, pe, piece.offset, piece.run.count * elem),
            (true, false) => races::transfer_nbi(kind, ctx, pe, piece.offset, piece.run.count * elem),
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

    unsafe fn get_pieces(
        &self,
        ctx: Ctx,
        pe: usize,
        pieces: &[BatchPiece],
        to: *mut u8,
        elem: usize,
        is_blocking: bool,
    ) {
        let (kind, extent, bytes) = batch(pieces, elem, [OperationKind::Get, OperationKind::Iget]);
        self.observe(kind, pe, extent.start, bytes);
        let access = if is_blocking { Kind::Get } else { Kind::GetNbi };
        races_of(access, ctx, pe, pieces, elem, is_blocking);
        recorder::transfer(kind, pe, extent, bytes, || {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.get_pieces(ctx.carrier(), pe, pieces, to, elem, is_blocking) }
        })
    }

    unsafe fn put_pieces(
        &self,
        ctx: Ctx,
        pe: usize,
        pieces: &[BatchPiece],
        from: *const u8,
        elem: usize,
        is_blocking: bool,
    ) {
        let (kind, extent, bytes) = batch(pieces, elem, [OperationKind::Put, OperationKind::Iput]);
        self.observe(kind, pe, extent.start, bytes);
        races_of(Kind::Put, ctx, pe, pieces, elem, is_blocking);
        recorder::transfer(kind, pe, extent, bytes, || {
            // SAFETY: the caller's promises, which are the same.
            unsafe { self.inner.put_pieces(ctx.carrier(), pe, pieces, from, elem, is_blocking) }
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
        if op.leaves(before, width).is_some() {
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
