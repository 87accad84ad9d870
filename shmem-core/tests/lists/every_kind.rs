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

/// What an array says of itself, against one that is divided in the same way.
fn check_division<A: Global>(world: &World, array: &A, same: &impl Global<Index = A::Index>) {
    let len = array.extents().as_ref().iter().product();
    assert_eq!((array.len(), array.is_empty()), (len, false));
    assert_eq!(array.extents().as_ref(), same.extents().as_ref());
    assert_eq!(array.distribution(), same.distribution());
    let mine: Vec<A::Index> = array.mine().collect();
    assert_eq!(mine, same.mine().collect::<Vec<_>>());
    assert!(mine.iter().all(|&index| array.owner(index) == world.my_pe()));
    assert_eq!(collective!(sum mine.len()), len, "each element is on one PE");
    for pe in 0..world.n_pes() {
        assert_eq!(array.part_extents(pe).as_ref(), same.part_extents(pe).as_ref());
    }
    let held: usize = array.part_extents(world.my_pe()).as_ref().iter().product();
    assert_eq!(held, mine.len());
}

/// `array` is divided as `distribution` says.
fn check_line(
    world: &World,
    array: &(impl Global<Value = i64, Index = usize> + OneAxis),
    distribution: Distribution,
) -> Result<(), Error> {
    let same = world.global_array::<i64, 1>([N], distribution)?;
    check_division(world, array, &same);
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
    let same = world.global_array::<i64, 2>([9, 5], array.distribution())?;
    check_division(world, array, &same);
    same.free()?;
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

/// Of an array whose other axis has one index, a selection of that index several times, or never.
#[shmem::test(npes = [1, 2, 3])]
fn an_axis_of_one_index(world: &World) -> Result<(), Error> {
    for distribution in [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(2)] {
        let thin = world.global_array::<u64, 2>([N, 1], distribution)?;
        world.local_phase(|p| thin.mine_mut(p).into_iter().for_each(|([i, _], x)| *x = i as u64));
        let list = vec![28, 3, 3, 0, 17];
        let twice = |indices: &[usize]| indices.iter().flat_map(|&i| [i as u64; 2]).collect::<Vec<_>>();
        assert_eq!(remote!(thin[@list, [0, 0]]), twice(&list));
        assert_eq!(remote!(thin[@5..25;3, [0, 0]]).concat(), twice(&[5, 8, 11, 14, 17, 20, 23]));
        assert_eq!(remote!(thin[@list, 0]), [28, 3, 3, 0, 17]);
        let none: [[u64; 0]; 20] = remote!(thin[@5..25, 0..0]);
        assert_eq!(none.concat(), []);
        world.barrier_all();
        // Of two writes to one element, the last one stays.
        if world.my_pe() == 0 {
            remote!(thin[@20..22, [0, 0]]) = [[1, 2], [3, 4]];
            remote!(thin[@[7, 6], [0, 0]]) = [[5, 6], [7, 8]];
        }
        world.barrier_all();
        assert_eq!(remote!(thin[@..;-1, 0])[6..9].to_vec(), [22, 4, 2]);
        assert_eq!(remote!(thin[@5..9, 0]), [5, 8, 6, 8]);
        world.barrier_all();
        thin.free()?;
    }
    Ok(())
}
