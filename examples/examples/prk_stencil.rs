//! The stencil of the Parallel Research Kernels: a filter is applied to a grid many times.
//!
//! ```text
//! cargo run --release --example prk_stencil                # 10 iterations of order 1000
//! cargo run --release --example prk_stencil -- 100 4000    # as published
//! ```
//!
//! The kernel is by Van der Wijngaart and Mattson (*The Parallel Research Kernels*, 2014, and
//! `ParRes/Kernels` on GitHub). The grid is a square of `order` rows. In each iteration, the
//! weighted sum of the cells of the input that are up to 2 away in the same row and column is added
//! to every cell of the output. Then 1 is added to the input, so that no PE can use an old copy of
//! it. The weights are those of a divergence, and the input starts as row + column. So every
//! iteration adds 2 to each cell of the output that the stencil reaches, and the check is that the
//! mean of the absolute values (the L1 norm) is that. If two neighbours use old edges, their
//! mistakes may cancel out in the mean. So beyond the published check, every single cell must be
//! right.
//!
//! The grid is divided into blocks, one for each PE, as square as their number allows. Each block
//! is in the private memory of its PE, with a frame of 2 cells around it. Before each iteration,
//! the PEs send their edges to their neighbours: `put_signal` puts an edge and counts it in one
//! call, and `wait!` waits for as many edges as there are neighbours. There is no barrier. There
//! are two places for each edge, used in turn, because a neighbour may be one iteration ahead. It
//! cannot be two ahead: for that it needs this PE's next edge.

use std::ops::Range;
use std::time::Instant;

use examples::{Failure, count, part, rate};
use shmem::prelude::*;

/// How far the stencil reaches.
const RADIUS: usize = 2;
/// The largest allowed error of the norm or of a cell.
const TOLERANCE: f64 = 1e-8;

// ANCHOR: arrived
/// The number of edges that have arrived here, for each of the two places.
#[symmetric]
static ARRIVED: [Atomic<u64>; 2] = [const { Atomic::new(0) }; 2];
// ANCHOR_END: arrived

#[shmem::main(threads = single)]
fn main(world: &World) -> Result<(), Failure> {
    let [iterations, order] = examples::numbers([("iterations", 10), ("order", 1000)])?;
    let n_pes = world.n_pes();
    let me = Block::of(world.my_pe(), n_pes, order)?;
    let neighbours = me.neighbours();
    let mut grid = Grid::new(&me);
    let mut output = vec![0.0; me.rows.len() * me.columns.len()];

    // ANCHOR: memory
    // The place, the side, and the cells of an edge. No block has longer edges than the first.
    let first = Block::of(0, n_pes, order)?;
    let longest = RADIUS * first.rows.len().max(first.columns.len());
    let edges = world.zeros::<f64, 3>([2, 4, longest])?;
    let mut edge = Vec::with_capacity(longest);
    // ANCHOR_END: memory

    let mut start = Instant::now();
    for iteration in 0..=iterations {
        if iteration == 1 {
            world.barrier_all(); // the first one was to warm up
            start = Instant::now();
        }
        let place = iteration % 2;

        // ANCHOR: exchange
        for Neighbour { pe, side, edge: cells, .. } in &neighbours {
            grid.read(cells, &mut edge);
            remote!(&edges[*pe, place, side ^ 1, ..edge.len()]).put_signal(
                &edge,
                remote!(&ARRIVED[*pe, place]),
                SignalOp::Add(1),
            );
        }
        wait!(ARRIVED[place] >= (neighbours.len() * (iteration / 2 + 1)) as u64);
        for Neighbour { side, frame, .. } in &neighbours {
            edge.resize(frame.len(), 0.0);
            local!(edges[place, *side, ..frame.len()] => &mut edge);
            grid.write(frame, &edge);
        }
        // ANCHOR_END: exchange

        grid.iterate(&me, &mut output);
    }
    let seconds = start.elapsed().as_secs_f64();
    let seconds = collective!(max seconds) / iterations as f64;

    // ANCHOR: sums
    let (sum, off) = measure(&me, &output, iterations);
    let reached = ((order - 2 * RADIUS) as f64).powi(2);
    let norm = collective!(sum sum) / reached;
    let off = collective!(max off);
    check(norm, off, iterations)?;
    // ANCHOR_END: sums

    if me.pe == 0 {
        println!(
            "{} of order {order} on {} ({} × {}): the L1 norm is {norm}, as it must be",
            count(iterations, "iteration"),
            count(n_pes, "PE"),
            me.down,
            me.across
        );
        // A multiplication and an addition for each cell of the stencil, and the addition of 1.
        let operations = (2 * (4 * RADIUS + 1) + 1) as f64 * reached;
        println!("{}", rate("prk_stencil", operations * 1e-6, "MFlop/s", seconds, "an iteration"));
    }
    Ok(())
}

