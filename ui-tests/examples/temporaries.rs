// A reference may outlive the statement that made it, as `&array[..]` may.
use shmem::prelude::*;

#[symmetric]
static ROW: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
#[symmetric]
static HITS: [Atomic<u64>; 4] = [Atomic::new(0); 4];

fn window(array: &SymmetricArray<u32, 1>, pe: usize) -> Remote<'_, u32, shmem::select::Many> {
    remote!(&(*array)[pe, 1..pe + 3])
}

fn constant(pe: usize) -> Remote<'static, u32, shmem::select::Grid<4, shmem::select::One>> {
    remote!(&ROW[pe, 2..6])
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    let array = world.symmetric_array::<u32, 1>([8], 3)?;

    // Kept, copied, used twice, and made from what lives only as long as the statement.
    let kept = constant(right);
    let copied = kept;
    assert_eq!((kept.get(), copied.get()), ([2, 3, 4, 5], [2, 3, 4, 5]));
    assert_eq!(window(&array, right).get().len(), right + 2);
    assert_eq!(remote!(&(Box::new(&array))[right, ..]).len(), 8);

    // Sources and buffers that are temporaries.
    world.barrier_all();
    remote!(array[right, 0..4]) = (10..14).collect::<Vec<u32>>();
    remote!(array[right, 4..8]) = &[1, 2, 3, 4];
    remote!(array[right, 0..right + 1]) = &vec![9; right + 1][..];
    world.barrier_all();
    let mut buffer = vec![0; 16];
    remote!(array[right, 4..8] => &mut buffer[2..6]);
    assert_eq!(buffer[2..6], [1, 2, 3, 4]);
    let mut pair = ([0; 4], 0);
    remote!(ROW[right, 0..4] => &mut pair.0);
    remote!(ROW[right, 7] => &mut pair.1);
    assert_eq!(pair, ([0, 1, 2, 3], 7));

    let hit = remote!(&HITS[right, 1]);
    assert_eq!(hit.fetch_add(2), 0);
    assert_eq!(hit.compare_exchange(2, 5), Ok(2));
    world.barrier_all();
    assert_eq!(local!(HITS[..]), [0, 5, 0, 0]);
    Ok(())
}
