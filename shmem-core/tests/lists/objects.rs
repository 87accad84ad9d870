//! The model of an object, and references to a selection of it, whatever their form is.

use shmem::prelude::*;
use shmem::select::{Many, Picked};
use shmem::{Item, Remote};

use crate::generator::Random;

/// How an axis is written.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    /// `i`
    Index(usize),
    /// `a..b;s`
    Up(usize, usize, usize),
    /// `a..b;-s`
    Down(usize, usize, usize),
    /// `@list`
    List(Vec<usize>),
}

impl Axis {
    /// Any axis of an object with this extent; `up` says whether it may be an ascending range.
    pub(crate) fn any(random: &mut Random, extent: usize, up: bool) -> Axis {
        let mut bounds = [random.below(extent + 1), random.below(extent + 1)];
        bounds.sort_unstable();
        let [a, b] = bounds;
        let step = 1 + random.below(3) * random.below(2);
        match random.below(if up { 8 } else { 6 }) {
            0 | 1 => Axis::Down(a, b, step),
            2 => Axis::List((a..b).collect()),
            3..6 => {
                let len = random.below(2 * extent);
                Axis::List((0..len).map(|_| random.below(extent)).collect())
            }
            6 => Axis::Index(random.below(extent)),
            _ => Axis::Up(a, b, step),
        }
    }

    /// The indices, in their order.
    pub(crate) fn indices(&self) -> Vec<usize> {
        match self {
            Axis::Index(index) => vec![*index],
            Axis::Up(a, b, step) => (*a..*b).step_by(*step).collect(),
            Axis::Down(a, b, step) => (*a..*b).rev().step_by(*step).collect(),
            Axis::List(list) => list.clone(),
        }
    }
}

/// A copy of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model<T> {
    pub(crate) extents: Vec<usize>,
    pub(crate) elements: Vec<T>,
}

impl<T: Copy> Model<T> {
    /// Where the selected elements are, in row-major order.
    pub(crate) fn places(&self, axes: &[Axis]) -> Vec<usize> {
        let mut places = vec![0];
        for (axis, extent) in axes.iter().zip(&self.extents) {
            let indices = axis.indices();
            places =
                places.iter().flat_map(|place| indices.iter().map(move |i| place * extent + i)).collect();
        }
        places
    }

    pub(crate) fn get(&self, axes: &[Axis]) -> Vec<T> {
        self.places(axes).into_iter().map(|place| self.elements[place]).collect()
    }

    /// Writes the values in their order: the last one to a place stays.
    pub(crate) fn put(&mut self, axes: &[Axis], values: &[T]) {
        let places = self.places(axes);
        assert_eq!(places.len(), values.len());
        places.into_iter().zip(values).for_each(|(place, value)| self.elements[place] = *value);
    }
}

/// The operations of a reference, whatever its form is.
pub(crate) trait Access<I: Item> {
    fn get(&self) -> Vec<I::Value>;
    fn get_into(&self, buffer: &mut [I::Value]);
    fn put(&self, values: &[I::Value]);
    fn put_nbi(&self, world: &World, values: &[I::Value]);
    fn get_nbi(&self, world: &World, buffer: &mut [I::Value]);
    fn fill(&self, value: I::Value);
    fn len(&self) -> usize;
    /// Moves the elements of a range here.
    fn receive(&self, from: Remote<'_, I, Many>);
    /// Moves the elements of a list here.
    fn receive_picked(&self, from: Remote<'_, I, Picked<'_, Many>>);
    /// Moves the elements of a list here, in a scope of non-blocking operations.
    fn receive_nbi(&self, world: &World, from: Remote<'_, I, Picked<'_, Many>>);
    /// Moves these elements there.
    fn send(&self, to: &dyn Access<I>);
    /// The same in a scope of non-blocking operations, where they are those of a list.
    fn send_nbi(&self, world: &World, to: &dyn Access<I>);
}

macro_rules! blocking {
    ($world:ident, $to:ident, $from:expr) => {{
        let _ = $world;
        $to.receive($from);
    }};
}
macro_rules! non_blocking {
    ($world:ident, $to:ident, $from:expr) => {
        $to.receive_nbi($world, $from)
    };
}

macro_rules! access {
    ($([$($lifetime:tt)*] $form:ty, $receive:ident, $nbi:ident;)*) => {$(
        impl<$($lifetime)* I: Item> Access<I> for Remote<'_, I, $form> {
            fn get(&self) -> Vec<I::Value> {
                Remote::get(*self)
            }
            fn get_into(&self, buffer: &mut [I::Value]) {
                Remote::get_into(*self, buffer);
            }
            fn put(&self, values: &[I::Value]) {
                Remote::put(*self, values);
            }
            fn put_nbi(&self, world: &World, values: &[I::Value]) {
                world.nbi(|scope| scope.put(*self, values));
            }
            fn get_nbi(&self, world: &World, buffer: &mut [I::Value]) {
                world.nbi(|scope| scope.get(*self, buffer));
            }
            fn fill(&self, value: I::Value) {
                Remote::fill(*self, value);
            }
            fn len(&self) -> usize {
                Remote::len(self)
            }
            fn receive(&self, from: Remote<'_, I, Many>) {
                Remote::put(*self, from);
            }
            fn receive_picked(&self, from: Remote<'_, I, Picked<'_, Many>>) {
                Remote::put(*self, from);
            }
            fn receive_nbi(&self, world: &World, from: Remote<'_, I, Picked<'_, Many>>) {
                world.nbi(|scope| scope.put(*self, &from));
            }
            fn send(&self, to: &dyn Access<I>) {
                to.$receive(*self);
            }
            fn send_nbi(&self, world: &World, to: &dyn Access<I>) {
                $nbi!(world, to, *self);
            }
        }
    )*};
}

