//! Heat on a plate: each PE has a block of rows and columns.

mod plate;

use std::mem::swap;

use plate::{start, step_row, wrong};
use shmem::prelude::*;

// ANCHOR: blocks
const ROWS: usize = 8; // of each PE
const COLUMNS: usize = 16; // of each PE

#[symmetric]
static ONE: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];
#[symmetric]
static OTHER: [[f64; COLUMNS + 2]; ROWS + 2] = [[0.0; COLUMNS + 2]; ROWS + 2];

/// How many blocks are side by side: as square a grid of PEs as there can be.
fn blocks_across(npes: usize) -> usize {
    let mut counts = (1..=npes.isqrt()).rev();
    counts.find(|count| npes.is_multiple_of(*count)).unwrap_or(1)
}
// ANCHOR_END: blocks

const STEPS: usize = 10;

// ANCHOR: main
#[shmem::main]
fn main(world: &World) {
    let (me, npes) = (world.my_pe(), world.n_pes());
    let across = blocks_across(npes);
    let down = npes / across;
    let (row, column) = (me / across, me % across); // of my block

    let (mut now, mut next) = (&ONE, &OTHER);
    world.local_phase(|p| {
        let mut plate = now.as_mut_array(p);
        for i in 0..ROWS {
            for j in 0..COLUMNS {
                plate[i + 1][j + 1] =
                    start(row * ROWS + i, column * COLUMNS + j);
            }
        }
    });

    for _ in 0..STEPS {
        // ANCHOR: exchange
        if row > 0 {
            let edge = local!(now[1, 1..=COLUMNS]);
            remote!(now[me - across, ROWS + 1, 1..=COLUMNS]) = edge;
        }
        if row + 1 < down {
            let edge = local!(now[ROWS, 1..=COLUMNS]);
            remote!(now[me + across, 0, 1..=COLUMNS]) = edge;
        }
        if column > 0 {
            let edge = local!(now[1..=ROWS, 1]);
            remote!(now[me - 1, 1..=ROWS, COLUMNS + 1]) = edge;
        }
        if column + 1 < across {
            let edge = local!(now[1..=ROWS, COLUMNS]);
            remote!(now[me + 1, 1..=ROWS, 0]) = edge;
        }
        // ANCHOR_END: exchange
        world.local_phase(|p| {
            let (old, mut new) = (now.as_array(p), next.as_mut_array(p));
            for i in 1..=ROWS {
                let cells = &mut new[i][1..=COLUMNS];
                step_row(&old[i - 1], &old[i], &old[i + 1], cells);
            }
        });
        swap(&mut now, &mut next);
    }

    if me == 0 {
        let mut whole = Vec::new();
        for i in 0..down * ROWS {
            for block in 0..across {
                let pe = i / ROWS * across + block;
                let cells = remote!(now[pe, i % ROWS + 1, 1..=COLUMNS]);
                whole.extend_from_slice(&cells);
            }
        }
        assert_eq!(wrong(&whole, across * COLUMNS, STEPS), 0);
        println!(
            "{down} × {across} blocks: all {} cells are right",
            whole.len()
        );
    }
}
// ANCHOR_END: main
