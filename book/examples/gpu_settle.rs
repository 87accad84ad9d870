//! Heat in a ring of cells, in one launch: the kernel finds out itself when it is done.

use shmem::prelude::*;

const CELLS: usize = 4;
const SMALL: f64 = 0.01;

// ANCHOR: kernel
/// Steps until no cell of any PE changes by `SMALL`. In each row of `heat`, the first and the last
/// cell are copies of the neighbours' cells.
#[shmem::gpu::kernel]
fn settle(
    mut heat: Global<f64, 2>,
    mut change: Global<f64>,
    mut largest: Global<f64>,
    mut steps: Global<u32>,
) {
    let i = 1 + thread_index();
    let left = (my_pe() + n_pes() - 1) % n_pes();
    let right = (my_pe() + 1) % n_pes();
    let mut row = 0_usize;
    loop {
        let here = local!(heat[row, i]);
        let beside = local!(heat[row, i - 1]) + local!(heat[row, i + 1]);
        let next = 0.5 * here + 0.25 * beside;
        row = 1 - row;
        local!(heat[row, i]) = next;
        local!(change[i - 1]) = (next - here).abs();
        if i == 1 {
            remote!(heat[left, row, CELLS + 1]) = next;
            local!(steps[0]) = local!(steps[0]) + 1;
        }
        if i == CELLS {
            remote!(heat[right, row, 0]) = next;
        }
        collective!(block; barrier); // the neighbours' cells are here
        collective!(block; largest[..] = max change[..]);
        let mut most = 0.0_f64;
        for k in 0..CELLS {
            most = most.max(local!(largest[k]));
        }
        if most < SMALL {
            break;
        }
    }
}
// ANCHOR_END: kernel

/// The cell at the start, of all cells of the ring.
fn start(cell: usize) -> f64 {
    if cell == 1 { 100.0 } else { 0.0 }
}

#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let all = n * CELLS;
    // ANCHOR: launch
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let first = |[row, i]: [usize; 2]| match row {
        0 => start((me * CELLS + i + all - 1) % all),
        _ => 0.0,
    };
    let heat = gpu.from_fn([2, CELLS + 2], first)?;
    let (change, largest) = (gpu.zeros([CELLS])?, gpu.zeros([CELLS])?);
    let steps = gpu.zeros::<u32, 1>([1])?;
    settle.launch(&stream, 1, CELLS, (&heat, &change, &largest, &steps))?;
    let count = steps.to_vec(&stream)?[0]; // the same on all PEs
    // ANCHOR_END: launch

    // The same on one processor, with all cells.
    let mut cells: Vec<f64> = (0..all).map(start).collect();
    let mut most = f64::INFINITY;
    let mut expected = 0;
    while most >= SMALL {
        let old = cells.clone();
        let beside = |i: usize| old[(i + all - 1) % all] + old[(i + 1) % all];
        cells = (0..all).map(|i| 0.5 * old[i] + 0.25 * beside(i)).collect();
        let changes = cells.iter().zip(&old).map(|(a, b)| (a - b).abs());
        most = changes.fold(0.0, f64::max);
        expected += 1;
    }
    assert_eq!(count, expected);
    let last = count as usize % 2;
    let mine = remote!(stream; heat[me, last, 1..=CELLS]);
    assert_eq!(mine, cells[me * CELLS..][..CELLS]);
    if me == 0 {
        println!("settled after {count} steps at {:.1} degrees", mine[0]);
    }
    stream.synchronize()
}
