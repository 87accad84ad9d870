//! Symmetric objects of every kind, as the tests see them: something that turns a selection into a reference.

use shmem::prelude::*;
use shmem::select::{Grid, Many, One};
use shmem::{Item, Remote};

use crate::model::{Axis, Form};

/// A way to write elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Give {
    Slice,
    Vector,
    VectorReference,
    Boxed,
}

/// The operations of a reference, whatever its form is.
pub(crate) trait Access<T> {
    fn get(&self) -> Vec<T>;
    fn get_into(&self, buffer: &mut [T]);
    fn put(&self, source: &[T], how: Give);
    /// `put` of one element for all places.
    fn put_one(&self, value: T);
    fn fill(&self, value: T);
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn pe(&self) -> usize;
}

/// What a read returns, flat.
pub(crate) trait Flat<T> {
    /// The elements in row-major order.
    fn flat(self) -> Vec<T>;
    /// The lengths, the outermost first, where the type has them.
    fn lengths() -> Option<Vec<usize>>;
}

impl<T: Symmetric> Flat<T> for T {
    fn flat(self) -> Vec<T> {
        vec![self]
    }
    fn lengths() -> Option<Vec<usize>> {
        Some(vec![])
    }
}

impl<T: Symmetric> Flat<T> for Vec<T> {
    fn flat(self) -> Vec<T> {
        self
    }
    fn lengths() -> Option<Vec<usize>> {
        None
    }
}

macro_rules! flat_arrays {
    ($([$($n:ident)*] $array:ty: $($flattened:ident)*;)*) => {$(
        impl<T: Symmetric, $(const $n: usize),*> Flat<T> for $array {
            fn flat(self) -> Vec<T> {
                self$(.$flattened())*.to_vec()
            }
            fn lengths() -> Option<Vec<usize>> {
                Some(vec![$($n),*])
            }
        }
    )*};
}

flat_arrays! {
    [A] [T; A]: as_slice;
    [A B] [[T; B]; A]: as_flattened;
    [A B C] [[[T; C]; B]; A]: as_flattened as_flattened;
    [A B C D] [[[[T; D]; C]; B]; A]: as_flattened as_flattened as_flattened;
}

impl<I: Item> Access<I::Value> for Remote<'_, I, One> {
    fn get(&self) -> Vec<I::Value> {
        vec![Remote::get(*self)]
    }
    fn get_into(&self, buffer: &mut [I::Value]) {
        Remote::get_into(*self, &mut buffer[0]);
    }
    fn put(&self, source: &[I::Value], _: Give) {
        Remote::put(*self, source[0]);
    }
    fn put_one(&self, value: I::Value) {
        Remote::put(*self, value);
    }
    fn fill(&self, value: I::Value) {
        Remote::fill(*self, value);
    }
    fn len(&self) -> usize {
        Remote::len(self)
    }
    fn is_empty(&self) -> bool {
        Remote::is_empty(self)
    }
    fn pe(&self) -> usize {
        Remote::pe(self)
    }
}

macro_rules! access_several {
    ($([$($n:ident)*] $form:ty;)*) => {$(
        impl<I: Item, $(const $n: usize),*> Access<I::Value> for Remote<'_, I, $form> {
            fn get(&self) -> Vec<I::Value> {
                Remote::get(*self).flat()
            }
            fn get_into(&self, buffer: &mut [I::Value]) {
                Remote::get_into(*self, buffer);
            }
            fn put(&self, source: &[I::Value], how: Give) {
                match how {
                    Give::Slice => Remote::put(*self, source),
                    Give::Vector => Remote::put(*self, source.to_vec()),
                    Give::VectorReference => Remote::put(*self, &source.to_vec()),
                    Give::Boxed => Remote::put(*self, Box::<[I::Value]>::from(source)),
                }
            }
            fn put_one(&self, value: I::Value) {
                Remote::put(*self, value);
            }
            fn fill(&self, value: I::Value) {
                Remote::fill(*self, value);
            }
            fn len(&self) -> usize {
                Remote::len(self)
            }
            fn is_empty(&self) -> bool {
                Remote::is_empty(self)
            }
            fn pe(&self) -> usize {
                Remote::pe(self)
            }
        }
    )*};
}

access_several! {
    [] Many;
    [A] Grid<A, One>;
    [A B] Grid<A, Grid<B, One>>;
    [A B C] Grid<A, Grid<B, Grid<C, One>>>;
    [A B C D] Grid<A, Grid<B, Grid<C, Grid<D, One>>>>;
}

/// Gets the reference that a selection makes.
pub(crate) type Use<'a, T> = &'a mut dyn FnMut(&dyn Access<T>);
type Remotely<'a, T> = Box<dyn Fn(usize, &[Axis], Use<'_, T>) + 'a>;
type Locally<'a, T> = Box<dyn Fn(&[Axis], Use<'_, T>) + 'a>;

/// A symmetric object.
pub(crate) struct Subject<'a, T> {
    /// As messages name it.
    pub(crate) name: &'a str,
    pub(crate) extents: Vec<usize>,
    /// `remote!(&object[pe, selection])`
    pub(crate) remote: Remotely<'a, T>,
    /// `local!(&object[selection])`
    pub(crate) local: Option<Locally<'a, T>>,
}

impl<T> Subject<'_, T> {
    /// A reference to the copy of `pe`, which is this PE where `local` is asked for.
    pub(crate) fn reference(&self, local: bool, pe: usize, axes: &[Axis], then: Use<'_, T>) {
        match &self.local {
            Some(reference) if local => reference(axes, then),
            _ => (self.remote)(pe, axes, then),
        }
    }

    /// All elements of the copy of `pe`.
    pub(crate) fn copy_of(&self, pe: usize) -> Vec<T> {
        let mut elements = Vec::new();
        (self.remote)(pe, &[Axis::ALL; 4], &mut |reference| elements = reference.get());
        elements
    }
}