access! {
    [] Many, receive, blocking;
    ['i,] Picked<'i, Many>, receive_picked, non_blocking;
}

/// What a selection is used for.
pub(crate) type Use<'a, I> = &'a mut dyn FnMut(&dyn Access<I>);

/// An array whose selections are written by [`Axis`].
pub(crate) trait Selects<I: Item> {
    fn select(&self, pe: usize, axes: &[Axis], then: Use<'_, I>);

    /// All elements of the copy of `pe`.
    fn copy_of(&self, pe: usize) -> Vec<I::Value>;
}

/// Calls `$then` with the object and each axis as it is written: one `match` for each, inside of the
/// one before.
macro_rules! written {
    ($array:ident[$pe:ident] $then:ident [$($done:tt)*]) => {
        $then(&remote!(&$array[$pe, $($done)*]))
    };
    ($array:ident[$pe:ident] $then:ident [$($done:tt)*] $axis:expr $(, $more:expr)*) => {
        match $axis {
            // A range, so that what comes back is a `Vec` in any case.
            Axis::Index(a) => written!($array[$pe] $then [$($done)* *a..*a + 1,] $($more),*),
            Axis::Up(a, b, s) => written!($array[$pe] $then [$($done)* *a..*b;*s,] $($more),*),
            Axis::Down(a, b, s) => written!($array[$pe] $then [$($done)* *a..*b;-*s,] $($more),*),
            Axis::List(list) => written!($array[$pe] $then [$($done)* @list,] $($more),*),
        }
    };
}

impl<I: Item> Selects<I> for SymmetricArray<I, 1> {
    fn select(&self, pe: usize, axes: &[Axis], then: Use<'_, I>) {
        written!(self[pe] then [] &axes[0]);
    }
    fn copy_of(&self, pe: usize) -> Vec<I::Value> {
        remote!(self[pe, ..])
    }
}

impl<I: Item> Selects<I> for SymmetricArray<I, 2> {
    fn select(&self, pe: usize, axes: &[Axis], then: Use<'_, I>) {
        written!(self[pe] then [] &axes[0], &axes[1]);
    }
    fn copy_of(&self, pe: usize) -> Vec<I::Value> {
        remote!(self[pe, .., ..])
    }
}

impl<I: Item> Selects<I> for SymmetricArray<I, 3> {
    fn select(&self, pe: usize, axes: &[Axis], then: Use<'_, I>) {
        // Fewer forms, which are compiled faster.
        match (&axes[0], &axes[1], &axes[2]) {
            (Axis::Index(i), Axis::List(list), Axis::Down(a, b, s)) => {
                then(&remote!(&self[pe, *i, @list, *a..*b;-*s]))
            }
            (Axis::Down(a, b, s), Axis::List(list), _) => then(&remote!(&self[pe, *a..*b;-*s, @list, ..])),
            (Axis::List(one), _, Axis::List(two)) => then(&remote!(&self[pe, @one, .., @two])),
            _ => then(&remote!(&self[pe, .., ..;-1, ..])),
        }
    }
    fn copy_of(&self, pe: usize) -> Vec<I::Value> {
        remote!(self[pe, .., .., ..])
    }
}

/// The axes as [`Selects::select`] of three axes takes them.
pub(crate) fn of_three(mut axes: Vec<Axis>) -> Vec<Axis> {
    if axes.len() == 3 {
        let all = || Axis::Up(0, 3, 1);
        match (&axes[0], &axes[1], &axes[2]) {
            (Axis::Index(_), Axis::List(_), Axis::Down(..)) => {}
            (Axis::Down(..), Axis::List(_), _) => axes[2] = all(),
            (Axis::List(_), _, Axis::List(_)) => axes[1] = all(),
            _ => axes = vec![all(), Axis::Down(0, 3, 1), all()],
        }
    }
    axes
}
