//! The pipeline of the Parallel Research Kernels: each PE waits for the one before it, many times.
//!
//! ```text
//! cargo run --release --example prk_synch_p2p                       # 10 iterations of 500 × 500
//! cargo run --release --example prk_synch_p2p -- 800 2000 2000      # as published
//! ```
//!
//! The kernel is by Van der Wijngaart and Mattson (*The Parallel Research Kernels*, 2014, and
//! `ParRes/Kernels` on GitHub, where it is `Synch_p2p`). Every cell of a grid is computed from
//! three others:
//!
//! ```text
//! cell[i][j] = cell[i - 1][j] + cell[i][j - 1] - cell[i - 1][j - 1]
//! ```
//!
//! The first row and the first column are given: their cells are `i + j`. The rows are distributed
//! over the PEs, so a PE cannot compute column `j` before the PE above has done so: the work goes
//! through the PEs as through a pipeline. After each iteration, the last cell with the opposite
//! sign becomes the first cell of the next iteration. The check is its value in the end, which is
//! `iterations + 1` (one is for warm-up) times `rows + columns - 2`.
//!
//! Each PE has its rows, and the one above them, in private memory, column by column. The PE above
//! sends its last cell of a column with `put_signal`. The signal is the number of cells that it has
//! sent: one cell of memory for `wait!`, which only grows. No cell is overwritten too early,
//! because the first PE cannot begin an iteration before the last PE has ended the one before.

use std::time::Instant;

use examples::{Failure, count, part, rate};
use shmem::prelude::*;

/// The largest allowed relative error of the last cell.
const TOLERANCE: f64 = 1e-8;

/// The number of cells of the row above that have arrived here, over all iterations; on PE 0, the
/// number of last cells.
#[symmetric]
static READY: Atomic<u64> = Atomic::new(0);
/// On PE 0: the last cell of the iteration before.
#[symmetric]
static LAST: f64 = 0.0;

