//! The elements of a selection as a sequence, on any PE of a team: what collectives move.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::panic::Location;

use crate::remote::Remote;
use crate::runtime::agreement::CallShape;
use crate::runtime::bytes::{SCRATCH_ALIGN, Scratch, with_scratch};
use crate::runtime::races::{self, Kind, When};
use crate::runtime::region::Region;
use crate::runtime::target::Mode;
use crate::runtime::{self, direct, far};
use crate::select::{Form as _, Grid, Many, OnOnePe, One};
use crate::symmetric::{ObjectInfo, Symmetric};
use crate::system::tuning::copy::PIECE;
use crate::transport::copy::{copy, copy_to_pe};
use crate::transport::{Ctx, Run};

/// Two forms of a selection that can have the same shape: where the compiler knows both lengths,
/// they must be equal.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the source and the destination of a collective have different shapes",
    label = "the source is `{Self}`, the destination `{F}`",
    note = "`Grid<N, …>` is a range of `N` indices, with the next axis inside, and `One` is one element: select the same number on each axis",
    note = "if one of the two has a range known at run time, such as `A[start..end]` or `A[{{ 0 }}..]`, only the numbers of elements are compared, at run time"
)]
pub trait Fits<F>: OnOnePe {}

#[diagnostic::do_not_recommend]
impl<F, G: FitsIn<F>> Fits<F> for G {}

/// What [`Fits`] says, by a name of its own: the compiler would recommend the one of these that
/// looks most like what is missing.
#[doc(hidden)]
pub trait FitsIn<F>: OnOnePe {}

impl<F: OnOnePe> FitsIn<Many> for F {}
impl FitsIn<One> for Many {}
impl FitsIn<One> for One {}
impl<const N: usize, F> FitsIn<Grid<N, F>> for Many {}
impl<const N: usize, F: OnOnePe, G: FitsIn<F>> FitsIn<Grid<N, F>> for Grid<N, G> {}

/// The elements of a selection, in row-major order. The same selection is meant on every PE.
pub(super) struct SelectedElements<'a, T> {
    region: Region,
    len: usize,
    pub(super) info: &'a ObjectInfo,
    holds: PhantomData<fn() -> T>,
}

impl<T> Clone for SelectedElements<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SelectedElements<'_, T> {}

