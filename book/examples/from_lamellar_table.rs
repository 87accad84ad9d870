//! The right column of the table for those who come from Lamellar.

use shmem::prelude::*;

// ANCHOR: all
#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let pe = (me + 1) % npes;
    let (n, v, src) = (20, 5, [1, 2, 3, 4]);
    let list: Vec<usize> = vec![1, 3, 1];

    let region = world.zeros::<usize, 1>([n])?;
    remote!(region[pe, 3..7]) = src;
    world.barrier_all();
    let part = remote!(region[pe, 3..7]);
    let first = local!(region[0]);

    let array = world.global_array::<usize, 1>([n], Distribution::Block)?;
    let cells =
        world.global_array::<Atomic<usize>, 1>([n], Distribution::Cyclic)?;
    if me == 0 {
        remote!(array[@3]) = v;
        remote!(array[@8..12]) = src;
    }
    world.barrier_all();
    remote!(cells[@3]) += 1;
    let old = remote!(&cells[@3]).fetch_add(1);
    let listed = remote!(array[@list]);
    world.batch(|b| {
        for &i in &list {
            remote!(b; cells[@i]) += 1;
        }
    });
    world.local_phase(|p| {
        let mut mine = array.mine_mut(p);
        for (i, x) in &mut mine {
            *x += i;
        }
    });
    let total = array.sum();
    let most = array.max();
    let even = world.team().split_strided(0, 2, npes.div_ceil(2))?;
    // ANCHOR_END: all
    assert_eq!((part, first), (src, 0));
    assert!(old < 3 * npes);
    assert_eq!((listed, remote!(cells[@1])), (vec![0, 5, 0], 2 * npes));
    assert_eq!((total, most), (205, Some(19)));
    assert_eq!(even.is_some(), me % 2 == 0);
    Ok(())
}
