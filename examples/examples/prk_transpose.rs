//! The transpose of the Parallel Research Kernels: a matrix is transposed over all PEs, many times.
//!
//! ```text
//! cargo run --release --example prk_transpose                   # 10 iterations of order 1000 in tiles of 32
//! cargo run --release --example prk_transpose -- 100 4000 32    # as published
//! ```
//!
//! The kernel is by Van der Wijngaart and Mattson (*The Parallel Research Kernels*, 2014, and
//! `ParRes/Kernels` on GitHub). In each iteration, the transpose of A is added to B, and then 1 to
//! A, so that no PE can use an old copy of it. A starts as the numbers from 0 on, column by column.
//! So the final value of every cell of B is known. The check is that the sum of all differences is
//! at most 1e-8.
//!
//! The columns of both matrices are distributed over the PEs, which have them in private memory,
//! column by column. Unlike in the published kernel, the order need not be divisible by the number
//! of PEs. All blocks except those on the diagonal go from one PE to another, in phases. In phase
//! `p`, each PE sends to the PE that is `p` before it, so that no PE gets two blocks at the same
//! time. A block is sent in strips. A strip has as many columns of A as a tile is wide, and is sent
//! tile by tile:
//!
//! ```text
//!  a strip of A        turned, and put       there it belongs in B
//!     1 1 .                                      1 1 2 2 3 3
//!     1 1 .     --->   1 1  2 2  3 3    --->     1 1 2 2 3 3
//!     2 2 .            1 1  2 2  3 3             . . . . . .
//!     2 2 .
//!     3 3 .
//!     3 3 .
//! ```
//!
//! A transposed tile is put while it is in the cache. After a strip, the sender posts an event. The
//! receiver waits for it, adds the tiles to B, and posts an event of the sender, which frees the room
//! of the strip. Every PE has room for two strips of each other PE. The published kernel has room for
//! whole blocks.

use std::ops::Range;
use std::time::Instant;

use examples::{Failure, count, part, rate};
use shmem::prelude::*;

/// The largest allowed sum of all differences.
const TOLERANCE: f64 = 1e-8;