/// The forms in which the selectors of an object of some rank are written: all of them on one axis; on more axes those that
/// become different types.
pub(crate) fn forms(rank: usize) -> &'static [Form] {
    use Form::*;
    match rank {
        0 | 1 => &[
            Index,
            To,
            ToStep,
            Inclusive,
            InclusiveStep,
            From,
            FromStep,
            UpTo,
            UpToStep,
            UpToInclusive,
            UpToInclusiveStep,
            All,
            AllStep,
        ],
        2 => &[Index, ToStep, InclusiveStep, FromStep, All],
        _ => &[Index, ToStep, All],
    }
}

/// Calls `$action!(then, object[pe, selectors])` with every axis written in its form: one `match` for each axis, inside
/// of the one before. The rank says which forms there are; see [`forms`].
macro_rules! written {
    ($action:ident($then:ident, $object:tt[$pe:expr]) [$($done:tt)*] $rank:ident) => {
        $action!($then, $object[$pe, $($done)*])
    };
    ($action:ident $call:tt [$($done:tt)*] one $axis:expr) => {{
        let Axis { form, a, b, s } = $axis;
        match form {
            Form::Index => written!($action $call [a] one),
            Form::To => written!($action $call [a..b] one),
            Form::ToStep => written!($action $call [a..b;s] one),
            Form::Inclusive => written!($action $call [a..=b] one),
            Form::InclusiveStep => written!($action $call [a..=b;s] one),
            Form::From => written!($action $call [a..] one),
            Form::FromStep => written!($action $call [a..;s] one),
            Form::UpTo => written!($action $call [..b] one),
            Form::UpToStep => written!($action $call [..b;s] one),
            Form::UpToInclusive => written!($action $call [..=b] one),
            Form::UpToInclusiveStep => written!($action $call [..=b;s] one),
            Form::All => written!($action $call [..] one),
            Form::AllStep => written!($action $call [..;s] one),
        }
    }};
    ($action:ident $call:tt [$($done:tt)*] two $axis:expr $(, $more:expr)*) => {{
        let Axis { form, a, b, s } = $axis;
        match form {
            Form::Index => written!($action $call [$($done)* a,] two $($more),*),
            Form::ToStep => written!($action $call [$($done)* a..b;s,] two $($more),*),
            Form::InclusiveStep => written!($action $call [$($done)* a..=b;s,] two $($more),*),
            Form::FromStep => written!($action $call [$($done)* a..;s,] two $($more),*),
            Form::All => written!($action $call [$($done)* ..,] two $($more),*),
            other => unreachable!("rank 2 is not written with {other:?}"),
        }
    }};
    ($action:ident $call:tt [$($done:tt)*] more $axis:expr $(, $more:expr)*) => {{
        let Axis { form, a, b, s } = $axis;
        match form {
            Form::Index => written!($action $call [$($done)* a,] more $($more),*),
            Form::ToStep => written!($action $call [$($done)* a..b;s,] more $($more),*),
            Form::All => written!($action $call [$($done)* ..,] more $($more),*),
            other => unreachable!("ranks 3 and 4 are not written with {other:?}"),
        }
    }};
}
pub(crate) use written;

macro_rules! use_remote {
    ($then:ident, $object:tt[$pe:expr, $($selectors:tt)*]) => {
        $then(&remote!(&$object[$pe, $($selectors)*]))
    };
}
pub(crate) use use_remote;

macro_rules! use_local {
    ($then:ident, $object:tt[$pe:expr, $($selectors:tt)*]) => {
        $then(&local!(&$object[$($selectors)*]))
    };
}
pub(crate) use use_local;

/// The [`Subject`] of an object: of a static's name, or of an expression in parentheses.
macro_rules! subject {
    ($object:tt, $name:expr, $extents:expr, $rank:ident: $($axis:tt)*) => {
        Subject {
            name: $name,
            extents: $extents.to_vec(),
            remote: Box::new(move |pe, axes, then| {
                written!(use_remote(then, $object[pe]) [] $rank $(axes[$axis]),*);
            }),
            local: subject!(@local $object, $rank: $($axis)*),
        }
    };
    // `local!` takes the way of `remote!` behind the choice of the PE: the ranks with the most forms are enough.
    (@local $object:tt, more: $($axis:tt)*) => { None };
    (@local $object:tt, $rank:ident: $($axis:tt)*) => {
        Some(Box::new(move |axes, then| {
            written!(use_local(then, $object[0]) [] $rank $(axes[$axis]),*);
        }))
    };
}
pub(crate) use subject;

/// The subject of a symmetric array of each rank.
pub(crate) fn array_1<I: Item>(array: &SymmetricArray<I, 1>) -> Subject<'_, I::Value> {
    subject!(array, "symmetric array #", array.extents(), one: 0)
}
pub(crate) fn array_2<I: Item>(array: &SymmetricArray<I, 2>) -> Subject<'_, I::Value> {
    subject!(array, "symmetric array #", array.extents(), two: 0 1)
}
pub(crate) fn array_3<I: Item>(array: &SymmetricArray<I, 3>) -> Subject<'_, I::Value> {
    subject!(array, "symmetric array #", array.extents(), more: 0 1 2)
}
pub(crate) fn array_4<I: Item>(array: &SymmetricArray<I, 4>) -> Subject<'_, I::Value> {
    subject!(array, "symmetric array #", array.extents(), more: 0 1 2 3)
}
