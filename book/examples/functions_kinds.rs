//! Functions that take symmetric objects.

use shmem::prelude::*;
use shmem::reduction::Max;
use shmem::select::{Grid, Many, One};
use shmem::{Rank, Ranked, Static, StaticType, reduction::ReducedBy};

// ANCHOR: statics
#[symmetric]
static LEFT: [f64; 16] = [0.5; 16];
#[symmetric]
static RIGHT: [f64; 16] = [1.5; 16];
#[symmetric]
static SHORT: [f64; 4] = [2.0; 4];
#[symmetric]
static GRID: [[f64; 3]; 2] = [[4.0; 3]; 2];
#[symmetric]
static TURN: Atomic<u64> = Atomic::new(0);
// ANCHOR_END: statics

// ANCHOR: typed
/// One type of static.
fn edge(row: &Static<[f64; 16]>, pe: usize) -> [f64; 2] {
    remote!(row[pe, 0..16;15])
}

/// Rows of any length.
fn sum<const N: usize>(row: &Static<[f64; N]>, pe: usize) -> f64 {
    remote!(row[pe, ..]).iter().sum()
}

/// Any static of floats: of any length, with any number of axes.
fn total<T>(world: &World, object: &Static<T>) -> f64
where
    T: StaticType<Item = f64>,
{
    world.local_phase(|p| object.as_slice(p).iter().sum())
}
// ANCHOR_END: typed

// ANCHOR: arrays
/// An array of two axes, of any element.
#[shmem::kernel]
fn clear<T: Symmetric + Default>(grid: &SymmetricArray<T, 2>, pe: usize) {
    remote!(grid[pe, .., 0]) = T::default(); // its first column
}

/// Arrays with any number of axes.
fn double<const R: usize>(world: &World, array: &SymmetricArray<f64, R>) {
    world.local_phase(|p| {
        for value in array.as_mut_slice(p).iter_mut() {
            *value *= 2.0;
        }
    });
}

/// Makes one. Here the compiler must know that there are such arrays.
fn like<const R: usize>(
    world: &World,
    array: &SymmetricArray<f64, R>,
) -> Result<SymmetricArray<f64, R>, shmem::Error>
where
    Rank<R>: Ranked,
{
    world.zeros(array.extents())
}
// ANCHOR_END: arrays

// ANCHOR: references
/// Any range of any object, on any PE.
fn largest<T: Symmetric + PartialOrd>(range: Remote<'_, T, Many>) -> T {
    let values = range.get();
    values.into_iter().reduce(|a, b| if b > a { b } else { a }).unwrap()
}

/// One element.
fn exchange(element: Remote<'_, f64, One>, value: f64) -> f64 {
    let was = element.get();
    element.put(value);
    was
}

/// Four elements in a range that is constant.
fn four(range: Remote<'_, f64, Grid<4, One>>) -> [f64; 4] {
    range.get()
}

/// One atomic cell.
fn ticket(counter: Remote<'_, Atomic<u64>, One>) -> u64 {
    counter.fetch_add(1)
}
// ANCHOR_END: references

// ANCHOR: collective
/// Of any element that has a maximum.
fn top<T: ReducedBy<Max>>(world: &World, mine: T) -> T {
    world.team().reduce_value(Max, mine)
}
// ANCHOR_END: collective

// ANCHOR: use
#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % npes;

    assert_eq!((edge(&LEFT, right), edge(&RIGHT, right)), ([0.5; 2], [1.5; 2]));
    assert_eq!((sum(&LEFT, right), sum(&SHORT, right)), (8.0, 8.0));
    assert_eq!((total(world, &SHORT), total(world, &GRID)), (8.0, 24.0));

    let grid = world.ones::<f64, 2>([3, 4])?;
    clear(&grid, right);
    double(world, &grid);
    let line = like(world, &world.ones::<f64, 1>([5])?)?;
    assert_eq!((local!(grid[2, 0]), local!(grid[2, 1])), (0.0, 2.0));

    let last = 3;
    assert_eq!(largest(remote!(&SHORT[right, 1..last])), 2.0);
    assert_eq!(largest(remote!(&LEFT[right, 0..{ 4 }])), 0.5);
    assert_eq!(largest(remote!(&grid[right, .., 1..last])), 2.0);
    assert_eq!(four(remote!(&LEFT[right, 0..8;2])), [0.5; 4]);
    assert_eq!(exchange(remote!(&line[right, 0]), 1.0), 0.0);
    let turn = ticket(remote!(&TURN[0]));

    assert_eq!(top(world, turn), npes as u64 - 1);
    assert_eq!(top(world, me as i32), npes as i32 - 1);
    Ok(())
}
// ANCHOR_END: use
