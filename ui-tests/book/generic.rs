//! A const parameter as a constant selector.

use shmem::prelude::*;

#[symmetric]
static CELLS: [f32; 64] = [0.0; 64];

fn first<const COUNT: usize>(pe: usize) -> Vec<f32> {
    remote!(CELLS[pe, ..COUNT])
}

#[shmem::main]
fn main() {
    first::<7>(0);
}