#[shmem::main(threads = single)]
fn main(world: &World) -> Result<(), Failure> {
    let [iterations, rows, columns] =
        examples::numbers([("iterations", 10), ("rows", 500), ("columns", 500)])?;
    for (name, number) in [("rows", rows), ("columns", columns)] {
        if number < 2 {
            return Err(Failure::new(format!("{name} is {number}; it is at least 2")));
        }
    }
    let me = world.my_pe();
    // The first row is given. If there are more PEs than other rows, the last PEs have nothing to
    // do.
    let n_pes = world.n_pes().min(rows - 1);
    let mut strip = (me < n_pes).then(|| Strip::new(me, n_pes, rows, columns));

    // The row above mine.
    let above = world.zeros::<f64, 1>([columns])?;

    let mut start = Instant::now();
    for iteration in 0..=iterations {
        if iteration == 1 {
            world.barrier_all(); // the first one was to warm up
            start = Instant::now();
        }
        let Some(strip) = &mut strip else { continue };

        if me == 0 && iteration > 0 {
            wait!(READY >= iteration as u64);
            strip.cells[0] = local!(LAST);
        }
        for column in 1..columns {
            let ready = (iteration * (columns - 1) + column) as u64;
            if me > 0 {
                wait!(READY >= ready);
                *strip.above(column) = local!(above[column]);
            }
            let last = strip.advance(column);
            if me + 1 < n_pes {
                // The signal is ordered after its own cell alone, and the next PE may see a later one first.
                world.fence();
                let signal = remote!(&READY[me + 1]);
                remote!(&above[me + 1, column]).put_signal(last, signal, SignalOp::Set(ready));
            }
        }
        if me + 1 == n_pes {
            let signal = remote!(&READY[0]);
            remote!(&LAST[0]).put_signal(-strip.last(), signal, SignalOp::Set(iteration as u64 + 1));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let seconds = collective!(max seconds) / iterations as f64;

    let last = strip.map_or(0.0, |strip| strip.last());
    let last = collective!(broadcast last from n_pes - 1);
    check(last, iterations, rows, columns)?;

    if me == 0 {
        println!(
            "{} of {rows} × {columns} cells on {}: the last cell is {last}, as it must be",
            count(iterations, "iteration"),
            count(world.n_pes(), "PE")
        );
        let operations = 2.0 * (rows - 1) as f64 * (columns - 1) as f64;
        println!("{}", rate("prk_synch_p2p", operations * 1e-6, "MFlop/s", seconds, "an iteration"));
    }
    Ok(())
}

/// The last cell must have the value of so many iterations and the first one.
fn check(last: f64, iterations: usize, rows: usize, columns: usize) -> Result<(), Failure> {
    let expected = (iterations + 1) as f64 * (rows + columns - 2) as f64;
    // Written so that NaN is wrong too.
    if (last - expected).abs() < TOLERANCE * expected {
        Ok(())
    } else {
        Err(Failure::new(format!("the last cell is {last}, not {expected}")))
    }
}

/// The rows of a PE and the row above them, column by column.
struct Strip {
    cells: Vec<f64>,
    /// The number of cells of a column.
    height: usize,
}

impl Strip {
    /// The part of `pe`, with the first row and the first column filled in.
    fn new(pe: usize, n_pes: usize, rows: usize, columns: usize) -> Strip {
        let mine = part(rows - 1, n_pes, pe);
        let height = mine.len() + 1;
        let mut cells = vec![0.0; columns * height];
        for (i, cell) in cells[..height].iter_mut().enumerate() {
            *cell = (mine.start + i) as f64;
        }
        if pe == 0 {
            for (j, cell) in cells.iter_mut().step_by(height).enumerate() {
                *cell = j as f64;
            }
        }
        Strip { cells, height }
    }

    /// The cell above my rows.
    fn above(&mut self, column: usize) -> &mut f64 {
        &mut self.cells[column * self.height]
    }

    /// Computes a column from the one before and the cell above it, and returns the last cell.
    fn advance(&mut self, column: usize) -> f64 {
        let (before, now) =
            self.cells[(column - 1) * self.height..][..2 * self.height].split_at_mut(self.height);
        let mut cell = now[0];
        for (pair, now) in before.windows(2).zip(&mut now[1..]) {
            // In this order, a cell waits for only one operation of the cell above it.
            cell += pair[1] - pair[0];
            *now = cell;
        }
        cell
    }

    /// The last cell of all.
    fn last(&self) -> f64 {
        self.cells[self.cells.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last cell after 3 iterations of 5 × 4 cells on two PEs. `receive` passes a cell in a
    /// column and an iteration.
    fn last(receive: impl Fn(f64, usize, usize) -> f64) -> f64 {
        let mut upper = Strip::new(0, 2, 5, 4);
        let mut lower = Strip::new(1, 2, 5, 4);
        for iteration in 0..3 {
            for column in 1..4 {
                *lower.above(column) = receive(upper.advance(column), column, iteration);
                lower.advance(column);
            }
            upper.cells[0] = -lower.last();
        }
        lower.last()
    }

    #[test]
    fn a_cell_that_comes_too_late_is_noticed() {
        check(last(|cell, _, _| cell), 2, 5, 4).unwrap();

        // In the last column and the last iteration, the old value: nothing yet, or an older cell.
        let late = last(|cell, column, iteration| if (column, iteration) == (3, 2) { 0.0 } else { cell });
        assert_eq!(
            format!("{:?}", check(late, 2, 5, 4).unwrap_err()),
            format!("the last cell is {late}, not 21"),
        );
        let old = std::cell::Cell::new(0.0);
        let old = last(|cell, column, iteration| match (column, iteration) {
            (3, 1) => {
                old.set(cell);
                cell
            }
            (3, 2) => old.get(),
            _ => cell,
        });
        check(old, 2, 5, 4).unwrap_err();
    }

    #[test]
    fn the_last_cell_may_be_wrong_by_no_more_than_rounding() {
        check(21.0 * (1.0 + 1e-9), 2, 5, 4).unwrap();
        for last in [21.0 * (1.0 + 2e-8), 0.0, 14.0, f64::NAN, f64::INFINITY] {
            check(last, 2, 5, 4).unwrap_err();
        }
    }
}
