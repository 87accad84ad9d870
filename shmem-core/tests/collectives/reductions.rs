//! Reductions and scans of selections.

use shmem::prelude::*;
use shmem::reduction::{And, Max, Min, Or, Prod, Sum, Xor};

use crate::model::{Part, Place, Teams, Value, all, block, compare, place};
use crate::pairwise::in_pairs;

/// An operation: its name, the call, and two values in one.
type Operation<T> = (&'static str, fn(&Team, Part<'_, T>, Part<'_, T>), fn(T, T) -> T);

/// What a loop over the PEs makes of place `i`.
fn fold<T: Value>(sources: &[Vec<T>], i: usize, join: fn(T, T) -> T) -> T {
    sources[1..].iter().fold(sources[0][i], |joined, source| join(joined, source[i]))
}

fn reduced<T: Value>(sources: &[Vec<T>], join: fn(T, T) -> T) -> Vec<T> {
    (0..sources[0].len()).map(|i| fold(sources, i, join)).collect()
}

/// All operations on elements of one type: few and many, across the sizes where the way of doing it
/// changes.
fn every_operation<T: Value>(world: &World, operations: &[Operation<T>]) -> Result<(), shmem::Error> {
    let most = (4 << 10) / size_of::<T>();
    let large = (20 << 10) / size_of::<T>() + 5;
    let to = world.zeros::<T, 1>([large + 2])?;
    let from = world.zeros::<T, 1>([2 * large + 2])?;
    let reversed =
        world.team().split_strided(world.n_pes() - 1, -1, world.n_pes())?.expect("all are members");
    for (number, &(name, call, join)) in operations.iter().enumerate() {
        let mut counts = vec![0, 1, 2, 3, 7, 64, most, most + 1];
        // The sizes are those of all operations; one of them each is enough.
        counts.extend([most - 1, large, large / 2, 511, 512, 513, most + 63].get(number).copied());
        for count in counts {
            let count = count.min(large);
            for team in [world.team(), &reversed] {
                let what = format!("{name} of {count} {}", std::any::type_name::<T>());
                let (to, from) = (place!(to, 0, 1, count, 1), place!(from, 1, 1, count, 1 + number % 2));
                compare(&what, team, number as u64, (&to, &from), &call, &|sources, _| {
                    all(reduced(sources, join))
                });
            }
        }
    }
    Ok(())
}

macro_rules! every_type {
    ($($test:ident $int:ident;)*) => {$(
        #[shmem::test(npes = [1, 2, 3, 7])]
        fn $test(world: &World) -> Result<(), shmem::Error> {
            every_operation::<$int>(world, &[
                ("sum", |team, to, from| team.reduce(Sum, to, from), $int::wrapping_add),
                ("prod", |team, to, from| team.reduce(Prod, to, from), $int::wrapping_mul),
                ("min", |team, to, from| team.reduce(Min, to, from), Ord::min),
                ("max", |team, to, from| team.reduce(Max, to, from), Ord::max),
                ("and", |team, to, from| team.reduce(And, to, from), |a, b| a & b),
                ("or", |team, to, from| team.reduce(Or, to, from), |a, b| a | b),
                ("xor", |team, to, from| team.reduce(Xor, to, from), |a, b| a ^ b),
            ])
        }
    )*};
}
every_type! {
    of_u8 u8;
    of_u16 u16;
    of_u32 u32;
    of_u64 u64;
    of_u128 u128;
    of_usize usize;
    of_i8 i8;
    of_i16 i16;
    of_i32 i32;
    of_i64 i64;
    of_i128 i128;
    of_isize isize;
}

macro_rules! every_float {
    ($($test:ident $float:ident;)*) => {$(
        #[shmem::test(npes = [1, 2, 3, 4, 7])]
        fn $test(world: &World) -> Result<(), shmem::Error> {
            every_operation::<$float>(world, &[
                ("sum", |team, to, from| team.reduce(Sum, to, from), |a, b| a + b),
                ("prod", |team, to, from| team.reduce(Prod, to, from), |a, b| a * b),
                ("min", |team, to, from| team.reduce(Min, to, from), $float::min),
                ("max", |team, to, from| team.reduce(Max, to, from), $float::max),
            ])
        }
    )*};
}
every_float! {
    of_f32 f32;
    of_f64 f64;
}

#[symmetric]
static ROW: [f64; 1600] = [0.0; 1600];
#[symmetric]
static OTHER: [f64; 3000] = [0.0; 3000];

fn sum(a: f64, b: f64) -> f64 {
    a + b
}

/// What is called with a destination and a source of equal lengths, and what PE `rank` gets at
/// place `i`.
type Joined = (&'static str, fn(&Team, Part<'_, f64>, Part<'_, f64>), fn(&[Vec<f64>], usize, usize) -> f64);

const JOINED: [Joined; 4] = [
    ("reduce", |team, to, from| team.reduce(Sum, to, from), |sources, i, _| fold(sources, i, sum)),
    (
        "reduce_pairwise",
        |team, to, from| team.reduce_pairwise(Sum, to, from),
        |sources, i, _| in_pairs(&sources.iter().map(|source| source[i]).collect::<Vec<_>>(), &sum),
    ),
    ("scan", |team, to, from| team.scan(Sum, to, from), |sources, i, rank| fold(&sources[..=rank], i, sum)),
    (
        "exscan",
        |team, to, from| team.exscan(to, from),
        |sources, i, rank| sources[..rank].iter().fold(0.0, |joined, source| joined + source[i]),
    ),
];

fn joined(what: &str, team: &Team, to: &Place<'_, f64>, from: &Place<'_, f64>) {
    for (number, (name, call, model)) in JOINED.iter().enumerate() {
        compare(&format!("{name} {what}"), team, number as u64, (to, from), call, &|sources, rank| {
            (0..sources[0].len()).map(|i| Some(model(sources, i, rank))).collect()
        });
    }
}

/// Every team, and selections of every kind, with the destination and the source apart.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn apart(world: &World) -> Result<(), shmem::Error> {
    let heap = world.zeros::<f64, 1>([1600])?;
    let grid = world.zeros::<f64, 2>([41, 40])?;
    let other = world.zeros::<f64, 2>([43, 41])?;
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        for count in [0, 1, 2, 3, 7, 64, 511, 512, 513, 777] {
            let what = |kinds: &str| format!("of {count}, {kinds}, on {name}");
            joined(&what("statics"), team, &place!(ROW, 0, 1, count, 1), &place!(OTHER, 1, 2, count, 3));
            joined(&what("by 2"), team, &place!(ROW, 0, 3, count, 2), &place!(heap, 1, 1, count, 1));
        }
        for (rows, columns) in [
            ((0, 41, 1), (7, 1, 1)),
            ((3, 1, 1), (1, 38, 1)),
            ((1, 5, 1), (2, 9, 1)),
            ((1, 39, 1), (1, 38, 1)),
            ((0, 20, 2), (3, 18, 2)),
            ((5, 0, 1), (3, 4, 1)),
            ((0, 41, 1), (0, 40, 1)),
        ] {
            let what = format!("of rows {rows:?} and columns {columns:?} on {name}");
            joined(&what, team, &block(&grid, 0, rows, columns), &block(&other, 1, rows, columns));
            let many = rows.1 * columns.1;
            joined(&what, team, &block(&grid, 0, rows, columns), &place!(OTHER, 1, 1, many, 1));
        }
    }
    Ok(())
}

