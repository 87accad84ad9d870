//! The kernels that several programs of the chapter have.

use super::CELLS;

// ANCHOR: step
/// The heat of a cell after a step, by itself and by its neighbours.
#[shmem::gpu::kernel]
pub(crate) fn flow(left: f64, cell: f64, right: f64) -> f64 {
    cell + 0.25 * ((left - cell) + (right - cell))
}

/// One step. Each thread computes one cell.
#[shmem::gpu::kernel]
pub(crate) fn step(old: Global<f64>, mut new: Global<f64>) {
    let i = 1 + global_index();
    if i <= CELLS {
        local!(new[i]) =
            flow(local!(old[i - 1]), local!(old[i]), local!(old[i + 1]));
    }
}
// ANCHOR_END: step

// ANCHOR: sides
/// The cells of `came`: the steps whose heat has come, from either side.
pub(crate) const FROM_LEFT: usize = 0;
pub(crate) const FROM_RIGHT: usize = 1;
// ANCHOR_END: sides

// ANCHOR: steps
/// All steps. Row 0 is the ring after an even number of steps, row 1 after an
/// odd number.
#[shmem::gpu::kernel]
pub(crate) fn steps(
    mut heat: Global<f64, 2>,
    mut came: Global<Atomic<u64>>,
    n: usize,
) {
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
// ANCHOR_END: steps
