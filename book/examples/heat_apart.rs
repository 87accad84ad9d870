//! Heat on a plate: each PE has its rows, and no PE knows of the others.

// ANCHOR: all
mod plate;

use plate::{draw, start, step_row, wrong};
use shmem::prelude::*;

const ROWS: usize = 4; // of each PE
const COLUMNS: usize = 32;
const STEPS: usize = 10;

#[symmetric]
static PLATE: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];

#[shmem::main]
fn main(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    for i in 0..ROWS {
        for j in 0..COLUMNS {
            local!(PLATE[i + 1, j + 1]) = start(me * ROWS + i, j);
        }
    }

    for _ in 0..STEPS {
        let old = local!(PLATE[.., ..]);
        let mut new = [[0.0; COLUMNS]; ROWS];
        for i in 0..ROWS {
            step_row(&old[i], &old[i + 1], &old[i + 2], &mut new[i]);
        }
        local!(PLATE[1..=ROWS, 1..=COLUMNS]) = new;
    }

    world.barrier_all(); // all PEs are done
    if me == 0 {
        let mut whole = Vec::new();
        for pe in 0..npes {
            let rows = remote!(PLATE[pe, 1..=ROWS, 1..=COLUMNS]);
            whole.extend_from_slice(rows.as_flattened());
        }
        draw(&whole, COLUMNS);
        let wrong = wrong(&whole, COLUMNS, STEPS);
        println!("{wrong} of {} cells are wrong", whole.len());
    }
}
// ANCHOR_END: all
