//! What stands in the bracket: `i`, `a..b;s`, `a..`, `..`, one for each axis, on any rank.
//!
//! Three things come out of a selection. Its *form*, a type: [`One`] element, a [`Grid`] whose lengths the compiler
//! knows, or [`Many`] elements; the form decides what a read returns and which sources a write takes. Its
//! `Region`: the offset of the first element and one `Run` for each range. And, only when it
//! is out of bounds, a sentence that says so.
//!
//! Everything here is inlined into the call, so that what is constant in the selection folds away.

use std::fmt;
use std::mem::MaybeUninit;

// Error messages name them: a path through `__private` would not help their reader.
pub use crate::symmetric::shape::{Dyn, Fix, PerPeDim};

use crate::symmetric::shape::{Dim, MAX_RANK, Shape};
use crate::symmetric::{ObjectInfo, Symmetric};
use crate::transport::Run;

/// Form of a selection: one element.
#[derive(Clone, Copy, Debug)]
pub struct One;

/// Form of a selection: `N` times the form `F`, where the compiler knows `N`.
#[derive(Clone, Copy, Debug)]
pub struct Grid<const N: usize, F>(F);

/// Form of a selection: a number of elements that is known at run time.
#[derive(Clone, Copy, Debug)]
pub struct Many;

/// How a form holds elements of type `T`.
///
/// An owned value is made in three steps, rather than by one function that takes a closure: a closure as large as a
/// whole transfer would not be inlined, and nothing in it would fold away.
#[doc(hidden)]
pub trait Form<T: Symmetric>: Copy + sealed::Form {
    /// What fits into the selection: `T`, nested arrays, or `[T]`.
    type Shape: ?Sized;
    /// What a read returns: `T`, nested arrays, or `Vec<T>`.
    type Owned;
    /// Room for an owned value.
    type Room;
    /// Whether it is one element, so that nothing has to be asked of the region.
    const ONE: bool = false;
    /// Room for `len` elements, the number of elements of the selection.
    fn room(len: usize) -> Self::Room;
    /// Where the first element goes; the others follow.
    fn start(room: &mut Self::Room) -> *mut T;
    /// The value, when it is there.
    ///
    /// # Safety
    ///
    /// `room` was made for `len` elements, and all of them were written.
    unsafe fn owned(room: Self::Room, len: usize) -> Self::Owned;
}

impl<T: Symmetric> Form<T> for One {
    type Shape = T;
    type Owned = T;
    type Room = MaybeUninit<T>;
    const ONE: bool = true;
    #[inline(always)]
    fn room(_: usize) -> MaybeUninit<T> {
        MaybeUninit::uninit()
    }
    #[inline(always)]
    fn start(room: &mut MaybeUninit<T>) -> *mut T {
        room.as_mut_ptr()
    }
    #[inline(always)]
    unsafe fn owned(room: MaybeUninit<T>, _: usize) -> T {
        // SAFETY: the caller wrote the element, and every bit pattern is a valid one.
        unsafe { room.assume_init() }
    }
}

impl<T: Symmetric, F: Form<T, Shape = S, Owned = S>, S: Symmetric, const N: usize> Form<T> for Grid<N, F> {
    type Shape = [S; N];
    type Owned = [S; N];
    type Room = MaybeUninit<[S; N]>;
    #[inline(always)]
    fn room(len: usize) -> MaybeUninit<[S; N]> {
        debug_assert_eq!(len * size_of::<T>(), size_of::<[S; N]>());
        MaybeUninit::uninit()
    }
    #[inline(always)]
    fn start(room: &mut MaybeUninit<[S; N]>) -> *mut T {
        room.as_mut_ptr().cast()
    }
    #[inline(always)]
    unsafe fn owned(room: MaybeUninit<[S; N]>, _: usize) -> [S; N] {
        // SAFETY: a `Grid` is built by `Axis` implementations that select exactly `N` indices, so the caller wrote as many
        // elements as the nested arrays hold; every bit pattern is a valid element.
        unsafe { room.assume_init() }
    }
}

