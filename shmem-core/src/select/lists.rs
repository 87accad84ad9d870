//! Selectors that no single ascending distance describes: lists of indices, and ranges with a
//! negative step.

use std::marker::PhantomData;
use std::ops;

use super::selectors::{Range, Selector, axis_of, known};
use super::spread::GlobalSelector;
use super::{AtRunTime, Axis, Exactly, Irregular, Written, sealed};
use crate::runtime::places::AxisLine;
use crate::symmetric::shape::Dim;
use crate::symmetric::statics::Checked;

/// `[i, j, k]`, and a list in an array: `N` indices.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'i, const N: usize> {
    indices: &'i [usize; N],
}
impl<const N: usize> sealed::SealedSelector for Listed<'_, N> {}

impl<'i, const N: usize> Listed<'i, N> {
    /// These indices.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(indices: &'i [usize; N]) -> Listed<'i, N> {
        Listed { indices }
    }
}

/// `@list`, of a length that is known at run time.
#[derive(Clone, Copy, Debug)]
pub struct ListedMany<'i> {
    indices: &'i [usize],
}
impl sealed::SealedSelector for ListedMany<'_> {}

/// Values that are a list of indices: `@list`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of indices",
    label = "not a slice, an array or a `Vec` of `usize`",
    note = "`@list` takes indices of `usize`; other numbers are converted first, as in `let list: Vec<usize> = list.iter().map(|&i| i as usize).collect();`",
    note = "a range is written without `@`"
)]
pub trait List<'i, S> {
    /// The selector.
    fn list(&'i self) -> S;
}

macro_rules! lists {
    ($([$($generics:tt)*] $by:lifetime, $from:ty => $to:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'i, $($generics)*> List<$by, $to> for $from {
            #[inline(always)]
            fn list(&$by self) -> $to {
                <$to>::from_list(self)
            }
        }

        // After the `@` of a global array.
        #[diagnostic::do_not_recommend]
        impl<'i, $($generics)*> GlobalSelector<$by, $to> for $from {
            #[inline(always)]
            fn global_selector(&$by self) -> $to {
                self.list()
            }
        }
    )*};
}

impl<'i> ListedMany<'i> {
    #[inline(always)]
    fn from_list(indices: &'i [usize]) -> ListedMany<'i> {
        ListedMany { indices }
    }
}

impl<'i, const N: usize> Listed<'i, N> {
    #[inline(always)]
    fn from_list(indices: &'i [usize; N]) -> Listed<'i, N> {
        Listed { indices }
    }
}

lists! {
    [] 'i, [usize] => ListedMany<'i>;
    [] 'i, Vec<usize> => ListedMany<'i>;
    [] 'i, Box<[usize]> => ListedMany<'i>;
    [const N: usize] 'i, [usize; N] => Listed<'i, N>;
    ['r] 'r, &'i [usize] => ListedMany<'i>;
    ['r] 'r, &'i Vec<usize> => ListedMany<'i>;
    ['r, const N: usize] 'r, &'i [usize; N] => Listed<'i, N>;
}

/// Whether all of the indices are below `extent`.
#[inline(always)]
fn all_below(indices: &[usize], extent: usize) -> bool {
    let Some(last) = extent.checked_sub(1) else {
        return indices.is_empty();
    };
    if last > isize::MAX as usize {
        // Elements without bytes.
        return indices.iter().all(|&index| index < extent);
    }
    // The highest bit of one of the two is set where an index is above the last one. Without a branch for each
    // index this takes the processor a fraction of the time that the elements take.
    let bits = indices.iter().fold(0, |bits, &index| bits | index | last.wrapping_sub(index));
    bits.cast_signed() >= 0
}

/// The same of a list whose length is known at run time, once for all programs.
#[inline(never)]
fn all_of_many_below(indices: &[usize], extent: usize) -> bool {
    all_below(indices, extent)
}

/// The same of a list whose length the compiler knows: in line where it is short.
#[inline(always)]
fn all_of_listed_below<const N: usize>(indices: &[usize; N], extent: usize) -> bool {
    if const { N <= 16 } { all_below(indices, extent) } else { all_of_many_below(indices, extent) }
}

macro_rules! list_selector {
    ($([$($generics:tt)*] $selector:ty, $indices:ty, $below:expr;)*) => {$(
        impl<'i, D: Dim, $($generics)*> Axis<D> for $selector {
            type Extent = Irregular<'i, $indices>;
            const IS_INDEX: bool = false;
            #[inline(always)]
            fn fits(self, extent: usize) -> bool {
                $below(self.indices, extent)
            }
            #[inline(always)]
            fn first(self, _: usize) -> usize {
                0
            }
            #[inline(always)]
            fn count(self, _: usize) -> usize {
                self.indices.len()
            }
            #[inline(always)]
            fn step(self) -> usize {
                1
            }
            #[inline(always)]
            #[allow(private_interfaces, reason = "called by this crate only")]
            fn line(self, _: usize, stride: usize) -> AxisLine {
                AxisLine::list(self.indices, stride)
            }
            #[inline(always)]
            fn written(self, extent: usize) -> Written {
                Written::list(self.indices, extent)
            }
        }
    )*};
}

list_selector! {
    [const N: usize] Listed<'i, N>, Exactly<N>, all_of_listed_below;
    [] ListedMany<'i>, AtRunTime, all_of_many_below;
}

/// `a..b;-s`: the indices of a range from its last one downwards.
#[derive(Clone, Copy, Debug)]
pub struct Back<'i, S> {
    range: S,
    lists: PhantomData<&'i [usize]>,
}
impl<S: sealed::SealedSelector> sealed::SealedSelector for Back<'_, S> {}

impl<S> Back<'_, S> {
    /// The same range, which has the step without its sign.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(range: S) -> Self {
        Back { range, lists: PhantomData }
    }
}

impl<'i, D: Dim, S: Axis<D>> Axis<D> for Back<'i, S>
where
    Irregular<'i, S::Extent>: super::Stack<super::One> + super::Stack<super::Many>,
{
    type Extent = Irregular<'i, S::Extent>;
    const IS_INDEX: bool = false;
    #[inline(always)]
    fn fits(self, extent: usize) -> bool {
        self.range.fits(extent)
    }
    #[inline(always)]
    fn first(self, extent: usize) -> usize {
        match self.range.written(extent) {
            Written::Range { start, end, .. } => end.unwrap_or(extent).saturating_sub(1).max(start),
            _ => unreachable!("only ranges descend"),
        }
    }
    #[inline(always)]
    fn count(self, extent: usize) -> usize {
        self.range.count(extent)
    }
    #[inline(always)]
    fn step(self) -> usize {
        self.range.step().wrapping_neg()
    }
    #[inline(always)]
    fn written(self, extent: usize) -> Written {
        match self.range.written(extent) {
            Written::Range { start, end, step, .. } => Written::Range { start, end, step, descends: true },
            other => other,
        }
    }
}

/// Ranges in a variable that take a step: `range;step`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes no step",
    label = "not a range of `usize`",
    note = "a step belongs to a range, as in `a..b;step`, or to a range in a variable, as in `range;step`; an index and a list have none"
)]
pub trait TakesStep: Selector<Range> {
    /// The range with this step.
    #[inline(always)]
    fn with_step(&self, step: usize) -> Range {
        self.selector().stepped(step)
    }
}