impl<'a, T: Symmetric> SelectedElements<'a, T> {
    /// What a user gave to a collective: `what` it is there.
    ///
    /// # Panics
    ///
    /// When it is not a selection on this PE.
    ///
    /// Inlined for the usual case: to copy a region that was just written takes longer than all the rest.
    #[inline(always)]
    #[track_caller]
    pub(super) fn of<F: OnOnePe>(selection: Remote<'a, T, F>, what: &str) -> SelectedElements<'a, T> {
        const {
            assert!(
                !F::PICKED,
                "a collective takes an index or a range that ascends on each axis: move the elements of a list \
                 to an array of their own first"
            );
        }
        if selection.pe() != direct::my_pe() {
            refuse_place(what, selection.info(), selection.pe());
        }
        let (region, elem) = (selection.region(), size_of::<T>());
        let (region, len) = match region.dense_count(elem) {
            Some(len) => (Region::range(region.offset, Run { count: len, stride: elem }), len),
            None => simplified(region, elem),
        };
        SelectedElements { region, len, info: selection.info(), holds: PhantomData }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// This PE reads or writes the first `len` elements of its own copy, as its part in a collective call.
    #[track_caller]
    pub(super) fn takes_part(&self, kind: Kind, len: usize) {
        self.takes_part_in(kind, 0..len);
    }

    /// As [`takes_part`](SelectedElements::takes_part), with the elements at these positions.
    #[track_caller]
    pub(super) fn takes_part_in(&self, kind: Kind, positions: Range<usize>) {
        self.takes_part_on(kind, When::Meanwhile, direct::my_pe(), positions);
    }

    /// As [`takes_part_in`](SelectedElements::takes_part_in), `when` it meets the others, and with those of PE `pe` of
    /// the world.
    #[track_caller]
    pub(super) fn takes_part_on(&self, kind: Kind, when: When, pe: usize, positions: Range<usize>) {
        if !races::watches() {
            return;
        }
        let (elem, at, len) = (size_of::<T>(), Location::caller(), positions.len());
        let part = |region: &Region| races::part_in_call(kind, when, (pe, region, elem), at);
        if len == self.len {
            part(&self.region);
        } else if len > 0 {
            self.region.parts(positions.start, len, |region, _| part(&region));
        }
    }

    /// Where the first one lies.
    pub(super) fn offset(&self) -> usize {
        self.region.offset
    }

    /// The offset and the shape, which other PEs compare with theirs in a checked run.
    pub(super) fn place_in_call(&self) -> (usize, CallShape) {
        let is_dense = || self.region.dense_count(size_of::<T>()).is_some();
        let shape = if !runtime::get().is_checked() || self.len <= 1 || is_dense() {
            CallShape::default()
        } else {
            CallShape::of(self.region.runs())
        };
        (self.offset(), shape)
    }

    /// Whether writing one of the two may change the other.
    pub(super) fn overlaps(&self, other: &SelectedElements<'_, T>) -> bool {
        let (one, two) = (&self.region, &other.region);
        // Only of a region without elements may the end overflow.
        let end = |region: &Region| region.end(size_of::<T>()).unwrap_or(usize::MAX);
        self.len > 0 && other.len > 0 && one.offset < end(two) && two.offset < end(one)
    }

    /// Whether they overlap, and are not the same elements.
    pub(super) fn is_tangled(&self, other: &SelectedElements<'_, T>) -> bool {
        let same = self.offset() == other.offset() && self.region.runs() == other.region.runs();
        !same && self.overlaps(other)
    }

    /// Whether the elements follow one another without gaps.
    pub(super) fn is_dense(&self) -> bool {
        self.region.rank == 1 && self.region.runs[0].stride == size_of::<T>()
    }

    /// Where a routine that moves bytes finds the elements, and those of `from`: none where either
    /// has gaps, or they overlap.
    pub(super) fn places(&self, from: &SelectedElements<'_, T>) -> Option<(usize, usize)> {
        (self.is_dense() && from.is_dense() && !self.overlaps(from)).then_some((self.offset(), from.offset()))
    }

    /// Elements `from..from + len` on PE `pe` of the world, where all of the selection lies side by
    /// side.
    fn dense_part(&self, pe: usize, from: usize, len: usize) -> Option<Remote<'a, T, Many>> {
        // Memory safety rests on it: the region was checked for so many.
        assert!(from.checked_add(len).is_some_and(|end| end <= self.len));
        let stride = size_of::<T>();
        let part = Region::range(self.offset() + from * stride, Run { count: len, stride });
        // SAFETY: a part of the selection, which was checked against the extents of a live object.
        self.is_dense().then(|| unsafe { Remote::new(pe, Many::several(part), self.info) })
    }

    /// Calls `each` with elements `from..from + len` on PE `pe` of the world, a range at a time,
    /// and with how many came before.
    fn parts(&self, pe: usize, from: usize, len: usize, mut each: impl FnMut(Remote<'a, T, Many>, usize)) {
        if let Some(part) = self.dense_part(pe, from, len) {
            return each(part, 0);
        }
        self.region.parts(from, len, |part, done| {
            // SAFETY: a part of the selection, which was checked against the extents of a live
            // object.
            each(unsafe { Remote::new(pe, Many::several(part), self.info) }, done);
        });
    }

    /// Reads elements from `from` on, as many as `to` has, from the copy of PE `pe` of the world.
    #[track_caller]
    pub(super) fn read(&self, pe: usize, from: usize, to: &mut [T]) {
        self.parts(pe, from, to.len(), |part, before| part.get_into(&mut to[before..before + part.len()]));
    }

    /// Writes `source` to the elements from `from` on, in the copy of PE `pe` of the world.
    #[track_caller]
    pub(super) fn write(&self, pe: usize, from: usize, source: &[T]) {
        self.parts(pe, from, source.len(), |part, before| part.put(&source[before..before + part.len()]));
    }

    /// As [`write`](SelectedElements::write), of this PE's own copy. `source` has the bytes of the elements.
    #[track_caller]
    pub(super) fn write_own(&self, from: usize, source: &[u8]) {
        let (me, len) = (direct::my_pe(), source.len() / size_of::<T>().max(1));
        if let Some(target) = self.dense_part(me, from, len).and_then(Remote::as_ptr) {
            // SAFETY: the part has so many bytes, and the source is private.
            return unsafe { copy(target.cast(), source.as_ptr(), source.len()) };
        }
        with_room(len, |elements| {
            bytes_mut(elements).copy_from_slice(source);
            self.write(me, from, elements);
        });
    }

    /// As [`read`](SelectedElements::read), of this PE's own copy. `to` has room for the bytes of the elements.
    #[track_caller]
    pub(super) fn read_own(&self, from: usize, to: &mut [u8]) {
        let (me, len) = (direct::my_pe(), to.len() / size_of::<T>().max(1));
        if let Some(source) = self.dense_part(me, from, len).and_then(Remote::as_ptr) {
            // SAFETY: the part has so many bytes, and the destination is private.
            return unsafe { copy(to.as_mut_ptr(), source.cast_const().cast(), to.len()) };
        }
        with_room(len, |elements| {
            self.read(me, from, elements);
            to.copy_from_slice(bytes(elements));
        });
    }

    /// Copies `len` elements of this PE, from `from` on, to those of `to` from `to_from` on, on PE
    /// `pe` of the world.
    #[track_caller]
    pub(super) fn copy_to(
        &self,
        from: usize,
        to: &SelectedElements<'_, T>,
        pe: usize,
        to_from: usize,
        len: usize,
    ) {
        self.copy_between(direct::my_pe(), from, to, pe, to_from, len);
    }

    /// As [`copy_to`](SelectedElements::copy_to), from PE `owner` of the world.
    #[track_caller]
    pub(super) fn copy_between(
        &self,
        owner: usize,
        from: usize,
        to: &SelectedElements<'_, T>,
        pe: usize,
        to_from: usize,
        len: usize,
    ) {
        let bytes = len * size_of::<T>();
        let address = |of: &SelectedElements<'_, T>, pe, from| of.dense_part(pe, from, len)?.as_ptr();
        let at = |of: &SelectedElements<'_, T>, from| of.offset() + from * size_of::<T>();
        // SAFETY: both are inside of selections that were checked against the extents of live objects, on
        // PEs that there are; what has an address is on a PE whose heap is mapped; callers keep selections
        // that are tangled away from here, and equal ones are left out.
        unsafe {
            match (address(self, owner, from), address(to, pe, to_from)) {
                (Some(source), Some(target)) if source == target => return,
                (Some(source), Some(target)) if pe == direct::my_pe() => {
                    return copy(target.cast(), source.cast(), bytes);
                }
                (Some(source), Some(target)) => return copy_to_pe(target.cast(), source.cast(), bytes),
                (Some(source), None) if to.is_dense() => {
                    return far::put_bytes(
                        Mode::Blocking,
                        Ctx::DEFAULT,
                        pe,
                        at(to, to_from),
                        source.cast(),
                        bytes,
                    );
                }
                (None, Some(target)) if self.is_dense() => {
                    let from = at(self, from);
                    return far::get_bytes(Mode::Blocking, Ctx::DEFAULT, owner, from, target.cast(), bytes);
                }
                _ => {}
            }
        }
        let mut piece = ScratchElements::<T>::of_a_piece();
        let mut done = 0;
        while done < len {
            let part_len = piece.len().min(len - done);
            let part = &mut piece[..part_len];
            self.read(owner, from + done, part);
            to.write(pe, to_from + done, part);
            done += part.len();
        }
    }

    /// Where the elements begin in the heap of PE `pe` of the world, when they follow one another
    /// without gaps and loads and stores reach them.
    #[track_caller]
    pub(super) fn address(&self, pe: usize) -> Option<*mut u8> {
        self.dense_part(pe, 0, self.len)?.as_ptr().map(<*mut T>::cast)
    }

    /// Private copies of all elements of this PE.
    #[track_caller]
    pub(super) fn to_vec(self) -> Vec<T> {
        let mut all = zeros(self.len);
        self.read(direct::my_pe(), 0, &mut all);
        all
    }
}

/// The region, and its number of elements: one range, whatever its rank, if it has no gaps.
fn simplified(region: Region, elem: usize) -> (Region, usize) {
    let len = region.len();
    if len == 0 || region.rows(elem, elem).is_one_piece() {
        return (Region::range(region.offset, Run { count: len, stride: elem }), len);
    }
    (region, len)
}

#[cold]
#[track_caller]
fn refuse_place(what: &str, info: &ObjectInfo, pe: usize) -> ! {
    panic!(
        "the {what} of a collective must be this PE's own copy: write `local!(&…)`; this selection of {info} is \
         on PE {pe}, and PE {} makes the call",
        direct::my_pe()
    );
}

/// Gives `each` private room for `len` elements. What is small is on the stack: it costs less than
/// an allocation.
pub(super) fn with_room<T: Symmetric, R>(len: usize, each: impl FnOnce(&mut [T]) -> R) -> R {
    if const { align_of::<T>() <= SCRATCH_ALIGN } {
        with_scratch(len * size_of::<T>(), |bytes| {
            // SAFETY: a room that is large enough, and aligned, as was just checked; every bit pattern is a
            // valid element.
            each(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), len) })
        })
    } else {
        each(&mut ScratchElements::new(len))
    }
}