impl<T: Symmetric> Form<T> for Many {
    type Shape = [T];
    type Owned = Vec<T>;
    type Room = Vec<T>;
    #[inline]
    fn room(len: usize) -> Vec<T> {
        Vec::with_capacity(len)
    }
    #[inline(always)]
    fn start(room: &mut Vec<T>) -> *mut T {
        room.as_mut_ptr()
    }
    #[inline(always)]
    unsafe fn owned(mut room: Vec<T>, len: usize) -> Vec<T> {
        // SAFETY: the capacity is at least `len`, and the caller wrote `len` elements.
        unsafe { room.set_len(len) };
        room
    }
}

/// Where the elements of a selection lie in a heap: from `offset` on, `rank` ranges, the outermost first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) offset: usize,
    pub(crate) rank: usize,
    pub(crate) runs: [Run; MAX_RANK],
}

impl Region {
    /// One element.
    #[inline(always)]
    pub(crate) fn one(offset: usize) -> Region {
        Region { offset, rank: 0, runs: [Run { count: 1, stride: 0 }; MAX_RANK] }
    }

    /// The ranges.
    #[inline(always)]
    pub(crate) fn runs(&self) -> &[Run] {
        &self.runs[..self.rank]
    }

    /// Where the element at position `i` lies, row-major; there must be one.
    #[inline(always)]
    pub(crate) fn element(&self, i: usize) -> usize {
        debug_assert!(i < self.len());
        let Some((outermost, inner)) = self.runs().split_first() else {
            return self.offset;
        };
        let mut offset = self.offset;
        let mut i = i;
        for run in inner.iter().rev() {
            offset += i % run.count * run.stride;
            i /= run.count;
        }
        offset + i * outermost.stride
    }

    /// How many elements.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        let mut len = 1;
        for run in self.runs() {
            len *= run.count;
        }
        len
    }
}

/// What one axis of a selection comes to.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Picked {
    first: usize,
    count: usize,
    step: usize,
}

/// A selector on an axis.
#[doc(hidden)]
#[diagnostic::on_unimplemented(message = "`{Self}` does not select from this axis")]
pub trait Axis<D: Dim>: Copy + sealed::Selector {
    /// Whether it picks one index or several, and if the compiler knows how many.
    type Extent: Stack<One> + Stack<Many>;
    /// Whether it is an index, which takes its axis away.
    const IS_INDEX: bool;
    /// The indices, unless some are out of bounds.
    fn pick(self, dim: D) -> Option<Picked>;
    /// How it was written, for messages.
    fn written(self) -> Written;
}

mod sealed {
    use super::{All, Index, Range, Rest, Span};

    /// An implementation outside of this crate could select what is not there.
    pub trait Selector {}
    impl Selector for Index {}
    impl<const N: usize> Selector for Span<N> {}
    impl<const N: usize> Selector for Rest<N> {}
    impl Selector for All {}
    impl Selector for Range {}

    /// An implementation outside of this crate could give out an address without room behind it.
    pub trait Form {}
    impl Form for super::One {}
    impl<const N: usize, F> Form for super::Grid<N, F> {}
    impl Form for super::Many {}
}

/// Puts an axis in front of a form.
#[doc(hidden)]
pub trait Stack<F> {
    /// The form with the axis.
    type Form;
}

/// The axis is gone: an index.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Gone;

/// The axis has `N` indices.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Exactly<const N: usize>;

/// The axis has as many indices as run time says.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct AtRunTime;

impl<F> Stack<F> for Gone {
    type Form = F;
}
impl<const N: usize> Stack<One> for Exactly<N> {
    type Form = Grid<N, One>;
}
impl<const N: usize, const M: usize, F> Stack<Grid<M, F>> for Exactly<N> {
    type Form = Grid<N, Grid<M, F>>;
}
impl<const N: usize> Stack<Many> for Exactly<N> {
    type Form = Many;
}
impl<F> Stack<F> for AtRunTime {
    type Form = Many;
}

/// `i`
#[derive(Clone, Copy, Debug)]
pub struct Index(pub usize);

/// `a..b;s` with constant bounds: `N` indices.
#[derive(Clone, Copy, Debug)]
pub struct Span<const N: usize> {
    start: usize,
    end: usize,
    step: usize,
}