/// The value of a cell that the stencil reaches after so many iterations and the first one.
fn expected(iterations: usize) -> f64 {
    2.0 * (iterations + 1) as f64
}

/// The sum of the absolute values of a block of the output, and the largest error of a cell.
fn measure(block: &Block, output: &[f64], iterations: usize) -> (f64, f64) {
    let (mut sum, mut off) = (0.0, 0.0_f64);
    let (rows, columns) = block.reached();
    for row in rows {
        for cell in &output[row * block.columns.len()..][columns.clone()] {
            sum += cell.abs();
            off = off.max((cell - expected(iterations)).abs());
        }
    }
    (sum, off)
}

/// The norm must be that of correct cells, and every cell must be right.
fn check(norm: f64, off: f64, iterations: usize) -> Result<(), Failure> {
    let expected = expected(iterations);
    // Written so that NaN is wrong too.
    if (norm - expected).abs() <= TOLERANCE && off <= TOLERANCE {
        Ok(())
    } else {
        Err(Failure::new(format!("the L1 norm is {norm}, not {expected}, and a cell is off by up to {off}")))
    }
}

// The blocks -------------------------------------------------------------------------------------------------

/// The part of the grid on a PE: one of `down × across` blocks.
struct Block {
    pe: usize,
    down: usize,
    across: usize,
    order: usize,
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Block {
    /// The block of `pe`.
    fn of(pe: usize, n_pes: usize, order: usize) -> Result<Block, Failure> {
        let across = (1..=n_pes.isqrt()).rev().find(|across| n_pes.is_multiple_of(*across)).unwrap_or(1);
        let down = n_pes / across;
        // The stencil fits into the grid, and does not reach further than the next block.
        let least = (2 * RADIUS + 1).max(RADIUS * down);
        if order < least {
            let pes = count(n_pes, "PE");
            return Err(Failure::new(format!("order is {order}; on {pes} it is at least {least}")));
        }
        let (rows, columns) = (part(order, down, pe / across), part(order, across, pe % across));
        Ok(Block { pe, down, across, order, rows, columns })
    }

    /// My rows and columns, from 0 on, without those that are too close to the edge of the whole
    /// grid for the stencil.
    fn reached(&self) -> (Range<usize>, Range<usize>) {
        let inner = |range: &Range<usize>| {
            let first = range.start.max(RADIUS);
            let end = range.end.min(self.order - RADIUS).max(first);
            first - range.start..end - range.start
        };
        (inner(&self.rows), inner(&self.columns))
    }

    /// The neighbouring blocks.
    fn neighbours(&self) -> Vec<Neighbour> {
        let (down, right) = (self.pe / self.across, self.pe % self.across);
        let (h, w) = (self.rows.len(), self.columns.len());
        // As many rows, or columns, as the stencil reaches. They are counted with the frame.
        let rows = |from| Cells { rows: from..from + RADIUS, columns: RADIUS..RADIUS + w };
        let columns = |from| Cells { rows: RADIUS..RADIUS + h, columns: from..from + RADIUS };

        let mut neighbours = Vec::new();
        if down > 0 {
            let (edge, frame) = (rows(RADIUS), rows(0));
            neighbours.push(Neighbour { pe: self.pe - self.across, side: UP, edge, frame });
        }
        if down + 1 < self.down {
            let (edge, frame) = (rows(h), rows(h + RADIUS));
            neighbours.push(Neighbour { pe: self.pe + self.across, side: DOWN, edge, frame });
        }
        if right > 0 {
            let (edge, frame) = (columns(RADIUS), columns(0));
            neighbours.push(Neighbour { pe: self.pe - 1, side: LEFT, edge, frame });
        }
        if right + 1 < self.across {
            let (edge, frame) = (columns(w), columns(w + RADIUS));
            neighbours.push(Neighbour { pe: self.pe + 1, side: RIGHT, edge, frame });
        }
        neighbours
    }
}

/// The sides of a block. Two opposite sides differ in the last bit.
const UP: usize = 0;
const DOWN: usize = 1;
const LEFT: usize = 2;
const RIGHT: usize = 3;

/// The neighbouring block on one side.
struct Neighbour {
    pe: usize,
    side: usize,
    /// My cells that it needs.
    edge: Cells,
    /// The cells of my frame that it fills.
    frame: Cells,
}

/// A rectangle of cells.
struct Cells {
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Cells {
    fn len(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

// The computation --------------------------------------------------------------------------------------------

/// The input of a block, and a frame of `RADIUS` cells around it.
struct Grid {
    cells: Vec<f64>,
    /// Cells from one row to the next.
    pitch: usize,
}

impl Grid {
    fn new(block: &Block) -> Grid {
        let pitch = block.columns.len() + 2 * RADIUS;
        let mut cells = vec![0.0; (block.rows.len() + 2 * RADIUS) * pitch];
        for (row, line) in block.rows.clone().zip(cells.chunks_exact_mut(pitch).skip(RADIUS)) {
            for (column, cell) in block.columns.clone().zip(&mut line[RADIUS..]) {
                *cell = (row + column) as f64;
            }
        }
        Grid { cells, pitch }
    }

    /// Some columns of a row.
    fn line(&mut self, row: usize, columns: &Range<usize>) -> &mut [f64] {
        &mut self.cells[row * self.pitch..][columns.clone()]
    }

    fn read(&mut self, cells: &Cells, values: &mut Vec<f64>) {
        values.clear();
        for row in cells.rows.clone() {
            values.extend_from_slice(self.line(row, &cells.columns));
        }
    }

    fn write(&mut self, cells: &Cells, values: &[f64]) {
        for (row, values) in cells.rows.clone().zip(values.chunks_exact(cells.columns.len())) {
            self.line(row, &cells.columns).copy_from_slice(values);
        }
    }

    /// Adds the result of the stencil to the output, and then 1 to the input.
    ///
    /// Both in one pass: two rows after the stencil, the old input is no longer needed, and it is
    /// still in the cache.
    fn iterate(&mut self, block: &Block, output: &mut [f64]) {
        let (h, w) = (block.rows.len(), block.columns.len());
        let (rows, columns) = block.reached();
        for row in 0..h + RADIUS {
            if rows.contains(&row) {
                // From the row that is 2 above to the one that is 2 below.
                let lines =
                    [0, 1, 2, 3, 4].map(|line| &self.cells[(row + line) * self.pitch..][..self.pitch]);
                filter(lines.map(|line| &line[columns.start..]), &mut output[row * w..][columns.clone()]);
            }
            if row >= RADIUS {
                for cell in self.line(row, &(RADIUS..RADIUS + w)) {
                    *cell += 1.0;
                }
            }
        }
    }
}

// ANCHOR: apply
/// Adds the result of the stencil to each cell of `output`. The `lines` begin 2 columns before it.
fn filter(lines: [&[f64]; 5], output: &mut [f64]) {
    // All have the same length, so the compiler can omit the checks of the indices.
    let from = |line: usize, column: usize| &lines[line][column..][..output.len()];
    let [up2, up, down, down2] = [0, 1, 3, 4].map(|line| from(line, RADIUS));
    let [left2, left, right, right2] = [0, 1, 3, 4].map(|column| from(RADIUS, column));
    for (i, cell) in output.iter_mut().enumerate() {
        *cell += 0.125 * (down2[i] - up2[i])
            + 0.25 * (down[i] - up[i])
            + 0.25 * (right[i] - left[i])
            + 0.125 * (right2[i] - left2[i]);
    }
}
// ANCHOR_END: apply

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: usize = 9;

    /// The norm of two blocks after 3 iterations, and the largest error of a cell. `exchange` is
    /// called before each iteration.
    fn result(mut exchange: impl FnMut(&mut [Grid; 2], [&Block; 2])) -> (f64, f64) {
        let [upper, lower] = [0, 1].map(|pe| Block::of(pe, 2, ORDER).unwrap());
        let blocks = [&upper, &lower];
        let mut grids = blocks.map(Grid::new);
        let mut outputs = blocks.map(|block| vec![0.0; block.rows.len() * block.columns.len()]);
        for _ in 0..3 {
            exchange(&mut grids, blocks);
            for ((grid, block), output) in grids.iter_mut().zip(blocks).zip(&mut outputs) {
                grid.iterate(block, output);
            }
        }
        let [upper, lower] = [0, 1].map(|pe| measure(blocks[pe], &outputs[pe], 2));
        ((upper.0 + lower.0) / (ORDER - 2 * RADIUS).pow(2) as f64, upper.1.max(lower.1))
    }

    /// The edge of one block is copied into the frame of the other.
    fn hand_over(grids: &mut [Grid; 2], blocks: [&Block; 2], from: usize) {
        let [sender, receiver] = [from, 1 - from].map(|pe| blocks[pe].neighbours().pop().unwrap());
        let mut edge = Vec::new();
        grids[from].read(&sender.edge, &mut edge);
        grids[1 - from].write(&receiver.frame, &edge);
    }

    #[test]
    fn old_edges_are_noticed() {
        let (norm, off) = result(|grids, blocks| {
            hand_over(grids, blocks, 0);
            hand_over(grids, blocks, 1);
        });
        check(norm, off, 2).unwrap();

        // One side keeps the first edge that it got. The mean shows this.
        let mut iteration = 0;
        let (norm, off) = result(|grids, blocks| {
            hand_over(grids, blocks, 0);
            if iteration == 0 {
                hand_over(grids, blocks, 1);
            }
            iteration += 1;
        });
        assert!((norm - 6.0).abs() > 0.01, "{norm}");
        assert_eq!(
            format!("{:?}", check(norm, off, 2).unwrap_err()),
            format!("the L1 norm is {norm}, not 6, and a cell is off by up to {off}"),
        );

        // Both sides do. The errors cancel out in the mean.
        let mut iteration = 0;
        let (norm, off) = result(|grids, blocks| {
            if iteration == 0 {
                hand_over(grids, blocks, 0);
                hand_over(grids, blocks, 1);
            }
            iteration += 1;
        });
        assert!((norm - 6.0).abs() <= TOLERANCE && off > 0.1, "{norm}, {off}");
        check(norm, off, 2).unwrap_err();
    }

    #[test]
    fn the_result_may_be_wrong_by_no_more_than_rounding() {
        check(6.0 + 1e-9, 1e-9, 2).unwrap();
        for norm in [6.0 + 2e-8, 6.0 - 2e-8, 0.0, 8.0, f64::NAN, f64::INFINITY] {
            check(norm, 0.0, 2).unwrap_err();
        }
        for off in [2e-8, 6.0, f64::NAN, f64::INFINITY] {
            check(6.0, off, 2).unwrap_err();
        }
    }
}
