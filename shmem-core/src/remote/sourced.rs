//! The source `&E[..]` of a write on a context: `remote!(ctx; A[pe, ..] = &E[..])`.
//!
//! The macro cannot tell elements of a device array from those of a slice in private memory. Both are
//! written with the selectors of the language, and the type of `E` decides.

use crate::context::{Context, Issuing};
use crate::runtime::direct;
use crate::select::{Form, Grid, Many, One, Selection};
use crate::symmetric::shape::{Dyn, Shape};
use crate::symmetric::{ObjectInfo, ObjectPlace};

/// What has elements that selectors `S` take as the source of a write, in memory of the kind `M`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "elements of `{Self}` are no source of a write on a context with {N} selectors",
    label = "neither a slice nor a device array with as many axes",
    note = "a source `&E[..]` selects from an array, a slice or a `Vec`, by an index or a range without a step, or from a device array on a stream; a symmetric object of the host is written `local!(&E[..])`, and every other expression stands in parentheses, as in `(&map[key])`"
)]
pub trait SourceOn<const N: usize, D: Shape, S, M> {
    /// The source, for references that hold a `K`.
    type Taken<'a, K>
    where
        Self: 'a;

    /// The elements.
    ///
    /// # Panics
    ///
    /// When the selection is out of bounds.
    #[track_caller]
    fn source_on<'a, C: Issuing<'a, M>>(
        &'a self,
        context: &'a Context<'_, C>,
        selection: S,
    ) -> Self::Taken<'a, C::Delivery>;
}

/// The forms of a part of a slice.
#[doc(hidden)]
pub trait SliceForm: Form {
    /// The part.
    type Part<'a, T: 'a>;

    /// The part of `all` that the elements are, where an element takes one byte.
    fn part<T>(self, all: &[T]) -> Self::Part<'_, T>;
}

/// The range of indices that a form is, of elements of one byte.
#[track_caller]
fn range<F: Form>(at: F) -> std::ops::Range<usize> {
    let region = at.region();
    let run = region.runs[0];
    assert!(
        run.count <= 1 || run.stride == 1,
        "a source in private memory has no step, and this one has the step {}: copy its elements to a `Vec` first",
        run.stride
    );
    let start = if run.count == 0 { 0 } else { region.offset };
    start..start + run.count
}

impl SliceForm for One {
    type Part<'a, T: 'a> = &'a T;
    #[inline(always)]
    fn part<T>(self, all: &[T]) -> &T {
        &all[self.offset()]
    }
}

impl<const N: usize> SliceForm for Grid<N, One> {
    type Part<'a, T: 'a> = &'a [T; N];
    #[inline(always)]
    fn part<T>(self, all: &[T]) -> &[T; N] {
        all[range(self)].try_into().expect("a grid of one axis has as many elements")
    }
}

impl SliceForm for Many {
    type Part<'a, T: 'a> = &'a [T];
    #[inline(always)]
    fn part<T>(self, all: &[T]) -> &[T] {
        &all[range(self)]
    }
}

/// How a slice is called in messages.
static SLICE: ObjectInfo = ObjectInfo::new("the source", "", "", 0, 0, "");

macro_rules! slices {
    ($([$($generics:tt)*] $slice:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)* T, S: Selection<(Dyn,), Form = F>, F: SliceForm, M> SourceOn<1, (Dyn,), S, M> for $slice {
            type Taken<'a, K> = F::Part<'a, T> where Self: 'a;

            #[inline(always)]
            #[track_caller]
            fn source_on<'a, C: Issuing<'a, M>>(&'a self, _: &'a Context<'_, C>, selection: S) -> F::Part<'a, T> {
                let all: &[T] = &self[..];
                let place = ObjectPlace { offset: 0, shape: (Dyn(all.len()),), info: &SLICE };
                selection.locate::<u8>(&place, direct::my_pe()).part(all)
            }
        }
    )*};
}

slices! {
    [] [T];
    [] Vec<T>;
    [] Box<[T]>;
    [const L: usize,] [T; L];
    [] &[T];
    [] &Vec<T>;
    [const L: usize,] &[T; L];
    [] &mut [T];
    [] &mut Vec<T>;
    [const L: usize,] &mut [T; L];
}
