//! A matrix that is distributed over the PEs is transposed by a kernel, block by block through shared
//! memory.
//!
//! ```text
//! cargo run --release --features gpu --example gpu_transpose          # 20 rows on each PE
//! cargo run --release --features gpu --example gpu_transpose -- 500
//! ```
//!
//! Each PE holds as many rows of a square matrix. A block of threads copies a tile of these rows to shared
//! memory, where neighbouring threads read neighbouring elements. Then it writes the tile's columns as
//! rows, and neighbouring threads write neighbouring elements, on the PE that holds the row. `prk_transpose`
//! is the same on the host, and says where the kernel is from.
//!
//! The argument is the number of rows on each PE. The check knows the value of every element, and that
//! a second transposition gives the matrix again.

use examples::{Failure, count, numbers};
use shmem::prelude::*;

/// A tile has as many rows and columns.
const TILE: usize = 8;
/// The places of a row of a tile in shared memory. One is unused, so that the elements of a column lie in
/// different banks.
const PITCH: usize = TILE + 1;
const ROOM: usize = TILE * PITCH;

/// `to` becomes the transpose of `from`; one block for each tile of this PE's rows.
#[shmem::gpu::kernel]
fn transpose(from: Global<f64, 2>, mut to: Global<f64, 2>) {
    let mut tile = shared::<[f64; ROOM]>();
    let (rows, order) = (from.extent(0), from.extent(1));
    let across = 1 + (order - 1) / TILE;
    let (top, left) = (block_index() / across * TILE, block_index() % across * TILE);
    let (y, x) = (thread_index() / TILE, thread_index() % TILE);
    if top + y < rows && left + x < order {
        local!(tile[y * PITCH + x]) = local!(from[top + y, left + x]);
    }
    block_barrier();
    // This thread's element now is that of another thread: the rows of the tile run along `x`.
    let (row, column) = (top + x, left + y);
    if row < rows && column < order {
        let (pe, row_there) = (column / rows, column % rows);
        remote!(to[pe, row_there, my_pe() * rows + row]) = local!(tile[x * PITCH + y]);
    }
}

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let [rows] = numbers([("rows", 20)])?;
    let order = rows * n_pes;
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;

    let element = |row: usize, column: usize| (order * row + column) as f64;
    let first = me * rows;
    let a = gpu.from_fn([rows, order], |[row, column]| element(first + row, column))?;
    let (b, c) = (gpu.full([rows, order], -1.0)?, gpu.full([rows, order], -1.0)?);

    let blocks = rows.div_ceil(TILE) * order.div_ceil(TILE);
    transpose.launch(&stream, blocks, TILE * TILE, (&a, &b))?;
    collective!(stream; barrier); // the elements of all PEs are here
    transpose.launch(&stream, blocks, TILE * TILE, (&b, &c))?;
    collective!(stream; barrier);

    let transposed = b.to_vec(&stream)?;
    let is_right = |(i, x): (usize, &f64)| *x == element(i % order, first + i / order);
    let wrong = transposed.iter().enumerate().filter(|one| !is_right(*one)).count();
    let wrong = collective!(sum wrong);
    if wrong > 0 {
        return Err(Failure::new(format!("{wrong} of {} elements are wrong", order * order)));
    }
    if collective!(sum usize::from(a.to_vec(&stream)? != c.to_vec(&stream)?)) > 0 {
        return Err(Failure::new("the transpose of the transpose is another matrix"));
    }
    if me == 0 {
        println!(
            "{order} × {order} elements in {} on each of {}, back end {}: transposed, and back again",
            count(blocks, "block"),
            count(n_pes, "PE"),
            gpu.back_end()
        );
    }
    stream.synchronize()?;
    Ok(())
}