/// Private room for elements on their way, whatever they are until they are written.
pub(super) struct ScratchElements<T> {
    scratch: Scratch,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Symmetric> ScratchElements<T> {
    /// Room for `len` elements.
    pub(super) fn new(len: usize) -> ScratchElements<T> {
        let bytes = len.checked_mul(size_of::<T>()).expect("as many elements are in symmetric memory");
        ScratchElements { scratch: Scratch::new(bytes, align_of::<T>()), len, elements: PhantomData }
    }

    /// Room for a [`PIECE`], which holds at least one element.
    pub(super) fn of_a_piece() -> ScratchElements<T> {
        ScratchElements::new(PIECE.div_ceil(size_of::<T>().max(1)))
    }
}

impl<T: Symmetric> Deref for ScratchElements<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the room is as long and aligned, and every bit pattern is a valid element.
        unsafe { std::slice::from_raw_parts(self.scratch.start().cast(), self.len) }
    }
}

impl<T: Symmetric> DerefMut for ScratchElements<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and the room is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.scratch.start().cast(), self.len) }
    }
}

/// Elements whose bytes are zeros. Not by `vec!`, which would call the element's `Clone`: that may
/// be the program's own, and no code of the program runs in the middle of a collective call.
pub(super) fn zeros<T: Symmetric>(len: usize) -> Vec<T> {
    let layout = Layout::array::<T>(len).expect("as many elements are in symmetric memory");
    if layout.size() == 0 {
        // SAFETY: nothing is allocated for elements of no size, and every bit pattern is a valid
        // element.
        return (0..len).map(|_| unsafe { std::mem::zeroed() }).collect();
    }
    // SAFETY: the layout has a size.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: allocated by the global allocator with the layout of `len` elements, each of which is
    // zeros: every bit pattern is valid.
    unsafe { Vec::from_raw_parts(memory.cast(), len, len) }
}

/// The bytes of elements.
pub(crate) fn bytes<T: Symmetric>(elements: &[T]) -> &[u8] {
    // SAFETY: an element has no padding, so all of its bytes are initialised.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// The bytes of elements, to be overwritten.
pub(super) fn bytes_mut<T: Symmetric>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes`; and whatever is written, every bit pattern is a valid element.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

/// The elements that `bytes` are, at any alignment.
pub(crate) fn elements<T: Symmetric>(bytes: &[u8]) -> impl Iterator<Item = T> + '_ {
    // SAFETY: each chunk has the bytes of an element, and every bit pattern is a valid one.
    bytes
        .chunks_exact(size_of::<T>().max(1))
        .map(|chunk| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() })
}