/// Every team, with the destination and the source in one object: the same, overlapping,
/// interleaved and apart.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn in_one_object(world: &World) -> Result<(), shmem::Error> {
    let grid = world.zeros::<f64, 2>([60, 48])?;
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        for count in [1, 3, 64, 513, 1000] {
            for ((to, to_step), (from, from_step)) in [
                ((4, 1), (4, 1)),
                ((4, 2), (4, 2)),
                ((5, 1), (4, 1)),
                ((4, 1), (7, 1)),
                ((4, 1), (4 + count / 2, 1)),
                ((4 + count / 2, 1), (4, 1)),
                ((4, 2), (5, 2)),
                ((5, 2), (4, 2)),
                ((4, 1), (4, 2)),
                ((4, 2), (4, 1)),
                ((3, 1), (3 + count, 1)),
                ((3 + count, 1), (3, 1)),
            ] {
                let what = format!("of {count}, to {to} by {to_step}, from {from} by {from_step}, on {name}");
                let (to, from) =
                    (place!(OTHER, 0, to, count, to_step), place!(OTHER, 0, from, count, from_step));
                joined(&what, team, &to, &from);
            }
        }
        for (to, from) in
            [((0, 0), (0, 0)), ((0, 0), (1, 1)), ((3, 9), (0, 0)), ((0, 0), (0, 24)), ((30, 0), (0, 0))]
        {
            for size in [(2, 3), (30, 24), (30, 20)] {
                let at = |place: (usize, usize)| block(&grid, 0, (place.0, size.0, 1), (place.1, size.1, 1));
                joined(&format!("of {size:?} to {to:?} from {from:?} on {name}"), team, &at(to), &at(from));
            }
        }
    }
    Ok(())
}

