//! Selections that the compiler knows: a table of selectors for each axis, and every combination of
//! them.
//!
//! As in `selections`, whose model this is, PE p writes to its right neighbour, and the owner checks
//! its copy after a barrier. Beside the elements, the type of what is read is checked: nested arrays
//! with the lengths that the model says.
//!
//! A program of its own, because these combinations take the compiler almost as long as all of
//! `selections`, and need not be built for each C library: on a transport they do what selections
//! do that are known at run time.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use shmem::prelude::*;

use crate::elements::{assert_same, values};
use crate::model::{Axis, Form, Model};
use crate::subject::Typed;

// Not all of it is used here.
#[allow(dead_code)]
#[path = "selections/elements.rs"]
mod elements;
#[allow(dead_code)]
#[path = "selections/model.rs"]
mod model;
#[allow(dead_code, unused_imports, unused_macros)]
#[path = "selections/subject.rs"]
mod subject;

/// What stands in front of `;`, as the model takes it.
trait Selector {
    fn axis(self, s: usize) -> Axis;
}

impl Selector for usize {
    fn axis(self, s: usize) -> Axis {
        Axis { form: Form::Index, a: self, b: 0, s }
    }
}
impl Selector for Range<usize> {
    fn axis(self, s: usize) -> Axis {
        Axis { form: Form::ToStep, a: self.start, b: self.end, s }
    }
}
impl Selector for RangeInclusive<usize> {
    fn axis(self, s: usize) -> Axis {
        Axis { form: Form::InclusiveStep, a: *self.start(), b: *self.end(), s }
    }
}
impl Selector for RangeFrom<usize> {
    fn axis(self, s: usize) -> Axis {
        Axis { form: Form::FromStep, a: self.start, b: 0, s }
    }
}
impl Selector for RangeTo<usize> {
    fn axis(self, s: usize) -> Axis {
        Axis { form: Form::UpToStep, a: 0, b: self.end, s }
    }
}
impl Selector for RangeToInclusive<usize> {
    fn axis(self, s: usize) -> Axis {
        Axis { form: Form::UpToInclusiveStep, a: 0, b: self.end, s }
    }
}
impl Selector for RangeFull {
    fn axis(self, s: usize) -> Axis {
        Axis { form: Form::AllStep, a: 0, b: 0, s }
    }
}

macro_rules! axis {
    ($selector:expr) => {
        Selector::axis($selector, 1)
    };
    ($selector:expr; $step:expr) => {
        Selector::axis($selector, $step)
    };
}

/// What knows the lengths of its axes: a static does, an array allocated at run time does not.
#[derive(Clone, Copy, PartialEq)]
enum Extents {
    OfStatic,
    AtRunTime,
}

/// One object under test.
struct Check<T> {
    name: &'static str,
    extents: Extents,
    me: usize,
    /// The copy of each PE.
    models: Vec<Model<T>>,
    /// How many writes there were, for other data in each.
    writes: u64,
}

impl<T: Symmetric> Check<T> {
    fn new(world: &World, name: &'static str, lengths: &[usize], extents: Extents) -> Check<T> {
        let models = vec![Model::new(lengths, zeros()); world.n_pes()];
        Check { name, extents, me: world.my_pe(), models, writes: 0 }
    }

