//! Ghost cells, reductions over the whole, and redistribution.

use shmem::prelude::*;
use shmem::reduction::Sum;

#[symmetric(cyclic)]
static DEALT: [u64; 10] = [0; 10];

// ANCHOR: generic
/// The mean of the elements, whatever the rank and the distribution.
fn mean(array: &impl Global<Value = u64>) -> f64 {
    array.sum() as f64 / array.len() as f64
}
// ANCHOR_END: generic

// ANCHOR: make
use shmem::Halo;

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let rod = || {
        world.halo_array::<f64, 1>([12], Distribution::Block, Halo::fixed(1))
    };
    let (mut now, mut next) = (rod()?, rod()?);
    // ANCHOR_END: make
    if world.my_pe() == 0 {
        remote!(now[@5]) = 64.0;
    }
    world.barrier_all();

    // ANCHOR: step
    for _ in 0..3 {
        now.refresh();
        world.local_phase(|p| {
            let (old, mut new) = (now.view(p), next.view_mut(p));
            for i in 0..new.part_extents()[0] as isize {
                new[i] = old[i] / 2.0 + (old[i - 1] + old[i + 1]) / 4.0;
            }
        });
        (now, next) = (next, now);
    }
    // ANCHOR_END: step
    if world.my_pe() == 0 {
        println!("rod     {:?}", remote!(now[@2..9]));
    }

    // ANCHOR: reduce
    let line = world.global_array::<u64, 1>([10], Distribution::Block)?;
    world.local_phase(|p| {
        for (i, x) in line.mine_mut(p) {
            *x = (i as u64 * 7) % 10;
        }
    });
    let (sum, least) = (line.sum(), line.minloc());
    let (most, at) = line.maxloc().unwrap(); // there are elements
    let sums = world.global_array::<u64, 1>([10], Distribution::Block)?;
    line.scan(Sum, &sums);
    // ANCHOR_END: reduce
    if world.my_pe() == 0 {
        println!("sum     {sum}, {least:?}, {most} at {at}");
        println!("sums    {:?}", remote!(sums[@..]));
    }

    // ANCHOR: assign
    DEALT.assign_from(&line); // a static, `#[symmetric(cyclic)]`
    let mine = world.local_phase(|p| DEALT.as_slice(p).to_vec());
    // ANCHOR_END: assign
    assert_eq!(mean(&DEALT), 4.5);
    if world.my_pe() == 0 {
        println!("PE 0    {mine:?}");
    }
    Ok(())
}
