//! Symmetric objects of every kind, as the tests see them: something that turns a selection into a
//! reference.

use shmem::prelude::*;
use shmem::select::{Grid, Many, One};
use shmem::{Item, Remote};

use crate::elements::value;
use crate::model::{Axis, Form};

/// A way to write elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Give {
    /// What a read returns: an element, nested arrays or a `Vec`.
    Owned,
    /// A reference to it.
    Reference,
    Slice,
    Boxed,
}

/// The operations of a reference that have to do with the type of what it reads, whatever its form is.
pub(crate) trait Typed<T> {
    /// What `get` returns, in row-major order.
    fn get(&self) -> Vec<T>;
    /// The lengths of the nested arrays that `get` returns, the outermost first; `None` when it
    /// returns a `Vec`.
    // Asked where the compiler knows them, in `constant_selections`.
    #[allow(dead_code)]
    fn lengths(&self) -> Option<Vec<usize>>;
    /// Reads into a buffer of the type that `get` returns.
    fn get_into_owned(&self) -> Vec<T>;
    /// Writes what a read returns.
    fn put_owned(&self, source: &[T]);
    /// `put` of one element for all places.
    fn put_one(&self, value: T);
}

/// The other operations of a reference. A trait of its own: each of the several hundred types of
/// `constant_selections` would be compiled with all of them.
pub(crate) trait Access<T>: Typed<T> {
    /// Reads into a slice.
    fn get_into(&self, buffer: &mut [T]);
    fn put(&self, source: &[T], how: Give);
    fn fill(&self, value: T);
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn pe(&self) -> usize;
}

impl<I: Item> Typed<I::Value> for Remote<'_, I, One> {
    fn get(&self) -> Vec<I::Value> {
        vec![Remote::get(*self)]
    }
    fn lengths(&self) -> Option<Vec<usize>> {
        Some(vec![])
    }
    fn get_into_owned(&self) -> Vec<I::Value> {
        let mut element: I::Value = value(1);
        Remote::get_into(*self, &mut element);
        vec![element]
    }
    fn put_owned(&self, source: &[I::Value]) {
        Remote::put(*self, source[0]);
    }
    fn put_one(&self, value: I::Value) {
        Remote::put(*self, value);
    }
}

impl<I: Item> Access<I::Value> for Remote<'_, I, One> {
    fn get_into(&self, buffer: &mut [I::Value]) {
        Remote::get_into(*self, &mut buffer[0]);
    }
    fn put(&self, source: &[I::Value], _: Give) {
        Remote::put(*self, source[0]);
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
    ($([$($n:ident)*] $form:ty, $lengths:expr, |$owned:ident: $type:ty| $slice:expr, |$from:ident| $make:expr;)*) => {$(
        impl<I: Item, $(const $n: usize),*> Typed<I::Value> for Remote<'_, I, $form> {
            fn get(&self) -> Vec<I::Value> {
                let mut $owned: $type = Remote::get(*self);
                $slice.to_vec()
            }
            fn lengths(&self) -> Option<Vec<usize>> {
                $lengths
            }
            fn get_into_owned(&self) -> Vec<I::Value> {
                let $from = vec![value(1); Remote::len(self)];
                let mut $owned: $type = $make;
                Remote::get_into(*self, &mut $owned);
                $slice.to_vec()
            }
            fn put_owned(&self, source: &[I::Value]) {
                let $from = source.to_vec();
                let $owned: $type = $make;
                Remote::put(*self, $owned);
            }
            fn put_one(&self, value: I::Value) {
                Remote::put(*self, value);
            }
        }

        impl<I: Item, $(const $n: usize),*> Access<I::Value> for Remote<'_, I, $form> {
            fn get_into(&self, buffer: &mut [I::Value]) {
                Remote::get_into(*self, buffer);
            }
            fn put(&self, source: &[I::Value], how: Give) {
                match how {
                    // Arrays of a wrong length do not compile.
                    Give::Owned if source.len() == Remote::len(self) => self.put_owned(source),
                    Give::Reference if source.len() == Remote::len(self) => {
                        let $from = source.to_vec();
                        let $owned: $type = $make;
                        Remote::put(*self, &$owned);
                    }
                    Give::Boxed => Remote::put(*self, Box::<[I::Value]>::from(source)),
                    _ => Remote::put(*self, source),
                }
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
    [] Many, None,
        |owned: Vec<I::Value>| owned.as_mut_slice(), |elements| elements;
    [A] Grid<A, One>, Some(vec![A]),
        |owned: [I::Value; A]| owned.as_mut_slice(),
        |elements| array(&elements, <[I::Value; A]>::as_mut_slice);
    [A B] Grid<A, Grid<B, One>>, Some(vec![A, B]),
        |owned: [[I::Value; B]; A]| owned.as_flattened_mut(),
        |elements| array(&elements, |array: &mut [[I::Value; B]; A]| array.as_flattened_mut());
    [A B C] Grid<A, Grid<B, Grid<C, One>>>, Some(vec![A, B, C]),
        |owned: [[[I::Value; C]; B]; A]| owned.as_flattened_mut().as_flattened_mut(),
        |elements| array(&elements, |array: &mut [[[I::Value; C]; B]; A]| array.as_flattened_mut().as_flattened_mut());
    [A B C D] Grid<A, Grid<B, Grid<C, Grid<D, One>>>>, Some(vec![A, B, C, D]),
        |owned: [[[[I::Value; D]; C]; B]; A]| owned.as_flattened_mut().as_flattened_mut().as_flattened_mut(),
        |elements| array(&elements, |array: &mut [[[[I::Value; D]; C]; B]; A]| {
            array.as_flattened_mut().as_flattened_mut().as_flattened_mut()
        });
}

/// A nested array of `elements`.
fn array<T: Symmetric, N: Symmetric>(elements: &[T], flat: impl Fn(&mut N) -> &mut [T]) -> N {
    let mut array: N = value(0);
    flat(&mut array).copy_from_slice(elements);
    array
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
    /// `local!(&object[selection])`, for some: behind the choice of the PE it takes the way of
    /// `remote!`.
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

/// The forms in which the selectors of an object of some rank are written: all of them on one axis;
/// on more axes those that become different types.
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
            ToVariable,
            InclusiveVariable,
            FromVariable,
            UpToVariable,
            UpToInclusiveVariable,
            AllVariable,
        ],
        2 => &[Index, ToStep, InclusiveStep, FromStep, All],
        3 => &[Index, ToStep, All],
        _ => &[Index, ToStep],
    }
}

