//! Heat in a plate whose rows are divided over the PEs. The kernel sends its first and its last row
//! to the neighbours itself.

use shmem::prelude::*;

const ROWS: usize = 6;
const COLUMNS: usize = 40;
const STEPS: usize = 50;

// ANCHOR: kernel
/// One step: rows 1 to `ROWS` are this PE's, and rows 0 and `ROWS + 1` copies of the neighbours'.
#[shmem::gpu::kernel]
fn step(old: Global<f64, 2>, mut new: Global<f64, 2>) {
    let i = global_index();
    if i >= ROWS * COLUMNS {
        return;
    }
    let (row, column) = (1 + i / COLUMNS, i % COLUMNS);
    let mut x = local!(old[row, column]);
    if column > 0 && column < COLUMNS - 1 {
        let above_and_below =
            local!(old[row - 1, column]) + local!(old[row + 1, column]);
        let beside =
            local!(old[row, column - 1]) + local!(old[row, column + 1]);
        x += 0.2 * (above_and_below + beside - 4.0 * x);
    }
    local!(new[row, column]) = x;
    if row == 1 && my_pe() > 0 {
        remote!(new[my_pe() - 1, ROWS + 1, column]) = x;
    }
    if row == ROWS && my_pe() < n_pes() - 1 {
        remote!(new[my_pe() + 1, 0, column]) = x;
    }
}
// ANCHOR_END: kernel

/// The temperature at the start. Around the plate it is 0.
fn start(row: usize, column: usize) -> f64 {
    if row % 7 == 3 && column > 0 && column < COLUMNS - 1 { 100.0 } else { 0.0 }
}

#[shmem::main(npes = 4)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    // ANCHOR: launch
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let inside = |row: usize| (1..=n * ROWS).contains(&(me * ROWS + row));
    let value = |[row, column]: [usize; 2]| {
        if inside(row) { start(me * ROWS + row, column) } else { 0.0 }
    };
    let mut plates = [
        gpu.from_fn([ROWS + 2, COLUMNS], value)?,
        gpu.zeros([ROWS + 2, COLUMNS])?,
    ];
    for _ in 0..STEPS {
        let [old, new] = &plates;
        step.launch(&stream, (ROWS * COLUMNS).div_ceil(64), 64, (old, new))?;
        collective!(stream; barrier); // the neighbours' rows are here
        plates.swap(0, 1);
    }
    let plate = plates[0].to_vec(&stream)?; // row-major
    // ANCHOR_END: launch

    // The same on one processor, with all rows.
    let height = n * ROWS + 2;
    let mut old: Vec<f64> = (0..height * COLUMNS)
        .map(|i| (i / COLUMNS, i % COLUMNS))
        .map(|(row, column)| match row {
            row if row == 0 || row == height - 1 => 0.0,
            row => start(row, column),
        })
        .collect();
    for _ in 0..STEPS {
        let mut new = old.clone();
        for row in 1..height - 1 {
            for column in 1..COLUMNS - 1 {
                let i = row * COLUMNS + column;
                let sum = (old[i - COLUMNS] + old[i + COLUMNS])
                    + (old[i - 1] + old[i + 1]);
                new[i] += 0.2 * (sum - 4.0 * old[i]);
            }
        }
        old = new;
    }
    let first = (me * ROWS + 1) * COLUMNS;
    let expected = &old[first..first + ROWS * COLUMNS];
    assert_eq!(&plate[COLUMNS..(ROWS + 1) * COLUMNS], expected);
    let warmest = collective!(max expected.iter().copied().fold(0.0, f64::max));
    assert!(warmest > 1.0);
    if me == 0 {
        println!(
            "after {STEPS} steps the warmest place has {warmest:.1} degrees"
        );
    }
    Ok(())
}