macro_rules! takes_step {
    ($($range:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl TakesStep for $range {}

        // A loop over ranges has references to them.
        #[diagnostic::do_not_recommend]
        impl TakesStep for &$range {}

        #[diagnostic::do_not_recommend]
        impl Selector<Range> for &$range {
            #[inline(always)]
            fn selector(&self) -> Range {
                <$range as Selector<Range>>::selector(self)
            }
        }
    )*};
}

takes_step! {
    ops::Range<usize> ops::RangeFrom<usize> ops::RangeTo<usize> ops::RangeInclusive<usize>
    ops::RangeToInclusive<usize> ops::RangeFull
}

/// Fails the build when an index of a constant list is out of bounds.
#[track_caller]
pub const fn check_list<O: Checked>(_: &O, name: &str, axis: usize, list: &[usize]) {
    if let Some(extent) = known::<O>(axis) {
        let mut position = 0;
        while position < list.len() {
            if list[position] >= extent {
                axis_of(name, axis, extent)
                    .str("index ")
                    .num(list[position])
                    .str(" at position ")
                    .num(position)
                    .str(" of the list is out of bounds")
                    .panic()
            }
            position += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{all_below, all_of_listed_below, all_of_many_below};

    #[test]
    fn one_index_that_is_not_below_the_extent_is_found() {
        const MOST: usize = isize::MAX as usize;
        for extent in [0, 1, 2, 7, 1 << 32, MOST - 1, MOST, MOST + 1, MOST + 2, usize::MAX] {
            for len in 0..20 {
                let mut list = vec![0; len];
                assert_eq!(all_of_many_below(&list, extent), extent > 0 || len == 0);
                for at in 0..len {
                    for index in [
                        0,
                        1,
                        6,
                        extent.wrapping_sub(1),
                        extent,
                        extent.saturating_add(1),
                        MOST,
                        MOST + 1,
                        usize::MAX,
                    ] {
                        list[at] = index;
                        let expected = list.iter().all(|index| *index < extent);
                        assert_eq!(all_below(&list, extent), expected, "{list:?} {extent}");
                        assert_eq!(all_of_many_below(&list, extent), expected, "{list:?} {extent}");
                    }
                    list[at] = 0;
                }
            }
        }
        assert!(all_of_listed_below(&[4; 30], 5) && !all_of_listed_below(&[4; 30], 4));
    }
}
