//! A row, into a column.

use shmem::prelude::*;

const ROWS: usize = 8;
const COLUMNS: usize = 16;

#[symmetric]
static ONE: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];

#[shmem::main]
fn main() {
    let edge = local!(ONE[1, 1..=COLUMNS]);
    remote!(ONE[1, 1..=ROWS, 0]) = edge;
}