/// A mebibyte and more, an odd number of elements.
#[shmem::test(npes = [2, 3, 7], heap = "16M")]
fn large(world: &World) -> Result<(), shmem::Error> {
    let n = (1 << 17) + 77;
    let (to, from) = (world.zeros::<f64, 1>([n + 8])?, world.zeros::<f64, 1>([2 * n + 8])?);
    let wide = world.zeros::<u8, 1>([(1 << 20) + 9])?;
    let reversed =
        world.team().split_strided(world.n_pes() - 1, -1, world.n_pes())?.expect("all are members");
    joined("of a mebibyte", world.team(), &place!(to, 0, 3, n, 1), &place!(from, 1, 1, n, 2));
    joined("of a mebibyte in place", &reversed, &place!(from, 0, 1, n, 2), &place!(from, 0, 1, n, 2));
    joined(
        "of a mebibyte that overlaps",
        &reversed,
        &place!(from, 0, n / 2, n, 1),
        &place!(from, 0, 1, n, 1),
    );
    let place = place!(wide, 0, 3, (1 << 20) + 3, 1);
    let sum = |team: &Team, to: Part<'_, u8>, from: Part<'_, u8>| team.reduce(Sum, to, from);
    compare("bytes", world.team(), 7, (&place, &place), &sum, &|sources, _| {
        all(reduced(sources, u8::wrapping_add))
    });
    Ok(())
}

/// Blocks of every length, apart and in one object.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn scattered(world: &World) -> Result<(), shmem::Error> {
    let (results, inputs) = (world.zeros::<f64, 1>([2200])?, world.zeros::<f64, 1>([8000])?);
    let call = |team: &Team, to: Part<'_, f64>, from: Part<'_, f64>| team.reduce_scatter(Sum, to, from);
    let teams = Teams::of(world);
    for (name, team) in teams.each() {
        let n_pes = team.n_pes();
        for n in [0, 1, 2, 3, 7, 64, 511, 1050] {
            let model = |sources: &[Vec<f64>], rank: usize| -> Vec<Option<f64>> {
                (0..n).map(|i| Some(fold(sources, rank * n + i, sum))).collect()
            };
            let what = format!("reduce_scatter of blocks of {n} on {name}");
            compare(
                &what,
                team,
                1,
                (&place!(results, 0, 1, n, 2), &place!(inputs, 1, 3, n * n_pes, 1)),
                &call,
                &model,
            );
            // The destination at the source's start, in its middle, and at its end.
            for (at, step) in
                [(3, 1), (3 + n * (n_pes / 2), 1), (3 + n * (n_pes - 1), 1), (4 + n * n_pes, 1), (4, 2)]
            {
                if at + step * n < 8000 {
                    let from = place!(inputs, 0, 3, n * n_pes, 1);
                    compare(&what, team, 2, (&place!(inputs, 0, at, n, step), &from), &call, &model);
                }
            }
        }
    }
    Ok(())
}
