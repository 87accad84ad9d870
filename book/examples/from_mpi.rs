//! Conway's game of life on a torus.

use shmem::prelude::*;

const ROWS: usize = 8;
const COLUMNS: usize = 16;

/// The rows of this PE, and one of each neighbour.
#[symmetric]
static CELLS: [[u8; COLUMNS]; ROWS + 2] = [[0; COLUMNS]; ROWS + 2];

#[shmem::main]
fn main(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (up, down) = ((me + n - 1) % n, (me + 1) % n);
    if me == 0 {
        local!(CELLS[1, 2]) = 1; // a glider
        local!(CELLS[2, 3]) = 1;
        local!(CELLS[3, 1..4]) = 1;
    }
    for _ in 0..34 {
        world.sync_with(&[up, down]);
        remote!(CELLS[up, ROWS + 1, ..]) = local!(&CELLS[1, ..]);
        remote!(CELLS[down, 0, ..]) = local!(&CELLS[ROWS, ..]);
        world.barrier_with(&[up, down]);
        local!(CELLS[1..=ROWS, ..]) = generation(&local!(CELLS[.., ..]));
    }
    let mine = local!(CELLS[1..=ROWS, ..]);
    let alive = mine.as_flattened().iter().filter(|&&cell| cell == 1).count();
    let all = collective!(fcollect[alive]);
    if me == 0 {
        print!("alive:");
        for [alive] in all {
            print!(" {alive}");
        }
        println!();
    }
}

fn generation(old: &[[u8; COLUMNS]; ROWS + 2]) -> [[u8; COLUMNS]; ROWS] {
    let cell = |row: usize, column: usize| {
        let columns = [column + COLUMNS - 1, column, column + 1];
        let around: u8 = (row - 1..=row + 1)
            .flat_map(|i| columns.map(|j| old[i][j % COLUMNS]))
            .sum();
        // Three neighbours, or two and the cell itself.
        u8::from(around == 3 || (around == 4 && old[row][column] == 1))
    };
    std::array::from_fn(|row| std::array::from_fn(|j| cell(row + 1, j)))
}
