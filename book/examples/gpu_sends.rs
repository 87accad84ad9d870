//! The ring, step by step: one launch, in which kernels send and wait.

mod ring;

use ring::kernels::steps;
use ring::{CELLS, STEPS, show, start};
use shmem::prelude::*;

// ANCHOR: main
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

    let last = gpu.zeros::<f64, 1>([CELLS + 2])?;
    remote!(stream; last[me, ..] = &heat[STEPS % 2, ..]);
    show(world, &stream, &last, STEPS);
    stream.synchronize()
}
// ANCHOR_END: main
