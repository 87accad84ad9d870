//! Heat on a plate: the edges travel while the inner rows are computed, and a PE waits for its
//! neighbours alone.

mod plate;

use std::mem::swap;

use plate::{start, step_row, wrong};
use shmem::prelude::*;

const ROWS: usize = 4; // of each PE
const COLUMNS: usize = 32;
const STEPS: usize = 10;

// ANCHOR: statics
#[symmetric]
static FROM_UP: [f64; COLUMNS + 2] = [0.0; COLUMNS + 2];
#[symmetric]
static FROM_DOWN: [f64; COLUMNS + 2] = [0.0; COLUMNS + 2];
// ANCHOR_END: statics

#[shmem::main]
fn main(world: &World) {
    // ANCHOR: private
    let (me, npes) = (world.my_pe(), world.n_pes());
    let up = me.checked_sub(1);
    let down = Some(me + 1).filter(|down| *down < npes);
    let neighbours: Vec<usize> = up.into_iter().chain(down).collect();

    // In the private memory of this PE.
    let mut old = [[0.0; COLUMNS + 2]; ROWS + 2];
    for i in 0..ROWS {
        for j in 0..COLUMNS {
            old[i + 1][j + 1] = start(me * ROWS + i, j);
        }
    }
    let mut new = old;
    // ANCHOR_END: private

    // ANCHOR: steps
    for _ in 0..STEPS {
        world.nbi(|puts| {
            if let Some(up) = up {
                puts.put(remote!(&FROM_DOWN[up, ..]), &old[1]);
            }
            if let Some(down) = down {
                puts.put(remote!(&FROM_UP[down, ..]), &old[ROWS]);
            }
            for i in 2..ROWS {
                let cells = &mut new[i][1..=COLUMNS];
                step_row(&old[i - 1], &old[i], &old[i + 1], cells);
            }
        }); // my puts are complete

        world.barrier_with(&neighbours); // so are those of my neighbours
        old[0] = local!(FROM_UP[..]);
        old[ROWS + 1] = local!(FROM_DOWN[..]);
        world.sync_with(&neighbours); // my neighbours have read theirs

        for i in [1, ROWS] {
            let cells = &mut new[i][1..=COLUMNS];
            step_row(&old[i - 1], &old[i], &old[i + 1], cells);
        }
        swap(&mut old, &mut new);
    }
    // ANCHOR_END: steps

    // ANCHOR: check
    let rows = old[1..=ROWS].iter().map(|row| &row[1..=COLUMNS]);
    let mine: Vec<f64> = rows.flatten().copied().collect();
    let whole: Vec<f64> = collective!(collect mine.as_slice());
    if me == 0 {
        assert_eq!(wrong(&whole, COLUMNS, STEPS), 0);
        println!("all {} cells are right", whole.len());
    }
    // ANCHOR_END: check
}
