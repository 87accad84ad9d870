//! The ring, step by step: neighbours' cells by puts on a stream.

mod ring;

use ring::{CELLS, STEPS, flow, show, start};
use shmem::prelude::*;

#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + npes - 1) % npes, (me + 1) % npes);
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let heat = gpu.from_fn([CELLS + 2], |[i]| {
        if (1..=CELLS).contains(&i) { start(CELLS * me + i - 1) } else { 0.0 }
    })?;
    // ANCHOR: steps
    for _ in 0..STEPS {
        remote!(stream; heat[left, CELLS + 1] = &heat[1]);
        remote!(stream; heat[right, 0] = &heat[CELLS]);
        collective!(stream; barrier); // the neighbours' cells are here

        let old = heat.to_vec(&stream)?; // the host waits
        let next = |i: usize| flow(old[i - 1], old[i], old[i + 1]);
        let new: Vec<f64> = (1..=CELLS).map(next).collect();
        remote!(stream; heat[me, 1..=CELLS] = new);
        collective!(stream; barrier); // all PEs have read
    }
    show(world, &stream, &heat, STEPS);
    stream.synchronize()
    // ANCHOR_END: steps
}
