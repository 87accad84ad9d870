//! The ring, step by step: one launch, in which kernels send and wait.

mod ring;

use ring::{CELLS, STEPS, show, start};
use shmem::prelude::*;

/// The cells of `came`: the steps whose heat has come, from either side.
const FROM_LEFT: usize = 0;
const FROM_RIGHT: usize = 1;

/// The heat of a cell after a step, by itself and by its neighbours.
#[shmem::gpu::kernel]
fn flow(left: f64, cell: f64, right: f64) -> f64 {
    cell + 0.25 * ((left - cell) + (right - cell))
}

// ANCHOR: kernel
/// All steps. Row 0 is the ring after an even number of steps, row 1 after an
/// odd number.
#[shmem::gpu::kernel]
fn steps(mut heat: Global<f64, 2>, mut came: Global<Atomic<u64>>, n: usize) {
    let left = (my_pe() + n_pes() - 1) % n_pes();
    let right = (my_pe() + 1) % n_pes();
    let i = 1 + thread_index();
    for number in 0..n {
        let old = number % 2;
        let new = 1 - old;
        let heat_of_cell = flow(
            local!(heat[old, i - 1]),
            local!(heat[old, i]),
            local!(heat[old, i + 1]),
        );
        local!(heat[new, i]) = heat_of_cell;
        if i == 1 {
            remote!(heat[left, new, CELLS + 1]) = heat_of_cell;
            fence(); // the heat arrives before the number
            remote!(came[left, FROM_RIGHT]) = number as u64 + 1;
        }
        if i == CELLS {
            remote!(heat[right, new, 0]) = heat_of_cell;
            fence();
            remote!(came[right, FROM_LEFT]) = number as u64 + 1;
        }
        wait!(came[FROM_LEFT] > number as u64);
        wait!(came[FROM_RIGHT] > number as u64);
        block_barrier(); // all threads have computed, and may read
    }
}
// ANCHOR_END: kernel

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