/// Calls `$action!(then, object[pe, selectors])` with every axis written in its form: one `match`
/// for each axis, inside of the one before. The rank says which forms there are; see [`forms`].
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
            Form::ToVariable => {
                let range = a..b;
                written!($action $call [range] one)
            }
            Form::InclusiveVariable => {
                let range = a..=b;
                written!($action $call [range] one)
            }
            Form::FromVariable => {
                let range = a..;
                written!($action $call [range] one)
            }
            Form::UpToVariable => {
                let range = ..b;
                written!($action $call [range] one)
            }
            Form::UpToInclusiveVariable => {
                let range = ..=b;
                written!($action $call [range] one)
            }
            Form::AllVariable => {
                let range = ..;
                written!($action $call [range] one)
            }
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
    ($action:ident $call:tt [$($done:tt)*] three $axis:expr $(, $more:expr)*) => {{
        let Axis { form, a, b, s } = $axis;
        match form {
            Form::Index => written!($action $call [$($done)* a,] three $($more),*),
            Form::ToStep => written!($action $call [$($done)* a..b;s,] three $($more),*),
            Form::All => written!($action $call [$($done)* ..,] three $($more),*),
            other => unreachable!("rank 3 is not written with {other:?}"),
        }
    }};
    ($action:ident $call:tt [] four $first:expr, $($more:expr),*) => {
        match $first.form {
            // The whole, with which every copy is compared.
            Form::All => written!($action $call [.., .., .., ..] four),
            _ => written!($action $call [] of_four $first, $($more),*),
        }
    };
    ($action:ident $call:tt [$($done:tt)*] of_four $axis:expr $(, $more:expr)*) => {{
        let Axis { form, a, b, s } = $axis;
        match form {
            Form::Index => written!($action $call [$($done)* a,] of_four $($more),*),
            Form::ToStep => written!($action $call [$($done)* a..b;s,] of_four $($more),*),
            other => unreachable!("rank 4 is not written with {other:?}"),
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

/// The [`Subject`] of an object: of a static's name, or of a variable.
macro_rules! subject {
    ($object:tt, $name:expr, $extents:expr, $rank:ident: $($axis:tt)*) => {
        Subject {
            name: $name,
            extents: $extents.to_vec(),
            remote: Box::new(move |pe, axes, then| {
                written!(use_remote(then, $object[pe]) [] $rank $(axes[$axis]),*);
            }),
            local: None,
        }
    };
    ($object:tt, $name:expr, $extents:expr, $rank:ident and local: $($axis:tt)*) => {
        Subject {
            local: Some(Box::new(move |axes, then| {
                written!(use_local(then, $object[0]) [] $rank $(axes[$axis]),*);
            })),
            ..subject!($object, $name, $extents, $rank: $($axis)*)
        }
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
    subject!(array, "symmetric array #", array.extents(), three: 0 1 2)
}
pub(crate) fn array_4<I: Item>(array: &SymmetricArray<I, 4>) -> Subject<'_, I::Value> {
    subject!(array, "symmetric array #", array.extents(), four: 0 1 2 3)
}
