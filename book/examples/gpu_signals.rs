//! The ring, step by step: signals in place of barriers.

mod ring;

use ring::kernels::{FROM_LEFT, FROM_RIGHT, step};
use ring::{CELLS, STEPS, show, start};
use shmem::SignalOp;
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
    let came = gpu.zeros::<Atomic<u64>, 1>([2])?;
    for number in 1..=STEPS as u64 {
        let [old, new] = &heat;
        step.launch(&stream, 2, 4, (old, new))?;

        remote!(stream; &new[left, CELLS + 1]).put_signal(
            remote!(stream; &new[me, 1]),
            remote!(stream; &came[left, FROM_RIGHT]),
            SignalOp::Set(number),
        );
        remote!(stream; &new[right, 0]).put_signal(
            remote!(stream; &new[me, CELLS]),
            remote!(stream; &came[right, FROM_LEFT]),
            SignalOp::Set(number),
        );
        wait!(stream; came[FROM_LEFT] >= number);
        wait!(stream; came[FROM_RIGHT] >= number);
        heat.swap(0, 1);
    }
    show(world, &stream, &heat[0], STEPS);
    stream.synchronize()
}
// ANCHOR_END: main
