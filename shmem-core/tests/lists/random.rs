//! Selections that are known at run time.
//!
//! Every PE draws the same from the same seeds, and knows what each PE writes. In each round, PE p
//! alone writes to the copy of its right neighbour; then everybody compares its own copy with the
//! model, and reads everybody's.

use shmem::prelude::*;
use shmem::{Error, Item};

use crate::generator::Random;
use crate::objects::{Axis, Model, Selects, of_three};

const ROUNDS: usize = 60;

/// An element of random bytes.
pub(crate) trait Drawn: Item<Value: PartialEq + std::fmt::Debug> {
    fn drawn(random: &mut Random) -> Self::Value;
}

macro_rules! drawn {
    ($($item:ty, $value:ty;)*) => {$(
        impl Drawn for $item {
            fn drawn(random: &mut Random) -> $value {
                random.below(1 << 30) as $value
            }
        }
    )*};
}

drawn! { u8, u8; u32, u32; u64, u64; Atomic<u32>, u32; Atomic<u64>, u64; }

impl Drawn for [u16; 3] {
    fn drawn(random: &mut Random) -> [u16; 3] {
        [0; 3].map(|_: u16| random.below(1 << 16) as u16)
    }
}

impl Drawn for [u8; 70] {
    fn drawn(random: &mut Random) -> [u8; 70] {
        [0; 70].map(|_: u8| random.below(256) as u8)
    }
}

/// What a PE does to the copy of another.
#[derive(Clone, Debug)]
enum Operation<T> {
    Put(Vec<T>),
    PutNbi(Vec<T>),
    Fill(T),
    /// From the copy of a PE, of the array itself or of another one, which nobody writes.
    Move {
        same: bool,
        pe: usize,
        from: Vec<Axis>,
        nbi: bool,
    },
}

/// The axes of a selection.
fn axes(random: &mut Random, extents: &[usize], up: bool) -> Vec<Axis> {
    of_three(extents.iter().map(|&extent| Axis::any(random, extent, up)).collect())
}

/// As many elements as `axes` selects: the same axes, or on one axis a list of so many.
fn as_many(random: &mut Random, extents: &[usize], axes: &[Axis], len: usize) -> Vec<Axis> {
    match extents {
        [extent] if len < *extent && random.below(3) == 0 => {
            let start = random.below(extent - len);
            match random.below(2) {
                0 => vec![Axis::Up(start, start + len, 1)],
                _ => vec![Axis::Down(start, start + len, 1)],
            }
        }
        [extent] => vec![Axis::List((0..len).map(|_| random.below(*extent)).collect())],
        _ => axes.to_vec(),
    }
}

fn one_kind<I: Drawn>(
    world: &World,
    [array, source]: [&dyn Selects<I>; 2],
    extents: &[usize],
    seed: u64,
) -> Result<(), Error> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let mut random = Random(seed);
    let mut drawn = || -> Vec<Model<I::Value>> {
        let len = extents.iter().product();
        let elements = |_| (0..len).map(|_| I::drawn(&mut random)).collect();
        (0..n_pes).map(elements).map(|elements| Model { extents: extents.to_vec(), elements }).collect()
    };
    let (mut models, sources) = (drawn(), drawn());
    let everything: Vec<Axis> = of_three(extents.iter().map(|&extent| Axis::Up(0, extent, 1)).collect());
    // Written through a selection too, one in which no element is missing.
    array.select(me, &everything, &mut |all| all.put(&models[me].get(&everything)));
    source.select(me, &everything, &mut |all| all.put(&sources[me].get(&everything)));
    world.barrier_all();
    for round in 0..ROUNDS {
        let before = models.clone();
        for pe in 0..n_pes {
            let right = (pe + 1) % n_pes;
            let up = random.below(3) == 0;
            let to = axes(&mut random, extents, up);
            let len = before[0].places(&to).len();
            let operation = match random.below(8) {
                0..3 => Operation::Put((0..len).map(|_| I::drawn(&mut random)).collect()),
                3 => Operation::PutNbi((0..len).map(|_| I::drawn(&mut random)).collect()),
                4 => Operation::Fill(I::drawn(&mut random)),
                kind => {
                    // Only this PE writes to the copy of its neighbour, so it may read it as well.
                    let (same, pe) = if kind == 5 { (true, right) } else { (false, random.below(n_pes)) };
                    let from = as_many(&mut random, extents, &to, len);
                    Operation::Move { same, pe, from, nbi: kind == 7 }
                }
            };
            if pe == me {
                apply(world, [array, source], right, &to, &operation);
            }
            match operation {
                Operation::Put(values) | Operation::PutNbi(values) => models[right].put(&to, &values),
                Operation::Fill(value) => models[right].put(&to, &vec![value; len]),
                Operation::Move { same, pe, from, .. } => {
                    let model = if same { &before[pe] } else { &sources[pe] };
                    models[right].put(&to, &model.get(&from));
                }
            }
        }
        world.barrier_all();
        assert_eq!(array.copy_of(me), models[me].elements, "round {round} of PE {me}");
        let pe = random.below(n_pes);
        let from = axes(&mut random, extents, true);
        let expected = models[pe].get(&from);
        array.select(pe, &from, &mut |selected| {
            assert_eq!(selected.len(), expected.len());
            assert_eq!(selected.get(), expected, "{from:?}");
            let mut buffer = expected.clone();
            buffer.reverse();
            selected.get_into(&mut buffer);
            assert_eq!(buffer, expected, "{from:?}");
            buffer.reverse();
            selected.get_nbi(world, &mut buffer);
            assert_eq!(buffer, expected, "{from:?}");
        });
        world.barrier_all();
    }
    Ok(())
}

fn apply<I: Drawn>(
    world: &World,
    [array, source]: [&dyn Selects<I>; 2],
    right: usize,
    to: &[Axis],
    operation: &Operation<I::Value>,
) {
    array.select(right, to, &mut |selected| match operation {
        Operation::Put(values) => selected.put(values),
        Operation::PutNbi(values) => selected.put_nbi(world, values),
        Operation::Fill(value) => selected.fill(*value),
        Operation::Move { same, pe, from, nbi } => {
            let array = if *same { array } else { source };
            array.select(*pe, from, &mut |from| {
                if *nbi { from.send_nbi(world, selected) } else { from.send(selected) }
            });
        }
    });
}

/// Two arrays of one kind, for [`one_kind`].
macro_rules! kinds {
    ($world:ident: $($item:ty, $init:expr, [$($extent:literal),*], $seed:literal;)*) => {$(
        let arrays = [0, 1].map(|_| $world.symmetric_array::<$item, { [$($extent),*].len() }>([$($extent),*], $init));
        let [array, source] = arrays;
        one_kind::<$item>($world, [&array?, &source?], &[$($extent),*], $seed)?;
    )*};
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn one_axis(world: &World) -> Result<(), Error> {
    kinds! { world:
        u64, 0, [23], 1;
        [u16; 3], [0; 3], [9], 2;
        Atomic<u32>, Atomic::new(0), [12], 3;
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 3])]
fn one_axis_of_other_elements(world: &World) -> Result<(), Error> {
    kinds! { world:
        u8, 0, [40], 4;
        [u8; 70], [0; 70], [6], 5;
        Atomic<u64>, Atomic::new(0), [5], 6;
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 4])]
fn more_axes(world: &World) -> Result<(), Error> {
    kinds! { world:
        u32, 0, [5, 7], 7;
        [u16; 3], [0; 3], [3, 4], 8;
        u64, 0, [3, 3, 3], 9;
    }
    Ok(())
}