/// `a..;s` with constant bounds: `N` indices, where the extent is constant as well.
#[derive(Clone, Copy, Debug)]
pub struct Rest<const N: usize> {
    start: usize,
    step: usize,
}

/// `..`
#[derive(Clone, Copy, Debug)]
pub struct All;

/// A range that is known at run time.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    start: usize,
    /// Exclusive; `None` is the extent.
    end: Option<usize>,
    step: usize,
}

impl<const N: usize> Span<N> {
    /// From `start` to before `end`.
    #[inline(always)]
    pub fn new(start: usize, end: usize, step: usize) -> Span<N> {
        Span { start, end, step }
    }
}

impl<const N: usize> Rest<N> {
    /// From `start` on.
    #[inline(always)]
    pub fn new(start: usize, step: usize) -> Rest<N> {
        Rest { start, step }
    }
}

impl Range {
    /// `start..end;step`
    #[inline(always)]
    pub fn to(start: usize, end: usize, step: usize) -> Range {
        Range { start, end: Some(end), step }
    }

    /// `start..=last;step`
    #[inline(always)]
    pub fn inclusive(start: usize, last: usize, step: usize) -> Range {
        // The last index that there is cannot be in bounds of anything, so saturating keeps it out of bounds.
        Range { start, end: Some(last.saturating_add(1)), step }
    }

    /// `start..;step`
    #[inline(always)]
    pub fn open(start: usize, step: usize) -> Range {
        Range { start, end: None, step }
    }
}

/// The indices of `start..end;step`, unless some are out of bounds.
#[inline(always)]
fn pick_range(start: usize, end: usize, step: usize, extent: usize) -> Option<Picked> {
    if step == 0 || start > end || end > extent {
        return None;
    }
    // The common step needs no division.
    let count = if step == 1 { end - start } else { (end - start).div_ceil(step) };
    Some(Picked { first: start, count, step })
}

impl<D: Dim> Axis<D> for Index {
    type Extent = Gone;
    const IS_INDEX: bool = true;
    #[inline(always)]
    fn pick(self, dim: D) -> Option<Picked> {
        (self.0 < dim.extent()).then_some(Picked { first: self.0, count: 1, step: 1 })
    }
    fn written(self) -> Written {
        Written::Index(self.0)
    }
}

impl<D: Dim, const N: usize> Axis<D> for Span<N> {
    type Extent = Exactly<N>;
    const IS_INDEX: bool = false;
    #[inline(always)]
    fn pick(self, dim: D) -> Option<Picked> {
        let picked = pick_range(self.start, self.end, self.step, dim.extent())?;
        // The macro computes `N` from the same three numbers. Memory safety rests on it, and it folds away.
        (picked.count == N).then_some(picked)
    }
    fn written(self) -> Written {
        Written::Range { start: self.start, end: Some(self.end), step: self.step }
    }
}

impl<const N: usize, const E: usize> Axis<Fix<E>> for Rest<N> {
    type Extent = Exactly<N>;
    const IS_INDEX: bool = false;
    #[inline(always)]
    fn pick(self, _: Fix<E>) -> Option<Picked> {
        let picked = pick_range(self.start, E, self.step, E)?;
        (picked.count == N).then_some(picked)
    }
    fn written(self) -> Written {
        Written::Range { start: self.start, end: None, step: self.step }
    }
}

impl<const E: usize> Axis<Fix<E>> for All {
    type Extent = Exactly<E>;
    const IS_INDEX: bool = false;
    #[inline(always)]
    fn pick(self, _: Fix<E>) -> Option<Picked> {
        Some(Picked { first: 0, count: E, step: 1 })
    }
    fn written(self) -> Written {
        Written::Range { start: 0, end: None, step: 1 }
    }
}

