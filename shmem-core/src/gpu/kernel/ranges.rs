//! What a kernel does with several elements: puts and gets of a thread, a warp or a block.
//!
//! On the back end `host` one thread of a warp or a block moves the elements, while the others wait.

use shmem_gpu::kernel::{self, JointTask, ThreadScope};

use super::memory::{GlobalMemory, element};
use crate::remote::Remote;
use crate::runtime::region::Region;
use crate::select::{Form as _, Many};
use crate::signal::SignalOp;
use crate::symmetric::{Atomic, Item};
use crate::transport::Run;

/// What a kernel selects on an axis.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum KernelAxis {
    /// `i`
    At(usize),
    /// `a..b`
    Between(usize, usize),
    /// `a..=b`
    Through(usize, usize),
    /// `a..`
    From(usize),
    /// `..b`
    To(usize),
    /// `..`
    All,
}

impl KernelAxis {
    /// The first position, and the one after the last.
    fn limits(self, extent: usize) -> (usize, usize) {
        match self {
            // No axis has so many that a saturated end is in it.
            KernelAxis::At(at) => (at, at.saturating_add(1)),
            KernelAxis::Between(start, end) => (start, end),
            KernelAxis::Through(start, end) => (start, end.saturating_add(1)),
            KernelAxis::From(start) => (start, extent),
            KernelAxis::To(end) => (0, end),
            KernelAxis::All => (0, extent),
        }
    }
}

/// Elements that lie side by side.
pub(super) struct KernelPiece<'a, I: Item> {
    pub(super) offset: usize,
    pub(super) count: usize,
    pub(super) elements: Remote<'a, I, Many>,
}

/// The elements of `object`: the macro takes nothing but `..` after a range, so they lie side by side.
///
/// # Panics
///
/// When there are no such elements.
#[track_caller]
pub(super) fn piece<'a, I: Item, const R: usize>(
    object: &GlobalMemory<'a, I, R>,
    pe: usize,
    axes: [KernelAxis; R],
) -> KernelPiece<'a, I> {
    let (mut place, mut count) = (0, 1);
    for (axis, &extent) in object.extents.iter().enumerate() {
        let (start, end) = axes[axis].limits(extent);
        assert!(
            start <= end && end <= extent,
            "`{}` on PE {pe} is out of bounds: {start}..{end} on axis {axis}, which has extent {extent}",
            object.info
        );
        // The extents of an object multiply without overflow.
        (place, count) = (place * extent + start, count * (end - start));
    }
    let size = size_of::<I::Value>();
    let offset = object.offset + place * size;
    let region = Region::range(offset, Run { count, stride: size });
    // SAFETY: on each axis the positions are inside of its extent. `place` is where the first position of every
    // axis leads, and the last position of every axis leads to `place + count - 1` or further, so `count` elements
    // from `place` on lie in the array, which the launch keeps for as long as a thread has the parameter.
    let elements = unsafe { Remote::new(pe, Many::several(region), object.info) };
    KernelPiece { offset, count, elements }
}

/// Elements of this PE's own copy.
#[track_caller]
pub(super) fn own<'a, I: Item, const R: usize>(
    object: &GlobalMemory<'a, I, R>,
    axes: [KernelAxis; R],
) -> KernelPiece<'a, I> {
    piece(object, crate::my_pe(), axes)
}

#[doc(hidden)]
impl<I: Item, const R: usize> GlobalMemory<'_, I, R> {
    /// `remote!(scope; object[pe, axes] = &from[axes])`
    #[track_caller]
    pub fn put<const S: usize>(
        &self,
        scope: ThreadScope,
        (pe, axes): (usize, [KernelAxis; R]),
        from: &GlobalMemory<'_, I, S>,
        from_axes: [KernelAxis; S],
    ) {
        let (to, from) = (piece(self, pe, axes), own(from, from_axes));
        kernel::together(scope, task(0, pe, &to, &from), || to.elements.put(from.elements));
    }

    /// `remote!(scope; object[pe, axes] => &mut to[axes])`
    #[track_caller]
    pub fn get<const S: usize>(
        &self,
        scope: ThreadScope,
        (pe, axes): (usize, [KernelAxis; R]),
        to: &GlobalMemory<'_, I, S>,
        to_axes: [KernelAxis; S],
    ) {
        let (from, to) = (piece(self, pe, axes), own(to, to_axes));
        kernel::together(scope, task(1, pe, &to, &from), || to.elements.put(from.elements));
    }

    /// `remote!(scope; &object[pe, axes]).put_signal(&from[axes], remote!(&signal[pe, index]), op)`
    #[track_caller]
    pub fn put_signal<const S: usize, const Q: usize>(
        &self,
        scope: ThreadScope,
        (pe, axes): (usize, [KernelAxis; R]),
        (from, from_axes): (&GlobalMemory<'_, I, S>, [KernelAxis; S]),
        (signal, signal_pe, index): (&GlobalMemory<'_, Atomic<u64>, Q>, usize, [usize; Q]),
        op: SignalOp,
    ) {
        let (to, from) = (piece(self, pe, axes), own(from, from_axes));
        let cell = element(signal, signal_pe, index);
        let mut task = task(2, pe, &to, &from);
        let (kind, value) = match op {
            SignalOp::Set(value) => (0, value),
            SignalOp::Add(value) => (1, value),
        };
        task.extend([signal_pe as u64, signal.offset as u64, kind, value]);
        task.extend(index.map(|index| index as u64));
        kernel::together(scope, task, || to.elements.put_signal(from.elements, cell, op));
    }
}

/// What all threads that move elements must agree about; `pe` is that of the other side, or the
/// root.
pub(super) fn task<I: Item>(
    what: u64,
    pe: usize,
    to: &KernelPiece<'_, I>,
    from: &KernelPiece<'_, I>,
) -> JointTask {
    let numbers = [pe, to.offset, to.count, from.offset, from.count];
    [what].into_iter().chain(numbers.map(|number| number as u64)).collect()
}
