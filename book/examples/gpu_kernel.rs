//! The ring, step by step: a kernel computes.

mod ring;

use ring::kernels::step;
use ring::{CELLS, STEPS, show, start};
use shmem::prelude::*;

// ANCHOR: main
#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + npes - 1) % npes, (me + 1) % npes);
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;

    let all = CELLS * npes;
    let cell = |[i]: [usize; 1]| start((CELLS * me + i + all - 1) % all);
    let mut heat =
        [gpu.from_fn([CELLS + 2], cell)?, gpu.zeros::<f64, 1>([CELLS + 2])?];
    for _ in 0..STEPS {
        let [old, new] = &heat;
        step.launch(&stream, 2, 4, (old, new))?; // 2 blocks of 4 threads
        remote!(stream; new[left, CELLS + 1] = &new[1]);
        remote!(stream; new[right, 0] = &new[CELLS]);
        collective!(stream; barrier); // the neighbours' cells are here
        heat.swap(0, 1);
    }
    show(world, &stream, &heat[0], STEPS);
    stream.synchronize()
}
// ANCHOR_END: main