#[shmem::main(threads = single)]
fn main(world: &World) -> Result<(), Failure> {
    let [iterations, order, tile] = examples::numbers([("iterations", 10), ("order", 1000), ("tile", 32)])?;
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let of_pe = |pe| part(order, n_pes, pe);
    let mine = of_pe(me);
    let my_columns = 0..mine.len();
    let most = of_pe(0).len(); // nobody has more
    let tile = tile.min(most);
    let tiles = most.div_ceil(tile);

    let mut a = Matrix::counted(order, &mine);
    let mut b = Matrix { order, cells: vec![0.0; mine.len() * order] };
    let mut turned = Vec::with_capacity(tile * tile);

    // For each phase: room for two strips of tiles that are sent to me, the strips that have arrived
    // there, and the room for mine that has become free again on the PE that I send to.
    let inbox = world.zeros::<f64, 4>([n_pes, 2, tiles, tile * tile])?;
    let arrived = world.symmetric_array::<Event, 1>([n_pes], Event::new())?;
    let free = world.symmetric_array::<Event, 1>([n_pes], Event::new())?;

    let mut start = Instant::now();
    for iteration in 0..=iterations {
        if iteration == 1 {
            world.barrier_all(); // the first one was to warm up
            start = Instant::now();
        }
        // My own block.
        for strip in 0..tiles {
            for t in 0..tiles {
                a.turn(piece(&mine, tile, t), piece(&my_columns, tile, strip), &mut turned);
                b.add(piece(&mine, tile, strip), piece(&my_columns, tile, t), &turned);
            }
        }
        for phase in 1..n_pes {
            let (to, from) = ((me + n_pes - phase) % n_pes, (me + phase) % n_pes);
            for strip in 0..tiles {
                let number = iteration * tiles + strip;
                let place = number % 2;

                let columns = piece(&my_columns, tile, strip);
                if number >= 2 {
                    local!(&free[phase]).wait();
                }
                for t in 0..tiles {
                    a.turn(piece(&of_pe(to), tile, t), columns.clone(), &mut turned);
                    remote!(inbox[to, phase, place, t, ..turned.len()]) = &turned;
                }
                remote!(&arrived[to, phase]).post(); // completes the puts first

                let rows = piece(&of_pe(from), tile, strip);
                local!(&arrived[phase]).wait();
                for t in 0..tiles {
                    let columns = piece(&my_columns, tile, t);
                    let cells = rows.len() * columns.len();
                    turned.resize(cells, 0.0);
                    local!(inbox[phase, place, t, ..cells] => &mut turned);
                    b.add(rows.clone(), columns, &turned);
                }
                remote!(&free[from, phase]).post();
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let seconds = collective!(max seconds) / iterations as f64;

    let wrong = b.difference(mine.start, iterations);
    let wrong = collective!(sum wrong);
    check(wrong)?;

    if me == 0 {
        println!(
            "{} of order {order} in tiles of {tile} on {}: the differences sum up to {wrong}",
            count(iterations, "iteration"),
            count(n_pes, "PE")
        );
        let bytes = (2 * size_of::<f64>()) as f64 * (order as f64).powi(2);
        println!("{}", rate("prk_transpose", bytes * 1e-6, "MB/s", seconds, "an iteration"));
    }
    Ok(())
}

/// The sum of all differences to the correct B must not be more than rounding errors.
fn check(wrong: f64) -> Result<(), Failure> {
    // Written so that NaN is wrong too.
    if wrong <= TOLERANCE {
        Ok(())
    } else {
        Err(Failure::new(format!("the differences sum up to {wrong}, and may sum up to {TOLERANCE}")))
    }
}

/// Piece `index` of a run that is divided into pieces of `tile`, if there is one.
fn piece(run: &Range<usize>, tile: usize, index: usize) -> Range<usize> {
    let start = (run.start + index * tile).min(run.end);
    start..(start + tile).min(run.end)
}

/// The columns of a PE, one after the other. They are counted from its first one.
struct Matrix {
    order: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// These columns of the initial matrix, whose cells are the numbers from 0 on, column by
    /// column.
    fn counted(order: usize, columns: &Range<usize>) -> Matrix {
        let cells = (columns.start * order..columns.end * order).map(|cell| cell as f64).collect();
        Matrix { order, cells }
    }

    fn column(&mut self, column: usize, rows: &Range<usize>) -> &mut [f64] {
        &mut self.cells[column * self.order..][rows.clone()]
    }

    /// Writes the transpose of a tile to `turned`, and adds 1 to the tile.
    #[inline(never)] // in `main` there are not enough registers for it
    fn turn(&mut self, rows: Range<usize>, columns: Range<usize>, turned: &mut Vec<f64>) {
        let width = columns.len();
        turned.resize(rows.len() * width, 0.0);
        if width == 0 {
            return;
        }
        for (j, column) in columns.enumerate() {
            let column = self.column(column, &rows);
            for (cell, line) in column.iter_mut().zip(turned.chunks_exact_mut(width)) {
                line[j] = *cell;
                *cell += 1.0;
            }
        }
    }

    /// Adds a tile.
    #[inline(never)] // as above
    fn add(&mut self, rows: Range<usize>, columns: Range<usize>, tile: &[f64]) {
        if rows.is_empty() {
            return;
        }
        for (column, line) in columns.zip(tile.chunks_exact(rows.len())) {
            for (cell, value) in self.column(column, &rows).iter_mut().zip(line) {
                *cell += value;
            }
        }
    }

    /// The sum of the differences of all cells to their values after so many iterations and the
    /// first one.
    fn difference(&self, first: usize, iterations: usize) -> f64 {
        let all = (iterations + 1) as f64;
        let added = all * iterations as f64 / 2.0; // by the 1 that is added to A each time
        let mut difference = 0.0;
        for (j, column) in self.cells.chunks_exact(self.order).enumerate() {
            for (i, cell) in column.iter().enumerate() {
                let start = (i * self.order + first + j) as f64;
                difference += (cell - (start * all + added)).abs();
            }
        }
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: usize = 7;

    /// B after 3 iterations on one PE.
    fn transposed() -> Matrix {
        let mut a = Matrix::counted(ORDER, &(0..ORDER));
        let mut b = Matrix { order: ORDER, cells: vec![0.0; ORDER * ORDER] };
        let mut turned = Vec::new();
        for _ in 0..3 {
            for [x, y] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                let [rows, columns] = [x, y].map(|index| piece(&(0..ORDER), 4, index));
                a.turn(rows.clone(), columns.clone(), &mut turned);
                b.add(columns, rows, &turned);
            }
        }
        b
    }

    #[test]
    fn a_wrong_cell_is_noticed() {
        check(transposed().difference(0, 2)).unwrap();

        let mut damaged = transposed();
        damaged.cells[ORDER + 3] += 1.0; // as if A were one iteration ahead there
        let report = format!("{:?}", check(damaged.difference(0, 2)).unwrap_err());
        assert_eq!(report, "the differences sum up to 1, and may sum up to 0.00000001");

        let mut swapped = transposed();
        swapped.cells.swap(1, ORDER); // as if these two were not turned
        check(swapped.difference(0, 2)).unwrap_err();
        check(transposed().difference(0, 1)).unwrap_err(); // one iteration less
        check(transposed().difference(1, 2)).unwrap_err(); // other columns
    }

    #[test]
    fn the_differences_may_be_no_more_than_rounding() {
        check(1e-9).unwrap();
        for wrong in [2e-8, 1.0, f64::NAN, f64::INFINITY] {
            check(wrong).unwrap_err();
        }
    }
}
