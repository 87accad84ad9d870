//! A row with its frame, into the cells without it.

use shmem::prelude::*;

const ROWS: usize = 4;
const COLUMNS: usize = 32;

#[symmetric]
static PLATE: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];

#[shmem::main]
fn main() {
    let row = local!(PLATE[1, ..]);
    remote!(PLATE[1, 0, 1..=COLUMNS]) = row;
    remote!(PLATE[1, ROWS + 2, ..]) = row;
}
