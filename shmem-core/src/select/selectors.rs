//! Selectors: the indices and ascending ranges for one axis, and the checks of constant ones.
//!
//! The macros expand to these types and functions. A new form of a selector is a type here with its
//! [`Axis`], and its syntax in the macros' `place/select.rs`.

use std::ops;

use super::{AtRunTime, Axis, Exactly, Gone, Written, sealed};
use crate::symmetric::shape::{Dim, Dyn, Fix, PerPeDim};
use crate::symmetric::statics::Checked;
use crate::text::Text;

/// `i`
#[derive(Clone, Copy, Debug)]
pub struct Position(pub usize);
impl sealed::SealedSelector for Position {}

/// `a..b;s` with constant bounds: `N` indices.
#[derive(Clone, Copy, Debug)]
pub struct Span<const N: usize> {
    start: usize,
    end: usize,
    step: usize,
}
impl<const N: usize> sealed::SealedSelector for Span<N> {}

/// `a..;s` with constant bounds: `N` indices, where the extent is constant as well.
#[derive(Clone, Copy, Debug)]
pub struct Rest<const N: usize> {
    start: usize,
    step: usize,
}
impl<const N: usize> sealed::SealedSelector for Rest<N> {}

/// `..`
#[derive(Clone, Copy, Debug)]
pub struct All;
impl sealed::SealedSelector for All {}

/// A range that is known at run time.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    start: usize,
    /// Exclusive; `None` is the extent.
    end: Option<usize>,
    step: usize,
}
impl sealed::SealedSelector for Range {}

impl Range {
    /// The same range with another step.
    #[inline(always)]
    pub(super) fn stepped(self, step: usize) -> Range {
        Range { step, ..self }
    }
}

impl<const N: usize> Span<N> {
    /// From `start` to before `end`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(start: usize, end: usize, step: usize) -> Span<N> {
        Span { start, end, step }
    }
}

impl<const N: usize> Rest<N> {
    /// From `start` on.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(start: usize, step: usize) -> Rest<N> {
        Rest { start, step }
    }
}

/// `start..end;step`, as it is written; a number of another type is reported at its place.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct To {
    /// The first index.
    pub start: usize,
    /// The index that it ends before.
    pub end: usize,
    /// The distance of the indices.
    pub step: usize,
}

/// `start..=last;step`
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Through {
    /// The first index.
    pub start: usize,
    /// The last index.
    pub last: usize,
    /// The distance of the indices.
    pub step: usize,
}

/// `start..;step`
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct From {
    /// The first index.
    pub start: usize,
    /// The distance of the indices.
    pub step: usize,
}

/// A selector that is a value: an index, or a range in a variable.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a selector",
    label = "not a `usize`, and not a range of `usize`",
    note = "a selector is an index, or a range such as `a..b`, `a..=b` or `..`, of `usize`; another number is converted, as in `i as usize`",
    note = "a step is written after the range, as in `a..b;step`, and `a..b;-step` for the reversed order; a list of indices is written `[i, j, k]`, and `@list` where it is in a variable"
)]
pub trait Selector<S> {
    /// Takes a reference: a range in a variable can be used again.
    fn selector(&self) -> S;
}

/// `usize`. With an implementation for `usize` itself, rustc would recommend it for every other
/// number.
#[doc(hidden)]
pub trait Number: Copy {
    /// The index.
    fn index(self) -> usize;
}

