//! What the programs of the chapter on heat share.

// ANCHOR: head
#![allow(dead_code, reason = "each program uses some of it")]

use std::mem::swap;
// ANCHOR_END: head

// ANCHOR: start
/// The heat of a cell at the start: a hot block on a cold plate.
pub(crate) fn start(row: usize, column: usize) -> f64 {
    let is_hot = (3..11).contains(&row) && (10..22).contains(&column);
    if is_hot { 100.0 } else { 0.0 }
}
// ANCHOR_END: start

// ANCHOR: step
/// Computes the cells of a row. `here` is the row as it was, `up` the row above
/// it, and `down` the row below it. These three have one more cell at both ends.
pub(crate) fn step_row(
    up: &[f64],
    here: &[f64],
    down: &[f64],
    new: &mut [f64],
) {
    for (j, cell) in new.iter_mut().enumerate() {
        let around = up[j + 1] + down[j + 1] + here[j] + here[j + 2];
        *cell = here[j + 1] + 0.2 * (around - 4.0 * here[j + 1]);
    }
}
// ANCHOR_END: step

// ANCHOR: alone
/// The plate after some steps, row by row.
pub(crate) fn alone(rows: usize, columns: usize, steps: usize) -> Vec<f64> {
    let mut old = vec![vec![0.0; columns + 2]; rows + 2]; // with a frame
    for i in 0..rows {
        for j in 0..columns {
            old[i + 1][j + 1] = start(i, j);
        }
    }
    let mut new = old.clone();
    for _ in 0..steps {
        for i in 1..=rows {
            let cells = &mut new[i][1..=columns];
            step_row(&old[i - 1], &old[i], &old[i + 1], cells);
        }
        swap(&mut old, &mut new);
    }
    let cells = old[1..=rows].iter().map(|row| &row[1..=columns]);
    cells.flatten().copied().collect()
}
// ANCHOR_END: alone

// ANCHOR: look
/// Prints a character for each cell, from `.` for cold to `@` for hot.
pub(crate) fn draw(plate: &[f64], columns: usize) {
    for row in plate.chunks(columns) {
        let shade = |heat: &f64| ".:-=+*#%@".as_bytes()[(heat / 12.4) as usize];
        let line: Vec<u8> = row.iter().map(shade).collect();
        println!("{}", String::from_utf8_lossy(&line));
    }
}

/// How many cells are not those that one PE computes.
pub(crate) fn wrong(plate: &[f64], columns: usize, steps: usize) -> usize {
    let right = alone(plate.len() / columns, columns, steps);
    plate.iter().zip(&right).filter(|(cell, right)| cell != right).count()
}
// ANCHOR_END: look