    /// Checks one combination of selectors on the copy that lies `step` PEs to the right.
    fn cell(
        &mut self,
        step: usize,
        axes: &[Axis],
        reference: &dyn Fn(usize, Use<'_, T>),
        all: &dyn Fn(usize) -> Vec<T>,
    ) {
        let n_pes = self.models.len();
        let pe = (self.me + step) % n_pes;
        let what = format!("{}{axes:?} on PE {pe}", self.name);
        let places = self.models[0].places(axes).expect("constant selections are in bounds");

        let open = |axis: &Axis| matches!(axis.form, Form::FromStep | Form::AllStep);
        let lengths = axes.iter().zip(&self.models[0].extents).filter(|(axis, _)| axis.form != Form::Index);
        let lengths: Vec<usize> =
            lengths.map(|(axis, &extent)| axis.indices(extent).map_or(0, |indices| indices.len())).collect();
        let known = self.extents == Extents::OfStatic || !axes.iter().any(open);
        let expected = self.models[pe].get(&places);
        reference(pe, &mut |reference| {
            assert_eq!(reference.lengths(), known.then(|| lengths.clone()), "{what}: the type of the result");
            assert_same(&reference.get(), &expected, &what);
            assert_same(&reference.get_into_owned(), &expected, &what);
        });

        let each: Write<T> = |reference, data| reference.put_owned(data);
        let one: Write<T> = |reference, data| reference.put_one(data[0]);
        for (write, repeated) in [(each, false), (one, true)] {
            self.writes += 1;
            let data = |writer: usize| match (
                repeated,
                values((self.writes << 16) + writer as u64, places.len().max(1)),
            ) {
                (true, data) => vec![data[0]; data.len()],
                (false, data) => data,
            };
            let mine = data(self.me);
            reference(pe, &mut |reference| {
                write(reference, if repeated { &mine } else { &mine[..places.len()] })
            });
            for writer in 0..n_pes {
                self.models[(writer + step) % n_pes].put(&places, &data(writer)[..places.len()]);
            }
            assert_same(&all(pe), &self.models[pe].elements, &format!("{what}, written"));
        }
    }
}

/// A way to write `data`.
type Write<T> = fn(&dyn Typed<T>, &[T]);

/// Gets the reference that a selection makes.
type Use<'a, T> = &'a mut dyn FnMut(&dyn Typed<T>);

/// Calls `$cell!($arguments [selectors])` with every combination of the selectors in the lists, one
/// list for each axis.
macro_rules! product {
    (@each $cell:ident $arguments:tt $chosen:tt [$($selector:tt)*] $more:tt) => {
        $(product!(@join $cell $arguments $chosen $selector $more);)*
    };
    (@join $cell:ident $arguments:tt [$($chosen:tt)*] $selector:tt $more:tt) => {
        product!($cell $arguments [$($chosen)* $selector] $more);
    };
    ($cell:ident $arguments:tt $chosen:tt []) => {
        $cell!($arguments $chosen);
    };
    ($cell:ident $arguments:tt $chosen:tt [[$($selector:tt)*] $($more:tt)*]) => {
        product!(@each $cell $arguments $chosen [$($selector)*] [$($more)*]);
    };
}

macro_rules! remote_cell {
    (($check:ident $object:tt $all:ident) [$({$($selector:tt)*})*]) => {
        $check.cell(
            1,
            &[$(axis!($($selector)*)),*],
            &|pe, then| then(&remote!(&$object[pe, $($($selector)*),*])),
            &$all,
        )
    };
}

macro_rules! local_cell {
    (($check:ident $object:tt $all:ident) [$({$($selector:tt)*})*]) => {
        $check.cell(
            0,
            &[$(axis!($($selector)*)),*],
            &|_, then| then(&local!(&$object[$($($selector)*),*])),
            &$all,
        )
    };
}

/// A whole object under a table: `remote!` on the neighbour's copy, a barrier, `local!` on the own
/// one, a barrier.
macro_rules! table {
    ($world:ident, $object:tt, $lengths:expr, $extents:expr, $value:ty, [$($whole:tt)*], $lists:tt) => {
        let mut check = Check::<$value>::new($world, stringify!($object), &$lengths, $extents);
        let all = |pe: usize| Typed::<$value>::get(&remote!(&$object[pe, $($whole)*]));
        $world.barrier_all();
        product!(remote_cell (check $object all) [] $lists);
        $world.barrier_all();
        let me = $world.my_pe();
        assert_same(&all(me), &check.models[me].elements, "the own copy, after the barrier");
        $world.barrier_all();
        product!(local_cell (check $object all) [] $lists);
        $world.barrier_all();
        let next = (me + 1) % $world.n_pes();
        assert_same(&all(next), &check.models[next].elements, "the next copy, after the barrier");
        $world.barrier_all();
    };
}

const ZERO: usize = 0;
const FIVE: usize = 5;
const LAST: usize = 10;
mod consts {
    pub(super) const STEP: usize = 3;
    pub(super) struct Limits;
    impl Limits {
        pub(super) const END: usize = 9;
    }
}

/// The selectors of an axis of extent 11, in every form.
macro_rules! line {
    ($world:ident, $object:tt, $extents:expr, $value:ty) => {
        table!($world, $object, [11], $extents, $value, [0..11], [[
            {0} {10} {LAST} {FIVE + 1} {(7)} {2 * FIVE - 3}
            {0..11} {0..0} {11..11} {3..3} {0..1} {10..11} {2..8} {1..8;3} {0..11;2} {1..11;2} {0..11;5} {0..11;10}
            {0..11;11} {0..11;100} {0..11;18446744073709551615}
            {ZERO..FIVE} {FIVE..LAST} {FIVE..LAST + 1} {1 + ZERO..LAST - 1;consts::STEP} {0..consts::Limits::END;FIVE - 3}
            {0..=10} {0..=0} {10..=10} {2..=8} {1..=7;3} {5..=4} {0..=LAST;FIVE} {FIVE..=LAST;2}
            {0..} {1..} {10..} {11..} {FIVE..} {0..;2} {1..;3} {FIVE..;5} {10..;4} {11..;4}
            {..0} {..1} {..11} {..FIVE} {..LAST;3} {..11;10} {..11;11}
            {..=0} {..=10} {..=FIVE} {..=LAST;4}
            {..} {..;1} {..;2} {..;3} {..;11} {..;12} {..;LAST}
        ]]);
    };
}

macro_rules! lines {
    ($($name:ident: $item:ty, $init:expr;)*) => {$(
        #[allow(clippy::reversed_empty_ranges, reason = "a range that ends just before its start selects nothing")]
        mod $name {
            use super::*;

            type Item = $item;
            type Value = <Item as shmem::Item>::Value;
            #[symmetric]
            static LINE: [Item; 11] = [$init; 11];

            #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "16M")]
            fn constant(world: &World) -> Result<(), shmem::Error> {
                line!(world, LINE, Extents::OfStatic, Value);
                let array = world.symmetric_array::<Item, 1>([11], $init)?;
                line!(world, array, Extents::AtRunTime, Value);
                Ok(())
            }
        }
    )*};
}

const fn zeros<T: Symmetric>() -> T {
    // SAFETY: zeros are a valid value, as is every bit pattern.
    unsafe { std::mem::zeroed() }
}

lines! {
    u8: u8, zeros();
    f32: f32, zeros();
    u128: u128, zeros();
    arrays: elements::Row<u8, 7>, zeros();
    structs_of_133_bytes: elements::Big, zeros();
    atomic_i64: Atomic<i64>, Atomic::new(0);
}

/// Ranks 2 to 4: what differs between them is where the elements lie, so two items stand for all.
macro_rules! ranks {
    ($($name:ident: $item:ty, $init:expr;)*) => {$(
        mod $name {
            use super::*;

            type Item = $item;
            type Value = <Item as shmem::Item>::Value;
            #[symmetric]
            static PLANE: [[Item; 9]; 7] = [[$init; 9]; 7];
            #[symmetric]
            static CUBE: [[[Item; 5]; 4]; 3] = [[[$init; 5]; 4]; 3];
            #[symmetric]
            static TESSERACT: [[[[Item; 3]; 2]; 4]; 3] = [[[[$init; 3]; 2]; 4]; 3];

            #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "16M")]
            fn rank_2(world: &World) -> Result<(), shmem::Error> {
                macro_rules! plane {
                    ($object:tt, $extents:expr) => {
                        table!(world, $object, [7, 9], $extents, Value,
                            [0..7, 0..9], [
                            [{0} {6} {..} {1..6} {0..7;3} {..=FIVE;2} {2..2}]
                            [{8} {FIVE} {..} {..;4} {2..9} {1..=7;3} {FIVE..}]
                        ]);
                    };
                }
                plane!(PLANE, Extents::OfStatic);
                let array = world.symmetric_array::<Item, 2>([7, 9], $init)?;
                plane!(array, Extents::AtRunTime);
                Ok(())
            }

            #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "16M")]
            fn rank_3(world: &World) -> Result<(), shmem::Error> {
                macro_rules! cube {
                    ($object:tt, $extents:expr) => {
                        table!(world, $object, [3, 4, 5], $extents, Value,
                            [0..3, 0..4, 0..5], [
                            [{2} {..} {0..3;2} {1..}]
                            [{0} {..} {1..=3}]
                            [{4} {..} {1..5;2} {..;5}]
                        ]);
                    };
                }
                cube!(CUBE, Extents::OfStatic);
                let array = world.symmetric_array::<Item, 3>([3, 4, 5], $init)?;
                cube!(array, Extents::AtRunTime);
                Ok(())
            }

            #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "16M")]
            fn rank_4(world: &World) -> Result<(), shmem::Error> {
                macro_rules! tesseract {
                    ($object:tt, $extents:expr) => {
                        table!(world, $object, [3, 4, 2, 3], $extents, Value,
                            [0..3, 0..4, 0..2, 0..3], [
                            [{1} {..} {0..3;2}]
                            [{3} {..} {..3;2}]
                            [{0} {..}]
                            [{2} {..} {1..=2}]
                        ]);
                    };
                }
                tesseract!(TESSERACT, Extents::OfStatic);
                let array = world.symmetric_array::<Item, 4>([3, 4, 2, 3], $init)?;
                tesseract!(array, Extents::AtRunTime);
                Ok(())
            }
        }
    )*};
}

ranks! {
    blocks_of_structs: elements::Body, zeros();
    blocks_of_atomic_u64: Atomic<u64>, Atomic::new(0);
}
