//! Heat in a plate whose rows are divided over the PEs. One launch on each device computes all steps: the
//! kernels send their border rows to each other, and wait for each other, without the hosts.
//!
//! ```text
//! cargo run --release --features gpu --example gpu_halo                # 6 rows on each PE, 64 columns, 40 steps
//! cargo run --release --features gpu --example gpu_halo -- 100 200 1000
//! ```
//!
//! The plate is there twice, for the old and the new temperatures. A kernel writes each new border row
//! to its neighbour too, then adds 1 to the neighbour's counter, and waits until its own counters have
//! the number of the step. Then the neighbours have also read what the next step overwrites: a neighbour
//! counts after it has computed the whole step. No block waits for another block of its launch, so a
//! launch has one block, whose threads share the places.
//!
//! The check is a serial computation of the whole plate, with the same bits.

use examples::{Failure, count, numbers};
use shmem::prelude::*;

/// The threads of each device.
const BLOCK: usize = 32;
/// The counters of a PE: the steps that the neighbours above and below have done.
const ABOVE: usize = 0;
const BELOW: usize = 1;

/// All steps. Row 0 and the last row of a plate are copies of the neighbours' rows.
#[shmem::gpu::kernel]
fn heat(mut plates: Global<f64, 3>, mut done: Global<Atomic<u64>>, steps: usize) {
    let (rows, columns) = (plates.extent(1) - 2, plates.extent(2));
    let (me, n) = (my_pe(), n_pes());
    for step in 0..steps {
        let old = step % 2;
        let new = 1 - old;
        for i in (thread_index()..rows * columns).step_by(block_size()) {
            let (row, column) = (1 + i / columns, i % columns);
            let mut x = local!(plates[old, row, column]);
            if column > 0 && column < columns - 1 {
                let above_and_below =
                    local!(plates[old, row - 1, column]) + local!(plates[old, row + 1, column]);
                let beside = local!(plates[old, row, column - 1]) + local!(plates[old, row, column + 1]);
                x += 0.2 * (above_and_below + beside - 4.0 * x);
            }
            local!(plates[new, row, column]) = x;
            if row == 1 && me > 0 {
                remote!(plates[me - 1, new, rows + 1, column]) = x;
            }
            if row == rows && me < n - 1 {
                remote!(plates[me + 1, new, 0, column]) = x;
            }
        }
        quiet(); // what this thread has sent is there
        block_barrier(); // and what all threads have sent
        if thread_index() == 0 {
            if me > 0 {
                remote!(done[me - 1, BELOW]) += 1;
            }
            if me < n - 1 {
                remote!(done[me + 1, ABOVE]) += 1;
            }
        }
        let so_far = step as u64 + 1;
        if me > 0 {
            wait!(done[ABOVE] >= so_far);
        }
        if me < n - 1 {
            wait!(done[BELOW] >= so_far);
        }
    }
}

/// The temperature at the start, of row `row` of the whole plate. Around the plate it is 0.
fn start(row: usize, column: usize, columns: usize) -> f64 {
    if row % 7 == 3 && column > 0 && column + 1 < columns { 100.0 } else { 0.0 }
}

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let [rows, columns, steps] = numbers([("rows", 6), ("columns", 64), ("steps", 40)])?;
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;

    // Rows 1 to `all` of the whole plate are divided; rows 0 and `all + 1` are outside.
    let all = n_pes * rows;
    let first = me * rows;
    let at_start = |row: usize, column| {
        if (1..=all).contains(&row) { start(row, column, columns) } else { 0.0 }
    };
    let plates =
        gpu.from_fn(
            [2, rows + 2, columns],
            |[plate, row, column]| {
                if plate == 0 { at_start(first + row, column) } else { 0.0 }
            },
        )?;
    let done = gpu.zeros::<Atomic<u64>, 1>([2])?;
    heat.launch(&stream, 1, BLOCK, (&plates, &done, steps))?;

    let plate = remote!(stream; plates[me, steps % 2, 1..=rows, ..]);
    stream.synchronize()?;

    let expected = serial(all, columns, steps, at_start);
    let mine = &expected[(first + 1) * columns..(first + 1 + rows) * columns];
    let wrong = plate.iter().zip(mine).filter(|(x, y)| x.to_bits() != y.to_bits()).count();
    let wrong = collective!(sum wrong);
    if wrong > 0 {
        return Err(Failure::new(format!("{wrong} of {} places have another temperature", all * columns)));
    }
    if me == 0 {
        let warmest = expected.iter().copied().fold(0.0, f64::max);
        println!(
            "{} of {all} × {columns} places in one launch on each of {}, back end {}: the same bits as serially",
            count(steps, "step"),
            count(n_pes, "PE"),
            gpu.back_end()
        );
        println!("the warmest place has {warmest:.3} degrees");
    }
    Ok(())
}

/// The plate after all steps, with a row above and one below.
fn serial(rows: usize, columns: usize, steps: usize, at_start: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let places = 0..(rows + 2) * columns;
    let mut old: Vec<f64> = places.map(|i| at_start(i / columns, i % columns)).collect();
    for _ in 0..steps {
        let mut new = old.clone();
        for row in 1..=rows {
            for column in 1..columns.max(2) - 1 {
                let i = row * columns + column;
                let above_and_below = old[i - columns] + old[i + columns];
                let beside = old[i - 1] + old[i + 1];
                new[i] += 0.2 * (above_and_below + beside - 4.0 * old[i]);
            }
        }
        old = new;
    }
    old
}