impl Number for usize {
    #[inline(always)]
    fn index(self) -> usize {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<N: Number> Selector<Position> for N {
    #[inline(always)]
    fn selector(&self) -> Position {
        Position(self.index())
    }
}

macro_rules! selectors {
    ($($from:ty => $to:ty: $it:ident => $make:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Selector<$to> for $from {
            #[inline(always)]
            fn selector(&self) -> $to {
                let $it = self;
                $make
            }
        }
    )*};
}

selectors! {
    To => Range: range => Range { start: range.start, end: Some(range.end), step: range.step };
    // No object has an index `usize::MAX`, so a saturated end is still out of bounds.
    Through => Range: range =>
        Range { start: range.start, end: Some(range.last.saturating_add(1)), step: range.step };
    From => Range: range => Range { start: range.start, end: None, step: range.step };
    ops::Range<usize> => Range: range => Range { start: range.start, end: Some(range.end), step: 1 };
    ops::RangeFrom<usize> => Range: range => Range { start: range.start, end: None, step: 1 };
    ops::RangeTo<usize> => Range: range => Range { start: 0, end: Some(range.end), step: 1 };
    ops::RangeToInclusive<usize> => Range: range =>
        Range { start: 0, end: Some(range.end.saturating_add(1)), step: 1 };
    ops::RangeFull => Range: _all => Range { start: 0, end: None, step: 1 };
    ops::RangeInclusive<usize> => Range: range => {
        // A range that was iterated to its end is empty, although its bounds are not.
        let spent = range.is_empty() && range.start() <= range.end();
        let end = if spent { *range.start() } else { range.end().saturating_add(1) };
        Range { start: *range.start(), end: Some(end), step: 1 }
    };
}

/// Whether all indices of `start..end;step` are in bounds.
#[inline(always)]
pub(super) fn range_fits(start: usize, end: usize, step: usize, extent: usize) -> bool {
    step != 0 && start <= end && end <= extent
}

/// The number of indices of `start..end;step`, which is not reversed.
#[inline(always)]
fn range_count(start: usize, end: usize, step: usize) -> usize {
    // The common step needs no division.
    if step == 1 { end - start } else { (end - start).div_ceil(step) }
}

impl<D: Dim> Axis<D> for Position {
    type Extent = Gone;
    const IS_INDEX: bool = true;
    #[inline(always)]
    fn fits(self, extent: usize) -> bool {
        self.0 < extent
    }
    #[inline(always)]
    fn first(self, _: usize) -> usize {
        self.0
    }
    #[inline(always)]
    fn count(self, _: usize) -> usize {
        1
    }
    #[inline(always)]
    fn step(self) -> usize {
        1
    }
    #[inline(always)]
    fn written(self, _: usize) -> Written {
        Written::Index(self.0)
    }
}

/// A selector of several indices: `$fits` and `$count` on an axis with `$extent` indices, and
/// `$end` as it was written.
macro_rules! range_selector {
    ($([$($generics:tt)*] $selector:ty, $dim:ty, $indices:ty, |$this:ident, $extent:ident|
        fits $fits:expr, from $first:expr, count $count:expr, by $step:expr, to $end:expr;)*) => {$(
        #[allow(unused_variables, reason = "a selector need not look at the extent, or at itself")]
        impl<$($generics)*> Axis<$dim> for $selector {
            type Extent = $indices;
            const IS_INDEX: bool = false;
            #[inline(always)]
            fn fits(self, $extent: usize) -> bool {
                let $this = self;
                $fits
            }
            #[inline(always)]
            fn first(self, $extent: usize) -> usize {
                let $this = self;
                $first
            }
            #[inline(always)]
            fn count(self, $extent: usize) -> usize {
                let $this = self;
                $count
            }
            #[inline(always)]
            fn step(self) -> usize {
                let $this = self;
                $step
            }
            #[inline(always)]
            fn written(self, $extent: usize) -> Written {
                let $this = self;
                Written::Range { start: $first, end: $end, step: $step, descends: false }
            }
        }
    )*};
}

// If the compiler knows the number of indices, the macro computed `N` from the same numbers. Memory
// safety depends on `N`, so `fits` compares it; the optimiser removes the comparison.
range_selector! {
    [D: Dim, const N: usize] Span<N>, D, Exactly<N>, |this, extent|
        fits range_fits(this.start, this.end, this.step, extent) && range_count(this.start, this.end, this.step) == N,
        from this.start, count N, by this.step, to Some(this.end);
    [const N: usize, const E: usize] Rest<N>, Fix<E>, Exactly<N>, |this, extent|
        fits extent == E && range_fits(this.start, E, this.step, E) && range_count(this.start, E, this.step) == N,
        from this.start, count N, by this.step, to None;
    [const E: usize] All, Fix<E>, Exactly<E>, |this, extent|
        fits extent == E, from 0, count E, by 1, to None;
    [D: Dim] Range, D, AtRunTime, |this, extent|
        fits range_fits(this.start, this.end.unwrap_or(extent), this.step, extent),
        from this.start, count range_count(this.start, this.end.unwrap_or(extent), this.step), by this.step, to this.end;
}

macro_rules! known_at_run_time {
    ($($dim:ty),*) => {
        range_selector! {$(
            [const N: usize] Rest<N>, $dim, AtRunTime, |this, extent|
                fits range_fits(this.start, extent, this.step, extent),
                from this.start, count range_count(this.start, extent, this.step), by this.step, to None;
            [] All, $dim, AtRunTime, |this, extent|
                fits true, from 0, count extent, by 1, to None;
        )*}
    };
}

known_at_run_time!(Dyn, PerPeDim);

// Constant selectors: what the compiler checks --------------------------------------------------

/// The extent of an axis, if the axis exists and the compiler knows the extent.
pub(super) const fn known<O: Checked>(axis: usize) -> Option<usize> {
    // The type system refuses an axis too many, with a message that names the ranks.
    if axis < O::RANK { O::EXTENTS[axis] } else { None }
}

/// Fails the build when a constant index is out of bounds.
#[track_caller]
pub const fn check_index<O: Checked>(_: &O, name: &str, axis: usize, index: usize) {
    if let Some(extent) = known::<O>(axis)
        && index >= extent
    {
        let text = axis_of(name, axis, extent).str("index ").num(index).str(" is out of bounds");
        match extent.checked_sub(1) {
            Some(last) => text.str(", the last one is ").num(last).panic(),
            None => text.panic(),
        }
    }
}

/// Fails the build when a constant range is out of bounds, reversed, or has step 0.
#[track_caller]
pub const fn check_range<O: Checked>(_: &O, name: &str, axis: usize, start: usize, end: usize, step: usize) {
    check_span(start, end, step);
    if let Some(extent) = known::<O>(axis)
        && end > extent
    {
        axis_of(name, axis, extent)
            .str("the range ")
            .num(start)
            .str("..")
            .num(end)
            .str(" ends ")
            .num(end - extent)
            .plural(end - extent, " element", " elements")
            .str(" past the end")
            .panic()
    }
}

/// Fails the build when a constant range without an end starts out of bounds, or has step 0.
#[track_caller]
pub const fn check_rest<O: Checked>(_: &O, name: &str, axis: usize, start: usize, step: usize) {
    check_step(step);
    if let Some(extent) = known::<O>(axis)
        && start > extent
    {
        axis_of(name, axis, extent).str("the range ").num(start).str(".. starts past the end").panic()
    }
}

/// Fails the build when a constant range is reversed or has step 0.
#[track_caller]
pub const fn check_span(start: usize, end: usize, step: usize) {
    check_step(step);
    if start > end {
        Text::new()
            .str("the range ")
            .num(start)
            .str("..")
            .num(end)
            .str(" is reversed: write the smaller bound first, and a step of -1 for the order from the last index down")
            .panic()
    }
}

#[track_caller]
const fn check_step(step: usize) {
    if step == 0 {
        panic!("the step of a range is 0: write 1 or more")
    }
}

pub(super) const fn axis_of(name: &str, axis: usize, extent: usize) -> Text {
    Text::new().str("axis ").num(axis).str(" of `").str(name).str("` has extent ").num(extent).str(": ")
}

/// The number of elements of a constant range; 0 for a range that `check_range` refuses.
pub const fn span_len(start: usize, end: usize, step: usize) -> usize {
    if step == 0 || start > end { 0 } else { (end - start).div_ceil(step) }
}

/// The number of elements of a constant range that includes its end.
pub const fn through_len(start: usize, last: usize, step: usize) -> usize {
    span_len(start, last.saturating_add(1), step)
}

/// The number of elements of a constant range without an end; 0 if the compiler does not know it.
pub const fn rest_len<O: Checked>(_: &O, axis: usize, start: usize, step: usize) -> usize {
    match known::<O>(axis) {
        Some(extent) => span_len(start, extent, step),
        None => 0,
    }
}
