//! Heat on a plate: a step reads one layer and writes the other, as slices.

// ANCHOR: all
mod plate;

use std::mem::swap;

use plate::{start, step_row, wrong};
use shmem::prelude::*;

const ROWS: usize = 4; // of each PE
const COLUMNS: usize = 32;
const STEPS: usize = 10;

#[symmetric]
static ONE: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];
#[symmetric]
static OTHER: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];

#[shmem::main]
fn main(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let (mut now, mut next) = (&ONE, &OTHER);
    world.local_phase(|p| {
        let mut plate = now.as_mut_array(p);
        for i in 0..ROWS {
            for j in 0..COLUMNS {
                plate[i + 1][j + 1] = start(me * ROWS + i, j);
            }
        }
    });

    for _ in 0..STEPS {
        if me > 0 {
            remote!(now[me - 1, ROWS + 1, ..]) = local!(now[1, ..]);
        }
        if me + 1 < npes {
            remote!(now[me + 1, 0, ..]) = local!(now[ROWS, ..]);
        }
        world.local_phase(|p| {
            let (old, mut new) = (now.as_array(p), next.as_mut_array(p));
            for i in 1..=ROWS {
                let cells = &mut new[i][1..=COLUMNS];
                step_row(&old[i - 1], &old[i], &old[i + 1], cells);
            }
        });
        swap(&mut now, &mut next);
    }
    // ANCHOR_END: all

    if me == 0 {
        let mut whole = Vec::new();
        for pe in 0..npes {
            let rows = remote!(now[pe, 1..=ROWS, 1..=COLUMNS]);
            whole.extend_from_slice(rows.as_flattened());
        }
        assert_eq!(wrong(&whole, COLUMNS, STEPS), 0);
        println!("all {} cells are right", whole.len());
    }
}
