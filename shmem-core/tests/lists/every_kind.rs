//! What all global arrays have in common, of statics and of arrays with ghost cells: against allocated
//! arrays, which are compared with a model elsewhere.

use shmem::prelude::*;
use shmem::reduction::{Max, Sum};
use shmem::{Error, Halo, OneAxis};

use crate::generator::Random;

const N: usize = 29;

#[symmetric(block)]
static BLOCKS: [i64; N] = [0; N];
#[symmetric(cyclic)]
static TURNS: [i64; N] = [0; N];
#[symmetric(block_cyclic(3))]
static DEALT: [i64; N] = [0; N];
#[symmetric(block)]
static CELLS: [Atomic<i64>; N] = [Atomic::new(0); N];
#[symmetric(block, halo = Halo::fixed(2))]
static ROD: [i64; N] = [0; N];

#[symmetric(cyclic)]
static ROWS: [[i64; 5]; 9] = [[0; 5]; 9];
#[symmetric(block2d)]
static PLANE: [[i64; 5]; 9] = [[0; 5]; 9];
#[symmetric(block2d, halo = Halo::periodic(1))]
static TORUS: [[i64; 5]; 9] = [[0; 5]; 9];

fn values(random: &mut Random, len: usize) -> Vec<i64> {
    (0..len).map(|_| random.below(12) as i64 - 6).collect()
}

/// `array` is divided as `distribution` says.
fn check_line(
    world: &World,
    array: &(impl Global<Value = i64, Index = usize> + OneAxis),
    distribution: Distribution,
) -> Result<(), Error> {
    let same = world.global_array::<i64, 1>([N], distribution)?;
    let other = world.global_array::<i64, 1>([N], Distribution::BlockCyclic(2))?;
    let mut random = Random(5);
    for _ in 0..3 {
        let model = values(&mut random, N);
        world.local_phase(|p| other.mine_mut(p).into_iter().for_each(|(i, x)| *x = model[i]));
        array.assign_from(&other);
        same.assign_from(array);
        assert_eq!(remote!(same[@..]), model);
        assert_eq!(array.sum(), model.iter().sum());
        let uneven = |a: i64, b: i64| a.wrapping_mul(31).wrapping_add(b);
        assert_eq!(array.reduce_with(uneven), same.reduce_with(uneven));
        assert_eq!((array.min(), array.reduce(Max)), (same.min(), same.max()));
        let least = model.iter().enumerate().min_by_key(|(i, x)| (**x, *i)).map(|(i, x)| (*x, i));
        let most = model.iter().enumerate().max_by_key(|(i, x)| (**x, N - *i)).map(|(i, x)| (*x, i));
        assert_eq!((array.minloc(), array.maxloc()), (least, most));
        let mut sum = 0;
        let mut sums = vec![0];
        for x in &model {
            sum += x;
            sums.push(sum);
        }
        array.scan(Sum, &same);
        assert_eq!(remote!(same[@..]), sums[1..]);
        world.barrier_all();
        array.exscan(array);
        same.assign_from(array);
        assert_eq!(remote!(same[@..]), sums[..N]);
        world.barrier_all();
    }
    same.free()?;
    other.free()
}

fn check_grid(world: &World, array: &impl Global<Value = i64, Index = [usize; 2]>) -> Result<(), Error> {
    let other = world.global_array::<i64, 2>([9, 5], Distribution::Block)?;
    let mut random = Random(6);
    for _ in 0..3 {
        let model = values(&mut random, 45);
        world.local_phase(|p| other.mine_mut(p).into_iter().for_each(|([i, j], x)| *x = model[5 * i + j]));
        array.assign_from(&other);
        world.local_phase(|p| other.as_mut_slice(p).fill(99));
        other.assign_from(array);
        assert_eq!(remote!(other[@.., ..]), model);
        assert_eq!((array.sum(), array.max()), (model.iter().sum(), model.iter().copied().max()));
        let least = model.iter().enumerate().min_by_key(|(i, x)| (**x, *i));
        assert_eq!(array.minloc(), least.map(|(i, x)| (*x, [i / 5, i % 5])));
        world.barrier_all();
    }
    other.free()
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn lines(world: &World) -> Result<(), Error> {
    let ghosts = world.halo_array::<i64, 1>([N], Distribution::Block, Halo::periodic(3))?;
    check_line(world, &BLOCKS, Distribution::Block)?;
    check_line(world, &TURNS, Distribution::Cyclic)?;
    check_line(world, &DEALT, Distribution::BlockCyclic(3))?;
    check_line(world, &CELLS, Distribution::Block)?;
    check_line(world, &ROD, Distribution::Block)?;
    check_line(world, &ghosts, Distribution::Block)
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn grids(world: &World) -> Result<(), Error> {
    let rows = world.halo_array::<i64, 2>([9, 5], Distribution::Block, Halo::fixed(2))?;
    check_grid(world, &ROWS)?;
    check_grid(world, &PLANE)?;
    check_grid(world, &TORUS)?;
    check_grid(world, &rows)
}