macro_rules! known_at_run_time {
    ($($dim:ty),*) => {$(
        impl<const N: usize> Axis<$dim> for Rest<N> {
            type Extent = AtRunTime;
            const IS_INDEX: bool = false;
            #[inline(always)]
            fn pick(self, dim: $dim) -> Option<Picked> {
                pick_range(self.start, dim.extent(), self.step, dim.extent())
            }
            fn written(self) -> Written {
                Written::Range { start: self.start, end: None, step: self.step }
            }
        }

        impl Axis<$dim> for All {
            type Extent = AtRunTime;
            const IS_INDEX: bool = false;
            #[inline(always)]
            fn pick(self, dim: $dim) -> Option<Picked> {
                Some(Picked { first: 0, count: dim.extent(), step: 1 })
            }
            fn written(self) -> Written {
                Written::Range { start: 0, end: None, step: 1 }
            }
        }
    )*};
}

known_at_run_time!(Dyn, PerPeDim);

impl<D: Dim> Axis<D> for Range {
    type Extent = AtRunTime;
    const IS_INDEX: bool = false;
    #[inline(always)]
    fn pick(self, dim: D) -> Option<Picked> {
        let extent = dim.extent();
        pick_range(self.start, self.end.unwrap_or(extent), self.step, extent)
    }
    fn written(self) -> Written {
        Written::Range { start: self.start, end: self.end, step: self.step }
    }
}

/// The selectors of all axes, on an object of shape `D`.
#[diagnostic::on_unimplemented(
    message = "the selectors `{Self}` are not one for each axis of `{D}`",
    label = "wrong number of selectors",
    note = "write one selector for each axis, in `remote!` behind the PE: an index, `a..b`, `a..b;step` or `..`; a scalar takes none"
)]
pub trait Selection<D: Shape>: Copy {
    /// The form of what is selected.
    type Form: Copy;
    /// Where the elements lie, `elem` bytes each, unless some are out of bounds.
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "called by this crate only")]
    fn region(self, shape: D, offset: usize, elem: usize) -> Option<Region>;
    /// How the selectors were written, and which were right.
    #[doc(hidden)]
    fn written(self, shape: D) -> [Option<(Written, bool)>; MAX_RANK];
}

/// The tuple of selectors `$axis` on the tuple of axes `$dim`.
macro_rules! selections {
    ($($rank:literal: $form:ty, [$($axis:ident on $dim:ident),*] where [$($bound:tt)*];)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($axis: Axis<$dim>, $dim: Dim),*> Selection<($($dim,)*)> for ($($axis,)*)
        where $($bound)*
        {
            type Form = $form;

            #[inline(always)]
            #[allow(non_snake_case, private_interfaces, unused_assignments, unused_mut, unused_variables,
                    reason = "one name for each type parameter and its value; rank 0 has none of them")]
            fn region(self, shape: ($($dim,)*), offset: usize, elem: usize) -> Option<Region> {
                let ($($axis,)*) = self;
                let ($($dim,)*) = shape;
                let picked: [Picked; $rank] = [$($axis.pick($dim)?,)*];
                let extents: [usize; $rank] = [$($dim.extent(),)*];
                let is_index: [bool; $rank] = [$(<$axis as Axis<$dim>>::IS_INDEX,)*];

                // Row-major: the distance between neighbours grows from the last axis to the first.
                let mut strides = [elem; $rank];
                let mut axis = $rank;
                let mut stride = elem;
                while axis > 0 {
                    axis -= 1;
                    strides[axis] = stride;
                    stride *= extents[axis];
                }
                let mut region = Region { offset, rank: 0, runs: [Run { count: 1, stride: 0 }; MAX_RANK] };
                for (axis, index) in is_index.into_iter().enumerate() {
                    // In bounds where anything is selected. An empty range may start behind the object, and the empty
                    // ranges of several axes far behind it: nobody goes there.
                    region.offset = region.offset.wrapping_add(picked[axis].first.wrapping_mul(strides[axis]));
                    if !index {
                        region.runs[region.rank] =
                            // A step that overflows is never taken.
                            Run { count: picked[axis].count, stride: picked[axis].step.wrapping_mul(strides[axis]) };
                        region.rank += 1;
                    }
                }
                Some(region)
            }

            #[allow(non_snake_case, unused_mut, unused_variables, reason = "as above")]
            fn written(self, shape: ($($dim,)*)) -> [Option<(Written, bool)>; MAX_RANK] {
                let ($($axis,)*) = self;
                let ($($dim,)*) = shape;
                let given: [(Written, bool); $rank] = [$(($axis.written(), $axis.pick($dim).is_some()),)*];
                let mut all = [None; MAX_RANK];
                for (slot, one) in all.iter_mut().zip(given) {
                    *slot = Some(one);
                }
                all
            }
        }
    )*};
}

