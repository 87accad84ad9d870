// In generic code a block makes a constant a run-time one: `{ N }`.
use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 16] = [0.5; 16];

fn first<const N: usize>(pe: usize) -> Vec<f64> {
    remote!(ROW[pe, ..{ N }])
}

fn nth<const N: usize>(pe: usize) -> f64 {
    remote!(ROW[pe, { N }])
}

struct Window<const FROM: usize, const TO: usize>;

impl<const FROM: usize, const TO: usize> Window<FROM, TO> {
    const STEP: usize = 2;

    #[shmem::kernel]
    fn fill(&self, pe: usize, value: f64) {
        remote!(ROW[pe, { FROM }..{ TO };Self::STEP]) = value;
    }
}

/// Any element, any rank of run-time array, any kind of pointer to one.
fn sum<T>(array: &SymmetricArray<T, 2>, pe: usize) -> T
where
    T: Symmetric + std::iter::Sum,
{
    remote!(array[pe, .., ..]).into_iter().sum()
}

fn corner<T: Symmetric>(array: &SymmetricArray<T, 2>) -> T {
    let corner: [[T; 1]; 1] = local!(array[0..1, 0..1]);
    corner[0][0]
}

/// Any rank.
fn describe<T: Symmetric, const R: usize>(array: &SymmetricArray<T, R>) -> (usize, [usize; R], bool) {
    (array.len(), array.extents(), array.is_empty())
}

fn grow<const R: usize>(array: &mut SymmetricArray<u64, R>) -> Result<(), shmem::Error> {
    array.resize(array.extents().map(|extent| extent + 1), 9)
}

fn total<const R: usize>(world: &World, array: &SymmetricArray<u64, R>) -> u64 {
    world.local_phase(|p| {
        array.as_mut_slice(p)[0] += 1;
        array.as_slice(p).iter().sum()
    })
}

#[shmem::kernel]
fn reset<T: Symmetric + Default>(array: &SymmetricArray<T, 2>, pe: usize) {
    remote!(array[pe, .., 0]) = T::default();
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    assert_eq!(first::<3>(right), [0.5; 3]);
    world.barrier_all();
    Window::<4, 8>.fill(right, 2.0);
    world.barrier_all();
    assert_eq!(local!(ROW[3..9]), [0.5, 2.0, 0.5, 2.0, 0.5, 0.5]);
    assert_eq!(nth::<4>(right), 2.0);

    let array = world.symmetric_array::<u64, 2>([2, 3], 7)?;
    assert_eq!((sum(&array, right), corner(&array)), (42, 7));
    world.barrier_all();
    reset(&array, right);
    world.barrier_all();
    assert_eq!((sum(&array, right), corner(&array)), (28, 0));

    let mut line = world.symmetric_array::<u64, 1>([2], 1)?;
    let mut cube = world.symmetric_array::<u64, 3>([1, 2, 1], 1)?;
    assert_eq!(describe(&line), (2, [2], false));
    assert_eq!(describe(&cube), (2, [1, 2, 1], false));
    grow(&mut line)?;
    grow(&mut cube)?;
    assert_eq!((total(world, &line), total(world, &cube)), (1 + 2 + 9, 1 + 2 + 9 * 10));
    cube.free()?;
    Ok(())
}
