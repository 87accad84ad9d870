//! The ring, step by step: sums, over all PEs and over teams.

mod ring;

use ring::kernels::steps;
use ring::{CELLS, STEPS, start};
use shmem::prelude::*;

#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;

    let all = CELLS * npes;
    let heat = gpu.from_fn([2, CELLS + 2], |[_, i]| {
        start((CELLS * me + i + all - 1) % all)
    })?;
    let came = gpu.zeros::<Atomic<u64>, 1>([2])?;
    steps.launch(&stream, 1, CELLS, (&heat, &came, STEPS))?;
    let last = STEPS % 2;

    // ANCHOR: all
    let sums = gpu.zeros::<f64, 1>([CELLS])?;
    let most = gpu.zeros::<f64, 1>([CELLS])?;
    collective!(stream; sums[..] = sum heat[last, 1..=CELLS]);
    collective!(stream; most[..] = max heat[last, 1..=CELLS]);
    let total: f64 = sums.to_vec(&stream)?.iter().sum();
    let warmest = most.to_vec(&stream)?.into_iter().fold(0.0, f64::max);
    // ANCHOR_END: all
    assert_eq!(total, 100.0);

    // ANCHOR: team
    let (pair, _) = world.team().split_2d(2)?; // PEs 0 and 1, 2 and 3, …
    let pair = gpu.team(&pair)?;
    collective!(stream; sums[..] = sum heat[last, 1..=CELLS]; on pair);
    let of_pair: f64 = sums.to_vec(&stream)?.iter().sum();
    // ANCHOR_END: team
    if me == 0 {
        println!("in all {total:.1}, and at most {warmest:.1} in a cell");
        println!("on the first {} PEs {of_pair:.1}", pair.n_pes());
    }

    // ANCHOR: member
    let members = world.team().split_strided(0, 2, npes.div_ceil(2))?;
    if let Some(even) = members {
        let even = gpu.team(&even)?; // by the members alone
        collective!(stream; sums[..] = sum heat[last, 1..=CELLS]; on even);
    }
    // ANCHOR_END: member
    stream.synchronize()
}