/// The form of `$axis` in front of `$form`.
type Stacked<E, F> = <E as Stack<F>>::Form;

selections! {
    0: One, [] where [];
    1: Stacked<S0::Extent, One>,
       [S0 on D0]
       where [S0::Extent: Stack<One, Form: Copy>];
    2: Stacked<S0::Extent, Stacked<S1::Extent, One>>,
       [S0 on D0, S1 on D1]
       where [S1::Extent: Stack<One>, S0::Extent: Stack<Stacked<S1::Extent, One>, Form: Copy>];
    3: Stacked<S0::Extent, Stacked<S1::Extent, Stacked<S2::Extent, One>>>,
       [S0 on D0, S1 on D1, S2 on D2]
       where [S2::Extent: Stack<One>, S1::Extent: Stack<Stacked<S2::Extent, One>>,
              S0::Extent: Stack<Stacked<S1::Extent, Stacked<S2::Extent, One>>, Form: Copy>];
    4: Stacked<S0::Extent, Stacked<S1::Extent, Stacked<S2::Extent, Stacked<S3::Extent, One>>>>,
       [S0 on D0, S1 on D1, S2 on D2, S3 on D3]
       where [S3::Extent: Stack<One>, S2::Extent: Stack<Stacked<S3::Extent, One>>,
              S1::Extent: Stack<Stacked<S2::Extent, Stacked<S3::Extent, One>>>,
              S0::Extent: Stack<Stacked<S1::Extent, Stacked<S2::Extent, Stacked<S3::Extent, One>>>, Form: Copy>];
}

/// A selector as the user wrote it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// `i`
    Index(usize),
    /// `start..end;step`
    Range {
        /// The first index.
        start: usize,
        /// Before which index it ends; `None` is the extent.
        end: Option<usize>,
        /// The distance of the indices.
        step: usize,
    },
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Written::Index(index) => write!(f, "{index}"),
            Written::Range { start, end, step } => {
                if start > 0 || end.is_some() {
                    write!(f, "{start}")?;
                }
                write!(f, "..")?;
                if let Some(end) = end {
                    write!(f, "{end}")?;
                }
                if step != 1 {
                    write!(f, ";{step}")?;
                }
                Ok(())
            }
        }
    }
}

/// Ends the PE with a message that names the object, its extents, the PE and the selection.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn out_of_bounds(
    object: &ObjectInfo,
    pe: usize,
    extents: &[usize],
    written: [Option<(Written, bool)>; MAX_RANK],
) -> ! {
    let mut selection = String::new();
    let mut why = String::new();
    for (axis, (one, right)) in written.into_iter().flatten().enumerate() {
        if axis > 0 {
            selection.push_str(", ");
        }
        selection.push_str(&one.to_string());
        if !right && why.is_empty() {
            why = explain(one, axis, extents[axis]);
        }
    }
    let list: Vec<String> = extents.iter().map(ToString::to_string).collect();
    panic!(
        "`{}[{selection}]` on PE {pe} is out of bounds: {why}; the object is {object}, with extents [{}]",
        object.name,
        list.join(", ")
    )
}

fn explain(written: Written, axis: usize, extent: usize) -> String {
    match written {
        Written::Index(index) => format!("index {index} on axis {axis}, which has extent {extent}"),
        Written::Range { step: 0, .. } => {
            format!("the step on axis {axis} is 0, and must be at least 1")
        }
        Written::Range { start, end: Some(end), .. } if start > end => {
            format!("the range on axis {axis} starts at {start} and ends before it, at {end}")
        }
        Written::Range { end: Some(end), .. } if end > extent => {
            format!("the range on axis {axis} ends at {end}, and the extent is {extent}")
        }
        Written::Range { start, .. } => {
            format!("the range on axis {axis} starts at {start}, and the extent is {extent}")
        }
    }
}
