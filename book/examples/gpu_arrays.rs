//! A ring of cells in the memory of GPUs.

mod ring;

use ring::{CELLS, show, start};
use shmem::prelude::*;

#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let first = CELLS * world.my_pe(); // of the whole ring
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;

    // Cells 1 to CELLS are this PE's. There is room for a neighbour's before
    // and after them.
    let heat = gpu.from_fn([CELLS + 2], |[i]| {
        if (1..=CELLS).contains(&i) { start(first + i - 1) } else { 0.0 }
    })?;
    show(world, &stream, &heat, 0);
    stream.synchronize()
}
