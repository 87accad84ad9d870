//! Solutions of the exercises with GPUs.

mod ring;

use ring::kernels::{flow, step};
use ring::{CELLS, STEPS, show, start};
use shmem::gpu::{Gpu, Stream};
use shmem::prelude::*;

#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    gets(world, &gpu, &stream)?;
    two_streams(world, &gpu, &stream)?;
    counts(world, &gpu, &stream)
}

// ANCHOR: gets
#[shmem::kernel]
fn gets(world: &World, gpu: &Gpu, stream: &Stream) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + npes - 1) % npes, (me + 1) % npes);
    let all = CELLS * npes;
    let cell = |[i]: [usize; 1]| start((CELLS * me + i + all - 1) % all);
    let mut heat =
        [gpu.from_fn([CELLS + 2], cell)?, gpu.zeros::<f64, 1>([CELLS + 2])?];
    for _ in 0..STEPS {
        let [old, new] = &heat;
        step.launch(stream, 2, 4, (old, new))?;
        collective!(stream; barrier); // all PEs have computed
        remote!(stream; new[me, 0] = remote!(stream; &new[left, CELLS]));
        remote!(stream; new[me, CELLS + 1] = remote!(stream; &new[right, 1]));
        heat.swap(0, 1);
    }
    show(world, stream, &heat[0], STEPS);
    Ok(())
}
// ANCHOR_END: gets

// ANCHOR: part
/// One step of the cells `first`, `first + by`, and so on.
#[shmem::gpu::kernel]
fn step_of(old: Global<f64>, mut new: Global<f64>, first: usize, by: usize) {
    let i = first + by * global_index();
    local!(new[i]) =
        flow(local!(old[i - 1]), local!(old[i]), local!(old[i + 1]));
}
// ANCHOR_END: part

// ANCHOR: streams
#[shmem::kernel]
fn two_streams(
    world: &World,
    gpu: &Gpu,
    ends: &Stream,
) -> Result<(), shmem::Error> {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + npes - 1) % npes, (me + 1) % npes);
    let all = CELLS * npes;
    let cell = |[i]: [usize; 1]| start((CELLS * me + i + all - 1) % all);
    let mut heat =
        [gpu.from_fn([CELLS + 2], cell)?, gpu.zeros::<f64, 1>([CELLS + 2])?];
    let inside = gpu.stream()?;
    for _ in 0..STEPS {
        let [old, new] = &heat;
        inside.wait_for(&ends.record()); // the step before is complete
        step_of.launch(&inside, 1, CELLS - 2, (old, new, 2, 1))?;

        step_of.launch(ends, 1, 2, (old, new, 1, CELLS - 1))?; // 1 and CELLS
        remote!(ends; new[left, CELLS + 1] = &new[1]);
        remote!(ends; new[right, 0] = &new[CELLS]);
        ends.wait_for(&inside.record());
        collective!(ends; barrier);
        heat.swap(0, 1);
    }
    show(world, ends, &heat[0], STEPS);
    inside.synchronize()
}
// ANCHOR_END: streams

// ANCHOR: count
/// Adds to `count` of PE 0 how many cells are warmer than `limit`.
#[shmem::gpu::kernel]
fn count_warm(heat: Global<f64>, mut count: Global<Atomic<u64>>, limit: f64) {
    let i = 1 + global_index();
    if i <= CELLS && local!(heat[i]) > limit {
        remote!(count[0, 0]) += 1;
    }
}
// ANCHOR_END: count

// ANCHOR: counts
#[shmem::kernel]
fn counts(
    world: &World,
    gpu: &Gpu,
    stream: &Stream,
) -> Result<(), shmem::Error> {
    let first = CELLS * world.my_pe();
    let heat = gpu.from_fn([CELLS + 2], |[i]| (first + i) as f64)?;
    let count = gpu.zeros::<Atomic<u64>, 1>([1])?;
    count_warm.launch(stream, 2, 4, (&heat, &count, 2.5))?;
    collective!(stream; barrier); // all updates are there
    if world.my_pe() == 0 {
        let warm = count.to_vec(stream)?[0];
        assert_eq!(warm as usize, CELLS * world.n_pes() - 2);
        println!("{warm} cells are warm");
    }
    stream.synchronize()
}
// ANCHOR_END: counts
